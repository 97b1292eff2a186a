/* Lines of changed rows, and the queue in the database. */
#include "livedata/outbox/outbox.h"

#include "base/list.h"
#include "db/query.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4 * 1024 * 1024 };

static const struct statement read_copy = {
    .name = "columnar_copy",
    .sql = "SELECT state, fill_tenant, fill_key FROM columnar_tables WHERE table_name = ?",
};
/* Rows of the journal are numbered in the order in which they become visible. */
static const struct statement add_lines = {
    .name = "columnar_add",
    .sql = "INSERT INTO columnar_outbox (table_name, lines, line_count, journal_seq, changed_at)"
           " SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), COALESCE(max(seq), 0),"
           " CAST(? AS BIGINT) FROM pipeline_events",
};
static const struct statement forget_lines = {
    .name = "columnar_forget",
    .sql = "DELETE FROM columnar_outbox WHERE table_name = ?",
};
static const struct statement make_stale = {
    .name = "columnar_stale",
    .sql = "UPDATE columnar_tables SET state = 'stale', pending_rows = 0 WHERE table_name = ?",
};
static const struct statement count_lines = {
    .name = "columnar_count",
    .sql = "SELECT table_name FROM columnar_outbox GROUP BY table_name HAVING sum(line_count) > ?",
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

    if (lines->overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "value_too_large",
                           "the lines of %s are too long", table);
    query = db_query(call->db, &add_lines);
    query_bind_text(query, table);
    query_bind_text(query, lines->bytes);
    query_bind_integer(query, line_count);
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
    struct query *query = db_query(call->db, &forget_lines);
    enum error error;

    query_bind_text(query, table);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &make_stale);
    query_bind_text(query, table);
    return query_end(query, call->problem);
}

static enum error restart_locked(const struct storage_call *call, const struct string_list *tables)
{
    enum error error = db_lock(call->db, "livedata.apply", call->problem);

    for (size_t i = 0; !error && i < tables->count; i++)
        error = outbox_restart(call, tables->items[i]);
    return error;
}

enum error outbox_keep(const struct storage_call *call, int64_t most)
{
    struct query *query = db_query(call->db, &count_lines);
    struct string_list tables = {0};
    enum error error;

    query_bind_integer(query, most);
    while (query_next(query))
        *LIST_ADD(call->arena, &tables) = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (error || !tables.count)
        return error;
    error = db_begin(call->db, DB_WRITE, call->problem);
    return error ? error : db_finish(call->db, restart_locked(call, &tables), call->problem);
}
