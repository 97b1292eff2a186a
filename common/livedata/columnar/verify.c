/* Comparing a copy with its table, by numbers of rows and values and a checksum per column. */
#include "livedata/columnar/blocks.h"
#include "livedata/columnar/copy_row.h"

#include "db/query.h"

#include <string.h>

enum {
    SQL_MAX = 32000,
    NUMBERS = 2, /* of each column */
    PRIME = 1000003,
    COPY_MS = 3600 * 1000 /* all rows are read */
};

/* Parts of statements; between them stand names of the catalog. Sums of remainders fit 64 bits. */
static const char select_rows[] = "SELECT count(*)", from_word[] = " FROM ",
                  select_copy[] = "SELECT sum(row_block * if(tenant_id = '', row_sign, 0)),"
                                  " sum(if(tenant_id = '', 0, row_sign))",
                  format[] = " FORMAT JSONCompact";

static bool is_text(const struct table_column *column)
{
    return column->type == COLUMN_TEXT || column->type == COLUMN_JSON;
}

static const char *table_sql(const struct storage_call *call, const struct serving_table *table)
{
    struct text sql;

    text_start(&sql, call->arena, SQL_MAX);
    text_append_string(&sql, select_rows);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].stored;

        text_append_format(&sql, ", count(%s), CAST(COALESCE(sum(", name);
        if (is_text(&table->columns[i]))
            text_append_format(&sql, "length(%s)", name);
        else
            text_append_format(&sql, "CAST(%s AS BIGINT) %% %d", name, PRIME);
        text_append_string(&sql, "), 0) AS BIGINT)");
    }
    text_append_strings(&sql, (const char *const[]){from_word, table->name, NULL});
    return sql.bytes;
}

static const char *copy_sql(const struct storage_call *call, const struct serving_table *table,
                            int64_t incarnation)
{
    struct text sql;

    text_start(&sql, call->arena, SQL_MAX);
    text_append_string(&sql, select_copy);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].stored;

        text_append_format(&sql, ", sum(if(tenant_id = '' OR isNull(c_%s), 0, row_sign)), sum(",
                           name);
        if (is_text(&table->columns[i]))
            text_append_format(&sql, "ifNull(toInt64(lengthUTF8(c_%s)), 0)", name);
        else
            text_append_format(&sql, "ifNull(c_%s %% %d, 0)", name, PRIME);
        text_append_string(&sql, " * if(tenant_id = '', 0, row_sign))");
    }
    text_append_strings(
        &sql, (const char *const[]){from_word, columnar_name(call->arena, table->name, incarnation),
                                    format, NULL});
    return sql.bytes;
}

struct sums {
    int64_t rows;
    int64_t columns[OWN_COLUMNS_MAX][NUMBERS];
};

static enum error read_table(const struct storage_call *call, const struct serving_table *table,
                             struct sums *sums)
{
    struct statement *statement = ARENA_NEW(call->arena, struct statement);
    struct query *query;

    *statement = (struct statement){.name = "columnar_verify", .sql = table_sql(call, table)};
    query = db_query(call->db, statement);
    if (query_next(query)) {
        sums->rows = query_integer(query, 0);
        for (size_t i = 0; i < table->column_count; i++)
            for (int j = 0; j < NUMBERS; j++)
                sums->columns[i][j] = query_integer(query, 1 + NUMBERS * (int)i + j);
    }
    return query_end(query, call->problem);
}

static enum error read_copy(const struct livedata_settings *settings,
                            const struct storage_call *call, const struct serving_table *table,
                            int64_t incarnation, struct sums *sums, int64_t *block)
{
    const struct clickhouse clickhouse = {settings, NULL, call->arena, call->problem};
    const struct clickhouse_call statement = {.sql = copy_sql(call, table, incarnation),
                                              .timeout_ms = COPY_MS};
    json_t *rows = NULL;
    const json_t *row;

    if (clickhouse_run(&clickhouse, &statement, &rows))
        return ERROR_UNAVAILABLE;
    row = json_array_get(rows, 0);
    *block = clickhouse_integer(row, 0);
    sums->rows = clickhouse_integer(row, 1);
    for (size_t i = 0; i < table->column_count; i++)
        for (size_t j = 0; j < NUMBERS; j++)
            sums->columns[i][j] = clickhouse_integer(row, 2 + NUMBERS * i + j);
    return ERROR_NONE;
}

static void compare(const struct storage_call *call, const struct serving_table *table,
                    const struct sums *stored, const struct sums *copied,
                    struct columnar_verdict *verdict)
{
    static const char *const names[NUMBERS] = {"values", "checksum"};

    verdict->settled = true;
    verdict->rows = stored->rows;
    verdict->equal = stored->rows == copied->rows;
    if (!verdict->equal)
        verdict->difference = arena_print(call->arena, "rows: %lld in the table, %lld in the copy",
                                          (long long)stored->rows, (long long)copied->rows);
    for (size_t i = 0; verdict->equal && i < table->column_count; i++)
        for (size_t j = 0; verdict->equal && j < NUMBERS; j++) {
            verdict->equal = stored->columns[i][j] == copied->columns[i][j];
            if (!verdict->equal)
                verdict->difference =
                    arena_print(call->arena, "%s of %s: %lld in the table, %lld in the copy",
                                names[j], table->columns[i].name, (long long)stored->columns[i][j],
                                (long long)copied->columns[i][j]);
        }
}

/* The table and the state of its copy at one moment. */
static enum error read_snapshot(const struct storage_call *call, const struct serving_table *table,
                                struct copy_row *row, struct sums *stored)
{
    enum error error = copy_row_read(call, table->name, row);

    if (error || row->state != COPY_LIVE || row->waiting || row->pending_rows)
        return error;
    return read_table(call, table, stored);
}

static enum error read_unhurried(const struct storage_call *call, const struct serving_table *table,
                                 struct copy_row *row, struct sums *stored)
{
    struct problem unused;
    enum error error = db_take_time(call->db, true, call->problem), restored;

    if (!error)
        error = db_begin(call->db, DB_READ, call->problem);
    if (!error)
        error = db_finish(call->db, read_snapshot(call, table, row, stored), call->problem);
    restored = db_take_time(call->db, false, error ? &unused : call->problem);
    return error ? error : restored;
}

enum error columnar_verify(const struct livedata_settings *settings,
                           const struct storage_call *call, const struct entity_type *type,
                           struct columnar_verdict *verdict)
{
    struct sums stored = {0}, copied = {0};
    struct copy_row row = {0};
    int64_t block;
    enum error error = read_unhurried(call, type->table, &row, &stored);

    *verdict = (struct columnar_verdict){0};
    if (error || row.state != COPY_LIVE || row.waiting || row.pending_rows)
        return error;
    error = read_copy(settings, call, type->table, row.incarnation, &copied, &block);
    if (!error && block <= row.block) /* a later one contains later changes */
        compare(call, type->table, &stored, &copied, verdict);
    return error;
}
