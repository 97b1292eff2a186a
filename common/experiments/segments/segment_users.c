/* SQL of the lists of users. */
#include "db/query.h"
#include "db/store.h"
#include "experiments/segments/segment_rows.h"

const char *const segment_change_names[SEGMENT_CHANGE__MAX] = {"add", "remove", "replace"};

static const struct statement clear_users = {
    .name = "segment_users_clear",
    .sql = "DELETE FROM segment_users WHERE segment = ?",
};
static const struct statement add_user = {
    .name = "segment_user_add",
    .sql = "INSERT INTO segment_users (segment, user_key) VALUES (?, ?) ON CONFLICT DO NOTHING",
};
static const struct statement remove_user = {
    .name = "segment_user_remove",
    .sql = "DELETE FROM segment_users WHERE segment = ? AND user_key = ?",
};
static const struct statement count_users = {
    .name = "segment_users_count",
    .sql = "SELECT count(*) FROM segment_users WHERE segment = ?",
};
static const struct statement change_segment = {
    .name = "segment_users_note",
    .sql = "UPDATE segments SET version = version + 1, user_count = ?, updated_at = ?"
           " WHERE number = ?",
};
static const struct statement page_of_users = {
    .name = "segment_users_page",
    .sql = "SELECT user_key FROM segment_users WHERE segment = ? AND user_key > ?"
           " ORDER BY user_key LIMIT ?",
};

static enum error clear(const struct project_call *call, const struct segment *segment)
{
    struct query *query = db_query(call->db, &clear_users);

    query_bind_integer(query, segment->number);
    return query_end(query, call->problem);
}

static enum error refuse_line(const struct project_call *call, const struct segment_upload *upload,
                              const char *wrong)
{
    return problem_set(call->problem, ERROR_INVALID, "segment_line", "line %lld: %s",
                       (long long)upload->lines.line, wrong);
}

static enum error refuse_size(const struct project_call *call, const struct segment_upload *upload)
{
    return problem_set(call->problem, ERROR_INVALID, "segment_too_large",
                       "The list may have at most %lld users (AB_SEGMENT_USERS_MAX)",
                       (long long)upload->users_max);
}

static enum error take_lines(const struct project_call *call, const struct segment *segment,
                             struct segment_upload *upload)
{
    const struct statement *statement = upload->change == SEGMENT_REMOVE ? &remove_user : &add_user;
    struct query *query = NULL; /* a run needs a user */
    const char *user, *wrong = NULL;
    enum segment_line line;
    enum error error;

    while ((line = segment_lines_next(&upload->lines, &user, &wrong)) == SEGMENT_LINE_USER) {
        query = query ? query : db_query(call->db, statement);
        query_bind_integer(query, segment->number);
        query_bind_text(query, user);
        query_repeat(query, NULL);
        if (upload->lines_read++ == upload->users_max)
            break;
    }
    error = query ? query_end(query, call->problem) : ERROR_NONE;
    if (!error && line == SEGMENT_LINE_WRONG)
        error = refuse_line(call, upload, wrong);
    if (!error && upload->lines_read > upload->users_max)
        error = refuse_size(call, upload);
    return error;
}

static enum error note(const struct project_call *call, const struct segment *segment,
                       const struct segment_upload *upload)
{
    struct query *query = db_query(call->db, &count_users);
    int64_t count;
    enum error error;

    query_bind_integer(query, segment->number);
    count = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, call->problem);
    if (!error && count > upload->users_max)
        error = refuse_size(call, upload);
    if (error)
        return error;
    query = db_query(call->db, &change_segment);
    query_bind_integer(query, count);
    query_bind_text(query, store_later(call->arena, segment->updated_at));
    query_bind_integer(query, segment->number);
    return query_end(query, call->problem);
}

static enum error change(const struct project_call *call, const char *id,
                         struct segment_upload *upload, struct segment *segment)
{
    enum error error = segment_lock(call, id, upload->if_match, segment);

    upload->users_before = segment->user_count;
    if (!error && upload->change == SEGMENT_REPLACE)
        error = clear(call, segment);
    if (!error)
        error = take_lines(call, segment, upload);
    if (!error)
        error = note(call, segment, upload);
    if (!error)
        error = named_record(call, "segment.users", segment->definition->name);
    return error ? error : segment_read(call, id, segment);
}

enum error segment_change_users(const struct project_call *call, const char *id,
                                struct segment_upload *upload, struct segment *segment)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, change(call, id, upload, segment), call->problem);
}

enum error segment_users(const struct project_call *call, const struct segment *segment,
                         const char *after, int64_t limit, struct string_list *users)
{
    struct query *query = db_query(call->db, &page_of_users);

    *users = (struct string_list){0, ARENA_ARRAY(call->arena, const char *, (size_t)limit)};
    query_bind_integer(query, segment->number);
    query_bind_text(query, after ? after : "");
    query_bind_integer(query, limit);
    while (query_next(query))
        users->items[users->count++] = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}
