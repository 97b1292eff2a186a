/* SQL of deliveries: enqueues them with the entry of the audit log, and stores their outcome. */
#include "base/clock.h"
#include "base/string_list.h"
#include "crypto/token.h"
#include "db/query.h"
#include "experiments/audit/audit_store.h"
#include "experiments/webhooks/subscription_body.h"
#include "experiments/webhooks/subscription_store.h"

#include <string.h>

const char *const delivery_status_names[DELIVERY__MAX] = {"pending", "retrying", "delivered",
                                                          "failed"};

static const struct statement concerned = {
    .name = "subscription_concerned",
    .sql = "SELECT id, format, event_filter FROM webhook_subscriptions WHERE enabled = 1"
           " AND (scope = 'global' OR api_key_id = ?) ORDER BY id DESC",
};
static const struct statement insert_delivery = {
    .name = "delivery_insert",
    .sql = "INSERT INTO webhook_deliveries (id, subscription_id, event_id, status)"
           " VALUES (?, ?, ?, 'pending')",
};
static const struct statement target_of = {
    .name = "subscription_target",
    .sql = "SELECT target_url, secret, format FROM webhook_subscriptions WHERE id = ?"
           " AND enabled = 1",
};
static const struct statement target_of_any = {
    .name = "subscription_target_any",
    .sql = "SELECT target_url, secret, format FROM webhook_subscriptions WHERE id = ?",
};
static const struct statement note_answer = {
    .name = "delivery_answer",
    .sql = "UPDATE webhook_deliveries SET response_code = ?, response_body = ?"
           " WHERE subscription_id = ? AND event_id = ?",
};
static const struct statement note_outcome = {
    .name = "delivery_outcome",
    .sql = "UPDATE webhook_deliveries SET status = ?, attempt_count = attempt_count + 1,"
           " last_attempt_at = ?, delivered_at = ?, error_message = ?"
           " WHERE subscription_id = ? AND event_id = ?",
};
static const struct statement note_success = {
    .name = "subscription_success",
    .sql = "UPDATE webhook_subscriptions SET last_delivered_at = ?, updated_at = ? WHERE id = ?",
};
static const struct statement note_failure = {
    .name = "subscription_failure",
    .sql = "UPDATE webhook_subscriptions SET last_error_at = ?, updated_at = ? WHERE id = ?",
};

#define OWNER struct delivery_record
static const struct field delivery_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, subscription_id),
    INTEGER(OWNER, event_id, .help = "Of the entry in the audit log."),
    STRING(OWNER, status, .help = "pending, retrying, delivered or failed."),
    INTEGER(OWNER, attempt_count),
    STRING(OWNER, last_attempt_at, .nullable = true),
    STRING(OWNER, delivered_at, .nullable = true),
    NULLABLE_INTEGER(OWNER, response_code),
    STRING(OWNER, response_body, .nullable = true, .help = "The first 2048 bytes."),
    STRING(OWNER, error_message, .nullable = true),
    STRING(OWNER, next_attempt_at, .nullable = true),
    STRING(OWNER, lease_expires_at, .nullable = true, .help = "While somebody delivers it."),
    MOMENT(OWNER, due_at, .internal = true),
    BOOLEAN(OWNER, leased, .internal = true),
};
#undef OWNER
SCHEMA(webhook_delivery_schema, struct delivery_record, "WebhookDelivery", delivery_fields,
       .help = "What became of one entry for one webhook.");

/* The state of a delivery whose job died is that of the job, until subscription_purge_history()
 * stores it. */
#define COLUMNS                                                                                    \
    "SELECT d.id, d.subscription_id, d.event_id,"                                                  \
    " CASE WHEN jobs.state = 'dead' THEN 'failed' ELSE d.status END AS status, d.attempt_count,"   \
    " d.last_attempt_at, d.delivered_at, d.response_code, d.response_body, d.error_message,"       \
    " CASE WHEN jobs.state = 'waiting' THEN jobs.due_at END AS due_at,"                            \
    " CASE WHEN jobs.holder IS NULL THEN 0 ELSE 1 END AS leased"                                   \
    " FROM webhook_deliveries AS d LEFT JOIN jobs ON jobs.kind = 'experiments.webhook'"            \
    " AND jobs.job_key = d.subscription_id || ':' || CAST(d.event_id AS TEXT)"                     \
    " WHERE d.subscription_id = ?"
