/* Checks the alert rules, and sends notifications of changes. */
#include "support/upkeep/alerts.h"
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
    ANSWER_READ = 65536, /* bytes of the receiver's response */
    ANSWER_KEPT = 2048,
    ENOUGH = 2 /* violations in a row */
};

static const char webhook_id[] = "alerts";
static const double check_pauses[] = {30};
static const double notice_pauses[] = {60, 300, 900, 3600};

/* The settings of this process: the webhook lookup has no context. */
static const struct support_settings *notice_settings;

static const struct statement read_state = {
    .name = "alert_state_read",
    .sql = "SELECT violations, sent_at FROM alert_state WHERE rule = ?",
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

/* The stored state of a rule between two checks. */
struct memory {
    int64_t violations;
    struct optional_integer sent_at;
};

#define OWNER struct memory
static const struct field memory_fields[] = {INTEGER(OWNER, violations),
                                             NULLABLE_INTEGER(OWNER, sent_at)};
#undef OWNER
static SCHEMA(memory_schema, struct memory, "AlertMemory", memory_fields);

static enum error find_target(struct db *db, struct arena *arena, const char *id,
                              struct webhook_target *target, struct problem *problem)
{
    (void)db, (void)arena, (void)id, (void)problem;
    target->url = notice_settings ? notice_settings->alert_webhook_url : NULL;
    return ERROR_NONE;
}

/* A line of alerts.log. */
struct log_line {
    const char *ts, *rule;
    struct optional_number value;
    double threshold;
};

#define OWNER struct log_line
static const struct field log_fields[] = {STRING(OWNER, ts), STRING(OWNER, rule),
                                          NULLABLE_NUMBER(OWNER, value), NUMBER(OWNER, threshold)};
#undef OWNER
static SCHEMA(log_schema, struct log_line, "AlertLogLine", log_fields);

/* One line per firing alert of a notice. */
static void append_lines(struct text *text, const struct alert_notice *notice)
{
    const struct alert_entry *alerts = notice->alerts.items;

    for (size_t i = 0; i < notice->alerts.count; i++) {
        const struct log_line line = {.ts = notice->generated_at,
                                      .rule = alerts[i].rule,
                                      .value = alerts[i].value,
                                      .threshold = alerts[i].threshold};
        struct json_writer writer;

        if (strcmp(alerts[i].state, "firing") != 0)
            continue;
        writer_start(&writer, text);
        schema_write(&writer, &log_schema, &line);
        text_append_byte(text, '\n');
    }
}

/* Logs the alerts of a notice that was delivered. */
static enum error log_delivered(struct db *db, const struct webhook_event *event,
                                const struct webhook_result *result, struct problem *problem)
{
    char path[4096];
    struct alert_notice notice = {0};
    struct arena *arena;
    struct text text;
    int file;

    (void)db, (void)problem;
    arena = result->success && notice_settings ? arena_create((size_t)16 << 20) : NULL;
    if (!arena)
        return ERROR_NONE;
    text_start(&text, arena, REPORT_MOST);
    if (schema_from_json(arena, &alert_notice_schema, event->body, &notice))
        append_lines(&text, &notice);
    (void)!snprintf(path, sizeof path, "%s/alerts.log", notice_settings->data_directory);
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        (void)!write(file, text.bytes,
                     text.length); /* if the log cannot be written, the line is lost */
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
    .after = log_delivered,
};

/* One check: what was read, and the report of it. */
struct check {
    const struct alert_call *call;
    struct alert_readings readings;
    const char *report;
};

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct check *check = job->context;
    struct problem problem = {0};
    enum error error = alert_take_readings(job->db, job->arena, check->call->settings,
                                           check->call->region, &check->readings, &problem);

    if (!error)
        return;
    verdict->outcome = JOB_FAILED;
    snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

static enum error read_memory(struct db *db, const char *rule, struct memory *memory,
                              struct problem *problem)
{
    struct query *query = db_query(db, &read_state);

    *memory = (struct memory){.violations = 0};
    query_bind_text(query, rule);
    if (query_next(query))
        query_read(query, &memory_schema, memory, NULL);
    return query_end(query, problem);
}

static enum error store_memory(struct db *db, const char *rule, const struct memory *memory,
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

/* Whether a reading is to be sent. Without a receiver nothing counts as sent. */
static enum alert_news judge(const struct support_settings *settings,
                             const struct alert_reading *reading, int64_t now,
                             struct memory *memory)
{
    bool due =
        !memory->sent_at.given || now - memory->sent_at.value >= settings->alert_cooldown * 1000000;
    bool was_sent = memory->sent_at.given;

    memory->violations = reading->violated ? memory->violations + 1 : 0;
    if (!reading->violated) {
        memory->sent_at.given = false;
        return was_sent ? ALERT_RESOLVED : ALERT_NOTHING;
    }
    if (memory->violations < ENOUGH || !due)
        return ALERT_NOTHING;
    if (settings->alert_webhook_url)
        memory->sent_at = (struct optional_integer)GIVEN_INTEGER(now);
    return ALERT_FIRING;
}

/* Evaluates all readings, and stores the state of the rules unless it is a dry run. */
static enum error judge_all(const struct check *check, struct db *db, bool rehearsal,
                            enum alert_news news[ALERT_READINGS_MAX], struct problem *problem)
{
    int64_t now = 0;
    enum error error = read_clock(db, &now, problem);

    for (size_t i = 0; i < check->readings.count && !error; i++) {
        const struct alert_reading *reading = &check->readings.items[i];
        struct memory memory;

        error = read_memory(db, reading->rule->name, &memory, problem);
        if (error)
            break;
        news[i] = judge(check->call->settings, reading, now, &memory);
        if (!rehearsal)
            error = store_memory(db, reading->rule->name, &memory, problem);
    }
    return error;
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    struct check *check = job->context;
    enum alert_news news[ALERT_READINGS_MAX] = {ALERT_NOTHING};
    const char *now = store_now(job->arena), *body;
    char event_id[TOKEN_UUID_TEXT];
    enum error error;

    if (verdict->outcome != JOB_DONE)
        return ERROR_NONE;
    error = judge_all(check, job->db, false, news, problem);
    if (error)
        return error;
    check->report = alert_report_text(check->call->kept, &check->readings, news, now,
                                      check->call->settings->alert_webhook_url != NULL);
    body = alert_notice_json(job->arena, &check->readings, news, now);
    if (!body || !check->call->settings->alert_webhook_url)
        return ERROR_NONE;
    token_uuid(event_id);
    return webhook_enqueue(job->db, job->arena, &notice_kind,
                           &(struct webhook_event){webhook_id, event_id, "alerts", body}, problem);
}

static const struct job_kind check_kind = {
    .name = "support.alert-check",
    .lease_seconds = LEASE_SECONDS,
    .attempts = 2,
    .pauses = check_pauses,
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
    struct job_counts tally = {0};
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
        error = job_forget(call->db, i < 2 ? &check_kind : &notice_kind.job, states[i % 2],
                           KEPT_SECONDS, FORGET_MOST, &count, call->problem);
    return error
               ? error
               : webhook_forget_history(call->db, KEPT_SECONDS, FORGET_MOST, &count, call->problem);
}

enum error alerts_check(const struct alert_call *call, bool now, struct alert_report *report)
{
    struct check check = {.call = call};
    struct job_counts tally = {0};
    enum error error;

    *report = (struct alert_report){.text = NULL};
    notice_settings = call->settings;
    error = now ? periodic_add_now(call->db, call->arena, &check_kind, webhook_id, call->problem)
                : periodic_add(call->db, call->arena, &check_kind, webhook_id,
                               call->settings->alert_check_interval, call->problem);
    if (!error)
        error = job_run_due(call->db, call->arena, &check_kind, &check, 1, &tally, call->problem);
    if (!error && tally.claimed && !tally.done)
        error = problem_set(call->problem, ERROR_SYSTEM, "look_failed",
                            "the figures could not be read");
    report->text = check.report;
    report->busy = !tally.claimed;
    if (!error)
        error = deliver(call, &report->undelivered);
    return error || !tally.done ? error : forget(call);
}

enum error alerts_rehearse(const struct alert_call *call, struct alert_report *report)
{
    struct check check = {.call = call};
    enum alert_news news[ALERT_READINGS_MAX] = {ALERT_NOTHING};
    enum error error = alert_take_readings(call->db, call->arena, call->settings, call->region,
                                           &check.readings, call->problem);

    *report = (struct alert_report){.text = NULL};
    if (!error)
        error = judge_all(&check, call->db, true, news, call->problem);
    if (!error)
        report->text = alert_report_text(call->kept, &check.readings, news, store_now(call->arena),
                                         call->settings->alert_webhook_url != NULL);
    return error;
}
