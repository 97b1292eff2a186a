/* Values of the current row, with the type the caller expects or an error that sticks. */
#include "db/db_internal.h"

#include "base/number.h"

#include <string.h>

static const char *const kind_names[] = {"null", "an integer", "a number",  "a text",
                                         "JSON", "a blob",     "a decimal", "of another type"};

/* The value of `column`; false after an error. */
static bool fetch(struct query *query, int column, struct value *value)
{
    *value = (struct value){.null = true, .bytes = ""};
    if (query->state != QUERY_ROW) {
        if (query->state != QUERY_FAILED)
            query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                                          "column %d was read without a row", column));
        return false;
    }
    if (column < 0 || column >= query->db->engine->columns(query)) {
        query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "column_type",
                                      "there is no column %d", column));
        return false;
    }
    query->db->engine->column(query, column, value);
    return true;
}

void query_value(struct query *query, int column, struct value *value)
{
    (void)fetch(query, column, value);
}

static void wrong_type(struct query *query, int column, const struct value *value,
                       const char *expected)
{
    query_fail(query,
               problem_set(&query->problem, ERROR_SYSTEM, "column_type", "column %d is %s, not %s",
                           column, kind_names[value->kind], expected));
}

static void unexpected_null(struct query *query, int column)
{
    query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "unexpected_null",
                                  "column %d is null", column));
}

bool query_is_null(struct query *query, int column)
{
    struct value value;

    return fetch(query, column, &value) && value.null;
}

struct optional_integer query_optional_integer(struct query *query, int column)
{
    struct optional_integer integer = {0};
    struct value value;

    if (!fetch(query, column, &value) || value.null)
        return integer;
    integer.value = value.integer;
    integer.given = value.kind == VALUE_INTEGER ||
                    (value.kind == VALUE_DECIMAL && integer_parse(value.bytes, &integer.value));
    if (!integer.given) {
        wrong_type(query, column, &value, "an integer of 64 bits");
        integer.value = 0;
    }
    return integer;
}

struct optional_number query_optional_number(struct query *query, int column)
{
    struct optional_number number = {0};
    struct value value;

    if (!fetch(query, column, &value) || value.null)
        return number;
    number.given = true;
    if (value.kind == VALUE_INTEGER)
        number.value = (double)value.integer;
    else if (value.kind == VALUE_NUMBER)
        number.value = value.number;
    else
        number.given = value.kind == VALUE_DECIMAL && number_parse(value.bytes, &number.value);
    if (!number.given) {
        wrong_type(query, column, &value, "a finite number");
        number.value = 0;
    }
    return number;
}

int64_t query_integer(struct query *query, int column)
{
    struct optional_integer integer = query_optional_integer(query, column);

    if (!integer.given && query->state == QUERY_ROW)
        unexpected_null(query, column);
    return integer.value;
}

double query_number(struct query *query, int column)
{
    struct optional_number number = query_optional_number(query, column);

    if (!number.given && query->state == QUERY_ROW)
        unexpected_null(query, column);
    return number.value;
}

bool query_boolean(struct query *query, int column)
{
    int64_t integer = query_integer(query, column);

    if (integer != 0 && integer != 1)
        query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "column_type",
                                      "column %d is neither 0 nor 1", column));
    return integer == 1;
}

/* SQLite keeps JSON as text, so there the two cannot be told apart. */
static bool kind_fits(const struct query *query, enum value_kind actual, enum value_kind wanted)
{
    return actual == wanted ||
           (actual == VALUE_TEXT && wanted == VALUE_JSON && query->db->target.engine == DB_SQLITE);
}

static const char *copy_or_null(struct query *query, int column, enum value_kind kind,
                                struct arena *arena)
{
    struct value value;

    if (!fetch(query, column, &value) || value.null)
        return NULL;
    if (!kind_fits(query, value.kind, kind)) {
        wrong_type(query, column, &value, kind_names[kind]);
        return NULL;
    }
    return arena_copy(arena, value.bytes, value.length);
}

static const char *copy(struct query *query, int column, enum value_kind kind, struct arena *arena)
{
    const char *text = copy_or_null(query, column, kind, arena);

    if (!text && query->state == QUERY_ROW)
        unexpected_null(query, column);
    return text ? text : "";
}

const char *query_text(struct query *query, int column, struct arena *arena)
{
    return copy(query, column, VALUE_TEXT, arena);
}

const char *query_text_or_null(struct query *query, int column, struct arena *arena)
{
    return copy_or_null(query, column, VALUE_TEXT, arena);
}

const char *query_json(struct query *query, int column, struct arena *arena)
{
    return copy(query, column, VALUE_JSON, arena);
}

const char *query_json_or_null(struct query *query, int column, struct arena *arena)
{
    return copy_or_null(query, column, VALUE_JSON, arena);
}

struct query_bytes query_bytes(struct query *query, int column)
{
    struct value value;

    if (!fetch(query, column, &value) || value.null)
        return (struct query_bytes){0};
    if (value.kind != VALUE_TEXT && value.kind != VALUE_JSON && value.kind != VALUE_BLOB) {
        wrong_type(query, column, &value, "bytes");
        return (struct query_bytes){0};
    }
    return (struct query_bytes){value.bytes, value.length};
}