#define ORDER " ORDER BY (d.last_attempt_at IS NULL), d.last_attempt_at DESC, d.id DESC LIMIT ?"
static const struct statement list_deliveries = {"delivery_list", COLUMNS ORDER};
static const struct statement list_deliveries_of = {"delivery_list_of",
                                                    COLUMNS " AND d.status = ?" ORDER};
static const struct statement read_delivery_row = {"delivery_read", COLUMNS " AND d.id = ?"};
static const struct statement reopen_delivery = {
    .name = "delivery_reopen",
    .sql = "UPDATE webhook_deliveries SET status = 'retrying' WHERE id = ?",
};
static const struct statement fail_the_dead = {
    .name = "delivery_fail_dead",
    .sql = "UPDATE webhook_deliveries SET status = 'failed' WHERE status IN ('pending', 'retrying')"
           " AND EXISTS (SELECT 1 FROM jobs WHERE jobs.kind = 'experiments.webhook'"
           " AND jobs.job_key = webhook_deliveries.subscription_id || ':' ||"
           " CAST(webhook_deliveries.event_id AS TEXT) AND jobs.state = 'dead')",
};
/* Triggers count; no list does. */
static const struct statement count_deliveries = {
    .name = "delivery_count",
    .sql = "SELECT coalesce(sum(deliveries), 0) FROM delivery_totals WHERE subscription_id = ?",
};
static const struct statement count_deliveries_of = {
    .name = "delivery_count_of",
    .sql = "SELECT coalesce(sum(deliveries), 0) FROM delivery_totals WHERE subscription_id = ?"
           " AND status = ?",
};
static const struct statement count_states = {
    .name = "delivery_states",
    .sql = "SELECT status, sum(deliveries) FROM delivery_totals GROUP BY status",
};

static enum error read_target(struct db *db, struct arena *arena, const struct statement *statement,
                              const char *id, struct webhook_target *target,
                              struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, id);
    if (query_next(query)) {
        const char *format = query_text(query, 2, arena);

        target->url = query_text(query, 0, arena);
        if (strcmp(format, subscription_format_names[FORMAT_GENERIC]) == 0)
            target->secret = query_text(query, 1, arena);
    }
    return query_end(query, problem);
}

static enum error find_target(struct db *db, struct arena *arena, const char *webhook_id,
                              struct webhook_target *target, struct problem *problem)
{
    return read_target(db, arena, &target_of, webhook_id, target, problem);
}

static enum error write_answer(struct db *db, const struct webhook_event *event,
                               const struct webhook_result *result, struct problem *problem)
{
    struct query *query = db_query(db, &note_answer);

    query_bind_optional_integer(query, result->status_code);
    query_bind_text(query, result->answer);
    query_bind_text(query, event->webhook_id);
    query_bind_integer(query, strtoll(event->event_id, NULL, 10));
    return query_end(query, problem);
}

static enum error write_outcome(struct db *db, const struct webhook_event *event,
                                enum delivery_status status, const char *error_text,
                                struct problem *problem)
{
    bool delivered = status == DELIVERY_DELIVERED;
    struct query *query = db_query(db, &note_outcome);
    char now[CLOCK_TEXT_MAX];
    enum error error;

    clock_format(clock_unix_microseconds(), now);
    query_bind_text(query, delivery_status_names[status]);
    query_bind_text(query, now);
    query_bind_text(query, delivered ? now : NULL);
    query_bind_text(query, delivered ? NULL : error_text);
    query_bind_text(query, event->webhook_id);
    query_bind_integer(query, strtoll(event->event_id, NULL, 10));
    error = query_end(query, problem);
    if (error)
        return error;
    query = db_query(db, delivered ? &note_success : &note_failure);
    query_bind_text(query, now);
    query_bind_text(query, now);
    query_bind_text(query, event->webhook_id);
    return query_end(query, problem);
}

/* With the end of the job: what the receiver said, and what follows from it. */
static enum error record_round(struct job *job, const struct job_verdict *verdict,
                               struct problem *problem)
{
    struct webhook_event event;
    struct problem unreadable;
    enum delivery_status status = DELIVERY_FAILED;
    enum error error = webhook_record(job, verdict, problem);

