/* Three recurring jobs, and the statements that no other storage file contains. */
#include "support/upkeep/purge.h"
#include "db/query.h"
#include "jobs/inbox.h"
#include "jobs/periodic.h"
#include "support/accounts/audit.h"
#include "support/metrics.h"
#include "support/traces/trace_store.h"

#include <stdio.h>
#include <string.h>

enum {
    SECONDS_A_DAY = 86400,
    LEASE_SECONDS = 120,
    KEPT_DAYS = 30, /* of jobs that are over */
    EVENT_DAYS = 7, /* a page that was away for longer reads everything again */
    FORGET_MOST = 500
};

static const double pauses[] = {60, 600};

static void perform(struct job *job, struct job_verdict *verdict);

static const struct job_kind retention_job = {
    .name = "support.retention",
    .lease_seconds = LEASE_SECONDS,
    .attempts = 3,
    .pauses = pauses,
    .pause_count = 2,
    .interruptions_max = 10,
    .lane_most = 1,
    .perform = perform,
};

#define IDLE_SESSIONS                                                                              \
    " (SELECT tenant_id, id FROM sessions WHERE last_access < {now_plus:?}"                        \
    " ORDER BY last_access, tenant_id, id LIMIT 500)"
static const struct statement purge_messages = {
    .name = "message_purge",
    .sql = "DELETE FROM messages WHERE (tenant_id, session_id) IN" IDLE_SESSIONS,
};
static const struct statement purge_sessions = {
    .name = "session_purge",
    .sql = "DELETE FROM sessions WHERE (tenant_id, id) IN" IDLE_SESSIONS,
};
static const struct statement purge_events = {
    .name = "conversation_event_purge",
    .sql = "DELETE FROM conversation_events WHERE seq IN (SELECT seq FROM conversation_events"
           " WHERE created_at < {now_plus:?} ORDER BY created_at LIMIT 500)",
};
static const struct statement purge_votes = {
    .name = "feedback_purge_unlinked",
    .sql = "DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE linked = 0"
           " AND ts < {now_plus:?} ORDER BY ts LIMIT 500)",
};
static const struct statement count_old[] = {
    {.name = "retention_count_traces",
     .sql = "SELECT count(*) FROM traces WHERE started_at < {now_plus:?}"},
    {.name = "retention_count_steps",
     .sql = "SELECT count(*) FROM trace_steps WHERE trace_id IN"
            " (SELECT trace_id FROM traces WHERE started_at < {now_plus:?})"},
    {.name = "retention_count_feedback",
     .sql = "SELECT count(*) FROM feedback f LEFT JOIN traces t ON t.trace_id = f.trace_id"
            " AND f.linked = 1 WHERE coalesce(t.started_at, f.ts) < {now_plus:?}"},
    {.name = "retention_count_evaluations",
     .sql = "SELECT count(*) FROM trace_evaluations WHERE trace_id IN"
            " (SELECT trace_id FROM traces WHERE started_at < {now_plus:?})"},
    {.name = "retention_count_audit",
     .sql = "SELECT count(*) FROM audit_log WHERE ts < {now_plus:?}"},
    {.name = "retention_count_sessions",
     .sql = "SELECT count(*) FROM sessions WHERE last_access < {now_plus:?}"},
    {.name = "retention_count_messages",
     .sql = "SELECT count(*) FROM messages m JOIN sessions s ON s.tenant_id = m.tenant_id"
            " AND s.id = m.session_id WHERE s.last_access < {now_plus:?}"},
};

static enum error run(struct db *db, const struct statement *statement, int64_t days,
                      int64_t *changes, struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *changes = query_changes(query);
    return query_end(query, problem);
}

/* One batch of each: `left` says that there may be more. */
struct batch {
    struct db *db;
    struct metrics *metrics;
    struct purge_tally *counts;
    int64_t days;
    bool left;
};

static enum error purge_traces(struct batch *batch, struct problem *problem)
{
    struct purge_counts counts;
    int64_t unlinked = 0;
    enum error error = trace_purge_batch(batch->db, NULL, batch->days, &counts, problem);

    if (!error)
        error = run(batch->db, &purge_votes, batch->days, &unlinked, problem);
    if (error)
        return error;
    counts.feedback += unlinked;
    batch->left = counts.traces || unlinked;
    batch->counts->traces += counts.traces;
    batch->counts->steps += counts.steps;
    batch->counts->feedback += counts.feedback;
    batch->counts->evaluations += counts.evaluations;
    trace_count_purged(batch->metrics, &counts);
    return ERROR_NONE;
}

static enum error purge_audit(struct batch *batch, struct problem *problem)
{
    int64_t entries = 0;
    enum error error = audit_purge_batch(batch->db, NULL, batch->days, &entries, problem);

    batch->left = entries > 0;
    batch->counts->audit += entries;
    if (entries)
        metric_add(batch->metrics, METRIC_AUDIT_PURGED, NULL, (double)entries);
    return error;
}

