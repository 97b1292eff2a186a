/* Lines of changed rows, and the queue in the database. */
#include "livedata/outbox/outbox.h"

#include "base/list.h"
#include "db/query.h"
#include "livedata/journal/journal.h"

#include <stdio.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 4 * 1024 * 1024,
    DELETE_ROWS = 2000,
    DELETE_STEPS = 500 /* of one table and call of outbox_limit() */
};

static const struct statement read_copy = {
    .name = "columnar_copy",
    .sql = "SELECT state, fill_tenant, fill_key FROM columnar_tables WHERE table_name = ?",
};
/* Rows of the journal are numbered in the order in which they become visible. */
static const struct statement add_lines = {
    .name = "columnar_add",
    .sql = "INSERT INTO columnar_outbox (table_name, lines, line_count, line_total, journal_seq,"
           " changed_at) SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT),"
           " CAST(? AS BIGINT) + COALESCE((SELECT line_total FROM columnar_outbox"
           " WHERE table_name = ? AND seq > (SELECT sent_seq FROM columnar_tables"
           " WHERE table_name = ?) ORDER BY seq DESC LIMIT 1), 0), CAST(? AS BIGINT),"
           " CAST(? AS BIGINT)",
};
/* Nothing is queued while a copy is stale. */
static const struct statement delete_lines = {
    .name = "columnar_delete",
    .sql = "DELETE FROM columnar_outbox WHERE seq IN (SELECT seq FROM columnar_outbox"
           " WHERE table_name = ? ORDER BY seq LIMIT ?) AND EXISTS (SELECT 1 FROM columnar_tables"
           " WHERE table_name = ? AND state = 'stale')",
};
static const struct statement make_stale = {
    .name = "columnar_stale",
    .sql = "UPDATE columnar_tables SET state = 'stale', pending_rows = 0 WHERE table_name = ?",
};
static const struct statement list_copies = {
    .name = "columnar_copies",
    .sql = "SELECT table_name, state FROM columnar_tables ORDER BY table_name",
};
static const struct statement first_line = {
    .name = "columnar_first",
    .sql = "SELECT line_total - line_count FROM columnar_outbox WHERE table_name = ?"
           " AND seq > (SELECT sent_seq FROM columnar_tables WHERE table_name = ?)"
           " ORDER BY seq LIMIT 1",
};
static const struct statement last_line = {
    .name = "columnar_last",
    .sql = "SELECT line_total FROM columnar_outbox WHERE table_name = ?"
           " AND seq > (SELECT sent_seq FROM columnar_tables WHERE table_name = ?)"
           " ORDER BY seq DESC LIMIT 1",
};

const struct table_column *outbox_time_column(const struct serving_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].type == COLUMN_TIME)
            return &table->columns[i];
    return NULL;
}

void outbox_put_escaped(struct text *text, const char *value)
{
    for (; *value; value++) {
        size_t plain = strcspn(value, "\\\t\n\r");

        text_append(text, value, plain);
        value += plain;
        if (!*value)
            return;
        text_append_byte(text, '\\');
        text_append_byte(text, *value == '\t'   ? 't'
                               : *value == '\n' ? 'n'
                               : *value == '\r' ? 'r'
                                                : '\\');
    }
}

void outbox_put_line(struct text *text, const struct serving_table *table, const char *tenant,
                     const struct outbox_value *values, int sign)
{
    const struct table_column *time = outbox_time_column(table);
    size_t place = time ? (size_t)(time - table->columns) : 0;

    outbox_put_escaped(text, tenant);
    text_append_format(text, "\t%lld",
                       (long long)(time && !values[place].null ? values[place].integer : 0));
    for (size_t i = 0; i < table->column_count; i++) {
        text_append_byte(text, '\t');
        if (values[i].null)
            text_append_string(text, "\\N");
        else if (values[i].text)
            outbox_put_escaped(text, values[i].text);
        else
            text_append_format(text, "%lld", (long long)values[i].integer);
    }
    text_append_format(text, "\t%d\t0\t0\t0\n", sign);
}

void outbox_set_copy(const struct own_entity *own, const char *state, const char *fill_tenant,
                     const char *fill_key)
{
    struct own_copy *copy = &own->serving->copy;

    *copy = (struct own_copy){.live = state &&
                                      (strcmp(state, "live") == 0 || strcmp(state, "closing") == 0),
                              .filling = state && strcmp(state, "filling") == 0};
    if (!copy->filling)
        return;
    (void)snprintf(copy->fill_tenant, sizeof copy->fill_tenant, "%s", fill_tenant);
    (void)snprintf(copy->fill_key, sizeof copy->fill_key, "%s", fill_key);
}

