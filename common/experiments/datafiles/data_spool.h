/*
 * The folder of uploads that wait to be analyzed, on the host that took them. A file has the id of
 * its task. Its size is bounded; what no task needs any more is deleted.
 */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_SPOOL_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_SPOOL_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The folder below `base`, that of the database or of the host's state; made where it is missing.
 * NULL without a base. */
const char *data_spool_folder(struct arena *arena, const char *base);

/* The file of a task. */
const char *data_spool_path(struct arena *arena, const char *folder, const char *id);

/* Waits until nobody else on this host adds a file; the caller ends the guard when his file is
 * there. ERROR_BUSY `uploads_busy` when the folder would have more than `most` bytes then;
 * ERROR_UNAVAILABLE `file_not_saved`. */
MUST_CHECK enum error data_spool_reserve(struct arena *arena, const char *folder, int64_t length,
                                         int64_t most, struct arena_guard **guard,
                                         struct problem *problem);

/* Whether there is a file that has come since then (seconds since 1970), or was read since then. */
bool data_spool_waits(const char *folder, int64_t since);

/* Deletes each file that `needed` says no to, and what writes left over that failed. `age` is
 * seconds since the file was last changed. */
void data_spool_sweep(const char *folder, bool (*needed)(void *context, const char *id, double age),
                      void *context);

#endif
