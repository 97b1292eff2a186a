/* Tending the knowledge base, and what was asked of it. */
#include "support-admin/knowledge.h"
#include "base/number.h"
#include "support/documents/draft_store.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/traces/analytics.h"
#include "support/trends/gaps.h"

#include <string.h>

enum { TOPICS_SHOWN = 10, DAYS_MAX = 365, STALE_MAX = 100 };

struct gap_entry {
    int64_t id;
    const char *tenant_id, *cluster_id, *topic_summary;
    json_t *sample_questions;
    int64_t question_count;
    const char *created_at, *resolved_at;
};

#define OWNER struct gap_entry
static const struct field gap_fields[] = {
    INTEGER(OWNER, id),
    STRING(OWNER, tenant_id),
    STRING(OWNER, cluster_id),
    STRING(OWNER, topic_summary),
    JSON_VALUE(OWNER, sample_questions),
    INTEGER(OWNER, question_count),
    STRING(OWNER, created_at),
    STRING(OWNER, resolved_at, .nullable = true),
};
#undef OWNER
static SCHEMA(gap_schema, struct gap_entry, "Gap", gap_fields);

struct list_reply {
    OBJECT_LIST(struct gap_entry, gaps);
    OBJECT_LIST(struct draft_entry, drafts);
    OBJECT_LIST(struct stale_document, documents);
    OBJECT_LIST(struct topic, topics);
};

#define OWNER struct list_reply
static const struct field gaps_fields[] = {OBJECTS(OWNER, gaps, gap_schema)};
#undef OWNER
SCHEMA(gaps_schema, struct list_reply, "Gaps", gaps_fields);

struct drafts_query {
    const char *status;
};

#define OWNER struct drafts_query
static const struct field drafts_query_fields[] = {
    STRING(OWNER, status, .nullable = true, .max_length = 30)};
#undef OWNER
SCHEMA(drafts_query_schema, struct drafts_query, "DraftsQuery", drafts_query_fields);

struct draft_entry {
    const char *id, *tenant_id, *topic, *draft_content;
    json_t *source_ticket_ids;
    const char *status, *created_at, *reviewed_at;
};

#define OWNER struct draft_entry
static const struct field draft_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, tenant_id),
    STRING(OWNER, topic),
    STRING(OWNER, draft_content),
    JSON_VALUE(OWNER, source_ticket_ids),
    STRING(OWNER, status),
    STRING(OWNER, created_at),
    STRING(OWNER, reviewed_at, .nullable = true),
};
#undef OWNER
static SCHEMA(draft_schema, struct draft_entry, "Draft", draft_fields);

#define OWNER struct list_reply
static const struct field drafts_fields[] = {OBJECTS(OWNER, drafts, draft_schema)};
#undef OWNER
SCHEMA(drafts_schema, struct list_reply, "Drafts", drafts_fields);

struct draft_edit {
    const char *draft_content;
};

#define OWNER struct draft_edit
static const struct field draft_edit_fields[] = {
    STRING(OWNER, draft_content, .required = true, .min_length = 1, .max_length = 20000)};
#undef OWNER
SCHEMA(draft_edit_schema, struct draft_edit, "DraftEdit", draft_edit_fields,
       .example = "{\"draft_content\":\"# Parking\\n\\nVisitors park in lot B7.\"}");

struct decided {
    const char *status;
};

#define OWNER struct decided
static const struct field decided_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(decided_schema, struct decided, "Decided", decided_fields);

struct stale_query {
    int64_t days, top_cited;
};

#define OWNER struct stale_query
static const struct field stale_query_fields[] = {
    INTEGER(OWNER, days, .lower = AT_LEAST(0), .upper = AT_MOST(36500), .default_value = 90),
    INTEGER(OWNER, top_cited, .lower = AT_LEAST(1), .upper = AT_MOST(STALE_MAX),
            .default_value = 20)};
#undef OWNER
SCHEMA(stale_query_schema, struct stale_query, "StaleQuery", stale_query_fields);

#define OWNER struct list_reply
static const struct field stale_fields[] = {OBJECTS(OWNER, documents, stale_document_schema)};
#undef OWNER
SCHEMA(stale_schema, struct list_reply, "StaleDocuments", stale_fields);

