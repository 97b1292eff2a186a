/* Adding, claiming and ending jobs. What operators do with them is inbox.c. */
#include "jobs/job.h"

#include "base/cause.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypto/token.h"
#include "db/query.h"
#include "telemetry/traced.h"
#include "telemetry/tracer.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum {
    HOLDER_BYTES = 12,
    HOLDER_TEXT = 17,
    PREFIX_TEXT = JOB_CLAIMANT_MAX + 2, /* a name, a dot, a NUL */
    BATCH_MAX = 256,
    AHEAD_SECONDS = 60 /* by which clocks of hosts may differ before a job counts as due too late */
};

static const double microseconds_per_second = 1e6;

/* What holders of this process begin with. */
static char claimant[PREFIX_TEXT];

/* The lane of the last claim, where lanes take turns. */
static char turn[JOB_NAME_MAX + 1];

/* Every holder, as a range: sql/kits/jobs_2.sql says why. */
#define HELD "holder > '' AND holder < '~'"

static const struct statement insert_job = {
    .name = "job_insert",
    .sql = "INSERT INTO jobs (kind, job_key, lane, payload, state, failures, interruptions, due_at,"
           " created_at, request_id, trace) VALUES (?, ?, ?, ?, 'waiting', 0, 0,"
           " {now_microseconds} + CAST(? AS BIGINT), {now_microseconds}, ?, ?)"
           " ON CONFLICT (kind, job_key) DO NOTHING",
};
#define BUSY_LANES                                                                                 \
    "WITH busy AS (SELECT lane FROM jobs WHERE kind = ? AND " HELD                                 \
    " AND due_at > {now_microseconds} GROUP BY lane HAVING count(*) >= ?),"                        \
    " picked AS MATERIALIZED (SELECT id FROM jobs WHERE kind = ? AND state = 'waiting'"            \
    " AND due_at <= {now_microseconds} AND lane NOT IN (SELECT lane FROM busy)"
#define CLAIM_PICKED                                                                               \
    " UPDATE jobs SET interruptions = interruptions + CASE WHEN holder IS NULL THEN 0 ELSE 1"      \
    " END, holder = ?, due_at = {now_microseconds} + CAST(? AS BIGINT)"                            \
    " WHERE id IN (SELECT id FROM picked)"                                                         \
    " RETURNING id, job_key, lane, payload, failures, interruptions, created_at,"                  \
    " request_id, trace"

static const struct statement claim_jobs = {
    .name = "job_claim",
    .sql = BUSY_LANES " ORDER BY due_at, id LIMIT ? {for_update_skip_locked})" CLAIM_PICKED,
};
static const struct statement claim_turn = {
    .name = "job_claim_turn",
    .sql = BUSY_LANES " AND lane > ? ORDER BY lane, due_at, id LIMIT ?"
                      " {for_update_skip_locked})" CLAIM_PICKED,
};
static const struct statement end_job = {
    .name = "job_end",
    .sql = "UPDATE jobs SET state = ?, failures = ?, last_error = ?, holder = NULL,"
           " due_at = {now_microseconds} + CAST(? AS BIGINT),"
           " finished_at = CASE WHEN ? = 1 THEN {now_microseconds} ELSE NULL END"
           " WHERE id = ? AND holder = ? AND state = 'waiting'",
};
static const struct statement extend_lease = {
    .name = "job_extend",
    .sql = "UPDATE jobs SET due_at = {now_microseconds} + CAST(? AS BIGINT)"
           " WHERE id = ? AND holder = ? AND state = 'waiting'",
};
static const struct statement release_jobs = {
    .name = "job_release",
    .sql = "UPDATE jobs SET due_at = {now_microseconds} WHERE " HELD
           " AND substr(holder, 1, CAST(? AS INTEGER)) = ? AND state = 'waiting'"
           " AND due_at > {now_microseconds}",
};

/* Nothing is ever due later than so many seconds from now: what stands in the table as later was
 * written by a clock that was set back since. */
