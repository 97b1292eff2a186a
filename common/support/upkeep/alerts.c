/* Looks at the figures, what follows from them, and the notices that tell of it. */
#include "support/upkeep/alerts.h"
#include "base/json.h"
#include "base/text.h"
#include "crypto/token.h"
#include "db/query.h"
#include "db/store.h"
#include "jobs/inbox.h"
#include "jobs/periodic.h"
#include "support/upkeep/alert_rules.h"
#include "webhook/webhook.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LEASE_SECONDS = 120,
    KEPT_SECONDS = 30 * 86400, /* of jobs that are over */
    FORGET_MOST = 500,
    DELIVER_MOST = 20,
    REPORT_MOST = 65536,
    ANSWER_READ = 65536, /* bytes of what the receiver of a notice says */
    ANSWER_KEPT = 2048,
    ENOUGH = 2 /* violations in a row */
};

static const char webhook_id[] = "alerts";
static const double look_pauses[] = {30};
static const double notice_pauses[] = {60, 300, 900, 3600};

/* Where notices go and are written down; of this process, since a webhook is found without any
 * context. */
static const struct support_settings *house;

static const struct statement read_state = {
    .name = "alert_state_read",
    .sql = "SELECT violations, sent_at, {now_microseconds} FROM alert_state WHERE rule = ?",
};
static const struct statement write_state = {
    .name = "alert_state_write",
    .sql = "INSERT INTO alert_state (rule, violations, sent_at) VALUES (?, ?, ?)"
           " ON CONFLICT (rule) DO UPDATE SET violations = excluded.violations,"
           " sent_at = excluded.sent_at",
};
static const struct statement clock_now = {
    .name = "alert_clock",
    .sql = "SELECT {now_microseconds}",
};

/* Of a rule between two looks. */
struct memory {
    int64_t violations;
    struct optional_integer sent_at;
};

static enum error find_target(struct db *db, struct arena *arena, const char *id,
                              struct webhook_target *target, struct problem *problem)
{
    (void)db, (void)arena, (void)id, (void)problem;
    target->url = house ? house->alert_webhook_url : NULL;
    return ERROR_NONE;
}

/* One line per firing alert that somebody was told of. */
static enum error note_sent(struct db *db, const struct webhook_event *event,
                            const struct webhook_result *result, struct problem *problem)
{
    char path[4096];
    struct arena *arena;
    struct text text;
    struct json_writer writer;
    struct json_fault fault;
    json_t *body, *alert;
    size_t i;
    int file;

    (void)db, (void)problem;
    arena = result->success && house ? arena_create((size_t)16 << 20) : NULL;
    if (!arena)
        return ERROR_NONE;
    text_start(&text, arena, REPORT_MOST);
    if (!json_read(arena, event->body, strlen(event->body), 8, &body, &fault)) {
        json_array_foreach(json_object_get(body, "alerts"), i, alert)
        {
            if (strcmp(json_string_value(json_object_get(alert, "state")), "firing") != 0)
                continue;
            writer_start(&writer, &text);
            writer_open_object(&writer);
            writer_key_string(&writer, "ts",
                              json_string_value(json_object_get(body, "generated_at")));
            writer_key_string(&writer, "rule", json_string_value(json_object_get(alert, "rule")));
            writer_key(&writer, "value");
            writer_value(&writer, json_object_get(alert, "value"));
            writer_key(&writer, "threshold");
            writer_value(&writer, json_object_get(alert, "threshold"));
            writer_close_object(&writer);
            text_append_byte(&text, '\n');
        }
    }
    (void)!snprintf(path, sizeof path, "%s/alerts.log", house->data_directory);
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        (void)!write(file, text.bytes, text.length); /* a log that cannot be written loses a line */
        close(file);
    }
    arena_destroy(arena);
    return ERROR_NONE;
}

static const struct webhook_kind notice_kind = {
    .job = WEBHOOK_JOB("support.alert", 50, notice_pauses),
    .delivery_header = "X-Alert-Delivery",
    .user_agent = "assay-support-alerts/1",
    .attempt_seconds = 5,
    .tries = 3,
    .first_pause_seconds = 1,
    .pause_factor = 2,
    .find = find_target,
    .after = note_sent,
};

/* A look: what was read, and what follows from it. */
struct look {
    const struct alert_call *call;
    struct alert_readings readings;
    const char *report;
};

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct look *look = job->context;
    struct problem problem = {0};
    enum error error = alert_take_readings(job->db, job->arena, look->call->settings,
                                           look->call->region, &look->readings, &problem);

    if (!error)
        return;
    verdict->outcome = JOB_FAILED;
    snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

static enum error remember(struct db *db, const char *rule, struct memory *memory,
                           struct problem *problem)
{
    struct query *query = db_query(db, &read_state);

    *memory = (struct memory){.violations = 0};
    query_bind_text(query, rule);
    if (query_next(query)) {
        memory->violations = query_integer(query, 0);
        memory->sent_at = query_optional_integer(query, 1);
    }
    return query_end(query, problem);
}

static enum error keep(struct db *db, const char *rule, const struct memory *memory,
                       struct problem *problem)
{
    struct query *query = db_query(db, &write_state);

    query_bind_text(query, rule);
    query_bind_integer(query, memory->violations);
    query_bind_optional_integer(query, memory->sent_at);
    return query_end(query, problem);
}

static enum error read_clock(struct db *db, int64_t *now, struct problem *problem)
{
    struct query *query = db_query(db, &clock_now);

