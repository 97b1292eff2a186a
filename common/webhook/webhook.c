/* Enqueues and delivers events as jobs, and records the attempts. */
#include "webhook/webhook_internal.h"

#include "base/json.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "db/query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char gone[] = "webhook inactive or removed";

static const struct statement insert_history = {
    .name = "webhook_history_insert",
    .sql = "INSERT INTO webhook_history (delivery_id, kind, webhook_id, event_id, event_type,"
           " attempt, status_code, success, error, answer, delivered_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now_microseconds})"
           " ON CONFLICT (delivery_id) DO NOTHING",
};
static const struct statement read_history = {
    .name = "webhook_history_read",
    .sql = "SELECT delivery_id, event_id, event_type, attempt, status_code, success, error, answer,"
           " delivered_at FROM webhook_history WHERE kind = ? AND webhook_id = ?"
           " ORDER BY id DESC LIMIT ?",
};
static const struct statement forget_history = {
    .name = "webhook_history_forget",
    .sql = "DELETE FROM webhook_history WHERE id IN (SELECT id FROM webhook_history"
           " WHERE delivered_at < {now_microseconds} - CAST(? AS BIGINT)"
           " ORDER BY delivered_at LIMIT ?)",
};

const char *webhook_job_key(struct arena *arena, const char *webhook_id, const char *event_id)
{
    return arena_print(arena, "%s:%s", webhook_id, event_id);
}

enum error webhook_enqueue(struct db *db, struct arena *arena, const struct webhook_kind *kind,
                           const struct webhook_event *event, struct problem *problem)
{
    struct json_writer writer;
    struct job_spec order = {.key = webhook_job_key(arena, event->webhook_id, event->event_id),
                             .lane = event->webhook_id};
    struct text payload;

    text_start(&payload, arena, JOB_PAYLOAD_MAX);
    writer_start(&writer, &payload);
    writer_open_object(&writer);
    writer_key_string(&writer, "webhook_id", event->webhook_id);
    writer_key_string(&writer, "event_id", event->event_id);
    writer_key_string(&writer, "event_type", event->event_type);
    writer_key_string(&writer, "body", event->body);
    writer_close_object(&writer);
    if (payload.overflowed)
        return problem_set(problem, ERROR_TOO_LARGE, "webhook_body", "the event is too large");
    order.payload = payload.bytes;
    return job_add(db, &kind->job, &order, NULL, problem);
}

enum error webhook_event_of(struct arena *arena, const char *payload, struct webhook_event *event,
                            struct problem *problem)
{
    struct json_fault fault;
    json_t *json;

    if (json_read(arena, payload, strlen(payload), JSON_DEPTH_LIMIT, &json, &fault))
        return problem_set(problem, ERROR_MALFORMED, "webhook_payload", "%s", fault.text);
    *event =
        (struct webhook_event){.webhook_id = json_string_value(json_object_get(json, "webhook_id")),
                               .event_id = json_string_value(json_object_get(json, "event_id")),
                               .event_type = json_string_value(json_object_get(json, "event_type")),
                               .body = json_string_value(json_object_get(json, "body"))};
    if (!event->webhook_id || !event->event_id || !event->event_type || !event->body)
        return problem_set(problem, ERROR_MALFORMED, "webhook_payload", "not an event");
    return ERROR_NONE;
}

/* The same for the same attempt of the same job (a UUID of version 8, RFC 9562). A job that was
 * sent again has other cycles: `since` distinguishes them. */
static void name_round(const struct job *job, int64_t number, int64_t since,
                       char id[WEBHOOK_DELIVERY_ID])
{
    char attempt_text[48], hex[DIGEST_SHA256_TEXT];
    struct digest_part parts[] = {
        {job->key, strlen(job->key) + 1},
        {attempt_text, (size_t)snprintf(attempt_text, sizeof attempt_text, "%lld %lld",
                                        (long long)number, (long long)since)}};

    digest_hmac_sha256_parts_hex(job->kind->name, strlen(job->kind->name), parts, 2, hex);
    (void)!snprintf(id, WEBHOOK_DELIVERY_ID, "%.8s-%.4s-8%.3s-a%.3s-%.12s", hex, hex + 8, hex + 12,
                    hex + 15, hex + 18);
}

