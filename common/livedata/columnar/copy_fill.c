/* Making a copy: its table in ClickHouse, and its rows page by page. */
#include "livedata/columnar/copy_row.h"

#include "db/query.h"
#include "livedata/outbox/outbox.h"

#include <string.h>

enum {
    SQL_MAX = 16000,
    PAGE_ROWS = 2000,
    CHUNK_BYTES = 1024 * 1024 /* of lines in one row of the queue */
};

/* Parts of ClickHouse's statements; between them stand names of the catalog and of the settings. */
static const char create_database[] = "CREATE DATABASE IF NOT EXISTS ",
                  create_table[] = "CREATE TABLE IF NOT EXISTS ",
                  table_head[] = " (tenant_id String, row_time Int64",
                  table_end[] = ", row_sign Int8, row_block Int64, row_position Int64, row_complete"
                                " Int64) ENGINE = CollapsingMergeTree(row_sign) PARTITION BY"
                                " tuple() ORDER BY (tenant_id, row_time, c_",
                  drop_table[] = "DROP TABLE IF EXISTS ";

static const struct statement begin_copy = {
    .name = "columnar_begin",
    .sql = "UPDATE columnar_tables SET state = 'filling', incarnation = ?, fingerprint = ?,"
           " fill_tenant = '', fill_key = '', block = 0, sent_seq = 0, position = 0,"
           " fill_seq = 0, complete_at = 0, pending_rows = 0 WHERE table_name = ? AND lease = ?"
           " AND state = 'stale' AND incarnation = ?",
};
static const struct statement move_fill = {
    .name = "columnar_fill",
    .sql = "UPDATE columnar_tables SET fill_tenant = ?, fill_key = ? WHERE table_name = ?",
};
/* From now on all changes are queued; the copy answers when everything before is there. */
static const struct statement close_fill = {
    .name = "columnar_close",
    .sql = "UPDATE columnar_tables SET fill_seq = ?, state = CASE WHEN CAST(? AS BIGINT) > sent_seq"
           " THEN 'closing' ELSE 'live' END WHERE table_name = ?",
};
static const struct statement last_line = {
    .name = "columnar_last_line",
    .sql = "SELECT COALESCE(max(seq), 0) FROM columnar_outbox WHERE table_name = ?",
};

enum error columnar_command(const struct livedata_settings *settings,
                            const struct storage_call *call, const char *sql, bool without_database)
{
    const struct clickhouse clickhouse = {settings, NULL, call->arena, call->problem};
    const struct clickhouse_call command = {.sql = sql, .without_database = without_database};

    return clickhouse_run(&clickhouse, &command, NULL) ? ERROR_UNAVAILABLE : ERROR_NONE;
}

static bool is_text(const struct table_column *column)
{
    return column->type == COLUMN_TEXT || column->type == COLUMN_JSON;
}

static const char *table_sql(const struct storage_call *call, const struct serving_table *table,
                             const char *name)
{
    struct text sql;

    text_start(&sql, call->arena, SQL_MAX);
    text_append_strings(&sql, (const char *const[]){create_table, name, table_head, NULL});
    for (size_t i = 0; i < table->column_count; i++)
        text_append_format(&sql, ", c_%s %s", table->columns[i].stored,
                           i == table->own->key          ? "String"
                           : is_text(&table->columns[i]) ? "Nullable(String)"
                                                         : "Nullable(Int64)");
    text_append_strings(&sql, (const char *const[]){table_end, table->primary_key, ")", NULL});
    return sql.bytes;
}

/* An incarnation of the same number can be left from a start that was cut off: it may have rows. */
static enum error make_table(const struct columnar_sender *sender, const struct storage_call *call,
                             const struct serving_table *table, int64_t incarnation)
{
    const struct livedata_settings *settings = sender->settings;
    const char *name = columnar_name(call->arena, table->name, incarnation);
    const char *former = columnar_name(call->arena, table->name, incarnation - 1);
    enum error error = columnar_command(
        settings, call,
        arena_print(call->arena, "%s%s", create_database, settings->clickhouse_database), true);

    if (!error)
        error = columnar_command(settings, call,
                                 arena_print(call->arena, "%s%s", drop_table, former), false);
    if (!error)
        error = columnar_command(settings, call, arena_print(call->arena, "%s%s", drop_table, name),
                                 false);
    return error ? error : columnar_command(settings, call, table_sql(call, table, name), false);
}

