/* Contains all SQL of tasks of files. */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_STORE_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_STORE_H

#include "experiments/datafiles/data_task.h"

struct data_task_row {
    const char *host; /* of the file */
    const char *mapping, *language;
    int state;
    int64_t bytes, bytes_read, created_at;
    struct optional_integer ended_at;
    const char *reason, *failure, *result;
};

MUST_CHECK enum error data_task_row_add(const struct data_task_call *call,
                                        const struct data_task_order *order, const char *host);
MUST_CHECK enum error data_task_row_read(const struct data_task_call *call, const char *id,
                                         struct data_task_row *row, bool *found);
MUST_CHECK enum error data_task_row_delete(const struct data_task_call *call, const char *id);

/* These change a task that has not ended; `found` says whether there is one. */
MUST_CHECK enum error data_task_row_progress(const struct data_task_call *call, const char *id,
                                             int64_t bytes_read, bool *found);
MUST_CHECK enum error data_task_row_finish(const struct data_task_call *call, const char *id,
                                           const char *result);
MUST_CHECK enum error data_task_row_fail(const struct data_task_call *call, const char *id,
                                         const char *reason, const char *failure);

/* Deletes tasks that ended, or where none did were ordered, `seconds` ago, and those that ended
 * before the last `most`. */
MUST_CHECK enum error data_task_rows_forget(const struct data_task_call *call, int64_t seconds,
                                            int64_t most);

#endif
