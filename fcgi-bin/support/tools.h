/* The context for answering in a worker: the database of the caller's tenant, and the mapped
 * knowledge bases. Lives as long as the worker. */
#ifndef ASSAY_SUPPORT_TOOLS_H
#define ASSAY_SUPPORT_TOOLS_H

#include "base/json.h"
#include "http/request.h"
#include "support/answer/graph.h"
#include "support/conversation/conversation.h"
#include "support/traces/trace_store.h"

struct service_tools {
    struct document_call documents;
    struct graph_tools graph;
    struct conversation_call conversation;
    struct trace_call traces;
};

/* What the caller may not read; NULL = he may read all documents, as administrators may. */
MUST_CHECK enum error service_reader(struct request *request,
                                     const struct document_reader **reader);

/* For the caller's tenant. ERROR_SYSTEM, or the database's errors. */
MUST_CHECK enum error service_tools(struct request *request, struct service_tools *tools);

/* Internal JSON text as a value for a reply; NULL for NULL. */
json_t *service_json(const struct request *request, const char *text);

#endif
