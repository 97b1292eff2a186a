/* Keyset pagination. A cursor's values enter the statement as numbers, as texts of safe characters,
 * or as hexadecimal digits. */
#include "livedata/query/pages.h"

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

enum { CURSOR_VALUES_MAX = 8000, PAGE_SQL_MAX = 200000, KEYS_MAX = 32 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const char *cursor_make(struct arena *arena, const char *hash, const char *values)
{
    const char *plain = arena_print(arena, "%s:%s", hash, values);
    size_t length = strlen(plain), at = 0;
    char *cursor = arena_alloc(arena, (length + 2) / 3 * 4 + 1);

    for (size_t i = 0; i < length; i += 3) {
        unsigned bits = (unsigned)(unsigned char)plain[i] << 16;

        bits |= i + 1 < length ? (unsigned)(unsigned char)plain[i + 1] << 8 : 0;
        bits |= i + 2 < length ? (unsigned)(unsigned char)plain[i + 2] : 0;
        cursor[at++] = letters[bits >> 18];
        cursor[at++] = letters[bits >> 12 & 63];
        cursor[at++] = i + 1 < length ? letters[bits >> 6 & 63] : '=';
        cursor[at++] = i + 2 < length ? letters[bits & 63] : '=';
    }
    return cursor;
}

bool cursor_read(struct arena *arena, const char *cursor, const char **hash, const char **values)
{
    char *plain = arena_alloc(arena, strlen(cursor) + 1), *colon;
    unsigned bits = 0;
    size_t count = 0, length = 0;

    for (; *cursor && *cursor != '='; cursor++) {
        const char *letter = strchr(letters, *cursor);

        if (!letter)
            return false;
        bits = bits << 6 | (unsigned)(letter - letters);
        if (++count % 4 != 1)
            plain[length++] = (char)(bits >> (6 - 2 * ((count - 1) % 4)) & 0xff);
    }
    if (cursor[strspn(cursor, "=")] || !length)
        return false;
    colon = strchr(plain, ':');
    if (!colon)
        return false;
    *colon = '\0';
    *hash = plain;
    *values = colon + 1;
    return true;
}

/* Statements name columns without case. How many are there, and the first. */
static size_t find_column(const struct sandbox_answer *columns, const char *name,
                          const char **column)
{
    size_t count = 0;

    for (size_t i = 0; i < columns->column_count; i++)
        if (strcasecmp(columns->columns[i], name) == 0 && !count++)
            *column = columns->columns[i];
    return count;
}

static bool has_key(const struct page_order *order, const char *column)
{
    for (size_t i = 0; i < order->count; i++)
        if (strcmp(order->keys[i].column, column) == 0)
            return true;
    return false;
}

struct page_order page_order(struct arena *arena, const struct guard_finding *finding,
                             const struct sandbox_answer *columns)
{
    struct page_order order = {.keys =
                                   ARENA_ARRAY(arena, struct page_key, columns->column_count + 1)};

    if ((finding->ordered && !finding->order_count) || columns->column_count > KEYS_MAX)
        return (struct page_order){0};
    for (size_t i = 0; i < finding->order_count; i++) {
        const char *column = NULL;

        if (!find_column(columns, finding->order[i].column, &column))
            return (struct page_order){0};
        if (!has_key(&order, column))
            order.keys[order.count++] = (struct page_key){column, finding->order[i].descending};
    }
    for (size_t i = 0; i < columns->column_count; i++) {
        const char *column = columns->columns[i];

        if (find_column(columns, column, &column) > 1)
            return (struct page_order){0}; /* two columns of one name */
        if (!has_key(&order, column))
            order.keys[order.count++] = (struct page_key){column, false};
    }
    return order;
}

const char *page_values(struct arena *arena, const struct page_order *order,
                        const struct sandbox_answer *answer, size_t row)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, CURSOR_VALUES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < order->count; i++)
        for (size_t j = 0; j < answer->column_count; j++) {
            const struct sandbox_cell *cell = &answer->cells[row * answer->column_count + j];

            if (strcmp(answer->columns[j], order->keys[i].column) != 0)
                continue;
            if (cell->exact)
                writer_string(&writer, cell->exact);
            else if (cell->kind == SANDBOX_INTEGER)
                writer_integer(&writer, cell->integer);
            else if (cell->kind == SANDBOX_NUMBER)
                writer_number(&writer, cell->number);
            else if (cell->kind == SANDBOX_TEXT)
                writer_string(&writer, cell->text);
            else
                writer_null(&writer);
        }
    writer_close_array(&writer);
    return text.overflowed ? NULL : text.bytes;
}

