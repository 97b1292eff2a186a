/* The improvement backlog: the stored document of the tenant, and the reports of earlier weeks. */
#include "support-trends/improvements.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/trends/backlog.h"
#include "support/trends/recommend.h"

struct archive_query {
    struct optional_integer year;
};

#define OWNER struct archive_query
static const struct field archive_query_fields[] = {NULLABLE_INTEGER(OWNER, year)};
#undef OWNER
SCHEMA(archive_query_schema, struct archive_query, "BacklogArchiveQuery", archive_query_fields);

#define OWNER struct backlog_file
static const struct field file_fields[] = {STRING(OWNER, week), STRING(OWNER, path),
                                           STRING(OWNER, updated_at)};
#undef OWNER
static SCHEMA(file_schema, struct backlog_file, "BacklogWeek", file_fields);

struct archive_reply {
    OBJECT_LIST(struct backlog_file, weeks);
};

#define OWNER struct archive_reply
static const struct field archive_fields[] = {OBJECTS(OWNER, weeks, file_schema)};
#undef OWNER
SCHEMA(archive_schema, struct archive_reply, "BacklogArchive", archive_fields);

#define OWNER struct recommendation
static const struct field recommendation_fields[] = {STRING(OWNER, title), STRING(OWNER, action),
                                                     STRING(OWNER, evidence), STRING(OWNER, source),
                                                     NUMBER(OWNER, priority)};
#undef OWNER
static SCHEMA(recommendation_schema, struct recommendation, "Recommendation",
              recommendation_fields);

struct recommendations_reply {
    OBJECT_LIST(struct recommendation, recommendations);
    const char *status;
};

#define OWNER struct recommendations_reply
static const struct field recommendations_fields[] = {
    OBJECTS(OWNER, recommendations, recommendation_schema),
    STRING(OWNER, status, .help = "ok, or disabled.")};
#undef OWNER
SCHEMA(recommendations_schema, struct recommendations_reply, "Recommendations",
       recommendations_fields);

enum error backlog_handle(struct request *request, struct reply *reply)
{
    struct backlog_document *object = ARENA_NEW(request->arena, struct backlog_document);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = backlog_current(&tools.traces, service_settings(request), object);
    reply->object = object;
    return error;
}

enum error archive_handle(struct request *request, struct reply *reply)
{
    const struct archive_query *query = request->query;
    struct archive_reply *object = ARENA_NEW(request->arena, struct archive_reply);

    reply->object = object;
    return backlog_archive(request->arena, service_settings(request),
                           query->year.given ? query->year.value : 0, &object->weeks,
                           &request->problem);
}

enum error recommendations_handle(struct request *request, struct reply *reply)
{
    struct recommendations_reply *object = ARENA_NEW(request->arena, struct recommendations_reply);
    struct service_tools tools;
    const char *signals;
    enum error error;

    object->status = service_settings(request)->recommendations ? "ok" : "disabled";
    reply->object = object;
    if (!service_settings(request)->recommendations)
        return ERROR_NONE;
    error = service_tools(request, &tools);
    if (!error)
        error = recommend_signals(&tools.traces, service_settings(request), &signals);
    if (!error)
        error =
            recommend_from(request->arena, signals, &object->recommendations, &request->problem);
    return error;
}
