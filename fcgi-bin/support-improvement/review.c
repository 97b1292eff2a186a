/* The review queue over HTTP: pending cases, their content, and verdicts. */
#include "support-improvement/review.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/number.h"
#include "support-improvement/family.h"
#include "support/review/review_store.h"
#include "support/traces/readable.h"

#include <string.h>

enum { LIST_DEFAULT = 50, ID_LEAST = 8, ID_MOST = 64, EXCERPT_MAX = 1 << 20 };

struct review_query {
    const char *status, *reason;
    int64_t limit, offset;
    const char *trace_id, *q;
    int order;
    bool drawn;
};

static const char *const order_names[] = {"newest", "unsure", NULL};
enum { ORDER_UNSURE = 1 };

#define OWNER struct review_query
static const struct field review_query_fields[] = {
    STRING(OWNER, status, .default_text = "pending", .help = "`*` is any."),
    STRING(OWNER, reason, .default_text = "*", .help = "`*` is any."),
    INTEGER(OWNER, limit, .default_value = LIST_DEFAULT, .help = "Kept between 1 and 500."),
    INTEGER(OWNER, offset, .default_value = 0, .help = "Kept from 0 on."),
    STRING(OWNER, trace_id, .default_text = "", .max_length = 100, .help = "Of this answer only."),
    STRING(OWNER, q, .default_text = "", .max_length = 200, .help = "Words of the question."),
    CHOICE(OWNER, order, order_names, .choice_count = 2, .default_value = 0,
           .help = "`unsure`: the evaluators are least sure of the first."),
    BOOLEAN(OWNER, drawn, .default_value = 0, .help = "Only cases that were drawn at random.")};
#undef OWNER
SCHEMA(review_query_schema, struct review_query, "ReviewQuery", review_query_fields);

struct review_item {
    int64_t id;
    const char *trace_id, *tenant_id, *reason, *status, *reviewer_notes, *created_at, *reviewed_at,
        *reviewed_by;
    struct optional_number quality, fact_score;
    struct optional_integer duration_ms;
    const char *trace_url, *question, *asked_at;
    bool drawn;
    const char *chosen;
    struct optional_number doubt;
    const char *doubt_kind;
    struct string_list doubt_about;
};

#define OWNER struct review_item
static const struct field review_item_fields[] = {INTEGER(OWNER, id),
                                                  STRING(OWNER, trace_id),
                                                  STRING(OWNER, tenant_id),
                                                  STRING(OWNER, reason),
                                                  STRING(OWNER, status),
                                                  STRING(OWNER, reviewer_notes),
                                                  STRING(OWNER, created_at),
                                                  STRING(OWNER, reviewed_at, .nullable = true),
                                                  STRING(OWNER, reviewed_by, .nullable = true),
                                                  NULLABLE_NUMBER(OWNER, quality),
                                                  NULLABLE_NUMBER(OWNER, fact_score),
                                                  NULLABLE_INTEGER(OWNER, duration_ms),
                                                  STRING(OWNER, trace_url),
                                                  STRING(OWNER, question, .nullable = true),
                                                  STRING(OWNER, asked_at, .nullable = true),
                                                  BOOLEAN(OWNER, drawn),
                                                  STRING(OWNER, chosen, .nullable = true),
                                                  NULLABLE_NUMBER(OWNER, doubt, ROUNDED(4)),
                                                  STRING(OWNER, doubt_kind, .nullable = true),
                                                  STRINGS(OWNER, doubt_about)};
#undef OWNER
static SCHEMA(review_item_schema, struct review_item, "ReviewItem", review_item_fields);

struct review_list_reply {
    OBJECT_LIST(struct review_item, items);
    int64_t count, limit, offset;
};

#define OWNER struct review_list_reply
static const struct field review_list_fields[] = {OBJECTS(OWNER, items, review_item_schema),
                                                  INTEGER(OWNER, count), INTEGER(OWNER, limit),
                                                  INTEGER(OWNER, offset)};
#undef OWNER
SCHEMA(review_list_schema, struct review_list_reply, "ReviewQueue", review_list_fields);

struct review_detail {
    const struct review_item *item;
    const char *query, *answer, *route;
    OBJECT_LIST(struct extract_document, documents);
    struct string_list citations;
    const char *channel, *topic;
    bool withheld;
};