struct days_query {
    int64_t days;
};

#define OWNER struct days_query
static const struct field days_query_fields[] = {INTEGER(OWNER, days, .default_value = 7)};
#undef OWNER
SCHEMA(days_query_schema, struct days_query, "DaysQuery", days_query_fields);

struct topic {
    const char *category;
    int64_t count;
    struct optional_number avg_quality;
    double resolution_rate;
    int64_t total;
};

#define OWNER struct topic
static const struct field topic_fields[] = {STRING(OWNER, category), INTEGER(OWNER, count),
                                            NULLABLE_NUMBER(OWNER, avg_quality)};
static const struct field resolved_fields[] = {
    STRING(OWNER, category), NUMBER(OWNER, resolution_rate), INTEGER(OWNER, total)};
#undef OWNER
static SCHEMA(topic_schema, struct topic, "Topic", topic_fields);
static SCHEMA(resolved_schema, struct topic, "Resolution", resolved_fields);

#define OWNER struct list_reply
static const struct field topics_fields[] = {OBJECTS(OWNER, topics, topic_schema)};
static const struct field resolution_fields[] = {OBJECTS(OWNER, topics, resolved_schema)};
#undef OWNER
SCHEMA(topics_schema, struct list_reply, "Topics", topics_fields);
SCHEMA(resolution_schema, struct list_reply, "Resolutions", resolution_fields);

struct cost {
    const char *category, *model_name;
    double cost_usd;
};

#define OWNER struct cost
static const struct field category_cost_fields[] = {STRING(OWNER, category),
                                                    NUMBER(OWNER, cost_usd)};
static const struct field model_cost_fields[] = {STRING(OWNER, model_name),
                                                 NUMBER(OWNER, cost_usd)};
#undef OWNER
static SCHEMA(category_cost_schema, struct cost, "CategoryCost", category_cost_fields);
static SCHEMA(model_cost_schema, struct cost, "ModelCost", model_cost_fields);

struct cost_summary {
    double total_cost_usd;
    const char *label, *tooltip;
    bool free_tier;
};

#define OWNER struct cost_summary
static const struct field cost_summary_fields[] = {NUMBER(OWNER, total_cost_usd),
                                                   STRING(OWNER, label), STRING(OWNER, tooltip),
                                                   BOOLEAN(OWNER, free_tier)};
#undef OWNER
static SCHEMA(cost_summary_schema, struct cost_summary, "CostSummary", cost_summary_fields);

struct cost_reply {
    const struct cost_summary *summary;
    OBJECT_LIST(struct cost, per_category);
    OBJECT_LIST(struct cost, per_model);
};

#define OWNER struct cost_reply
static const struct field cost_fields[] = {OBJECT(OWNER, summary, cost_summary_schema),
                                           OBJECTS(OWNER, per_category, category_cost_schema),
                                           OBJECTS(OWNER, per_model, model_cost_schema)};
#undef OWNER
SCHEMA(cost_schema, struct cost_reply, "Costs", cost_fields);

struct trends_query {
    int64_t days;
    int metric;
};

#define OWNER struct trends_query
static const struct field trends_query_fields[] = {INTEGER(OWNER, days, .default_value = 30),
                                                   CHOICE(OWNER, metric, analytics_metric_names,
                                                          .choice_count = ANALYTICS__MAX,
                                                          .default_value = ANALYTICS_QUALITY)};
#undef OWNER
SCHEMA(trends_query_schema, struct trends_query, "TrendsQuery", trends_query_fields);

#define OWNER struct day_row
static const struct field day_fields[] = {STRING(OWNER, date), NUMBER(OWNER, value)};
#undef OWNER
static SCHEMA(day_schema, struct day_row, "Day", day_fields);

struct trends_reply {
    const char *metric;
    OBJECT_LIST(struct day_row, points);
};

#define OWNER struct trends_reply
static const struct field trends_fields[] = {STRING(OWNER, metric),
                                             OBJECTS(OWNER, points, day_schema)};
#undef OWNER
SCHEMA(trends_schema, struct trends_reply, "Trends", trends_fields);

static enum error say_ok(struct reply *reply, enum error error)
{
    static const struct decided decided = {"ok"};

