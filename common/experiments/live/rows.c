/* Writes many rows, with a different method for each engine. */
#include "experiments/live/rows.h"

#include "base/number.h"

#include <string.h>

enum { COLUMN_BYTES_MAX = 256 * 1024 * 1024 };

void live_rows_start(struct live_rows *rows, const struct live_call *call, int64_t experiment,
                     const struct statement *one, const struct statement *many)
{
    *rows = (struct live_rows){.call = call, .experiment = experiment, .one = one, .many = many};
}

static bool is_server(const struct live_rows *rows)
{
    return db_engine(rows->call->db) == DB_POSTGRES;
}

/* The array that the next value of the row goes to. */
static struct text *next_column(struct live_rows *rows)
{
    struct text *column = &rows->columns[rows->column++];

    if (!rows->any) {
        text_start(column, rows->call->arena, COLUMN_BYTES_MAX);
        text_append_byte(column, '{');
    } else {
        text_append_byte(column, ',');
    }
    return column;
}

/* The statement that the next value of the row is bound to. */
static struct query *next_position(struct live_rows *rows)
{
    if (!rows->any && !rows->column)
        rows->query = db_query(rows->call->db, rows->one);
    if (rows->column++ == 0)
        query_bind_integer(rows->query, rows->experiment);
    return rows->query;
}

void live_rows_optional(struct live_rows *rows, bool given, int64_t value)
{
    char text[NUMBER_TEXT_MAX];

    if (!is_server(rows))
        query_bind_optional_integer(next_position(rows), (struct optional_integer){given, value});
    else if (given)
        text_append(next_column(rows), text, integer_format(value, text));
    else
        text_append_string(next_column(rows), "NULL");
}

void live_rows_integer(struct live_rows *rows, int64_t value)
{
    live_rows_optional(rows, true, value);
}

void live_rows_number(struct live_rows *rows, double value)
{
    char text[NUMBER_TEXT_MAX];

    if (is_server(rows))
        text_append(next_column(rows), text, number_format(value, text));
    else
        query_bind_number(next_position(rows), value);
}

/* Quotes and backslashes are the only bytes with a meaning inside of quotes. */
static void append_quoted(struct text *column, const char *text)
{
    text_append_byte(column, '"');
    while (*text) {
        size_t plain = strcspn(text, "\"\\");

        text_append(column, text, plain);
        text += plain;
        if (!*text)
            break;
        text_append_byte(column, '\\');
        text_append_byte(column, *text++);
    }
    text_append_byte(column, '"');
}

void live_rows_text(struct live_rows *rows, const char *text)
{
    if (!is_server(rows))
        query_bind_text(next_position(rows), text);
    else if (text)
        append_quoted(next_column(rows), text);
    else
        text_append_string(next_column(rows), "NULL");
}

void live_rows_next(struct live_rows *rows)
{
    if (!is_server(rows))
        query_repeat(rows->query, NULL);
    rows->any = true;
    rows->column = 0;
}

enum error live_rows_end(struct live_rows *rows)
{
    if (!rows->any)
        return ERROR_NONE;
    if (is_server(rows)) {
        rows->query = db_query(rows->call->db, rows->many);
        query_bind_integer(rows->query, rows->experiment);
        for (int i = 0; i < ROW_COLUMNS_MAX && rows->columns[i].bytes; i++) {
            text_append_byte(&rows->columns[i], '}');
            query_bind_text(rows->query, rows->columns[i].bytes);
        }
    }
    return query_end(rows->query, rows->call->problem);
}
