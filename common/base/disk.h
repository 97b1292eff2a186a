/*
 * Files that could not be written, and whole pieces of files.
 */
#ifndef ASSAY_BASE_DISK_H
#define ASSAY_BASE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The reason for `problem_set` by the errno of the failed write: `disk_full`, else `other`. */
const char *disk_reason(int code, const char *other);

/* Reads exactly `length` bytes from the position `at`; false when there are fewer. */
bool disk_read(int file, int64_t at, char *bytes, size_t length);

#endif