    reply->object = &decided;
    return error;
}

enum error gaps_handle(struct request *request, struct reply *reply)
{
    struct list_reply *object = ARENA_NEW(request->arena, struct list_reply);
    struct object_list rows;
    struct gap_entry *entries;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = gap_list(&tools.documents, &rows);
    if (error)
        return error;
    entries = ARENA_ARRAY(request->arena, struct gap_entry, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        const struct gap_row *row = &((const struct gap_row *)rows.items)[i];

        entries[i] =
            (struct gap_entry){.id = row->id,
                               .tenant_id = row->tenant_id,
                               .cluster_id = row->cluster_id,
                               .topic_summary = row->topic_summary,
                               .sample_questions = service_json(request, row->sample_questions),
                               .question_count = row->question_count,
                               .created_at = row->created_at,
                               .resolved_at = row->resolved_at};
    }
    object->gaps = (struct object_list){rows.count, entries};
    reply->object = object;
    return ERROR_NONE;
}

enum error gap_resolve_handle(struct request *request, struct reply *reply)
{
    struct decided *object = ARENA_NEW(request->arena, struct decided);
    struct service_tools tools;
    int64_t id;
    enum error error = service_tools(request, &tools);

    if (!error && !integer_parse(request->arguments[0], &id))
        error = problem_set(&request->problem, ERROR_NOT_FOUND, "gap_not_found", "gap not found");
    if (!error)
        error = gap_resolve(&tools.traces, id);
    if (error)
        return error;
    service_audit(request, "gap_resolve", arena_print(request->arena, "gap:%lld", (long long)id),
                  NULL);
    object->status = "ok";
    reply->object = object;
    return ERROR_NONE;
}

enum error drafts_handle(struct request *request, struct reply *reply)
{
    const struct drafts_query *query = request->query;
    struct list_reply *object = ARENA_NEW(request->arena, struct list_reply);
    struct object_list rows;
    struct draft_entry *entries;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = draft_list(&tools.documents, query->status, &rows);
    if (error)
        return error;
    entries = ARENA_ARRAY(request->arena, struct draft_entry, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        const struct draft_row *row = &((const struct draft_row *)rows.items)[i];

        entries[i] =
            (struct draft_entry){.id = row->id,
                                 .tenant_id = row->tenant_id,
                                 .topic = row->topic,
                                 .draft_content = row->draft_content,
                                 .source_ticket_ids = service_json(request, row->source_ticket_ids),
                                 .status = row->status,
                                 .created_at = row->created_at,
                                 .reviewed_at = row->reviewed_at};
    }
    object->drafts = (struct object_list){rows.count, entries};
    reply->object = object;
    return ERROR_NONE;
}

enum error draft_edit_handle(struct request *request, struct reply *reply)
{
    const struct draft_edit *body = request->body;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = draft_edit(&tools.documents, request->arguments[0], body->draft_content);
    return say_ok(reply, error);
}

enum error draft_reject_handle(struct request *request, struct reply *reply)
{
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = draft_reject(&tools.documents, request->arguments[0]);
    return say_ok(reply, error);
}

enum error draft_publish_handle(struct request *request, struct reply *reply)
{
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = draft_publish(&tools.documents, service_settings(request), request->arguments[0]);
    return say_ok(reply, error);
}

enum error stale_handle(struct request *request, struct reply *reply)
{
    const struct stale_query *query = request->query;
    struct list_reply *object = ARENA_NEW(request->arena, struct list_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = document_stale(&tools.documents, query->days, query->top_cited, &object->documents);
    reply->object = object;
    return error;
}

enum error stale_review_handle(struct request *request, struct reply *reply)
{
    struct service_tools tools;
    bool found = false;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = document_touch(&tools.documents, request->arguments[0], NULL, &found);
    if (!error && !found)
        error = problem_set(&request->problem, ERROR_NOT_FOUND, "document_not_found",
                            "document not found");
    return say_ok(reply, error);
}

static enum error read_topics(struct request *request, int64_t days, struct object_list *topics)
{
    struct service_tools tools;
    struct object_list rows;
    struct topic *items;
    enum error error;

