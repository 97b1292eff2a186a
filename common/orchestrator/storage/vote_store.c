/* Writes and reads votes: one row for each question, counted by how it ended. */
#include "orchestrator/storage/vote_store.h"

#include "base/json.h"
#include "base/list.h"
#include "db/query.h"
#include "orchestrator/names.h"

#include <string.h>

enum { SIZES_DEPTH = 1 };

static const struct statement insert_votes = {
    .name = "orch_votes_insert",
    .sql = "INSERT INTO orch_votes (task_id, task_type, models, voters, first_votes, second_votes,"
           " sizes, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, {now})",
};
static const struct statement evict_votes = {
    .name = "orch_votes_evict",
    .sql = "DELETE FROM orch_votes WHERE id <= (SELECT max(id) FROM orch_votes) - ?",
};
static const struct statement read_sizes = {
    .name = "orch_votes_sizes",
    .sql = "SELECT sizes FROM orch_votes WHERE task_id = ?",
};
static const struct statement judge_votes = {
    .name = "orch_votes_judge",
    .sql = "UPDATE orch_votes SET right_votes = ? WHERE task_id = ?",
};
static const struct statement read_history = {
    .name = "orch_votes_history",
    .sql = "SELECT CASE WHEN task_type <> ? THEN 2 WHEN models <> ? THEN 1 ELSE 0 END AS scope,"
           " voters, first_votes, second_votes, coalesce(right_votes, -1) AS right_votes,"
           " CAST(count(*) AS BIGINT) FROM orch_votes"
           " GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5",
};

enum error vote_add(struct db *db, const struct vote_row *row, int64_t most,
                    struct problem *problem)
{
    struct query *query;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &insert_votes);
    query_bind_text(query, row->task_id);
    query_bind_text(query, task_type_names[row->task_type]);
    query_bind_text(query, row->models);
    query_bind_integer(query, row->voters);
    query_bind_integer(query, row->first_votes);
    query_bind_integer(query, row->second_votes);
    query_bind_text(query, row->sizes);
    error = query_end(query, problem);
    if (!error) {
        query = db_query(db, &evict_votes);
        query_bind_integer(query, most);
        error = query_end(query, problem);
    }
    return db_finish(db, error, problem);
}

/* The votes of a group; -1 when there is no such group. */
static int64_t size_of(struct arena *arena, const char *sizes, int64_t group)
{
    struct json_fault fault;
    json_t *json;

    if (group == 0)
        return 0;
    if (json_read(arena, sizes, strlen(sizes), SIZES_DEPTH, &json, &fault) || group < 0 ||
        (size_t)group > json_array_size(json))
        return -1;
    return json_integer_value(json_array_get(json, (size_t)group - 1));
}

enum error vote_judge(struct db *db, struct arena *arena, const char *task_id, int64_t right,
                      struct problem *problem)
{
    struct query *query = db_query(db, &read_sizes);
    const char *sizes = NULL;
    int64_t votes;
    enum error error;

    query_bind_text(query, task_id);
    if (query_next(query))
        sizes = query_text(query, 0, arena);
    error = query_end(query, problem);
    if (error)
        return error;
    if (!sizes)
        return problem_set(problem, ERROR_NOT_FOUND, "votes_not_found",
                           "The task has no votes, or they are no longer kept.");
    votes = size_of(arena, sizes, right);
    if (votes < 0)
        return problem_set(problem, ERROR_INVALID, "right_answer_unknown",
                           "right_answer: the task has no answer %lld.", (long long)right);
    query = db_query(db, &judge_votes);
    query_bind_integer(query, votes);
    query_bind_text(query, task_id);
    return query_end(query, problem);
}

/* Rows of each scope include those of the scopes before it. */
static void choose_scope(struct vote_history *history, const size_t ends[3],
                         const int64_t questions[3], int64_t enough)
{
    history->scope = questions[0] >= enough                  ? VOTES_OF_MODELS
                     : questions[0] + questions[1] >= enough ? VOTES_OF_TASK_TYPE
                                                             : VOTES_OF_ALL;
    history->count = ends[history->scope];
    history->questions = 0;
    for (int i = 0; i <= (int)history->scope; i++)
        history->questions += questions[i];
}

enum error vote_history_read(struct db *db, struct arena *arena, int task_type, const char *models,
                             int64_t enough, struct vote_history *history, struct problem *problem)
{
    struct query *query = db_query(db, &read_history);
    int64_t questions[3] = {0};
    size_t ends[3] = {0};
    enum error error;

    *history = (struct vote_history){0};
    query_bind_text(query, task_type_names[task_type]);
    query_bind_text(query, models);
    while (query_next(query)) {
        struct vote_record *record = LIST_ADD(arena, history);
        int scope = (int)query_integer(query, 0);

        *record = (struct vote_record){query_integer(query, 1), query_integer(query, 2),
                                       query_integer(query, 3), query_integer(query, 4),
                                       query_integer(query, 5)};
        questions[scope] += record->questions;
        for (int i = scope; i < 3; i++)
            ends[i] = history->count;
    }
    error = query_end(query, problem);
    if (!error)
        choose_scope(history, ends, questions, enough);
    return error;
}