#define OWNER struct review_detail
static const struct field review_detail_fields[] = {
    OBJECT(OWNER, item, review_item_schema),
    STRING(OWNER, query),
    STRING(OWNER, answer),
    STRING(OWNER, route, .nullable = true),
    OBJECTS(OWNER, documents, extract_document_schema),
    STRINGS(OWNER, citations),
    STRING(OWNER, channel),
    STRING(OWNER, topic),
    BOOLEAN(OWNER, withheld,
            .help = "It used a document that the caller may not read: without answer and "
                    "documents.")};
#undef OWNER
SCHEMA(review_detail_schema, struct review_detail, "ReviewCase", review_detail_fields);

struct review_body {
    const char *status, *reviewer_notes, *reviewed_by;
};

#define OWNER struct review_body
static const struct field review_body_fields[] = {
    STRING(OWNER, status, .required = true,
           .help = "confirmed_good, confirmed_bad, dismissed; in_review takes the case in hand, "
                   "pending opens it again."),
    STRING(OWNER, reviewer_notes, .default_text = "", .max_length = REVIEW_NOTES_MAX,
           .help = "`include: a | b` and `exclude: c` mark what a right answer must hold and must "
                   "not."),
    STRING(OWNER, reviewed_by, .nullable = true, .max_length = 64,
           .help = "Not looked at: the reviewer is who asks.")};
#undef OWNER
SCHEMA(review_body_schema, struct review_body, "ReviewVerdict", review_body_fields,
       .example = "{\"status\":\"confirmed_good\",\"reviewer_notes\":\"\"}");

struct review_done {
    const char *status;
};

#define OWNER struct review_done
static const struct field review_done_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(review_done_schema, struct review_done, "ReviewDone", review_done_fields);

struct status_counts {
    int64_t pending, in_review, confirmed_good, confirmed_bad, dismissed;
};

#define OWNER struct status_counts
static const struct field status_counts_fields[] = {
    INTEGER(OWNER, pending), INTEGER(OWNER, in_review), INTEGER(OWNER, confirmed_good),
    INTEGER(OWNER, confirmed_bad), INTEGER(OWNER, dismissed)};
#undef OWNER
static SCHEMA(status_counts_schema, struct status_counts, "ReviewStatusCounts",
              status_counts_fields);

struct reason_counts {
    int64_t thumbs_down, low_quality, escalated, fact_fail, slow_trace, manual;
};

#define OWNER struct reason_counts
static const struct field reason_counts_fields[] = {
    INTEGER(OWNER, thumbs_down), INTEGER(OWNER, low_quality), INTEGER(OWNER, escalated),
    INTEGER(OWNER, fact_fail),   INTEGER(OWNER, slow_trace),  INTEGER(OWNER, manual)};
#undef OWNER
static SCHEMA(reason_counts_schema, struct reason_counts, "ReviewReasonCounts",
              reason_counts_fields);

struct review_stats {
    const struct status_counts *status_counts;
    const struct reason_counts *reason_counts;
    double oldest_pending_seconds;
};

#define OWNER struct review_stats
static const struct field review_stats_fields[] = {
    OBJECT(OWNER, status_counts, status_counts_schema),
    OBJECT(OWNER, reason_counts, reason_counts_schema), NUMBER(OWNER, oldest_pending_seconds)};
#undef OWNER
SCHEMA(review_stats_schema, struct review_stats, "ReviewStats", review_stats_fields);

struct review_addition {
    const char *trace_id, *reviewer_notes;
};

#define OWNER struct review_addition
static const struct field review_add_fields[] = {
    STRING(OWNER, trace_id, .required = true, .min_length = ID_LEAST, .max_length = ID_MOST),
    STRING(OWNER, reviewer_notes, .default_text = "", .max_length = REVIEW_NOTES_MAX)};
#undef OWNER
SCHEMA(review_add_schema, struct review_addition, "ReviewAddition", review_add_fields,
       .example = "{\"trace_id\":\"0123456789abcdef0123456789abcdef\"}");

struct review_added {
    int64_t id;
    const char *status, *reason;
};

#define OWNER struct review_added
static const struct field review_added_fields[] = {INTEGER(OWNER, id), STRING(OWNER, status),
                                                   STRING(OWNER, reason)};
#undef OWNER
SCHEMA(review_added_schema, struct review_added, "ReviewAdded", review_added_fields);

static enum error begin(struct request *request, struct trace_call *call)
{
    if (!service_settings(request)->review_queue)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "review_disabled",
                           "review queue disabled");
    return family_call(request, call);
}