    if (error || verdict->outcome == JOB_POSTPONED ||
        webhook_event_of(job->arena, job->payload, &event, &unreadable))
        return error;
    if (verdict->outcome == JOB_DONE)
        status = DELIVERY_DELIVERED;
    else if (verdict->outcome == JOB_FAILED && job->failures + 1 < job->kind->attempts)
        status = DELIVERY_RETRYING;
    return write_outcome(job->db, &event, status, verdict->error, problem);
}

static const double pauses[] = {WEBHOOK_PAUSES};

const struct webhook_kind experiments_webhook_kind = {
    .job = {.name = "experiments.webhook",
            .lease_seconds = 60,
            .attempts = WEBHOOK_ATTEMPTS_MAX,
            .pauses = pauses,
            .pause_count = sizeof pauses / sizeof pauses[0],
            .interruptions_max = 100,
            .lane_most = 4,
            .perform = webhook_perform,
            .record = record_round},
    .event_header = "X-AB-Event",
    .signature_header = "X-AB-Signature",
    .delivery_header = "X-AB-Delivery",
    .one_id = true,
    .user_agent = "AB-Experiments-Webhooks/1.0",
    .attempt_seconds = 10,
    .tries = 1,
    .first_pause_seconds = 1,
    .pause_factor = 1,
    .client_errors_are_final = true,
    .find = find_target,
    .after = write_answer,
};

struct webhook_answer_limits subscription_answer_limits(const struct experiments_settings *settings)
{
    return (struct webhook_answer_limits){.read = settings->webhook_answer_bytes,
                                          .kept = settings->webhook_answer_kept_bytes};
}

static enum error insert(struct db *db, const char *subscription_id, int64_t event_id,
                         const char *id, struct problem *problem)
{
    struct query *query = db_query(db, &insert_delivery);

    query_bind_text(query, id);
    query_bind_text(query, subscription_id);
    query_bind_integer(query, event_id);
    return query_end(query, problem);
}

static enum error enqueue_one(struct db *db, struct arena *arena,
                              const struct subscription *subscription,
                              const struct audit_row *event, struct problem *problem)
{
    enum subscription_format format = (enum subscription_format)subscription->format;
    const struct webhook_event out = {.webhook_id = subscription->id,
                                      .event_id = arena_print(arena, "%lld", (long long)event->id),
                                      .event_type = event->action,
                                      .body = subscription_body(arena, format, event)};
    char *id = arena_alloc(arena, TOKEN_UUID_TEXT);
    enum error error;

    token_uuid(id);
    error = insert(db, subscription->id, event->id, id, problem);
    return error ? error : webhook_enqueue(db, arena, &experiments_webhook_kind, &out, problem);
}

/* The subscriptions that an entry goes to, read before anything is written. */
struct receiver {
    struct subscription subscription;
    struct receiver *next;
};

static enum error find_receivers(struct db *db, struct arena *arena, const struct audit_row *event,
                                 struct receiver **receivers, struct problem *problem)
{
    struct query *query = db_query(db, &concerned);

    *receivers = NULL;
    query_bind_text(query, event->key_id);
    while (query_next(query)) {
        struct receiver *receiver = ARENA_NEW(arena, struct receiver);
        const struct string_list *filter = &receiver->subscription.event_filter;

        query_read(query, &webhook_schema, &receiver->subscription, arena);
        if (filter->count && !string_list_has(filter, event->action))
            continue;
        receiver->next = *receivers;
        *receivers = receiver;
    }
    return query_end(query, problem);
}

enum error subscription_enqueue(struct db *db, struct arena *arena, const struct audit_row *event,
                                struct problem *problem)
{
    struct receiver *receivers;
    enum error error;

    if (!subscription_reports(event->action))
        return ERROR_NONE;
    error = find_receivers(db, arena, event, &receivers, problem);
    for (; !error && receivers; receivers = receivers->next)
        error = enqueue_one(db, arena, &receivers->subscription, event, problem);
    return error;
}

static const char *time_text(struct arena *arena, struct optional_integer microseconds)
{
    char *text;

    if (!microseconds.given)
        return NULL;
    text = arena_alloc(arena, CLOCK_TEXT_MAX);
    clock_format(microseconds.value, text);
    return text;
}

