/* Rows of domains: reading them with their stamps, writing them, and the record of deletions. */
#include "livedata/entities/own_internal.h"

#include "db/query.h"
#include "livedata/journal/series_changes.h"
#include "livedata/outbox/outbox.h"

#include <string.h>

enum { STAMPS_MAX = 16 * 1024 };

static const struct statement read_deleted = {
    .name = "own_deleted",
    .sql = "SELECT stamp FROM own_deleted WHERE tenant_id = ? AND entity_type = ?"
           " AND entity_id = ?",
};
static const struct statement note_deleted = {
    .name = "own_deleted_note",
    .sql = "INSERT INTO own_deleted (tenant_id, entity_type, entity_id, stamp, deleted_at)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, entity_type, entity_id) DO UPDATE"
           " SET stamp = excluded.stamp, deleted_at = excluded.deleted_at",
};

static void set_stamp(const struct serving_table *table, const char *name, size_t length,
                      const char *stamp, struct own_row *row)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strlen(table->columns[i].name) == length &&
            strncmp(table->columns[i].name, name, length) == 0)
            row->stamps[i] = stamp;
}

/* "<stamp>=name,site;<stamp>=value;": the columns that each event has set, by their names, which
 * stay when the file lists others before them. */
static void read_stamps(struct arena *arena, const struct serving_table *table, const char *text,
                        struct own_row *row)
{
    while (*text) {
        size_t length = strcspn(text, "=");
        const char *stamp = arena_copy(arena, text, length);

        text += length;
        while (*text == '=' || *text == ',') {
            length = strcspn(++text, ",;");
            set_stamp(table, text, length, stamp, row);
            text += length;
        }
        text += *text == ';';
    }
}

static const char *write_stamps(struct arena *arena, const struct serving_table *table,
                                const struct own_row *row)
{
    bool written[OWN_COLUMNS_MAX] = {false};
    struct text text;

    text_start(&text, arena, STAMPS_MAX);
    for (size_t i = 0; i < table->column_count; i++) {
        if (!row->stamps[i] || written[i])
            continue;
        text_append_format(&text, "%s=%s", row->stamps[i], table->columns[i].name);
        for (size_t j = i + 1; j < table->column_count; j++)
            if (row->stamps[j] && strcmp(row->stamps[j], row->stamps[i]) == 0) {
                written[j] = true;
                text_append_format(&text, ",%s", table->columns[j].name);
            }
        text_append_byte(&text, ';');
    }
    return text.bytes;
}

static bool is_text(const struct table_column *column)
{
    return column->type == COLUMN_TEXT || column->type == COLUMN_JSON;
}

static void take_values(struct query *query, const struct serving_table *table, struct arena *arena,
                        struct own_row *row)
{
    for (size_t i = 0; i < table->column_count; i++) {
        struct row_value *value = &row->values[i];

        value->null = query_is_null(query, (int)i);
        if (value->null)
            continue;
        if (is_text(&table->columns[i]))
            value->text = query_text(query, (int)i, arena);
        else
            value->integer = query_integer(query, (int)i);
    }
}

enum error own_row_read(const struct storage_call *call, const struct event *event,
                        struct own_row *row)
{
    const struct serving_table *table = event->own->type->table;
    int after = (int)table->column_count;
    struct query *query = db_query(call->db, &table->own->state);

    *row = (struct own_row){0};
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    row->found = query_next(query);
    if (row->found) {
        take_values(query, table, call->arena, row);
        read_stamps(call->arena, table, query_text(query, after, call->arena), row);
        row->events = query_integer(query, after + 1);
        row->newest = query_text(query, after + 2, call->arena);
        row->event_at = query_integer(query, after + 3);
    }
    for (size_t i = 0; !row->found && i < table->column_count; i++)
        row->values[i].null = !table->own->counts[i];
    row->values[table->own->key] = (struct row_value){.text = event->entity_id};
    memcpy(row->before, row->values, sizeof row->before);
    return query_end(query, call->problem);
}

static void bind_value(struct query *query, const struct table_column *column,
                       const struct row_value *value)
{
    if (is_text(column))
        query_bind_text(query, value->null ? NULL : value->text);
    else
        query_bind_optional_integer(query, value->null ? (struct optional_integer){0}
                                                       : GIVEN_INTEGER(value->integer));
}

