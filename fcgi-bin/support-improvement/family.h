/* Private to fcgi-bin/support-improvement: what its routes share. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_FAMILY_H
#define ASSAY_SUPPORT_IMPROVEMENT_FAMILY_H

#include "support/service.h"
#include "support/tools.h"
#include "support/traces/trace_store.h"

/* The database and the asking one's tenant. */
MUST_CHECK enum error family_call(struct request *request, struct trace_call *call);

/* An administrator of tenant `default`: he sees what is everybody's, and alone may change what
 * concerns everybody. */
bool family_is_operator(const struct request *request);

/* A whole number of the path; else the request's fault. */
MUST_CHECK enum error family_number(struct request *request, const char *text, const char *field,
                                    int64_t *number);

/* Waits for a lock of the files that programs change, too. */
MUST_CHECK enum error family_lock(struct request *request, const char *name,
                                  struct arena_guard **lock);

#endif
