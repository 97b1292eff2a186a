/* What operators see of jobs and do with them. */
#include "jobs/inbox.h"

#include "db/query.h"

#include <math.h>
#include <string.h>

#define JOB_COLUMNS                                                                                \
    "id, job_key, lane, payload, state, CASE WHEN holder IS NULL THEN 0 ELSE 1 END, failures,"     \
    " interruptions, due_at, last_error, created_at, finished_at"

const char *const job_state_names[JOB_STATE__MAX] = {"waiting", "done", "dead"};

static const struct statement list_jobs = {
    .name = "job_list",
    .sql = "SELECT " JOB_COLUMNS " FROM jobs WHERE kind = ? AND state = ?"
           " AND (CAST(? AS TEXT) IS NULL OR lane = ?) AND id < ? ORDER BY id DESC LIMIT ?",
};
static const struct statement find_job = {
    .name = "job_find",
    .sql = "SELECT " JOB_COLUMNS " FROM jobs WHERE kind = ? AND job_key = ?",
};
static const struct statement send_again = {
    .name = "job_send_again",
    .sql = "UPDATE jobs SET state = 'waiting', failures = 0, interruptions = 0, holder = NULL,"
           " finished_at = NULL, due_at = {now_microseconds}, created_at = {now_microseconds}"
           " WHERE kind = ? AND job_key = ? AND state = 'dead'",
};
static const struct statement stop_lane = {
    .name = "job_stop_lane",
    .sql = "UPDATE jobs SET state = 'dead', last_error = ?, holder = NULL,"
           " finished_at = {now_microseconds} WHERE kind = ? AND lane = ? AND state = 'waiting'",
};
static const struct statement stop_job = {
    .name = "job_stop",
    .sql = "UPDATE jobs SET state = 'dead', last_error = ?, holder = NULL,"
           " finished_at = {now_microseconds}"
           " WHERE kind = ? AND job_key = ? AND state = 'waiting'",
};
static const struct statement move_job = {
    .name = "job_move",
    .sql = "UPDATE jobs SET kind = ? WHERE kind = ? AND job_key = ? AND state = 'waiting'"
           " AND due_at <= {now_microseconds}",
};
static const struct statement read_figures = {
    .name = "job_figures",
    .sql = "SELECT (SELECT count(*) FROM jobs WHERE kind = ? AND state = 'waiting'),"
           " (SELECT count(*) FROM jobs WHERE kind = ? AND holder IS NOT NULL),"
           " (SELECT count(*) FROM jobs WHERE kind = ? AND state = 'dead'),"
           " (SELECT {now_microseconds} - min(due_at) FROM jobs WHERE kind = ?"
           " AND state = 'waiting')",
};
static const struct statement forget_jobs = {
    .name = "job_forget",
    .sql = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE kind = ? AND state = ?"
           " AND state <> 'waiting' AND finished_at <= {now_microseconds} - CAST(? AS BIGINT)"
           " ORDER BY finished_at, id LIMIT ?)",
};

static enum job_state state_of(const char *name)
{
    for (int state = 0; state < JOB_STATE__MAX; state++)
        if (strcmp(job_state_names[state], name) == 0)
            return (enum job_state)state;
    return JOB_WAITING;
}

static void read_row(struct query *query, struct arena *arena, struct job_row *row)
{
    *row = (struct job_row){.id = query_integer(query, 0),
                            .key = query_text(query, 1, arena),
                            .lane = query_text(query, 2, arena),
                            .payload = query_text(query, 3, arena),
                            .state = state_of(query_text(query, 4, arena)),
                            .held = query_boolean(query, 5),
                            .failures = query_integer(query, 6),
                            .interruptions = query_integer(query, 7),
                            .due_at = query_integer(query, 8),
                            .last_error = query_text_or_null(query, 9, arena),
                            .created_at = query_integer(query, 10),
                            .finished_at = query_optional_integer(query, 11)};
}

enum error job_list(struct db *db, struct arena *arena, const struct job_kind *kind,
                    enum job_state state, const char *lane, int64_t before, int most,
                    struct job_rows *rows, struct problem *problem)
{
    struct query *query = db_query(db, &list_jobs);

