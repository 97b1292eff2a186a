/* Stale citations: lists them, and marks an answer as reviewed. */
#include "support-trends/changed_citations.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/trends/stale_citations.h"

enum { LIST_MAX = 500 };

struct changed_citations_query {
    int64_t limit;
};

#define OWNER struct changed_citations_query
static const struct field query_fields[] = {INTEGER(
    OWNER, limit, .default_value = 100, .help = "1 to 500; others are brought into that range.")};
#undef OWNER
SCHEMA(changed_citations_query_schema, struct changed_citations_query, "ChangedCitationsQuery",
       query_fields);

struct changed_citations_reply {
    OBJECT_LIST(struct stale_citation, items);
};

#define OWNER struct changed_citations_reply
static const struct field reply_fields[] = {OBJECTS(OWNER, items, stale_citation_schema)};
#undef OWNER
SCHEMA(changed_citations_schema, struct changed_citations_reply, "ChangedCitations", reply_fields);

struct changed_citations_reviewed {
    const char *status;
};

#define OWNER struct changed_citations_reviewed
static const struct field reviewed_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(changed_citations_reviewed_schema, struct changed_citations_reviewed,
       "ChangedCitationReviewed", reviewed_fields);

enum error changed_citations_handle(struct request *request, struct reply *reply)
{
    const struct changed_citations_query *query = request->query;
    struct changed_citations_reply *object =
        ARENA_NEW(request->arena, struct changed_citations_reply);
    int64_t limit = query->limit < 1 ? 1 : query->limit > LIST_MAX ? LIST_MAX : query->limit;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = stale_citations_list(&tools.traces, limit, &object->items);
    reply->object = object;
    return error;
}

enum error changed_citations_review_handle(struct request *request, struct reply *reply)
{
    struct changed_citations_reviewed *object =
        ARENA_NEW(request->arena, struct changed_citations_reviewed);
    const char *trace_id = request->arguments[0];
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = stale_citations_review(&tools.traces, trace_id);
    if (error)
        return error;
    service_audit(request, "citation_review", arena_print(request->arena, "trace:%s", trace_id),
                  NULL);
    object->status = "ok";
    reply->object = object;
    return ERROR_NONE;
}
