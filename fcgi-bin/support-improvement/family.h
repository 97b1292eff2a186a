/* Private to fcgi-bin/support-improvement: shared by its routes. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_FAMILY_H
#define ASSAY_SUPPORT_IMPROVEMENT_FAMILY_H

#include "support/service.h"
#include "support/tools.h"
#include "support/traces/trace_store.h"

/* The database and the caller's tenant. */
MUST_CHECK enum error family_call(struct request *request, struct trace_call *call);

/* The same for the documents that the caller may read. */
struct document_call family_documents(const struct trace_call *call);

/* An administrator of tenant `default`: only this one sees data of all tenants and may change
 * shared data. */
bool family_is_operator(const struct request *request);

/* An integer in the path; else sets a fault of the request. */
MUST_CHECK enum error family_number(struct request *request, const char *text, const char *field,
                                    int64_t *number);

/* Waits for a lock of the files, which programs take too. */
MUST_CHECK enum error family_lock(struct request *request, const char *name,
                                  struct arena_guard **lock);

#endif