static enum error purge_conversations(struct batch *batch, struct problem *problem)
{
    int64_t messages = 0, sessions = 0, events;
    enum error error = db_begin(batch->db, DB_WRITE, problem);

    if (error)
        return error;
    error = run(batch->db, &purge_events, EVENT_DAYS, &events, problem);
    if (!error)
        error = run(batch->db, &purge_messages, batch->days, &messages, problem);
    if (!error)
        error = run(batch->db, &purge_sessions, batch->days, &sessions, problem);
    error = db_finish(batch->db, error, problem);
    if (error)
        return error;
    batch->left = sessions > 0;
    batch->counts->messages += messages;
    batch->counts->sessions += sessions;
    return ERROR_NONE;
}

/* The data to delete, its age limit in days, and the interval of the purge. */
struct duty {
    const char *name;
    size_t days, interval; /* places in the settings */
    enum error (*purge)(struct batch *batch, struct problem *problem);
};

#define AT(member) offsetof(struct support_settings, member)
static const struct duty duties[] = {
    {"traces", AT(trace_retention_days), AT(trace_purge_interval), purge_traces},
    {"audit", AT(audit_retention_days), AT(audit_purge_interval), purge_audit},
    {"conversations", AT(message_retention_days), AT(trace_purge_interval), purge_conversations},
};
enum { DUTIES = sizeof duties / sizeof duties[0] };

static int64_t setting(const struct support_settings *settings, size_t place)
{
    return *(const int64_t *)(const void *)((const char *)settings + place);
}

/* The context of a job. */
struct runner {
    const struct purge_call *call;
    struct purge_tally *counts;
};

static void perform(struct job *job, struct job_verdict *verdict)
{
    const struct runner *runner = job->context;
    const struct duty *duty = NULL;
    struct problem problem = {0};
    struct batch batch = {job->db, runner->call->metrics, runner->counts, 0, true};
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < DUTIES; i++)
        duty = strcmp(duties[i].name, job->lane) == 0 ? &duties[i] : duty;
    if (duty)
        batch.days = setting(runner->call->settings, duty->days);
    while (duty && batch.days > 0 && batch.left && !error) {
        error = duty->purge(&batch, &problem);
        if (!error && batch.left)
            error = job_extend(job, LEASE_SECONDS, &problem);
    }
    if (!error)
        return;
    verdict->outcome = JOB_FAILED;
    snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

static enum error run_due(const struct purge_call *call, struct purge_tally *counts,
                          struct job_counts *tally)
{
    struct runner runner = {call, counts};

    return job_run_due(call->db, call->arena, &retention_job, &runner, DUTIES, tally,
                       call->problem);
}

static enum error forget(const struct purge_call *call)
{
    static const enum job_state states[] = {JOB_IS_DONE, JOB_IS_DEAD};
    enum error error = ERROR_NONE;
    int64_t count;

    for (size_t i = 0; i < 2 && !error; i++)
        error = job_forget(call->db, &retention_job, states[i], KEPT_DAYS * SECONDS_A_DAY,
                           FORGET_MOST, &count, call->problem);
    return error;
}

enum error purge_due(const struct purge_call *call, struct purge_tally *counts)
{
    struct job_counts tally = {0};
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < DUTIES && !error; i++)
        error = periodic_add(call->db, call->arena, &retention_job, duties[i].name,
                             setting(call->settings, duties[i].interval), call->problem);
    if (!error)
        error = run_due(call, counts, &tally);
    return error || !tally.done ? error : forget(call);
}

enum error purge_now(const struct purge_call *call, struct purge_tally *counts, bool *busy)
{
    struct job_counts tally = {0};
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < DUTIES && !error; i++)
        error =
            periodic_add_now(call->db, call->arena, &retention_job, duties[i].name, call->problem);
    if (!error)
        error = run_due(call, counts, &tally);
    *busy = tally.claimed < DUTIES;
    if (!error && tally.failed + tally.dead)
        error = problem_set(call->problem, ERROR_SYSTEM, "purge_failed",
                            "the database refused; the log says why");
    return error;
}

static enum error count_one(const struct purge_call *call, size_t which, int64_t days,
                            int64_t *count)
{
    struct query *query;

    *count = 0;
    if (days <= 0)
        return ERROR_NONE;
    query = db_query(call->db, &count_old[which]);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error purge_count(const struct purge_call *call, struct purge_tally *counts)
{
    const struct support_settings *settings = call->settings;
    const struct {
        int64_t days, *count;
    } rows[] = {{settings->trace_retention_days, &counts->traces},
                {settings->trace_retention_days, &counts->steps},
                {settings->trace_retention_days, &counts->feedback},
                {settings->trace_retention_days, &counts->evaluations},
                {settings->audit_retention_days, &counts->audit},
                {settings->message_retention_days, &counts->sessions},
                {settings->message_retention_days, &counts->messages}};
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !error; i++)
        error = count_one(call, i, rows[i].days, rows[i].count);
    return error;
}
