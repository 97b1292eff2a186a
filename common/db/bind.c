/* Values on their way into a statement: checked so that both engines take the same ones. */
#include "db/db_internal.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The place of the next `?`, or NULL when the query has failed already. */
static struct value *next_value(struct query *query, enum value_kind kind)
{
    struct value *value;

    if (query->state != QUERY_BINDING && query->state != QUERY_REPEATING) {
        if (query->state != QUERY_FAILED)
            query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                                          "a value after the statement has run"));
        return NULL;
    }
    if (query->bound == query->prepared->translation.parameters) {
        query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                                      "more values than parameters"));
        return NULL;
    }
    value = &query->values[query->bound++];
    *value = (struct value){.kind = kind};
    return value;
}

static void refuse(struct query *query, const char *reason, const char *what)
{
    query_fail(query, problem_set(&query->problem, ERROR_INVALID, reason, "value %d %s",
                                  query->bound, what));
}

static void bind_null(struct query *query, enum value_kind kind)
{
    struct value *value = next_value(query, kind);

    if (value)
        value->null = true;
}

/* The escape \u0000, which PostgreSQL cannot store. */
static bool holds_escaped_nul(const char *json, size_t length)
{
    const char *at = json, *end = json + length;

    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        if (end - at >= 6 && memcmp(at, "\\u0000", 6) == 0)
            return true;
        at += end - at >= 2 ? 2 : 1;
    }
    return false;
}

static void bind_text(struct query *query, enum value_kind kind, const char *bytes, size_t length)
{
    struct value *value = next_value(query, kind);

    if (!value)
        return;
    value->bytes = bytes;
    value->length = length;
    if (length > INT32_MAX / 2)
        refuse(query, "value_too_large", "is larger than a database takes");
    else if (memchr(bytes, '\0', length) ||
             (kind == VALUE_JSON && holds_escaped_nul(bytes, length)))
        refuse(query, "embedded_nul", "holds the character U+0000");
    else if (utf8_valid_prefix(bytes, length) != length)
        refuse(query, "malformed_text", "is not UTF-8");
}

void query_bind_integer(struct query *query, int64_t value)
{
    struct value *slot = next_value(query, VALUE_INTEGER);

    if (slot)
        slot->integer = value;
}

void query_bind_number(struct query *query, double value)
{
    struct value *slot = next_value(query, VALUE_NUMBER);

    if (!slot)
        return;
    slot->number = value == 0 ? 0 : value; /* SQLite does not keep the sign of zero */
    if (!isfinite(value))
        refuse(query, "not_finite", "is not a finite number");
}

void query_bind_boolean(struct query *query, bool value)
{
    query_bind_integer(query, value);
}

void query_bind_text(struct query *query, const char *text)
{
    if (text)
        bind_text(query, VALUE_TEXT, text, strlen(text));
    else
        bind_null(query, VALUE_TEXT);
}

void query_bind_bytes(struct query *query, const char *text, size_t length)
{
    if (text)
        bind_text(query, VALUE_TEXT, text, length);
    else
        bind_null(query, VALUE_TEXT);
}

void query_bind_json(struct query *query, const char *json)
{
    if (json)
        bind_text(query, VALUE_JSON, json, strlen(json));
    else
        bind_null(query, VALUE_JSON);
}

void query_bind_blob(struct query *query, const void *bytes, size_t length)
{
    struct value *value = next_value(query, VALUE_BLOB);

    if (!value)
        return;
    value->null = !bytes;
    value->bytes = bytes;
    value->length = length;
    if (length > INT32_MAX / 2)
        refuse(query, "value_too_large", "is larger than a database takes");
}

void query_bind_optional_integer(struct query *query, struct optional_integer value)
{
    if (value.given)
        query_bind_integer(query, value.value);
    else
        bind_null(query, VALUE_INTEGER);
}

void query_bind_optional_number(struct query *query, struct optional_number value)
{
    if (value.given)
        query_bind_number(query, value.value);
    else
        bind_null(query, VALUE_NUMBER);
}

void query_bind_null(struct query *query)
{
    bind_null(query, VALUE_NULL);
}
