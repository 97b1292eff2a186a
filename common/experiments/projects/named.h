/*
 * What templates, metrics of the catalog and segments share: each has a name of its own, and
 * changes of it are in the audit log.
 */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_NAMED_H
#define ASSAY_EXPERIMENTS_PROJECTS_NAMED_H

#include "db/query.h"
#include "experiments/projects/project_store.h"

/* The audit entry has the name as project_name. */
MUST_CHECK enum error named_record(const struct project_call *call, const char *action,
                                   const char *name);

/* `find` has a row where another than `id` has the folded name (parameters in the order folded,
 * id): ERROR_CONFLICT `reason`, with `what` ("segment") in its text. */
MUST_CHECK enum error named_check_free(const struct project_call *call,
                                       const struct statement *find, const char *id,
                                       const char *folded, const char *reason, const char *what);

#endif