    *now = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

/* What is to be told of a reading. Without anybody to tell, nothing counts as told. */
static enum alert_news judge(const struct support_settings *settings,
                             const struct alert_reading *reading, int64_t now,
                             struct memory *memory)
{
    bool due =
        !memory->sent_at.given || now - memory->sent_at.value >= settings->alert_cooldown * 1000000;
    bool was_told = memory->sent_at.given;

    memory->violations = reading->violated ? memory->violations + 1 : 0;
    if (!reading->violated) {
        memory->sent_at.given = false;
        return was_told ? ALERT_RESOLVED : ALERT_NOTHING;
    }
    if (memory->violations < ENOUGH || !due)
        return ALERT_NOTHING;
    if (settings->alert_webhook_url)
        memory->sent_at = (struct optional_integer)GIVEN_INTEGER(now);
    return ALERT_FIRING;
}

/* Judges all readings; keeps what is to be remembered unless it is a rehearsal. */
static enum error judge_all(const struct look *look, struct db *db, bool rehearsal,
                            enum alert_news news[ALERT_READINGS_MAX], struct problem *problem)
{
    int64_t now = 0;
    enum error error = read_clock(db, &now, problem);

    for (size_t i = 0; i < look->readings.count && !error; i++) {
        const struct alert_reading *reading = &look->readings.items[i];
        struct memory memory;

        error = remember(db, reading->rule->name, &memory, problem);
        if (error)
            break;
        news[i] = judge(look->call->settings, reading, now, &memory);
        if (!rehearsal)
            error = keep(db, reading->rule->name, &memory, problem);
    }
    return error;
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    struct look *look = job->context;
    enum alert_news news[ALERT_READINGS_MAX] = {ALERT_NOTHING};
    const char *now = store_now(job->arena), *body;
    char event_id[TOKEN_UUID_TEXT];
    enum error error;

    if (verdict->outcome != JOB_DONE)
        return ERROR_NONE;
    error = judge_all(look, job->db, false, news, problem);
    if (error)
        return error;
    look->report = alert_report_text(look->call->kept, &look->readings, news, now,
                                     look->call->settings->alert_webhook_url != NULL);
    body = alert_notice(job->arena, &look->readings, news, now);
    if (!body || !look->call->settings->alert_webhook_url)
        return ERROR_NONE;
    token_uuid(event_id);
    return webhook_enqueue(job->db, job->arena, &notice_kind,
                           &(struct webhook_event){webhook_id, event_id, "alerts", body}, problem);
}

static const struct job_kind look_kind = {
    .name = "support.alert-check",
    .lease_seconds = LEASE_SECONDS,
    .attempts = 2,
    .pauses = look_pauses,
    .pause_count = 1,
    .interruptions_max = 10,
    .lane_most = 1,
    .perform = perform,
    .record = record,
};

static enum error deliver(const struct alert_call *call, bool *undelivered)
{
    const struct egress_policy egress = {.private_too = true}; /* the operator's own address */
    struct webhook_delivery_config config = {
        .kind = &notice_kind, .egress = &egress, .answers = {ANSWER_READ, ANSWER_KEPT}};
    struct job_tally tally = {0};
    enum error error = ERROR_NONE;

    if (!call->settings->alert_webhook_url) /* what waits, waits for an address */
        return ERROR_NONE;
    error =
        webhook_deliver_due(call->db, call->arena, &config, DELIVER_MOST, &tally, call->problem);
    *undelivered = tally.failed + tally.dead > 0;
    return error;
}

static enum error forget(const struct alert_call *call)
{
    static const enum job_state states[] = {JOB_IS_DONE, JOB_IS_DEAD};
    enum error error = ERROR_NONE;
    int64_t count;

    for (size_t i = 0; i < 4 && !error; i++)
        error = job_forget(call->db, i < 2 ? &look_kind : &notice_kind.job, states[i % 2],
                           KEPT_SECONDS, FORGET_MOST, &count, call->problem);
    return error
               ? error
               : webhook_forget_history(call->db, KEPT_SECONDS, FORGET_MOST, &count, call->problem);
}

enum error alerts_check(const struct alert_call *call, bool now, struct alert_report *report)
{
    struct look look = {.call = call};
    struct job_tally tally = {0};
    enum error error;

    *report = (struct alert_report){.text = NULL};
    house = call->settings;
    error = now ? periodic_add_now(call->db, call->arena, &look_kind, webhook_id, call->problem)
                : periodic_add(call->db, call->arena, &look_kind, webhook_id,
                               call->settings->alert_check_interval, call->problem);
    if (!error)
        error = job_run_due(call->db, call->arena, &look_kind, &look, 1, &tally, call->problem);
    if (!error && tally.claimed && !tally.done)
        error = problem_set(call->problem, ERROR_SYSTEM, "look_failed",
                            "the figures could not be read");
    report->text = look.report;
    report->busy = !tally.claimed;
    if (!error)
        error = deliver(call, &report->undelivered);
    return error || !tally.done ? error : forget(call);
}

enum error alerts_rehearse(const struct alert_call *call, struct alert_report *report)
{
    struct look look = {.call = call};
    enum alert_news news[ALERT_READINGS_MAX] = {ALERT_NOTHING};
    enum error error = alert_take_readings(call->db, call->arena, call->settings, call->region,
                                           &look.readings, call->problem);

    *report = (struct alert_report){.text = NULL};
    if (!error)
        error = judge_all(&look, call->db, true, news, call->problem);
    if (!error)
        report->text = alert_report_text(call->kept, &look.readings, news, store_now(call->arena),
                                         call->settings->alert_webhook_url != NULL);
    return error;
}
