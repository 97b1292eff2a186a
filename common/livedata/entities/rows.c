/* Rows of the serving tables: the SQL that reads them, and their JSON. */
#include "livedata/entities/rows.h"

#include "db/query.h"
#include "livedata/catalog/own.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>

enum stored_as {
    AS_TEXT,
    AS_INTEGER,
    AS_CENTS,
    AS_FLAG,
    AS_TIME,
    AS_DURATION,
    AS_DECIMAL,
    AS_JSON
};

enum { DATA_BYTES_MAX = 1 << 20 };

static const int64_t session_idle = 30 * 60 * (int64_t)1000000;

/* The result columns of each table's statements: the columns of serving_tables in their order, then
 * updated_at, for sessions last_event_at, and the own time of the last event that changed the
 * row. */
static const struct stored_table {
    const char *name;
    enum stored_as as[ROW_COLUMNS_MAX];
    struct statement by_key;
    struct statement list;
} tables[] = {
    {"orders_v2",
     {AS_TEXT, AS_TEXT, AS_TEXT, AS_CENTS, AS_TEXT, AS_TIME},
     {"order_by_key", "SELECT order_id, user_id, status, total_cents, currency, created_at,"
                      " updated_at, 0, coalesce(event_at, NULLIF(state_ts, 0)) FROM orders_v2 "
                      "WHERE tenant_id = ? AND order_id = ?"},
     {"order_list",
      "SELECT order_id, user_id, status, total_cents, currency, created_at, updated_at, 0,"
      " coalesce(event_at, NULLIF(state_ts, 0)) FROM orders_v2 WHERE tenant_id = ? AND order_id > "
      "? ORDER BY order_id LIMIT ?",
      .streams = true}},
    {"products_current",
     {AS_TEXT, AS_TEXT, AS_TEXT, AS_CENTS, AS_FLAG, AS_INTEGER},
     {"product_by_key",
      "SELECT product_id, name, category, price_cents, in_stock, stock_quantity,"
      " updated_at, 0, coalesce(event_at, NULLIF(state_ts, 0)) FROM products_current"
      " WHERE tenant_id = ? AND product_id = ?"},
     {"product_list",
      "SELECT product_id, name, category, price_cents, in_stock, stock_quantity, updated_at, 0,"
      " coalesce(event_at, NULLIF(state_ts, 0)) FROM products_current WHERE tenant_id = ? AND "
      "product_id > ? ORDER BY product_id LIMIT ?",
      .streams = true}},
    {"sessions_aggregated",
     {AS_TEXT, AS_TEXT, AS_TIME, AS_TIME, AS_DURATION, AS_INTEGER, AS_INTEGER, AS_TEXT, AS_FLAG},
     {"session_by_key",
      "SELECT session_id, user_id, started_at, ended_at, duration_us, event_count,"
      " unique_pages, funnel_stage, is_conversion, updated_at, last_event_at,"
      " coalesce(event_at, last_event_at) FROM sessions_aggregated WHERE tenant_id = ? AND "
      "session_id = ?"},
     {"session_list",
      "SELECT session_id, user_id, started_at, ended_at, duration_us, event_count, unique_pages,"
      " funnel_stage, is_conversion, updated_at, last_event_at, coalesce(event_at, last_event_at)"
      " FROM sessions_aggregated"
      " WHERE tenant_id = ? AND session_id > ? ORDER BY session_id LIMIT ?",
      .streams = true}},
    {"users_enriched",
     {AS_TEXT, AS_INTEGER, AS_CENTS, AS_TIME, AS_TIME, AS_TEXT},
     {"user_by_key",
      "SELECT user_id, total_orders, total_cents, first_order_at, last_order_at,"
      " coalesce(preferred_category, 'unknown'), updated_at, 0, event_at FROM users_enriched"
      " WHERE tenant_id = ? AND user_id = ?"},
     {"user_list",
      "SELECT user_id, total_orders, total_cents, first_order_at, last_order_at,"
      " coalesce(preferred_category, 'unknown'), updated_at, 0, event_at FROM users_enriched"
      " WHERE tenant_id = ? AND user_id > ? ORDER BY user_id LIMIT ?",
      .streams = true}},
};