enum error outbox_look(const struct storage_call *call, const struct serving_table *table)
{
    struct query *query = db_query(call->db, &read_copy);

    outbox_set_copy(table->own, NULL, "", "");
    query_bind_text(query, table->name);
    if (query_next(query))
        outbox_set_copy(table->own, query_text(query, 0, call->arena),
                        query_text(query, 1, call->arena), query_text(query, 2, call->arena));
    return query_end(query, call->problem);
}

/* While a copy is filled, rows behind the last one that was queued are queued as they are then. */
static bool is_queued(const struct own_copy *copy, const char *tenant, const char *key)
{
    int order;

    if (!copy->filling)
        return copy->live;
    order = strcmp(tenant, copy->fill_tenant);
    return order < 0 || (order == 0 && strcmp(key, copy->fill_key) <= 0);
}

enum error outbox_add(const struct storage_call *call, const char *table, const struct text *lines,
                      int64_t line_count)
{
    struct query *query;
    int64_t last = 0;
    enum error error;

    if (lines->overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "value_too_large",
                           "the lines of %s are too long", table);
    error = journal_last_seq(call, &last);
    if (error)
        return error;
    query = db_query(call->db, &add_lines);
    query_bind_text(query, table);
    query_bind_text(query, lines->bytes);
    query_bind_integer(query, line_count);
    query_bind_integer(query, line_count);
    query_bind_text(query, table);
    query_bind_text(query, table);
    query_bind_integer(query, last);
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}

enum error outbox_note(const struct storage_call *call, const struct serving_table *table,
                       const char *key, const struct outbox_value *before,
                       const struct outbox_value *after)
{
    struct text lines;

    if (!is_queued(&table->own->serving->copy, call->tenant, key) || (!before && !after))
        return ERROR_NONE;
    text_start(&lines, call->arena, LINE_MAX_BYTES);
    if (before)
        outbox_put_line(&lines, table, call->tenant, before, -1);
    if (after)
        outbox_put_line(&lines, table, call->tenant, after, 1);
    return outbox_add(call, table->name, &lines, (before != NULL) + (after != NULL));
}

enum error outbox_restart(const struct storage_call *call, const char *table)
{
    struct query *query = db_query(call->db, &make_stale);

    query_bind_text(query, table);
    return query_end(query, call->problem);
}

static enum error restart_locked(const struct storage_call *call, const char *table)
{
    enum error error = db_lock(call->db, "livedata.apply", call->problem);

    return error ? error : outbox_restart(call, table);
}

enum error outbox_give_up(const struct storage_call *call, const char *table)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, restart_locked(call, table), call->problem);
}

enum error outbox_delete(const struct storage_call *call, const char *table, bool *more)
{
    struct query *query = db_query(call->db, &delete_lines);

    query_bind_text(query, table);
    query_bind_integer(query, DELETE_ROWS);
    query_bind_text(query, table);
    *more = query_changes(query) == DELETE_ROWS;
    return query_end(query, call->problem);
}

static enum error read_total(const struct storage_call *call, const struct statement *statement,
                             const char *table, int64_t *total)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, table);
    query_bind_text(query, table);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error outbox_count(const struct storage_call *call, const char *table, int64_t *lines)
{
    int64_t before = 0, last = 0;
    enum error error = read_total(call, &first_line, table, &before);

    if (!error)
        error = read_total(call, &last_line, table, &last);
    *lines = last > before ? last - before : 0;
    return error;
}

static enum error keep_copy(const struct storage_call *call, const char *table, bool stale,
                            int64_t most)
{
    int64_t lines = 0;
    bool more = true;
    enum error error = stale ? ERROR_NONE : outbox_count(call, table, &lines);

    if (!error && lines > most)
        error = outbox_give_up(call, table);
    if (!stale && lines <= most)
        return error;
    for (int i = 0; !error && more && i < DELETE_STEPS; i++)
        error = outbox_delete(call, table, &more);
    return error;
}

enum error outbox_limit(const struct storage_call *call, int64_t most)
{
    struct query *query = db_query(call->db, &list_copies);
    struct string_list tables = {0}, states = {0};
    enum error error;

    while (query_next(query)) {
        *LIST_ADD(call->arena, &tables) = query_text(query, 0, call->arena);
        *LIST_ADD(call->arena, &states) = query_text(query, 1, call->arena);
    }
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < tables.count; i++)
        error = keep_copy(call, tables.items[i], strcmp(states.items[i], "stale") == 0, most);
    return error;
}