static void read_delivery(struct query *query, struct arena *arena, struct delivery_record *row)
{
    const char *due;

    *row = (struct delivery_record){0};
    query_read(query, &webhook_delivery_schema, row, arena);
    due = time_text(arena, row->due_at);
    row->next_attempt_at = row->leased ? NULL : due;
    row->lease_expires_at = row->leased ? due : NULL;
}

static enum error read_page(const struct key_call *call, const char *id, int status, int64_t limit,
                            struct object_list *list, int64_t *total)
{
    struct query *query = db_query(call->db, status < 0 ? &count_deliveries : &count_deliveries_of);
    struct delivery_record *items = ARENA_ARRAY(call->arena, struct delivery_record, (size_t)limit);
    enum error error;

    query_bind_text(query, id);
    if (status >= 0)
        query_bind_text(query, delivery_status_names[status]);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, call->problem);
    if (error)
        return error;
    *list = (struct object_list){.items = items};
    query = db_query(call->db, status < 0 ? &list_deliveries : &list_deliveries_of);
    query_bind_text(query, id);
    if (status >= 0)
        query_bind_text(query, delivery_status_names[status]);
    query_bind_integer(query, limit);
    while (list->count < (size_t)limit && query_next(query))
        read_delivery(query, call->arena, &items[list->count++]);
    return query_end(query, call->problem);
}

enum error subscription_deliveries(const struct key_call *call, const char *id, int status,
                                   int64_t limit, struct object_list *list, int64_t *total)
{
    struct subscription row;
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = subscription_read(call, id, &row);
    if (!error)
        error = read_page(call, id, status, limit, list, total);
    return db_finish(call->db, error, call->problem);
}

static enum error fetch_delivery(const struct key_call *call, const char *id,
                                 const char *delivery_id, struct delivery_record *delivery)
{
    enum error error = ERROR_NONE;
    bool found = false;

    if (store_is_id(delivery_id)) {
        struct query *query = db_query(call->db, &read_delivery_row);

        query_bind_text(query, id);
        query_bind_text(query, delivery_id);
        found = query_next(query);
        if (found)
            read_delivery(query, call->arena, delivery);
        error = query_end(query, call->problem);
    }
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "delivery_not_found", "Delivery not found");
}

/* The job holds what is sent; of an old delivery, or one of a test, there is none. */
static enum error reopen(const struct key_call *call, const struct subscription *row,
                         const struct delivery_record *delivery)
{
    struct query *query;
    enum error error;

    if (strcmp(delivery->status, delivery_status_names[DELIVERY_FAILED]) != 0)
        return problem_set(call->problem, ERROR_CONFLICT, "delivery_not_failed",
                           "The delivery has not failed");
    error = webhook_send_again(call->db, call->arena, &experiments_webhook_kind, row->id,
                               arena_print(call->arena, "%lld", (long long)delivery->event_id),
                               call->problem);
    if (error == ERROR_NOT_FOUND)
        return problem_set(call->problem, ERROR_CONFLICT, "delivery_forgotten",
                           "What was to be sent is not kept any more");
    if (error)
        return error;
    query = db_query(call->db, &reopen_delivery);
    query_bind_text(query, delivery->id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    return audit_record(
        call->db, call->arena, call->actor,
        &(struct audit_event){.action = "webhook.resend", .key_id = row->api_key_id},
        call->problem);
}

enum error subscription_resend(const struct key_call *call, const char *id, const char *delivery_id,
                               struct delivery_record *delivery)
{
    struct subscription row;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = subscription_read(call, id, &row);
    if (!error)
        error = fetch_delivery(call, id, delivery_id, delivery);
    if (!error)
        error = reopen(call, &row, delivery);
    if (!error)
        error = fetch_delivery(call, id, delivery_id, delivery);
    return db_finish(call->db, error, call->problem);
}

/* The entry of the test comes first, so that its id is in what is sent. */
static enum error begin_test(const struct key_call *call, const struct subscription *row,
                             struct webhook_event *out)
{
    struct audit_row event = {.action = "webhook.test",
                              .key_id = row->api_key_id,
                              .actor = call->actor->name,
                              .request_id = call->actor->request_id,
                              .ip_address = call->actor->ip_address};
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    event.ts = store_now(call->arena);
    error = audit_record_id(call->db, call->arena, call->actor,
                            &(struct audit_event){.action = event.action, .key_id = event.key_id},
                            &event.id, call->problem);
    error = db_finish(call->db, error, call->problem);
    *out = (struct webhook_event){
        .webhook_id = row->id,
        .event_id = arena_print(call->arena, "%lld", (long long)event.id),
        .event_type = event.action,
        .body = subscription_body(call->arena, (enum subscription_format)row->format, &event)};
    return error;
}

static enum error end_test(const struct key_call *call, const struct webhook_event *event,
                           const char *id, const struct webhook_result *result)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error =
        insert(call->db, event->webhook_id, strtoll(event->event_id, NULL, 10), id, call->problem);
    if (!error)
        error = write_answer(call->db, event, result, call->problem);
    if (!error)
        error =
            write_outcome(call->db, event, result->success ? DELIVERY_DELIVERED : DELIVERY_FAILED,
                          result->error, call->problem);
    return db_finish(call->db, error, call->problem);
}

