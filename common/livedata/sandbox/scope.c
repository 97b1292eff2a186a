/* Adds the tables of one tenant around a statement. The constants here are parts of statements that
 * the guard has parsed; only names of the catalog, numbers and the tenant are inserted between
 * them. */
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"

#include <string.h>

enum { ANSWER_BYTES_MAX = 4 * 1024 * 1024, RULE_TABLES_MAX = 16, RULE_FUNCTIONS_MAX = 128 };

static const char with_word[] = "WITH ";
static const char all_of[] = "SELECT * FROM (";

/* Orders as of a past time, from the journal: the newest version of each, and imported orders
 * without any version. */
static const char *const versions_head[DB_ENGINE__MAX] = {
    "SELECT entity_data ->> 'order_id' AS order_id, entity_data ->> 'user_id' AS user_id,"
    " entity_data ->> 'status' AS status,"
    " CAST(entity_data ->> 'total_amount' AS REAL) AS total_amount,"
    " entity_data ->> 'currency' AS currency,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', entity_data ->> 'created_at') AS created_at"
    " FROM main.pipeline_events WHERE seq IN (SELECT max(seq) FROM main.pipeline_events"
    " WHERE tenant_id = '",
    "SELECT CAST(entity_data AS JSONB) ->> 'order_id' AS order_id,"
    " CAST(entity_data AS JSONB) ->> 'user_id' AS user_id,"
    " CAST(entity_data AS JSONB) ->> 'status' AS status,"
    " CAST(CAST(entity_data AS JSONB) ->> 'total_amount' AS DOUBLE PRECISION) AS total_amount,"
    " CAST(entity_data AS JSONB) ->> 'currency' AS currency,"
    " CAST(CAST(entity_data AS JSONB) ->> 'created_at' AS TIMESTAMPTZ) AS created_at"
    " FROM pipeline_events WHERE seq IN (SELECT max(seq) FROM pipeline_events"
    " WHERE tenant_id = '"};
static const char *const unversioned[DB_ENGINE__MAX] = {
    " AND NOT EXISTS (SELECT 1 FROM main.pipeline_events v WHERE v.tenant_id = o.tenant_id"
    " AND v.entity_id = o.order_id AND v.entity_type = 'order' AND v.entity_data IS NOT NULL)",
    " AND NOT EXISTS (SELECT 1 FROM pipeline_events v WHERE v.tenant_id = o.tenant_id"
    " AND v.entity_id = o.order_id AND v.entity_type = 'order' AND v.entity_data IS NOT NULL)"};

static void append_columns(struct text *sql, const struct serving_table *table,
                           enum db_engine engine)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];

        text_append_string(sql, i ? ", " : " ");
        text_append_string(sql, engine == DB_SQLITE ? column->sqlite : column->postgres);
        text_append_string(sql, " AS ");
        text_append_string(sql, column->name);
    }
}

static void append_number(struct text *sql, const char *before, int64_t value)
{
    text_append_string(sql, before);
    text_append_format(sql, "%lld", (long long)value);
}

static void append_rows(struct text *sql, const struct serving_table *table,
                        const struct scope *scope)
{
    static const char select_word[] = "SELECT", from_word[] = " FROM ";

    text_append_string(sql, select_word);
    append_columns(sql, table, scope->engine);
    text_append_string(sql, from_word);
    text_append_string(sql, scope->engine == DB_SQLITE ? "main." : "");
    text_append_string(sql, table->name);
    text_append_string(sql, " AS o WHERE tenant_id = '");
    text_append_string(sql, scope->tenant);
    text_append_string(sql, "'");
}

static void append_versions(struct text *sql, const struct serving_table *table,
                            const struct scope *scope)
{
    text_append_string(sql, versions_head[scope->engine]);
    text_append_string(sql, scope->tenant);
    text_append_string(sql, "' AND entity_type = 'order' AND entity_data IS NOT NULL");
    append_number(sql, " AND processed_at <= ", scope->orders_as_of);
    text_append_string(sql, " GROUP BY entity_id) UNION ALL ");
    append_rows(sql, table, scope);
    text_append_string(sql, unversioned[scope->engine]);
}