static const struct statement find_ahead = {
    .name = "job_find_ahead",
    .sql = "SELECT 1 FROM jobs WHERE kind = ? AND state = 'waiting'"
           " AND due_at > {now_microseconds} + CAST(? AS BIGINT) LIMIT 1",
};
static const struct statement pull_in = {
    .name = "job_pull_in",
    .sql = "UPDATE jobs SET due_at = {now_microseconds} WHERE kind = ? AND state = 'waiting'"
           " AND due_at > {now_microseconds} + CAST(? AS BIGINT)",
};

static int64_t microseconds(double seconds)
{
    return llround(seconds * microseconds_per_second);
}

enum error job_add(struct db *db, const struct job_kind *kind, const struct job_spec *order,
                   bool *added, struct problem *problem)
{
    const char *lane = order->lane ? order->lane : "";
    struct query *query;
    int64_t changes;
    enum error error;

    if (!*order->key || strlen(order->key) > JOB_NAME_MAX || strlen(lane) > JOB_NAME_MAX)
        return problem_set(problem, ERROR_INVALID, "job_key", "a job of %s has no usable key",
                           kind->name);
    if (strlen(order->payload) > JOB_PAYLOAD_MAX)
        return problem_set(problem, ERROR_TOO_LARGE, "job_payload",
                           "the payload of a job of %s is too large", kind->name);
    query = db_query(db, &insert_job);
    query_bind_text(query, kind->name);
    query_bind_text(query, order->key);
    query_bind_text(query, lane);
    query_bind_text(query, order->payload);
    query_bind_integer(query, microseconds(fmin(order->delay_seconds, JOB_PAUSE_MAX)));
    query_bind_text(query, cause_request_id());
    query_bind_text(query, cause_trace());
    changes = query_changes(query);
    error = query_end(query, problem);
    if (added)
        *added = !error && changes > 0;
    return error;
}

/* What is to be claimed, and by whom. */
struct claim {
    struct db *db;
    struct arena *arena;
    const struct job_kind *kind;
    const char *holder, *after; /* the lane before those that have their turn; NULL = any may */
    int most;
};

static enum error claim_some(const struct claim *claim, struct job *jobs, int *count,
                             struct problem *problem)
{
    const struct job_kind *kind = claim->kind;
    struct query *query = db_query(claim->db, claim->after ? &claim_turn : &claim_jobs);

    query_bind_text(query, kind->name);
    query_bind_integer(query, kind->lane_most ? kind->lane_most : INT_MAX);
    query_bind_text(query, kind->name);
    if (claim->after)
        query_bind_text(query, claim->after);
    query_bind_integer(query, claim->most);
    query_bind_text(query, claim->holder);
    query_bind_integer(query, microseconds(kind->lease_seconds));
    for (*count = 0; *count < claim->most && query_next(query); ++*count)
        jobs[*count] = (struct job){.kind = kind,
                                    .db = claim->db,
                                    .arena = claim->arena,
                                    .id = query_integer(query, 0),
                                    .key = query_text(query, 1, claim->arena),
                                    .lane = query_text(query, 2, claim->arena),
                                    .payload = query_text(query, 3, claim->arena),
                                    .failures = query_integer(query, 4),
                                    .interruptions = query_integer(query, 5),
                                    .created_at = query_integer(query, 6),
                                    .request_id = query_text_or_null(query, 7, claim->arena),
                                    .trace = query_text_or_null(query, 8, claim->arena),
                                    .holder = claim->holder};
    return query_end(query, problem);
}

/* One claimer at a time, so that none of them takes more of a lane than it may have. */
static enum error claim_in_turn(struct claim *claim, struct job *jobs, int *count,
                                struct problem *problem)
{
    enum error error = db_begin(claim->db, DB_WRITE, problem);