static bool is_same(const struct row_value *a, const struct row_value *b)
{
    if (a->null || b->null)
        return a->null == b->null;
    return a->text && b->text ? strcmp(a->text, b->text) == 0
                              : a->text == b->text && a->integer == b->integer;
}

static void note_times(const struct storage_call *call, const struct serving_table *table,
                       const struct row_value *values)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].type == COLUMN_TIME && !values[i].null)
            series_note_time(call, table->name, table->columns[i].stored, values[i].integer);
}

/* For series: the times of the row before and after, and what was changed. */
static void note_change(const struct storage_call *call, const struct serving_table *table,
                        const struct own_row *row, bool removed)
{
    bool set = removed || !row->found, counted = set;

    for (size_t i = 0; i < table->column_count; i++)
        if (!is_same(&row->before[i], &row->values[i]))
            *(table->own->counts[i] ? &counted : &set) = true;
    if (set)
        series_note_all(call, table->name, SERIES_SET);
    if (counted)
        series_note_all(call, table->name, SERIES_COUNTED);
    if ((set || counted) && row->found)
        note_times(call, table, row->before);
    if ((set || counted) && !removed)
        note_times(call, table, row->values);
}

static const struct outbox_value *values_of(const struct storage_call *call,
                                            const struct serving_table *table,
                                            const struct row_value *values)
{
    struct outbox_value *copies = ARENA_ARRAY(call->arena, struct outbox_value, OWN_COLUMNS_MAX);

    for (size_t i = 0; i < table->column_count; i++)
        copies[i] = (struct outbox_value){values[i].null, values[i].integer, values[i].text};
    return copies;
}

/* For a copy of the table; only transactions that note their changes are queued, others make the
 * copy anew (outbox_restart()). */
static enum error queue_change(const struct storage_call *call, const struct event *event,
                               const struct own_row *row, bool removed)
{
    const struct serving_table *table = event->own->type->table;
    const struct own_copy *copy = &table->own->serving->copy;

    if (!call->changes || (!copy->live && !copy->filling) || (removed && !row->found))
        return ERROR_NONE;
    return outbox_note(call, table, event->entity_id,
                       row->found ? values_of(call, table, row->before) : NULL,
                       removed ? NULL : values_of(call, table, row->values));
}

enum error own_row_write(const struct storage_call *call, const struct event *event,
                         const struct own_row *row)
{
    const struct serving_table *table = event->own->type->table;
    struct query *query = db_query(call->db, &table->own->put);
    enum error error;

    query_bind_text(query, call->tenant);
    for (size_t i = 0; i < table->column_count; i++)
        bind_value(query, &table->columns[i], &row->values[i]);
    query_bind_integer(query, call->now);
    query_bind_integer(query, row->event_at);
    query_bind_text(query, write_stamps(call->arena, table, row));
    query_bind_integer(query, row->events);
    query_bind_text(query, row->newest);
    note_change(call, table, row, false);
    error = query_end(query, call->problem);
    return error ? error : queue_change(call, event, row, false);
}

enum error own_row_remove(const struct storage_call *call, const struct event *event,
                          const struct own_row *row)
{
    struct query *query = db_query(call->db, &event->own->type->table->own->remove);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    note_change(call, event->own->type->table, row, true);
    error = query_end(query, call->problem);
    return error ? error : queue_change(call, event, row, true);
}

enum error state_expire_own(const struct storage_call *call, const struct entity_type *type,
                            const char *key)
{
    const struct own_event own = {.type = type};
    const struct event event = {.own = &own, .entity_id = key};
    struct series_changes unused = {0};
    struct storage_call noting = *call;
    struct own_row row;
    enum error error = own_row_read(call, &event, &row);

    noting.changes = &unused; /* the generation of the whole table is raised instead */
    return error || !row.found ? error : own_row_remove(&noting, &event, &row);
}

enum error own_read_deleted(const struct storage_call *call, const struct event *event,
                            const char **stamp)
{
    struct query *query = db_query(call->db, &read_deleted);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, event->entity_id);
    *stamp = query_next(query) ? query_text(query, 0, call->arena) : NULL;
    return query_end(query, call->problem);
}

enum error own_note_deleted(const struct storage_call *call, const struct event *event)
{
    struct query *query = db_query(call->db, &note_deleted);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, event->entity_id);
    query_bind_text(query, event->own->stamp);
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}
