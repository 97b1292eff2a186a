/* Takes single files out of a ZIP archive. The archive must be one that is trusted: this process
 * reads it. */
#ifndef ASSAY_DOCUMENTS_ARCHIVE_H
#define ASSAY_DOCUMENTS_ARCHIVE_H

#include "base/error.h"

#include <stdint.h>

/* Writes the member of an archive to a new file, at most `most` bytes. ERROR_MALFORMED
 * `archive_unreadable` when it is not in it or is larger, ERROR_SYSTEM `file_not_written`. */
MUST_CHECK enum error archive_extract(const char *archive, const char *member, const char *path,
                                      int64_t most, struct problem *problem);

#endif
