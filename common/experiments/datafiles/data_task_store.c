/* The rows of tasks of files. */
#include "experiments/datafiles/data_task_store.h"

#include "db/query.h"

enum { FORGOTTEN_MOST = 1000 };

static const int64_t second_us = 1000000;

static const char *const state_names[DATA_TASK_STATE__MAX] = {"waiting", "running", "done",
                                                              "failed"};

static const struct statement insert_row = {
    .name = "data_task_add",
    .sql = "INSERT INTO data_tasks (id, host, state, mapping, language, bytes, bytes_read,"
           " created_at) VALUES (?, ?, 'waiting', ?, ?, ?, 0, {now_microseconds})",
};
static const struct statement read_row = {
    .name = "data_task_read",
    .sql = "SELECT host, mapping, language, state, bytes, bytes_read, created_at, ended_at,"
           " reason, failure, result FROM data_tasks WHERE id = ?",
};
static const struct statement delete_row = {
    .name = "data_task_delete",
    .sql = "DELETE FROM data_tasks WHERE id = ?",
};
static const struct statement put_progress = {
    .name = "data_task_progress",
    .sql = "UPDATE data_tasks SET state = 'running', bytes_read = ? WHERE id = ?"
           " AND ended_at IS NULL",
};
static const struct statement put_result = {
    .name = "data_task_finish",
    .sql = "UPDATE data_tasks SET state = 'done', bytes_read = bytes, result = ?,"
           " ended_at = {now_microseconds} WHERE id = ? AND ended_at IS NULL",
};
static const struct statement put_failure = {
    .name = "data_task_fail",
    .sql = "UPDATE data_tasks SET state = 'failed', reason = ?, failure = ?,"
           " ended_at = {now_microseconds} WHERE id = ? AND ended_at IS NULL",
};
static const struct statement delete_old = {
    .name = "data_tasks_delete_old",
    .sql = "DELETE FROM data_tasks WHERE coalesce(ended_at, created_at)"
           " < {now_microseconds} - CAST(? AS BIGINT)",
};
static const struct statement delete_many = {
    .name = "data_tasks_delete_many",
    .sql = "DELETE FROM data_tasks WHERE id IN (SELECT id FROM data_tasks WHERE ended_at"
           " IS NOT NULL ORDER BY ended_at DESC, id LIMIT ? OFFSET ?)",
};

#define OWNER struct data_task_row
static const struct field row_fields[] = {
    STRING(OWNER, host),
    STRING(OWNER, mapping),
    STRING(OWNER, language),
    CHOICE(OWNER, state, state_names, .choice_count = DATA_TASK_STATE__MAX),
    INTEGER(OWNER, bytes),
    INTEGER(OWNER, bytes_read),
    INTEGER(OWNER, created_at),
    NULLABLE_INTEGER(OWNER, ended_at),
    STRING(OWNER, reason, .nullable = true),
    STRING(OWNER, failure, .nullable = true),
    STRING(OWNER, result, .nullable = true),
};
#undef OWNER
static SCHEMA(row_schema, struct data_task_row, "DataTaskRow", row_fields);

enum error data_task_row_add(const struct data_task_call *call, const struct data_task_order *order,
                             const char *host)
{
    struct query *query = db_query(call->db, &insert_row);

    query_bind_text(query, order->id);
    query_bind_text(query, host);
    query_bind_text(query, order->mapping);
    query_bind_text(query, language_tag(locale_language(order->locale)));
    query_bind_integer(query, order->bytes);
    return query_end(query, call->problem);
}

enum error data_task_row_read(const struct data_task_call *call, const char *id,
                              struct data_task_row *row, bool *found)
{
    struct query *query = db_query(call->db, &read_row);

    *row = (struct data_task_row){0};
    query_bind_text(query, id);
    return query_read_one(query, &row_schema, row, call->arena, found, call->problem);
}

enum error data_task_row_delete(const struct data_task_call *call, const char *id)
{
    struct query *query = db_query(call->db, &delete_row);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error data_task_row_progress(const struct data_task_call *call, const char *id,
                                  int64_t bytes_read, bool *found)
{
    struct query *query = db_query(call->db, &put_progress);

    query_bind_integer(query, bytes_read);
    query_bind_text(query, id);
    *found = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error data_task_row_finish(const struct data_task_call *call, const char *id,
                                const char *result)
{
    struct query *query = db_query(call->db, &put_result);

    query_bind_text(query, result);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error data_task_row_fail(const struct data_task_call *call, const char *id, const char *reason,
                              const char *failure)
{
    struct query *query = db_query(call->db, &put_failure);

    query_bind_text(query, reason);
    query_bind_text(query, failure);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error data_task_rows_forget(const struct data_task_call *call, int64_t seconds, int64_t most)
{
    struct query *query = db_query(call->db, &delete_old);
    enum error error;

    query_bind_integer(query, seconds * second_us);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &delete_many);
    query_bind_integer(query, FORGOTTEN_MOST);
    query_bind_integer(query, most);
    return query_end(query, call->problem);
}
