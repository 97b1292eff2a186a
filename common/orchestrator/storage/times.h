/* Timestamps are microseconds since 1970 in structs, fixed-width text with "+00:00" in the store,
 * and RFC 3339 with Z in answers. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_TIMES_H
#define ASSAY_ORCHESTRATOR_STORAGE_TIMES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* "2026-07-30T12:00:00Z", with six digits of a fraction if there is one, as TIME_Z of schemas
 * writes it. */
const char *shown_time(struct arena *arena, int64_t timestamp);

/* Reads a date, or a date and a time with or without an offset (default UTC). False for anything
 * else. */
bool read_time(const char *text, int64_t *timestamp);

#endif