    if (error)
        return error;
    error = db_lock(claim->db, claim->kind->name, problem);
    claim->after = turn;
    if (!error)
        error = claim_some(claim, jobs, count, problem);
    if (!error && !*count && *turn) {
        claim->after = "";
        error = claim_some(claim, jobs, count, problem);
    }
    error = db_finish(claim->db, error, problem);
    if (!error)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): so many were claimed */
        (void)!snprintf(turn, sizeof turn, "%s", *count ? jobs[0].lane : "");
    return error;
}

/* Claims at most `most`, into `jobs`; all of them have the same holder. */
static enum error claim(struct db *db, struct arena *arena, const struct job_kind *kind, int most,
                        struct job *jobs, int *count, struct problem *problem)
{
    struct claim claim = {.db = db, .arena = arena, .kind = kind, .most = most};
    char token[HOLDER_TEXT];

    token_random_text(HOLDER_BYTES, token, sizeof token);
    claim.holder = arena_print(arena, "%s%s", claimant, token);
    return kind->lanes_take_turns ? claim_in_turn(&claim, jobs, count, problem)
                                  : claim_some(&claim, jobs, count, problem);
}

static double pause_after(const struct job_kind *kind, int64_t failures, double least)
{
    size_t place = (size_t)failures - 1;
    double pause = 0;

    if (kind->pause_count)
        pause = kind->pauses[place < kind->pause_count ? place : kind->pause_count - 1];
    least = least < JOB_PAUSE_MAX ? least : JOB_PAUSE_MAX;
    return pause < least ? least : pause;
}

/* What the row of a run becomes. */
struct ending {
    const char *state;
    int64_t failures;
    double pause;
};

static struct ending ending_of(const struct job *job, const struct job_verdict *verdict)
{
    struct ending ending = {.state = "waiting", .failures = job->failures};

    switch (verdict->outcome) {
    case JOB_DONE:
        ending.state = "done";
        break;
    case JOB_POSTPONED:
        ending.pause = verdict->pause_seconds;
        break;
    case JOB_REFUSED:
        ending.failures++;
        ending.state = "dead";
        break;
    default:
        ending.failures++;
        if (ending.failures >= job->kind->attempts)
            ending.state = "dead";
        else
            ending.pause = pause_after(job->kind, ending.failures, verdict->pause_seconds);
    }
    return ending;
}

/* ERROR_CONFLICT job_lost when the row has another holder by now. */
static enum error write_ending(const struct job *job, const struct job_verdict *verdict,
                               const struct ending *ending, struct problem *problem)
{
    struct query *query = db_query(job->db, &end_job);
    int64_t changes;
    enum error error;

    query_bind_text(query, ending->state);
    query_bind_integer(query, ending->failures);
    query_bind_text(query, *verdict->error ? verdict->error : NULL);
    query_bind_integer(query, microseconds(ending->pause));
    query_bind_boolean(query, strcmp(ending->state, "waiting") != 0);
    query_bind_integer(query, job->id);
    query_bind_text(query, job->holder);
    changes = query_changes(query);
    error = query_end(query, problem);
    if (!error && !changes)
        error = problem_set(problem, ERROR_CONFLICT, "job_lost", "the lease of the job is over");
    return error;
}

/* One transaction: the end of the run and what goes with it. */
static enum error settle(struct job *job, const struct job_verdict *verdict, bool with_record,
                         struct problem *problem)
{
    const struct ending ending = ending_of(job, verdict);
    enum error error = db_begin(job->db, DB_WRITE, problem);

    if (error)
        return error;
    error = write_ending(job, verdict, &ending, problem);
    if (!error && with_record && job->kind->record)
        error = job->kind->record(job, verdict, problem);
    return db_finish(job->db, error, problem);
}

static void count_outcome(const struct job *job, const struct job_verdict *verdict,
                          struct job_counts *counts)
{
    const struct ending ending = ending_of(job, verdict);

    if (strcmp(ending.state, "done") == 0)
        counts->done++;
    else if (strcmp(ending.state, "dead") == 0)
        counts->dead++;
    else if (verdict->outcome == JOB_POSTPONED)
        counts->postponed++;
    else
        counts->failed++;
}