static void put_column(struct text *sql, const char *column)
{
    text_append_string(sql, "page.\"");
    for (; *column; column++) {
        text_append_byte(sql, *column);
        if (*column == '"')
            text_append_byte(sql, '"');
    }
    text_append_byte(sql, '"');
}

static void put_text(struct text *sql, enum db_engine engine, const char *value)
{
    static const char harmless[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:+ ";
    static const char sqlite[] = "CAST(x'", sqlite_end[] = "' AS TEXT)",
                      postgres[] = "convert_from(decode('", postgres_end[] = "', 'hex'), 'UTF8')";

    if (strspn(value, harmless) == strlen(value)) {
        text_append_format(sql, "'%s'", value);
        return;
    }
    text_append_string(sql, engine == DB_SQLITE ? sqlite : postgres);
    for (; *value; value++)
        text_append_format(sql, "%02x", (unsigned)(unsigned char)*value);
    text_append_string(sql, engine == DB_SQLITE ? sqlite_end : postgres_end);
}

static void put_value(struct text *sql, enum db_engine engine, const json_t *value)
{
    char number[NUMBER_TEXT_MAX];

    if (json_is_integer(value)) {
        text_append_format(sql, "%lld", (long long)json_integer_value(value));
    } else if (json_is_number(value)) {
        number_format(json_number_value(value), number);
        text_append_string(sql, number);
    } else {
        put_text(sql, engine, json_string_value(value));
    }
}

/* The key is greater than the value, or equal to it; NULL keys come last. */
static void put_after(struct text *sql, enum db_engine engine, const struct page_key *key,
                      const json_t *value)
{
    if (json_is_null(value)) {
        text_append_string(sql, "1 = 0");
        return;
    }
    text_append_byte(sql, '(');
    put_column(sql, key->column);
    text_append_string(sql, key->descending ? " < " : " > ");
    put_value(sql, engine, value);
    text_append_string(sql, " OR ");
    put_column(sql, key->column);
    text_append_string(sql, " IS NULL)");
}

static void put_same(struct text *sql, enum db_engine engine, const struct page_key *key,
                     const json_t *value)
{
    put_column(sql, key->column);
    text_append_string(sql, json_is_null(value) ? " IS NULL" : " = ");
    if (!json_is_null(value))
        put_value(sql, engine, value);
}

static void put_condition(struct text *sql, enum db_engine engine, const struct page_order *order,
                          const json_t *values)
{
    static const char where[] = " WHERE ";

    text_append_string(sql, where);
    for (size_t i = 0; i < order->count; i++) {
        text_append_byte(sql, '(');
        put_after(sql, engine, &order->keys[i], json_array_get(values, i));
        if (i + 1 == order->count)
            break;
        text_append_string(sql, " OR (");
        put_same(sql, engine, &order->keys[i], json_array_get(values, i));
        text_append_string(sql, " AND ");
    }
    text_append_byte(sql, ')');
    for (size_t i = 0; i + 1 < order->count; i++)
        text_append_string(sql, "))");
}

static bool values_fit(const json_t *values, const struct page_order *order)
{
    const json_t *value;
    size_t i;

    if (!json_is_array(values) || !order->count || json_array_size(values) != order->count)
        return false;
    json_array_foreach(values, i, value)
    {
        if (!json_is_null(value) && !json_is_number(value) && !json_is_string(value))
            return false;
    }
    return true;
}

static void put_order(struct text *sql, const struct page_order *order)
{
    static const char by[] = " ORDER BY ";

    for (size_t i = 0; i < order->count; i++) {
        text_append_string(sql, i ? ", " : by);
        put_column(sql, order->keys[i].column);
        text_append_string(sql, " IS NULL, ");
        put_column(sql, order->keys[i].column);
        text_append_string(sql, order->keys[i].descending ? " DESC" : "");
    }
}

bool page_sql(struct arena *arena, enum db_engine engine, const char *sql,
              const struct page_order *order, const char *values, int64_t limit, const char **paged)
{
    static const char head[] = "SELECT * FROM (", tail[] = ") AS page", most[] = " LIMIT ";
    struct json_fault fault;
    json_t *list = NULL;
    struct text text;

    if (values &&
        (json_read(arena, values, strlen(values), 2, &list, &fault) || !values_fit(list, order)))
        return false;
    text_start(&text, arena, PAGE_SQL_MAX);
    text_append_string(&text, head);
    text_append_string(&text, sql);
    text_append_string(&text, tail);
    if (values)
        put_condition(&text, engine, order, list);
    put_order(&text, order);
    text_append_string(&text, most);
    text_append_format(&text, "%lld", (long long)limit);
    *paged = text.bytes;
    return !text.overflowed;
}
