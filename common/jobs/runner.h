/*
 * Recovery of the jobs of runners that have died on this host. Each runner locks a file of its own
 * for as long as it lives; the name of the file is the worker id under which it claims jobs. A
 * runner that starts later finds the file of a dead runner without its lock and ends the leases of
 * that runner, so that its jobs are due at once. Leases of runners on other hosts run out.
 *
 * A process has one runner. Forked children keep its lock and with it its leases. The file stays
 * when the runner ends; the next runner removes it.
 */
#ifndef ASSAY_JOBS_RUNNER_H
#define ASSAY_JOBS_RUNNER_H

#include "jobs/job.h"

/* Makes this process a runner of the program, with a file in `<folder>/runners`; the folder belongs
 * to this host. Without a folder that can be written, leases run out instead. A second call does
 * nothing. */
void runner_start(const char *folder, const char *program);

/* Ends the leases of the program's runners that have died on this host. Call it before each claim:
 * it does its work once, at the first call that succeeds. Errors of the database. */
MUST_CHECK enum error runner_reclaim_leases(struct db *db, struct problem *problem);

#endif