static void fail_with(struct job_verdict *verdict, const char *text)
{
    *verdict = (struct job_verdict){.outcome = JOB_FAILED};
    (void)!snprintf(verdict->error, sizeof verdict->error, "%s", text);
}

/* Ends a run. A record that refuses makes it a failure, in a transaction of its own. */
static enum error end_run(struct job *job, struct job_verdict *verdict, struct job_counts *counts,
                          struct problem *problem)
{
    enum error error = settle(job, verdict, true, problem);
    bool lost = error == ERROR_CONFLICT && strcmp(problem->reason, "job_lost") == 0;

    if (error && !lost && error != ERROR_BUSY && error != ERROR_UNAVAILABLE) {
        fail_with(verdict, problem->text);
        error = settle(job, verdict, false, problem);
        lost = error == ERROR_CONFLICT;
    }
    if (lost) {
        counts->lost++;
        return ERROR_NONE;
    }
    if (!error)
        count_outcome(job, verdict, counts);
    return error;
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    if (job->interruptions > job->kind->interruptions_max) {
        verdict->outcome = JOB_REFUSED;
        (void)!snprintf(verdict->error, sizeof verdict->error,
                        "%lld runs ended without a word of their runner",
                        (long long)job->interruptions);
    } else if (job->kind->perform) {
        job->kind->perform(job, verdict);
    }
}

/* Memory that runs out comes back here: what was open is rolled back, and the job has failed. */
static enum error run_guarded(struct job *job, struct job_counts *counts, struct problem *problem)
{
    struct job_verdict verdict = {.outcome = JOB_DONE};
    jmp_buf exhausted;
    enum error error;

    if (setjmp(exhausted) != 0) {
        arena_on_exhausted(job->arena, NULL);
        db_end_of_request(job->db);
        fail_with(&verdict, "out of memory");
        error = settle(job, &verdict, false, problem);
        if (!error)
            count_outcome(job, &verdict, counts);
        return error;
    }
    arena_on_exhausted(job->arena, &exhausted);
    perform(job, &verdict);
    error = end_run(job, &verdict, counts, problem);
    arena_on_exhausted(job->arena, NULL);
    db_end_of_request(job->db);
    return error;
}

static void add_span(const struct job *job, struct traced *traced,
                     const struct trace_context *above, int64_t started_at, const char *failure)
{
    struct span span = {.context = traced->context,
                        .name = job->kind->name,
                        .kind = SPAN_INTERNAL,
                        .started_at = started_at,
                        .ended_at = clock_unix_microseconds(),
                        .failure = failure};

    memcpy(span.parent, above->span_id, SPAN_ID_BYTES);
    span_set_text(&span, "assay.job.kind", job->kind->name);
    span_set_integer(&span, "assay.job.attempt", GIVEN_INTEGER(job->failures + 1));
    span_set_text(&span, "assay.request_id", job->request_id);
    span_set_text(&span, "error.type", span.failure);
    traced_end(traced, &span);
    tracer_add(&span);
    tracer_flush();
}

/* How the run has failed; NULL also when it was postponed. */
static const char *failure_of(const struct job_counts *before, const struct job_counts *counts,
                              enum error error)
{
    if (counts->dead > before->dead)
        return "dead";
    if (counts->lost > before->lost)
        return "lost";
    return error || counts->failed > before->failed ? "failed" : NULL;
}

/* Continues the trace of the request that has caused the job; what the run writes down names that
 * request. A job that no request has caused has no span. */
static enum error run_one(struct job *job, struct job_counts *counts, struct problem *problem)
{
    struct trace_context above = {0}, own = {0};
    struct traced traced;
    struct cause *before;
    const struct job_counts counted = *counts;
    int64_t started_at = clock_unix_microseconds();
    enum error error;