bool webhook_is_over(const struct job_kind *kind, int64_t failures, double seconds)
{
    double waited = 0;

    for (int64_t i = 0; i < failures && waited <= seconds; i++)
        waited += kind->pauses[i < (int64_t)kind->pause_count ? i : (int64_t)kind->pause_count - 1];
    return waited > seconds;
}

/* What perform leaves for record. */
struct delivery {
    struct webhook_event event;
    struct webhook_result result;
};

static void log_delivery(const struct delivery *delivery)
{
    const struct webhook_result *result = &delivery->result;
    struct log_line line;

    log_begin(&line, result->success ? LOG_INFO : LOG_WARNING,
              result->success ? "webhook_delivered" : "webhook_not_delivered");
    log_text(&line, "delivery_id", result->shown_id);
    log_text(&line, "error", result->error);
    log_text(&line, "event_id", delivery->event.event_id);
    log_text(&line, "event_type", delivery->event.event_type);
    if (result->status_code.given)
        log_integer(&line, "status_code", result->status_code.value);
    log_text(&line, "webhook_id", delivery->event.webhook_id);
    log_write(&line);
}

void webhook_perform(struct job *job, struct job_verdict *verdict)
{
    const struct webhook_delivery_config *config = job->context;
    struct delivery *delivery = ARENA_NEW(job->arena, struct delivery);
    struct webhook_target target = {0};
    struct problem problem;
    bool final = true;

    if (webhook_event_of(job->arena, job->payload, &delivery->event, &problem)) {
        verdict->outcome = JOB_REFUSED;
    } else if (config->kind->find(job->db, job->arena, delivery->event.webhook_id, &target,
                                  &problem)) {
        verdict->outcome = JOB_POSTPONED; /* the database is down: no call was made */
        verdict->pause_seconds = 1;
    } else if (!target.url) {
        verdict->outcome = JOB_REFUSED;
        (void)!snprintf(problem.text, sizeof problem.text, "%s", gone);
    } else {
        name_round(job, job->failures, job->created_at, delivery->result.delivery_id);
        if (config->kind->one_id)
            name_round(job, 0, 0, delivery->result.shown_id);
        else
            memcpy(delivery->result.shown_id, delivery->result.delivery_id, WEBHOOK_DELIVERY_ID);
        webhook_attempt(job->arena, config, &target, &delivery->event, &delivery->result, &final,
                        &verdict->pause_seconds);
        if (delivery->result.broken_off) {
            verdict->outcome = JOB_POSTPONED;
            return;
        }
        log_delivery(delivery);
        job->result = delivery;
        if (delivery->result.success)
            return;
        final |= config->retry_seconds > 0 &&
                 webhook_is_over(job->kind, job->failures + 1, config->retry_seconds);
        verdict->outcome = final ? JOB_REFUSED : JOB_FAILED;
        (void)!snprintf(problem.text, sizeof problem.text, "%s", delivery->result.error);
    }
    (void)!snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

enum error webhook_record(struct job *job, const struct job_verdict *verdict,
                          struct problem *problem)
{
    const struct webhook_delivery_config *config = job->context;
    const struct delivery *delivery = job->result;
    enum error error;

    (void)verdict;
    if (!delivery)
        return ERROR_NONE;
    error = webhook_write_history(job->db, config->kind, &delivery->event, job->failures + 1,
                                  &delivery->result, problem);
    if (!error && config->kind->after)
        error = config->kind->after(job->db, &delivery->event, &delivery->result, problem);
    return error;
}

enum error webhook_deliver_due(struct db *db, struct arena *arena,
                               struct webhook_delivery_config *config, int64_t most,
                               struct job_counts *counts, struct problem *problem)
{
    return job_run_due(db, arena, &config->kind->job, config, most, counts, problem);
}

enum error webhook_send_again(struct db *db, struct arena *arena, const struct webhook_kind *kind,
                              const char *webhook_id, const char *event_id, struct problem *problem)
{
    enum error error =
        job_send_again(db, &kind->job, webhook_job_key(arena, webhook_id, event_id), problem);

    if (error == ERROR_NOT_FOUND)
        return problem_set(problem, error, "delivery_not_found",
                           "Delivery of event '%.200s' not found.", event_id);
    if (error == ERROR_CONFLICT)
        return problem_set(problem, error, "delivery_not_failed",
                           "The delivery of event '%.200s' has not failed.", event_id);
    return error;
}

void webhook_try(struct arena *arena, const struct webhook_delivery_config *config,
                 const struct webhook_target *target, const struct webhook_event *event,
                 struct webhook_result *result)
{
    double pause;
    bool final;

    *result = (struct webhook_result){0};
    token_uuid(result->delivery_id);
    memcpy(result->shown_id, result->delivery_id, sizeof result->shown_id);
    webhook_attempt(arena, config, target, event, result, &final, &pause);
}

enum error webhook_send_now(struct db *db, struct arena *arena,
                            const struct webhook_delivery_config *config,
                            const struct webhook_target *target, const struct webhook_event *event,
                            struct webhook_result *result, struct problem *problem)
{
    enum error error;

    webhook_try(arena, config, target, event, result);
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    error = webhook_write_history(db, config->kind, event, result->attempts, result, problem);
    if (!error && config->kind->after)
        error = config->kind->after(db, event, result, problem);
    return db_finish(db, error, problem);
}

enum error webhook_write_history(struct db *db, const struct webhook_kind *kind,
                                 const struct webhook_event *event, int64_t attempt,
                                 const struct webhook_result *result, struct problem *problem)
{
    struct query *query = db_query(db, &insert_history);

    query_bind_text(query, result->delivery_id);
    query_bind_text(query, kind->job.name);
    query_bind_text(query, event->webhook_id);
    query_bind_text(query, event->event_id);
    query_bind_text(query, event->event_type);
    query_bind_integer(query, attempt);
    query_bind_optional_integer(query, result->status_code);
    query_bind_boolean(query, result->success);
    query_bind_text(query, result->error);
    query_bind_text(query, result->answer);
    return query_end(query, problem);
}

enum error webhook_read_history(struct db *db, struct arena *arena, const struct webhook_kind *kind,
                                const char *webhook_id, int most, struct webhook_history *history,
                                struct problem *problem)
{
    struct query *query = db_query(db, &read_history);

    *history = (struct webhook_history){
        .items = ARENA_ARRAY(arena, struct webhook_history_row, (size_t)most)};
    query_bind_text(query, kind->job.name);
    query_bind_text(query, webhook_id);
    query_bind_integer(query, most);
    while (history->count < (size_t)most && query_next(query))
        history->items[history->count++] =
            (struct webhook_history_row){.delivery_id = query_text(query, 0, arena),
                                         .event_id = query_text(query, 1, arena),
                                         .event_type = query_text(query, 2, arena),
                                         .attempt = query_integer(query, 3),
                                         .status_code = query_optional_integer(query, 4),
                                         .success = query_boolean(query, 5),
                                         .error = query_text_or_null(query, 6, arena),
                                         .answer = query_text_or_null(query, 7, arena),
                                         .delivered_at = query_integer(query, 8)};
    return query_end(query, problem);
}

enum error webhook_forget_history(struct db *db, double seconds, int64_t most, int64_t *count,
                                  struct problem *problem)
{
    struct query *query = db_query(db, &forget_history);

    query_bind_integer(query, llround(seconds * 1e6));
    query_bind_integer(query, most);
    *count = query_changes(query);
    return query_end(query, problem);
}
