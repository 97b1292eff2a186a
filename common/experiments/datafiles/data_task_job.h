/* The job that analyzes the file of a task. */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_JOB_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_JOB_H

#include "experiments/datafiles/data_task.h"
#include "jobs/job.h"

/* The name of the host that has the folder. ERROR_UNAVAILABLE `host_not_named`. */
MUST_CHECK enum error data_task_host(const struct data_task_call *call, struct arena *arena,
                                     const char **host);

/* The jobs of one host are a separate kind. */
struct job_kind data_task_kind(struct arena *arena, const char *host);

#endif
