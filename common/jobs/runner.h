/*
 * Runners of a host know of each other's deaths: each has a file of its own, locked for as long as
 * it lives, whose name is that under which it claims. Who starts after one that died finds the
 * file without its lock, and ends the leases that the dead one had. Runners on other hosts are none
 * of its business: their leases run out.
 *
 * A process has one runner; children that are forked from it keep its lock, and so its leases.
 * The file stays when it ends, well or not, and is removed by the next one.
 */
#ifndef ASSAY_JOBS_RUNNER_H
#define ASSAY_JOBS_RUNNER_H

#include "jobs/job.h"

/* From now on this process claims as a runner of the program, with a file in `<folder>/runners`;
 * the folder belongs to this host. Where it is blank, missing or cannot be written, leases run
 * out. Again: nothing. */
void runner_start(const char *folder, const char *program);

/* Ends the leases of the program's runners that have died on this host, the first time that it
 * succeeds. To be called in each round, before claiming. Errors of the database. */
MUST_CHECK enum error runner_take_up(struct db *db, struct problem *problem);

#endif
