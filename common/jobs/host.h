/*
 * Identifies the host that holds a file which a job needs. Hosts may share one database, but each
 * has folders of its own: such a folder has a name, and the jobs that need its files are a kind
 * with that name in it, which other hosts do not claim.
 */
#ifndef ASSAY_JOBS_HOST_H
#define ASSAY_JOBS_HOST_H

#include "base/arena.h"
#include "base/error.h"

/* The name of a folder, which lies in it; made with the folder at the first call. ERROR_UNAVAILABLE
 * `host_not_named`. */
MUST_CHECK enum error job_host_name(struct arena *arena, const char *folder, const char **name,
                                    struct problem *problem);

#endif