    if (trace_context_read(job->trace, &above) && tracer_is_open())
        trace_context_begin_child(&above, &own);
    else
        own = above;
    traced_begin(&traced, job->request_id, &own);
    before = cause_set(&traced.cause);
    error = run_guarded(job, counts, problem);
    cause_set(before);
    if (own.sampled && tracer_is_open())
        add_span(job, &traced, &above, started_at, failure_of(&counted, counts, error));
    return error;
}

/* The longest that a job may have to wait by its kind. */
static double longest_wait(const struct job_kind *kind)
{
    double longest = kind->lease_seconds > JOB_PAUSE_MAX ? kind->lease_seconds : JOB_PAUSE_MAX;

    for (size_t i = 0; i < kind->pause_count; i++)
        longest = kind->pauses[i] > longest ? kind->pauses[i] : longest;
    return longest + AHEAD_SECONDS;
}

/* After the clock was set back. Looks first: there is nothing to write as a rule. */
static enum error pull_in_what_is_ahead(struct db *db, const struct job_kind *kind, bool *some,
                                        struct problem *problem)
{
    int64_t longest = microseconds(longest_wait(kind));
    struct query *query = db_query(db, &find_ahead);
    enum error error;

    query_bind_text(query, kind->name);
    query_bind_integer(query, longest);
    *some = query_next(query);
    error = query_end(query, problem);
    if (error || !*some)
        return error;
    log_event(LOG_WARNING, "jobs_ahead", "jobs were due later than they can be: they are due now");
    query = db_query(db, &pull_in);
    query_bind_text(query, kind->name);
    query_bind_integer(query, longest);
    return query_end(query, problem);
}

static int batch_of(const struct job_kind *kind, int64_t left)
{
    int batch = kind->batch && !kind->lane_most ? kind->batch : 1;

    if (batch > BATCH_MAX)
        batch = BATCH_MAX;
    return left < batch ? (int)left : batch;
}

enum error job_run_due(struct db *db, struct arena *arena, const struct job_kind *kind,
                       void *context, int64_t most, struct job_counts *counts,
                       struct problem *problem)
{
    struct problem own;
    enum error error = ERROR_NONE;
    int64_t postponed = counts->postponed;
    int count = 1;
    bool ahead = false;

    problem = problem ? problem : &own;
    error = pull_in_what_is_ahead(db, kind, &ahead, problem);
    while (!error && count && most > 0) {
        struct job jobs[BATCH_MAX];

        arena_reset(arena);
        error = claim(db, arena, kind, batch_of(kind, most), jobs, &count, problem);
        for (int i = 0; !error && i < count; i++) {
            jobs[i].context = context;
            counts->claimed++;
            error = run_one(&jobs[i], counts, problem);
        }
        most -= count;
        if (counts->postponed > postponed)
            break; /* now is no time for any */
    }
    db_end_of_request(db);
    return error;
}

enum error job_extend(struct job *job, int seconds, struct problem *problem)
{
    struct query *query = db_query(job->db, &extend_lease);
    int64_t changes;
    enum error error;

    query_bind_integer(query, microseconds(seconds));
    query_bind_integer(query, job->id);
    query_bind_text(query, job->holder);
    changes = query_changes(query);
    error = query_end(query, problem);
    if (!error && !changes)
        error = problem_set(problem, ERROR_CONFLICT, "job_lost", "the lease of the job is over");
    return error;
}

void job_set_worker_id(const char *name)
{
    *claimant = '\0';
    if (*name)
        (void)!snprintf(claimant, sizeof claimant, "%.*s.", JOB_CLAIMANT_MAX, name);
}

enum error job_release(struct db *db, const char *name, int64_t *released, struct problem *problem)
{
    struct query *query = db_query(db, &release_jobs);
    char prefix[PREFIX_TEXT];

    (void)!snprintf(prefix, sizeof prefix, "%.*s.", JOB_CLAIMANT_MAX, name);
    query_bind_integer(query, (int64_t)strlen(prefix));
    query_bind_text(query, prefix);
    *released = query_changes(query);
    return query_end(query, problem);
}
