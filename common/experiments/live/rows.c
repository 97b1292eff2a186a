/* Rows to either engine. */
#include "experiments/live/rows.h"

enum { ROWS_BYTES_MAX = 256 * 1024 * 1024 };

void live_rows_start(struct live_rows *rows, const struct live_call *call, int64_t experiment,
                     const struct statement *one, const struct statement *many)
{
    *rows = (struct live_rows){.call = call, .experiment = experiment, .one = one, .many = many};
}

static bool is_server(const struct live_rows *rows)
{
    return db_engine(rows->call->db) == DB_POSTGRES;
}

static void begin(struct live_rows *rows)
{
    if (rows->open)
        return;
    if (is_server(rows)) {
        if (!rows->any) {
            text_start(&rows->text, rows->call->arena, ROWS_BYTES_MAX);
            writer_start(&rows->writer, &rows->text);
            writer_open_array(&rows->writer);
        }
        writer_open_array(&rows->writer);
    } else {
        if (!rows->any)
            rows->query = db_query(rows->call->db, rows->one);
        query_bind_integer(rows->query, rows->experiment);
    }
    rows->any = rows->open = true;
}

void live_rows_optional(struct live_rows *rows, bool given, int64_t value)
{
    begin(rows);
    if (!is_server(rows))
        query_bind_optional_integer(rows->query, (struct optional_integer){given, value});
    else if (given)
        writer_integer(&rows->writer, value);
    else
        writer_null(&rows->writer);
}

void live_rows_integer(struct live_rows *rows, int64_t value)
{
    live_rows_optional(rows, true, value);
}

void live_rows_number(struct live_rows *rows, double value)
{
    begin(rows);
    if (is_server(rows))
        writer_number(&rows->writer, value);
    else
        query_bind_number(rows->query, value);
}

void live_rows_text(struct live_rows *rows, const char *text)
{
    begin(rows);
    if (is_server(rows))
        writer_string(&rows->writer, text);
    else
        query_bind_text(rows->query, text);
}

void live_rows_next(struct live_rows *rows)
{
    if (is_server(rows))
        writer_close_array(&rows->writer);
    else
        query_repeat(rows->query, NULL);
    rows->open = false;
}

enum error live_rows_end(struct live_rows *rows)
{
    if (!rows->any)
        return ERROR_NONE;
    if (is_server(rows)) {
        writer_close_array(&rows->writer);
        rows->query = db_query(rows->call->db, rows->many);
        query_bind_integer(rows->query, rows->experiment);
        query_bind_json(rows->query, rows->text.bytes);
    }
    return query_end(rows->query, rows->call->problem);
}