static const struct statement foreign_rows[] = {
    {"foreign_events_before", "SELECT 1 FROM pipeline_events WHERE tenant_id < 'default' LIMIT 1"},
    {"foreign_events_after", "SELECT 1 FROM pipeline_events WHERE tenant_id > 'default' LIMIT 1"},
    {"foreign_orders_before", "SELECT 1 FROM orders_v2 WHERE tenant_id < 'default' LIMIT 1"},
    {"foreign_orders_after", "SELECT 1 FROM orders_v2 WHERE tenant_id > 'default' LIMIT 1"},
};

static const struct stored_table *stored_of(const struct serving_table *table)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i].name, table->name) == 0)
            return &tables[i];
    return NULL;
}

static enum stored_as stored_as(const struct serving_table *table, size_t column)
{
    static const enum stored_as by_type[] = {
        [COLUMN_TEXT] = AS_TEXT,    [COLUMN_INTEGER] = AS_INTEGER, [COLUMN_NUMBER] = AS_DECIMAL,
        [COLUMN_BOOLEAN] = AS_FLAG, [COLUMN_TIME] = AS_TIME,       [COLUMN_JSON] = AS_JSON};

    return table->own ? by_type[table->columns[column].type] : stored_of(table)->as[column];
}

static void take_row(struct query *query, const struct serving_table *table, struct arena *arena,
                     struct entity_row *row)
{
    int last = (int)table->column_count;

    *row = (struct entity_row){.table = table};
    for (int i = 0; i < last; i++) {
        struct row_value *value = &row->values[i];

        value->null = query_is_null(query, i);
        if (value->null)
            continue;
        if (stored_as(table, (size_t)i) == AS_TEXT || stored_as(table, (size_t)i) == AS_JSON)
            value->text = query_text(query, i, arena);
        else
            value->integer = query_integer(query, i);
    }
    row->updated_at = query_optional_integer(query, last).value;
    row->last_event_at = query_optional_integer(query, last + 1).value;
    row->event_at = query_optional_integer(query, last + 2).value;
}

enum error entity_row_read(const struct storage_call *call, const struct serving_table *table,
                           const char *id, struct entity_row *row, bool *found)
{
    const struct stored_table *stored = stored_of(table);
    struct query *query;

    if (!stored && !table->own)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_materialized", "%s", table->name);
    query = db_query(call->db, table->own ? &table->own->by_key : &stored->by_key);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    *found = query_next(query);
    if (*found)
        take_row(query, table, call->arena, row);
    return query_end(query, call->problem);
}

enum error entity_rows_list(const struct storage_call *call, const struct serving_table *table,
                            const char *after, int64_t most, struct entity_rows *rows)
{
    const struct stored_table *stored = stored_of(table);
    struct query *query;

    *rows =
        (struct entity_rows){.items = ARENA_ARRAY(call->arena, struct entity_row, (size_t)most)};
    if (!stored && !table->own)
        return ERROR_NONE;
    query = db_query(call->db, table->own ? &table->own->list : &stored->list);
    query_bind_text(query, call->tenant);
    query_bind_text(query, after);
    query_bind_integer(query, most);
    while (rows->count < (size_t)most && query_next(query))
        take_row(query, table, call->arena, &rows->items[rows->count++]);
    return query_end(query, call->problem);
}

const struct row_value *entity_row_value(const struct entity_row *row, const char *column)
{
    for (size_t i = 0; i < row->table->column_count; i++)
        if (strcmp(row->table->columns[i].name, column) == 0)
            return &row->values[i];
    return NULL;
}