enum error subscription_test(const struct key_call *call, const char *id,
                             const struct webhook_delivery_config *config,
                             struct delivery_record *delivery)
{
    char *delivery_id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    struct webhook_target target = {0};
    struct webhook_result result;
    struct webhook_event event;
    struct subscription row;
    enum error error = subscription_read(call, id, &row);

    token_uuid(delivery_id);
    if (!error)
        error = read_target(call->db, call->arena, &target_of_any, id, &target, call->problem);
    if (!error)
        error = begin_test(call, &row, &event);
    if (!error)
        error = webhook_send_now(call->db, call->arena, config, &target, &event, &result,
                                 call->problem);
    if (!error)
        error = end_test(call, &event, delivery_id, &result);
    if (error)
        return error;
    *delivery = (struct delivery_record){
        .id = delivery_id,
        .status = delivery_status_names[result.success ? DELIVERY_DELIVERED : DELIVERY_FAILED],
        .response_code = result.status_code};
    return ERROR_NONE;
}

enum error subscription_try(const struct key_call *call, const struct subscription_request *request,
                            const struct webhook_delivery_config *config,
                            struct delivery_record *delivery)
{
    const struct subscription row = {.id = "", .format = request->format};
    const struct webhook_target target = {.url = request->target_url, .secret = request->secret};
    struct webhook_result result;
    struct webhook_event event;
    enum error error = begin_test(call, &row, &event);

    if (error)
        return error;
    webhook_try(call->arena, config, &target, &event, &result);
    *delivery = (struct delivery_record){
        .id = arena_copy_string(call->arena, result.delivery_id),
        .status = delivery_status_names[result.success ? DELIVERY_DELIVERED : DELIVERY_FAILED],
        .response_code = result.status_code};
    return ERROR_NONE;
}

enum error subscription_metrics(struct db *db, int64_t counts[DELIVERY__MAX],
                                double *oldest_seconds, struct problem *problem)
{
    struct query *query = db_query(db, &count_states);
    struct job_figures figures;
    enum error error;
    struct arena *arena = arena_create((size_t)1 << 16);

    if (!arena) {
        (void)!query_end(query, NULL);
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    }
    memset(counts, 0, sizeof(int64_t[DELIVERY__MAX]));
    while (query_next(query)) {
        const char *name = query_text(query, 0, arena);

        for (int status = 0; status < DELIVERY__MAX; status++)
            if (strcmp(name, delivery_status_names[status]) == 0)
                counts[status] = query_integer(query, 1);
    }
    error = query_end(query, problem);
    arena_destroy(arena);
    if (!error)
        error = job_figures(db, &experiments_webhook_kind.job, &figures, problem);
    *oldest_seconds = error || figures.waiting == 0 ? -1 : figures.oldest_due_seconds;
    return error;
}

enum error subscription_purge_history(struct db *db, double seconds, int64_t most,
                                      struct problem *problem)
{
    const struct job_kind *kind = &experiments_webhook_kind.job;
    int64_t count;
    struct query *query = db_query(db, &fail_the_dead);
    enum error error = query_end(query, problem);

    if (!error)
        error = webhook_forget_history(db, seconds, most, &count, problem);
    if (!error)
        error = job_forget(db, kind, JOB_IS_DONE, seconds, most, &count, problem);
    if (!error)
        error = job_forget(db, kind, JOB_IS_DEAD, seconds, most, &count, problem);
    return error;
}
