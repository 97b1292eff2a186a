/* Fields of events: validation by kind, and the texts of faults. */
#include "livedata/events/fields.h"

#include "base/number.h"
#include "base/text.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first fault sets kind, reason, field and type; the detail lists all faults. */
bool event_fault(struct event_verdict *verdict, enum event_fault kind, const char *field,
                 const char *type, const char *detail)
{
    size_t length = strlen(verdict->detail);

    if (!verdict->count++) {
        verdict->fault = kind;
        verdict->field = field;
        verdict->type = type;
        (void)!snprintf(verdict->reason, sizeof verdict->reason, "%s: %s",
                        kind == EVENT_SEMANTIC ? "semantic" : "schema", field ? field : type);
    }
    if (length + strlen(detail) + 2 < EVENT_DETAIL_MAX)
        (void)!snprintf(verdict->detail + length, sizeof verdict->detail - length, "%s%s",
                        length ? "; " : "", detail);
    else
        verdict->left_out++;
    return false;
}

/* Counts faults that do not fit into the detail, in space reserved for the count. */
void event_count_left_out(struct event_verdict *verdict)
{
    size_t length = strlen(verdict->detail);

    if (verdict->left_out)
        (void)!snprintf(verdict->detail + length, sizeof verdict->detail - length, "; and %zu more",
                        verdict->left_out);
}

bool event_refuse(struct event_verdict *verdict, const char *field, const char *type,
                  const char *what)
{
    char detail[200];

    (void)!snprintf(detail, sizeof detail, "%s: %s", field, what);
    return event_fault(verdict, EVENT_SCHEMA, field, type, detail);
}

bool event_is_word(const char *const *words, const char *text)
{
    for (; *words; words++)
        if (strcmp(*words, text) == 0)
            return true;
    return false;
}

/* ORD-, eight digits, a dash, four digits or more. */
static bool is_order_id(const char *text)
{
    size_t tail;

    if (strncmp(text, "ORD-", 4) != 0 || strspn(text + 4, "0123456789") != 8 || text[12] != '-')
        return false;
    tail = strspn(text + 13, "0123456789");
    return tail >= 4 && !text[13 + tail];
}

/* A decimal as text or number; false when it is none, or not finite. */
bool event_decimal(const json_t *value, double *number)
{
    if (json_is_number(value))
        *number = json_number_value(value);
    else if (!json_is_string(value) || !number_parse(json_string_value(value), number))
        return false;
    return isfinite(*number) && fabs(*number) < 1e13;
}

int64_t event_cents(double amount)
{
    return (int64_t)nearbyint(number_round(amount, 2) * 100);
}

bool event_two_decimals(double amount)
{
    return fabs(amount * 100 - nearbyint(amount * 100)) < 1e-6 * fmax(1, fabs(amount));
}

bool event_timestamp(const json_t *value, int64_t *timestamp)
{
    double number;

    if (json_is_string(value))
        return timestamp_parse(json_string_value(value), timestamp);
    if (!json_is_number(value))
        return false;
    number = json_number_value(value);
    if (!(number >= 0 && number < 1e16))
        return false;
    *timestamp = llround(number * (number < 1e11 ? 1e6 : number < 1e14 ? 1e3 : 1));
    return true;
}

static bool check_text(const struct event_field *field, const char *text,
                       struct event_verdict *verdict)
{
    if (field->kind == WORD_FIELD && !event_is_word(field->words, text))
        return event_refuse(verdict, field->name, "enum", "not one of its words");
    if (field->kind == ORDER_ID_FIELD && !is_order_id(text))
        return event_refuse(verdict, field->name, "string_pattern_mismatch",
                            "must look like ORD-20260404-1001");
    if (!*text && field->required && strcmp(field->name, "session_id") != 0)
        return event_refuse(verdict, field->name, "string_too_short", "must not be empty");
    if (field->longest && utf8_count(text) > field->longest)
        return event_refuse(verdict, field->name, "string_too_long", "is too long");
    return true;
}

static bool check_number(const struct event_field *field, const json_t *value,
                         struct event_verdict *verdict)
{
    double number;

    if (!event_decimal(value, &number))
        return event_refuse(verdict, field->name, "decimal_parsing", "is no number");
    if (field->kind == COUNT_FIELD && (number < 0 || number != floor(number) || number > 1e15))
        return event_refuse(verdict, field->name, "int_parsing", "must be a whole number from 0");
    if (field->kind == MONEY_FIELD && (field->inclusive ? number < 0 : number <= 0))
        return event_refuse(verdict, field->name,
                            field->inclusive ? "greater_than_equal" : "greater_than",
                            field->inclusive ? "must not be negative" : "must be greater than 0");
    if (field->most != 0 && number > field->most)
        return event_refuse(verdict, field->name, "less_than_equal", "is too large");
    return true;
}

static bool check_field(const json_t *payload, const struct event_field *field,
                        struct event_verdict *verdict)
{
    const json_t *value = json_object_get(payload, field->name);
    int64_t timestamp;

    if (!value || (json_is_null(value) && !field->nullable)) {
        if (field->required || value)
            return event_refuse(verdict, field->name, "missing", "field required");
        return true;
    }
    if (json_is_null(value))
        return true;
    switch (field->kind) {
    case TIME_FIELD:
        return event_timestamp(value, &timestamp)
                   ? true
                   : event_refuse(verdict, field->name, "datetime_parsing", "is no time");
    case BIT_FIELD:
        if (json_is_integer(value) &&
            (json_integer_value(value) == 0 || json_integer_value(value) == 1))
            return true;
        /* fall through */
    case FLAG_FIELD:
        return json_is_boolean(value)
                   ? true
                   : event_refuse(verdict, field->name, "bool_type", "must be true or false");
    case MONEY_FIELD:
    case COUNT_FIELD:
        return check_number(field, value, verdict);
    default:
        return json_is_string(value)
                   ? check_text(field, json_string_value(value), verdict)
                   : event_refuse(verdict, field->name, "string_type", "must be text");
    }
}

bool event_check_fields(const json_t *payload, const struct event_field *fields, size_t count,
                        struct event_verdict *verdict)
{
    bool good = true;

    for (size_t i = 0; i < count; i++)
        good &= check_field(payload, &fields[i], verdict);
    return good;
}