static enum error record_begin(const struct columnar_sender *sender,
                               const struct storage_call *call, const struct serving_table *table,
                               const struct copy_row *row)
{
    enum error error = db_lock(call->db, "livedata.apply", call->problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &begin_copy);
    query_bind_integer(query, row->incarnation + 1);
    query_bind_text(query, table->own->fingerprint);
    query_bind_text(query, table->name);
    query_bind_text(query, sender->lease);
    query_bind_integer(query, row->incarnation);
    return query_end(query, call->problem);
}

enum error copy_begin(const struct columnar_sender *sender, const struct storage_call *call,
                      const struct entity_type *type, const struct copy_row *row)
{
    enum error error = make_table(sender, call, type->table, row->incarnation + 1);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    return db_finish(call->db, record_begin(sender, call, type->table, row), call->problem);
}

struct page {
    size_t count;
    const char *tenant, *key; /* of the last row */
    struct text lines;        /* of rows that were not queued yet */
    int64_t line_count;
};

static void take_row(const struct storage_call *call, const struct serving_table *table,
                     struct query *query, struct page *page)
{
    struct outbox_value values[OWN_COLUMNS_MAX] = {0};

    page->tenant = query_text(query, 0, call->arena);
    for (size_t i = 0; i < table->column_count; i++) {
        int column = (int)i + 1;

        values[i].null = query_is_null(query, column);
        if (values[i].null)
            continue;
        if (is_text(&table->columns[i]))
            values[i].text = query_text(query, column, call->arena);
        else
            values[i].integer = query_integer(query, column);
    }
    page->key = values[table->own->key].text;
    outbox_put_line(&page->lines, table, page->tenant, values, 1);
    page->count++;
    page->line_count++;
}

/* Ends with the row that passes the bytes of a chunk. */
static enum error read_page(const struct storage_call *call, const struct serving_table *table,
                            const struct copy_row *row, struct page *page)
{
    struct query *query = db_query(call->db, &table->own->page);

    *page = (struct page){.tenant = row->fill_tenant, .key = row->fill_key};
    text_start(&page->lines, call->arena, OUTBOX_LINES_MAX);
    query_bind_text(query, row->fill_tenant);
    query_bind_text(query, row->fill_key);
    query_bind_integer(query, PAGE_ROWS);
    while (page->lines.length < CHUNK_BYTES && query_next(query))
        take_row(call, table, query, page);
    return query_end(query, call->problem);
}

static enum error end_fill(const struct storage_call *call, const char *table)
{
    struct query *query = db_query(call->db, &last_line);
    int64_t last = 0;
    enum error error;

    query_bind_text(query, table);
    if (query_next(query))
        last = query_integer(query, 0);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &close_fill);
    query_bind_integer(query, last);
    query_bind_integer(query, last);
    query_bind_text(query, table);
    return query_end(query, call->problem);
}

static enum error queue_page(const struct storage_call *call, const struct serving_table *table,
                             const char *lease)
{
    struct copy_row row;
    struct page page;
    struct query *query;
    enum error error = db_lock(call->db, "livedata.apply", call->problem);

    if (!error)
        error = copy_row_read(call, table->name, &row);
    if (error || row.state != COPY_FILLING || strcmp(row.lease, lease) != 0)
        return error;
    error = read_page(call, table, &row, &page);
    if (!error && !page.count)
        return end_fill(call, table->name);
    if (!error)
        error = outbox_add(call, table->name, &page.lines, page.line_count);
    if (error)
        return error;
    query = db_query(call->db, &move_fill);
    query_bind_text(query, page.tenant);
    query_bind_text(query, page.key);
    query_bind_text(query, table->name);
    return query_end(query, call->problem);
}

/* Not faster than blocks are sent. */
enum error copy_fill(const struct columnar_sender *sender, const struct storage_call *call,
                     const struct entity_type *type)
{
    int64_t queued = 0;
    enum error error = outbox_count(call, type->table->name, &queued);

    if (error || queued >= sender->block_rows)
        return error;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    return db_finish(call->db, queue_page(call, type->table, sender->lease), call->problem);
}