    if (days < 1 || days > DAYS_MAX)
        return problem_set(&request->problem, ERROR_INVALID, "bad_parameter",
                           "days must be in [1, 365]");
    error = service_tools(request, &tools);
    if (!error)
        error = analytics_topics(&tools.traces, days, &rows);
    if (error)
        return error;
    items = ARENA_ARRAY(request->arena, struct topic, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        const struct topic_row *row = &((const struct topic_row *)rows.items)[i];

        items[i] = (struct topic){
            row->category, row->count, row->avg_quality,
            number_round_figure((double)row->resolved / (double)row->count, 4), row->count};
    }
    *topics = (struct object_list){rows.count, items};
    return ERROR_NONE;
}

enum error topics_handle(struct request *request, struct reply *reply)
{
    const struct days_query *query = request->query;
    struct list_reply *object = ARENA_NEW(request->arena, struct list_reply);
    enum error error = read_topics(request, query->days, &object->topics);

    if (object->topics.count > TOPICS_SHOWN)
        object->topics.count = TOPICS_SHOWN;
    reply->object = object;
    return error;
}

enum error resolution_handle(struct request *request, struct reply *reply)
{
    const struct days_query *query = request->query;
    struct list_reply *object = ARENA_NEW(request->arena, struct list_reply);
    enum error error = read_topics(request, query->days, &object->topics);

    reply->object = object;
    return error;
}

static struct object_list as_costs(struct request *request, const struct object_list *rows,
                                   double *total)
{
    struct cost *items = ARENA_ARRAY(request->arena, struct cost, rows->count + 1);

    for (size_t i = 0; i < rows->count; i++) {
        const struct cost_row *row = &((const struct cost_row *)rows->items)[i];

        items[i] = (struct cost){
            .category = row->name, .model_name = row->name, .cost_usd = row->cost_usd};
        *total += row->cost_usd;
    }
    return (struct object_list){rows->count, items};
}

/* In cents; what they would show as nothing with all that is significant. */
static const char *dollars(struct arena *arena, double total)
{
    char text[NUMBER_TEXT_MAX];

    if (number_round(total, 2) > 0)
        return arena_print(arena, "$%.2f", total);
    (void)number_format(number_round_figure(total, 2), text);
    return arena_print(arena, "$%s", text);
}

enum error cost_handle(struct request *request, struct reply *reply)
{
    const struct days_query *query = request->query;
    struct cost_reply *object = ARENA_NEW(request->arena, struct cost_reply);
    struct cost_summary *summary = ARENA_NEW(request->arena, struct cost_summary);
    struct object_list by_model, by_category;
    struct service_tools tools;
    double total = 0, again = 0;
    enum error error;

    if (query->days < 1 || query->days > DAYS_MAX)
        return problem_set(&request->problem, ERROR_INVALID, "bad_parameter",
                           "days must be in [1, 365]");
    error = service_tools(request, &tools);
    if (!error)
        error = analytics_costs(&tools.traces, query->days, &by_model, &by_category);
    if (error)
        return error;
    object->per_model = as_costs(request, &by_model, &total);
    object->per_category = as_costs(request, &by_category, &again);
    *summary = (struct cost_summary){.total_cost_usd = number_round_figure(total, 6),
                                     .label = total > 0 ? dollars(request->arena, total)
                                                        : "self-hosted (no cost)",
                                     .tooltip = "Sum over all steps of all answers in the window.",
                                     .free_tier = total <= 0};
    object->summary = summary;
    reply->object = object;
    return ERROR_NONE;
}

enum error trends_handle(struct request *request, struct reply *reply)
{
    const struct trends_query *query = request->query;
    struct trends_reply *object = ARENA_NEW(request->arena, struct trends_reply);
    struct service_tools tools;
    enum error error;

    if (query->days < 1 || query->days > DAYS_MAX)
        return problem_set(&request->problem, ERROR_INVALID, "bad_parameter",
                           "days must be in [1, 365]");
    error = service_tools(request, &tools);
    object->metric = analytics_metric_names[query->metric];
    if (!error)
        error = analytics_days(&tools.traces, query->days, (enum analytics_metric)query->metric,
                               &object->points);
    reply->object = object;
    return error;
}