static void append_table(struct text *sql, const struct serving_table *table,
                         const struct scope *scope)
{
    text_append_string(sql, table->name);
    text_append_string(sql, " AS (");
    if (scope->orders_as_of && strcmp(table->name, "orders_v2") == 0) {
        append_versions(sql, table, scope);
    } else {
        append_rows(sql, table, scope);
        if (scope->time_column && scope->from)
            append_number(sql, arena_print(sql->arena, " AND %s >= ", scope->time_column),
                          scope->from);
        if (scope->time_column && scope->to)
            append_number(sql, arena_print(sql->arena, " AND %s <= ", scope->time_column),
                          scope->to);
    }
    text_append_string(sql, ")");
}

static const struct serving_table *table_of(const struct scope *scope, const char *name)
{
    if (scope->table)
        return scope->table;
    return scope->catalog ? catalog_table(scope->catalog, name) : serving_table_find(name);
}

const char *scope_sql(struct arena *arena, const struct scope *scope, const char *sql,
                      size_t length)
{
    struct text text;

    text_start(&text, arena, SCOPED_SQL_MAX);
    text_append_string(&text, all_of);
    for (size_t i = 0; i < scope->tables.count; i++) {
        text_append_string(&text, i ? ", " : with_word);
        append_table(&text, table_of(scope, scope->tables.items[i]), scope);
    }
    if (scope->tables.count) {
        text_append_byte(&text, ' ');
        text_append_string(&text, all_of);
    }
    text_append(&text, sql, length);
    text_append_string(&text, scope->tables.count ? ") AS question) AS answer" : ") AS answer");
    return text.overflowed ? NULL : text.bytes;
}

struct sandbox_rules scope_rules(struct arena *arena, const struct scope *scope, int timeout_ms,
                                 size_t rows_max)
{
    static const char *const own[] = {"strftime", "coalesce", "->>", "->", "max"};
    const char **tables = ARENA_ARRAY(arena, const char *, RULE_TABLES_MAX);
    const char **functions = ARENA_ARRAY(arena, const char *, RULE_FUNCTIONS_MAX);
    size_t count = 0;

    for (size_t i = 0; i < scope->tables.count && i < RULE_TABLES_MAX - 2; i++)
        tables[i] = scope->tables.items[i];
    if (scope->orders_as_of)
        tables[scope->tables.count] = "pipeline_events";
    while (guard_functions[count]) {
        functions[count] = guard_functions[count];
        count++;
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        functions[count++] = own[i];
    return (struct sandbox_rules){.tables = tables,
                                  .functions = functions,
                                  .timeout_ms = timeout_ms,
                                  .rows_max = rows_max,
                                  .bytes_max = ANSWER_BYTES_MAX};
}

struct string_list scope_allowed_tables(struct arena *arena, const struct catalog *catalog,
                                        const struct string_list *allowed_types)
{
    size_t count = catalog && catalog->table_count ? catalog->table_count : serving_table_count;
    struct string_list tables = {.items = ARENA_ARRAY(arena, const char *, count)};

    for (size_t i = 0; i < count; i++) {
        const struct serving_table *table =
            catalog && catalog->table_count ? catalog->tables[i] : &serving_tables[i];
        bool allowed = !allowed_types;

        for (size_t j = 0; !allowed && j < allowed_types->count; j++)
            allowed = (table->entity && strcmp(allowed_types->items[j], table->entity) == 0) ||
                      strcmp(allowed_types->items[j], table->name) == 0;
        if (allowed)
            tables.items[tables.count++] = table->name;
    }
    return tables;
}

void scope_write_cell(struct json_writer *writer, const char *column,
                      const struct sandbox_cell *cell)
{
    bool flag = strcmp(column, "in_stock") == 0 || strcmp(column, "is_conversion") == 0;

    switch (cell->kind) {
    case SANDBOX_INTEGER:
        if (flag && (cell->integer == 0 || cell->integer == 1))
            writer_boolean(writer, cell->integer == 1);
        else
            writer_integer(writer, cell->integer);
        break;
    case SANDBOX_NUMBER:
        writer_number(writer, cell->number);
        break;
    case SANDBOX_TEXT:
        writer_string(writer, cell->text);
        break;
    default:
        writer_null(writer);
    }
}