/* A session without an end of its own ends 30 minutes after its last event. */
static int64_t session_end(const struct entity_row *row, const struct row_value *stored,
                           int64_t now)
{
    if (!stored->null)
        return stored->integer;
    return row->last_event_at && row->last_event_at <= now - session_idle ? row->last_event_at : 0;
}

/* As a number that has all digits; beyond a double's exact whole numbers the digits themselves. */
static void write_decimal(struct json_writer *writer, const char *name, int64_t units, int scale)
{
    static const int64_t exact = INT64_C(1) << 53;
    uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
    uint64_t unit = 1;
    char text[64];

    for (int i = 0; i < scale; i++)
        unit *= 10;
    if (units > -exact && units < exact) {
        writer_key_number(writer, name, (double)units / (double)unit);
        return;
    }
    (void)!snprintf(text, sizeof text, "%s%llu.%0*llu", units < 0 ? "-" : "",
                    (unsigned long long)(size / unit), scale ? scale : 1,
                    (unsigned long long)(size % unit));
    writer_key(writer, name);
    writer_raw(writer, text);
}

static void write_value(struct json_writer *writer, const struct entity_row *row, size_t column,
                        int64_t now)
{
    const struct row_value *value = &row->values[column];
    const char *name = row->table->columns[column].name;

    if (!row->table->own && strcmp(name, "ended_at") == 0) {
        timestamp_write(writer, name, session_end(row, value, now));
        return;
    }
    if (value->null) {
        writer_key_null(writer, name);
        return;
    }
    switch (stored_as(row->table, column)) {
    case AS_TEXT:
        writer_key_string(writer, name, value->text);
        break;
    case AS_INTEGER:
        writer_key_integer(writer, name, value->integer);
        break;
    case AS_CENTS:
        writer_key_number(writer, name, (double)value->integer / 100);
        break;
    case AS_FLAG:
        writer_key_boolean(writer, name, value->integer != 0);
        break;
    case AS_TIME:
        timestamp_write(writer, name, value->integer);
        break;
    case AS_DECIMAL:
        write_decimal(writer, name, value->integer, row->table->columns[column].scale);
        break;
    case AS_JSON:
        writer_key(writer, name);
        writer_raw(writer, value->text);
        break;
    default:
        writer_key_number(writer, name, (double)value->integer / 1e6);
    }
}

void entity_row_write(struct json_writer *writer, const struct entity_type *type,
                      const struct entity_row *row, int64_t now)
{
    for (size_t i = 0; i < type->field_count; i++)
        write_value(writer, row, (size_t)(type->fields[i].column - row->table->columns), now);
}

const char *entity_row_json(struct arena *arena, const struct entity_type *type,
                            const struct entity_row *row, int64_t now)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, DATA_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    entity_row_write(&writer, type, row, now);
    writer_close_object(&writer);
    return text.bytes;
}

int64_t entity_row_last_updated(const struct entity_row *row, int64_t now)
{
    static const char *const candidates[] = {"last_order_at", "ended_at", "started_at",
                                             "created_at"};

    if (row->updated_at)
        return row->updated_at;
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        const struct row_value *value = entity_row_value(row, candidates[i]);

        if (value && strcmp(candidates[i], "ended_at") == 0 && session_end(row, value, now))
            return session_end(row, value, now);
        if (value && !value->null)
            return value->integer;
    }
    return 0;
}

struct event_mark entity_row_mark(const struct entity_row *row, int64_t now)
{
    int64_t updated = entity_row_last_updated(row, now);

    return (struct event_mark){updated, row->updated_at ? row->event_at : updated};
}

enum error storage_has_tenants(const struct storage_call *call, bool *has)
{
    enum error error = ERROR_NONE;

    *has = false;
    for (size_t i = 0; !error && !*has && i < COUNT_OF(foreign_rows); i++) {
        struct query *query = db_query(call->db, &foreign_rows[i]);

        *has = query_next(query);
        error = query_end(query, call->problem);
    }
    return error;
}