static const char *trimmed(const struct request *request, const char *text)
{
    return text_trimmed(request->arena, text, strlen(text));
}

/* "" for any. */
static enum error filter_of(struct request *request, const char *value, const char *const *names,
                            size_t count, const char *what, const char **filter)
{
    *filter = "";
    if (!*value || strcmp(value, "*") == 0)
        return ERROR_NONE;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], value) == 0) {
            *filter = names[i];
            return ERROR_NONE;
        }
    return problem_set(&request->problem, ERROR_INVALID, "review_filter_invalid",
                       "invalid review queue %s", what);
}

/* The names of a text with blanks between them. */
static struct string_list names_of(struct arena *arena, const char *text)
{
    struct string_list names = {0};

    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");

        *LIST_ADD(arena, &names) = arena_copy(arena, text, length);
        text += length;
    }
    return names;
}

static struct review_item as_item(const struct request *request, const struct review_row *row)
{
    return (struct review_item){
        .id = row->id,
        .trace_id = row->trace_id,
        .tenant_id = row->tenant_id,
        .reason = row->reason,
        .status = row->status,
        .reviewer_notes = row->notes,
        .created_at = row->created_at,
        .reviewed_at = row->reviewed_at,
        .reviewed_by = row->reviewed_by,
        .quality = row->quality,
        .fact_score = row->fact_score,
        .duration_ms = {row->duration_ms.given, (int64_t)row->duration_ms.value},
        .trace_url = arena_print(request->arena, "/admin/traces/%s", row->trace_id),
        .question = row->question,
        .asked_at = row->asked_at,
        .drawn = row->drawn,
        .chosen = row->chosen,
        .doubt = {row->doubt >= 0, row->doubt},
        .doubt_kind = row->doubt_kind,
        .doubt_about = names_of(request->arena, row->doubt_about)};
}

enum error review_list_handle(struct request *request, struct reply *reply)
{
    const struct review_query *query = request->query;
    struct review_list_reply *object = ARENA_NEW(request->arena, struct review_list_reply);
    struct review_filter filter = {
        .limit = query->limit < 1
                     ? 1
                     : (query->limit > REVIEW_LIST_MAX ? REVIEW_LIST_MAX : query->limit),
        .offset = query->offset < 0 ? 0 : query->offset,
        .trace_id = query->trace_id,
        .words = query->q,
        .drawn = query->drawn,
        .unsure_first = query->order == ORDER_UNSURE};
    struct trace_call call;
    struct object_list rows;
    struct review_item *items;
    enum error error = begin(request, &call);

    if (!error)
        error = filter_of(request, query->status, review_status_names, REVIEW_STATUS__MAX, "status",
                          &filter.status);
    if (!error)
        error = filter_of(request, query->reason, review_reason_names, REVIEW_REASON__MAX, "reason",
                          &filter.reason);
    if (!error)
        error = review_list(&call, &filter, &rows);
    if (error)
        return error;
    items = ARENA_ARRAY(request->arena, struct review_item, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++)
        items[i] = as_item(request, &((const struct review_row *)rows.items)[i]);
    *object = (struct review_list_reply){.items = {rows.count, items},
                                         .count = (int64_t)rows.count,
                                         .limit = filter.limit,
                                         .offset = filter.offset};
    reply->object = object;
    review_show(call.db, request->arena, request->server->metrics);
    return ERROR_NONE;
}

enum error review_detail_handle(struct request *request, struct reply *reply)
{
    struct review_detail *object = ARENA_NEW(request->arena, struct review_detail);
    struct review_item *item = ARENA_NEW(request->arena, struct review_item);
    struct review_row row;
    struct extract extract;
    struct trace_call call;
    struct document_call documents;
    bool readable = false;
    int64_t id;
    enum error error = begin(request, &call);

    if (!error)
        error = family_number(request, request->arguments[0], "review_id", &id);
    if (!error)
        error = review_find(&call, id, &row);
    if (!error)
        error = review_extract(&call, &row, &extract);
    if (error)
        return error;
    documents = family_documents(&call);
    error = readable_trace(&documents, row.trace_id, &readable);
    if (error)
        return error;
    if (!readable)
        extract = (struct extract){.query = extract.query,
                                   .answer = "",
                                   .route = extract.route,
                                   .channel = extract.channel,
                                   .topic = extract.topic};
    *item = as_item(request, &row);
    *object = (struct review_detail){.item = item,
                                     .query = extract.query,
                                     .answer = extract.answer,
                                     .route = extract.route,
                                     .documents = extract.docs,
                                     .citations = extract.citations,
                                     .channel = extract.channel,
                                     .topic = extract.topic,
                                     .withheld = !readable};
    reply->object = object;
    return ERROR_NONE;
}

