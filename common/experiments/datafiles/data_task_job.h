/* The job that analyzes the file of a task. */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_JOB_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_TASK_JOB_H

#include "experiments/datafiles/data_task.h"
#include "jobs/job.h"

/* The jobs of one host are a separate kind. */
struct job_kind data_task_kind(struct arena *arena, const char *host);

#endif
