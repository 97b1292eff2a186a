/* Changed citations: a list to work through, and saying that an answer was looked at. */
#include "support-trends/decayed.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/trends/decay.h"

enum { LIST_MAX = 500 };

struct decayed_query {
    int64_t limit;
};

#define OWNER struct decayed_query
static const struct field query_fields[] = {
    INTEGER(OWNER, limit, .preset = 100, .help = "1 to 500; others are brought into that range.")};
#undef OWNER
SCHEMA(decayed_query_schema, struct decayed_query, "ChangedCitationsQuery", query_fields);

#define OWNER struct decayed
static const struct field item_fields[] = {
    STRING(OWNER, trace_id),
    STRING(OWNER, doc_id),
    STRING(OWNER, sentence, .help = "Of the answer."),
    STRING(OWNER, span, .help = "What it stood on in the document."),
    STRING(OWNER, cited_at),
    STRING(OWNER, changed_at, .help = "When the document was found not to hold it any more."),
};
#undef OWNER
static SCHEMA(item_schema, struct decayed, "ChangedCitation", item_fields);

struct decayed_reply {
    OBJECT_LIST(struct decayed, items);
};

#define OWNER struct decayed_reply
static const struct field reply_fields[] = {OBJECTS(OWNER, items, item_schema)};
#undef OWNER
SCHEMA(decayed_schema, struct decayed_reply, "ChangedCitations", reply_fields);

struct decay_reviewed {
    const char *status;
};

#define OWNER struct decay_reviewed
static const struct field reviewed_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(decay_reviewed_schema, struct decay_reviewed, "ChangedCitationReviewed", reviewed_fields);

enum error decayed_handle(struct request *request, struct reply *reply)
{
    const struct decayed_query *query = request->query;
    struct decayed_reply *object = ARENA_NEW(request->arena, struct decayed_reply);
    int64_t limit = query->limit < 1 ? 1 : query->limit > LIST_MAX ? LIST_MAX : query->limit;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = decay_list(&tools.traces, limit, &object->items);
    reply->object = object;
    return error;
}

enum error decay_review_handle(struct request *request, struct reply *reply)
{
    struct decay_reviewed *object = ARENA_NEW(request->arena, struct decay_reviewed);
    const char *trace_id = request->arguments[0];
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = decay_review(&tools.traces, trace_id);
    if (error)
        return error;
    service_audit(request, "citation_review", arena_print(request->arena, "trace:%s", trace_id),
                  NULL);
    object->status = "ok";
    reply->object = object;
    return ERROR_NONE;
}