static enum error read_status(struct request *request, const char *text, enum review_status *status)
{
    for (int i = 0; i < REVIEW_STATUS__MAX; i++)
        if (strcmp(review_status_names[i], text) == 0) {
            *status = (enum review_status)i;
            return ERROR_NONE;
        }
    return request_fault(request, "body", "status", "value_error",
                         "status must be one of pending, in_review, confirmed_good, "
                         "confirmed_bad, dismissed");
}

enum error review_decide_handle(struct request *request, struct reply *reply)
{
    static const struct review_done done = {"ok"};
    const struct review_body *body = request->body;
    struct review_verdict verdict = {.notes = trimmed(request, body->reviewer_notes)};
    struct trace_call call;
    int64_t id;
    enum error error = begin(request, &call);

    if (!error)
        error = family_number(request, request->arguments[0], "review_id", &id);
    if (!error)
        error = read_status(request, body->status, &verdict.status);
    if (!error)
        error = service_person_id(request, &verdict.reviewer);
    if (!error)
        error = review_decide(&call, id, &verdict);
    if (error)
        return error;
    review_show(call.db, request->arena, request->server->metrics);
    service_audit(
        request, "review_update", arena_print(request->arena, "review:%lld", (long long)id),
        arena_print(request->arena, "{\"status\":\"%s\"}", review_status_names[verdict.status]));
    reply->object = &done;
    return ERROR_NONE;
}

enum error review_stats_handle(struct request *request, struct reply *reply)
{
    struct review_stats *object = ARENA_NEW(request->arena, struct review_stats);
    struct status_counts *by_status = ARENA_NEW(request->arena, struct status_counts);
    struct reason_counts *by_reason = ARENA_NEW(request->arena, struct reason_counts);
    struct review_counts counts;
    struct trace_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = review_count(&call, &counts);
    if (error)
        return error;
    *by_status = (struct status_counts){.pending = counts.status[REVIEW_PENDING],
                                        .in_review = counts.status[REVIEW_IN_REVIEW],
                                        .confirmed_good = counts.status[REVIEW_CONFIRMED_GOOD],
                                        .confirmed_bad = counts.status[REVIEW_CONFIRMED_BAD],
                                        .dismissed = counts.status[REVIEW_DISMISSED]};
    *by_reason = (struct reason_counts){.thumbs_down = counts.reason[REVIEW_THUMBS_DOWN],
                                        .low_quality = counts.reason[REVIEW_LOW_QUALITY],
                                        .escalated = counts.reason[REVIEW_ESCALATED],
                                        .fact_fail = counts.reason[REVIEW_FACT_FAIL],
                                        .slow_trace = counts.reason[REVIEW_SLOW_TRACE],
                                        .manual = counts.reason[REVIEW_MANUAL]};
    *object = (struct review_stats){.status_counts = by_status,
                                    .reason_counts = by_reason,
                                    .oldest_pending_seconds = counts.oldest_pending_seconds};
    review_show(call.db, request->arena, request->server->metrics);
    reply->object = object;
    return ERROR_NONE;
}

static bool is_trace_id(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")] ==
           '\0';
}

enum error review_add_handle(struct request *request, struct reply *reply)
{
    const struct review_addition *body = request->body;
    struct review_added *object = ARENA_NEW(request->arena, struct review_added);
    struct trace_call call;
    enum error error = begin(request, &call);

    if (!error && !is_trace_id(body->trace_id))
        error = request_fault(request, "body", "trace_id", "value_error",
                              "trace_id may hold letters, digits and hyphens");
    if (!error)
        error =
            review_add(&call, body->trace_id, trimmed(request, body->reviewer_notes), &object->id);
    if (error)
        return error;
    review_show(call.db, request->arena, request->server->metrics);
    service_audit(request, "review_add", arena_print(request->arena, "trace:%s", body->trace_id),
                  NULL);
    object->status = review_status_names[REVIEW_PENDING];
    object->reason = review_reason_names[REVIEW_MANUAL];
    reply->object = object;
    return ERROR_NONE;
}