    *rows = (struct job_rows){.items = ARENA_ARRAY(arena, struct job_row, (size_t)most)};
    query_bind_text(query, kind->name);
    query_bind_text(query, job_state_names[state]);
    query_bind_text(query, lane);
    query_bind_text(query, lane);
    query_bind_integer(query, before ? before : INT64_MAX);
    query_bind_integer(query, most);
    while (rows->count < (size_t)most && query_next(query))
        read_row(query, arena, &rows->items[rows->count++]);
    return query_end(query, problem);
}

static enum error not_found(const struct job_kind *kind, struct problem *problem)
{
    return problem_set(problem, ERROR_NOT_FOUND, "job_not_found", "no such job of %s", kind->name);
}

enum error job_find(struct db *db, struct arena *arena, const struct job_kind *kind,
                    const char *key, struct job_row *row, struct problem *problem)
{
    struct query *query = db_query(db, &find_job);
    enum error error;
    bool found;

    query_bind_text(query, kind->name);
    query_bind_text(query, key);
    found = query_next(query);
    if (found)
        read_row(query, arena, row);
    error = query_end(query, problem);
    return error || found ? error : not_found(kind, problem);
}

static enum error exists(struct db *db, const struct job_kind *kind, const char *key, bool *found,
                         struct problem *problem)
{
    struct query *query = db_query(db, &find_job);

    query_bind_text(query, kind->name);
    query_bind_text(query, key);
    *found = query_next(query);
    return query_end(query, problem);
}

enum error job_send_again(struct db *db, const struct job_kind *kind, const char *key,
                          struct problem *problem)
{
    struct query *query = db_query(db, &send_again);
    bool found = false;
    int64_t changes;
    enum error error;

    query_bind_text(query, kind->name);
    query_bind_text(query, key);
    changes = query_changes(query);
    error = query_end(query, problem);
    if (error || changes)
        return error;
    error = exists(db, kind, key, &found, problem);
    if (error)
        return error;
    return found ? problem_set(problem, ERROR_CONFLICT, "job_not_dead", "the job is not dead")
                 : not_found(kind, problem);
}

static enum error stop(struct db *db, const struct statement *statement,
                       const struct job_kind *kind, const char *name, const char *why,
                       int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, why);
    query_bind_text(query, kind->name);
    query_bind_text(query, name);
    *count = query_changes(query);
    return query_end(query, problem);
}

enum error job_stop_lane(struct db *db, const struct job_kind *kind, const char *lane,
                         const char *why, int64_t *count, struct problem *problem)
{
    return stop(db, &stop_lane, kind, lane, why, count, problem);
}

enum error job_stop(struct db *db, const struct job_kind *kind, const char *key, const char *why,
                    int64_t *count, struct problem *problem)
{
    return stop(db, &stop_job, kind, key, why, count, problem);
}

enum error job_move(struct db *db, const struct job_kind *from, const char *key,
                    const struct job_kind *to, bool *moved, struct problem *problem)
{
    struct query *query = db_query(db, &move_job);

    query_bind_text(query, to->name);
    query_bind_text(query, from->name);
    query_bind_text(query, key);
    *moved = query_changes(query) > 0;
    return query_end(query, problem);
}

enum error job_figures(struct db *db, const struct job_kind *kind, struct job_figures *figures,
                       struct problem *problem)
{
    struct query *query = db_query(db, &read_figures);
    struct optional_integer waited = {0};

    *figures = (struct job_figures){0};
    for (int i = 0; i < 4; i++)
        query_bind_text(query, kind->name);
    if (query_next(query)) {
        figures->waiting = query_integer(query, 0);
        figures->held = query_integer(query, 1);
        figures->dead = query_integer(query, 2);
        waited = query_optional_integer(query, 3);
    }
    if (waited.given && waited.value > 0)
        figures->oldest_due_seconds = (double)waited.value / 1e6;
    return query_end(query, problem);
}

enum error job_forget(struct db *db, const struct job_kind *kind, enum job_state state,
                      double seconds, int64_t most, int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, &forget_jobs);

    query_bind_text(query, kind->name);
    query_bind_text(query, job_state_names[state]);
    query_bind_integer(query, llround(seconds * 1e6));
    query_bind_integer(query, most);
    *count = query_changes(query);
    return query_end(query, problem);
}
