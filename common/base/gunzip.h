/*
 * Unpacking gzip (RFC 1952) piece by piece, so that what was packed never stands in memory as a
 * whole, and with an end to how much comes out: a kilobyte can be packed to hold a megabyte.
 */
#ifndef ASSAY_BASE_GUNZIP_H
#define ASSAY_BASE_GUNZIP_H

#include "base/arena.h"
#include "base/error.h"

struct gunzip;

/* Of `bytes`, which are borrowed, at most `most` unpacked ones. All memory is the arena's. */
struct gunzip *gunzip_start(struct arena *arena, const char *bytes, size_t length, size_t most);

/* The next piece, of up to `size` bytes; `*count` is 0 at the end. ERROR_MALFORMED with
 * `gzip_damaged` for what is no gzip, has no end or fails its check sum, ERROR_TOO_LARGE with
 * `unpacked_too_large`. */
MUST_CHECK enum error gunzip_read(struct gunzip *gunzip, char *piece, size_t size, size_t *count,
                                  struct problem *problem);

#endif
