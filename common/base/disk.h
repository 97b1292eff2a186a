/*
 * Files that could not be written.
 */
#ifndef ASSAY_BASE_DISK_H
#define ASSAY_BASE_DISK_H

/* The reason for `problem_set` by the errno of the failed write: `disk_full`, else `other`. */
const char *disk_reason(int code, const char *other);

#endif
