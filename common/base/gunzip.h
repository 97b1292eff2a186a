/*
 * Decompresses gzip (RFC 1952) in pieces, so that the output is never held in memory as a whole.
 * The output is limited: a compressed kilobyte can expand to a megabyte.
 */
#ifndef ASSAY_BASE_GUNZIP_H
#define ASSAY_BASE_GUNZIP_H

#include "base/arena.h"
#include "base/error.h"

struct gunzip;

/* Decompresses `bytes`, which are borrowed, to at most `most` bytes. All memory is the arena's. */
struct gunzip *gunzip_start(struct arena *arena, const char *bytes, size_t length, size_t most);

/* The next piece, of up to `size` bytes; `*count` is 0 at the end. ERROR_MALFORMED with
 * `gzip_damaged` for input that is not gzip, is truncated or fails its checksum, ERROR_TOO_LARGE
 * with `unpacked_too_large`. */
MUST_CHECK enum error gunzip_read(struct gunzip *gunzip, char *piece, size_t size, size_t *count,
                                  struct problem *problem);

#endif
