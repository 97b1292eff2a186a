/* Moments as they are stored (one width, "+00:00") and as they are shown (RFC 3339 with Z). */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_TIMES_H
#define ASSAY_ORCHESTRATOR_STORAGE_TIMES_H

#include "base/json.h"

/* A stored moment as RFC 3339 with Z and six digits or none; NULL stays NULL. */
const char *shown_time(struct arena *arena, const char *stored);

/* A member: a moment in Unix microseconds as it is shown, null for 0. */
void write_shown_timestamp(struct json_writer *writer, const char *key, int64_t timestamp);

/* A moment in Unix microseconds as it is stored, NULL for 0. */
const char *stored_timestamp(struct arena *arena, int64_t timestamp);

/* "2026-07-30T12:00:00.5Z", with an offset or none (UTC), as it is stored; NULL when it is no time.
 */
const char *stored_time(struct arena *arena, const char *given);

#endif
