/* Decides whether a text is what schema_write() makes of some struct, in one pass along the tables,
 * without memory. Each function returns the position after the element it matches, or NULL when the
 * element is not there; NULL in gives NULL. */
#include "base/schema.h"

#include <ctype.h>
#include <string.h>

static const char *after_byte(const char *at, char byte)
{
    return at && *at == byte ? at + 1 : NULL;
}

static const char *after_word(const char *at, const char *word)
{
    size_t length = strlen(word);

    return at && strncmp(at, word, length) == 0 ? at + length : NULL;
}

/* `at` is the byte after the backslash. */
static const char *after_escape(const char *at)
{
    if (*at != 'u')
        return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : NULL;
    for (int i = 1; i <= 4; i++)
        if (!isxdigit((unsigned char)at[i]))
            return NULL;
    return at + 5;
}

static const char *after_string(const char *at)
{
    at = after_byte(at, '"');
    while (at && *at != '"') {
        if ((unsigned char)*at < 0x20)
            return NULL;
        at = *at == '\\' ? after_escape(at + 1) : at + 1;
    }
    return at ? at + 1 : NULL;
}

static const char *after_digits(const char *at)
{
    size_t count = at ? strspn(at, "0123456789") : 0;

    return count ? at + count : NULL;
}

/* A number as the writer writes it: 5 for an integer, 5.0 for a number, either if `plain` is
 * set. */
static const char *after_number(const char *at, bool integer, bool plain)
{
    bool whole = true;

    at += *at == '-';
    if (*at == '0' && isdigit((unsigned char)at[1]))
        return NULL;
    at = after_digits(at);
    if (at && *at == '.') {
        whole = false;
        at = after_digits(at + 1);
    }
    if (at && *at == 'e') {
        whole = false;
        at = after_digits(at + 1 + (at[1] == '-' || at[1] == '+'));
    }
    return whole == integer || plain ? at : NULL;
}

static const char *after_choice(const char *at, const struct field *field)
{
    at = after_byte(at, '"');
    for (size_t i = 0; at && i < field->choice_count; i++) {
        size_t length = strlen(field->choices[i]);

        if (strncmp(at, field->choices[i], length) == 0 && at[length] == '"')
            return at + length + 1;
    }
    return NULL;
}

static const char *after_object(const char *at, const struct schema *schema);

static const char *after_item(const char *at, const struct field *field)
{
    switch (field->type) {
    case FIELD_STRINGS:
        return after_string(at);
    case FIELD_INTEGERS:
        return after_number(at, true, false);
    case FIELD_NUMBERS:
        return after_number(at, false, field->integer_ok);
    case FIELD_OBJECTS:
        return after_object(at, field->schema);
    default:
        return NULL; /* a value of any type has to be parsed */
    }
}

static const char *after_list(const char *at, const struct field *field)
{
    at = after_byte(at, '[');
    if (at && *at == ']')
        return at + 1;
    while (at) {
        at = after_item(at, field);
        if (!at || *at != ',')
            break;
        at++;
    }
    return after_byte(at, ']');
}

static const char *after_value(const char *at, const struct field *field)
{
    if (*at == 'n')
        return field->nullable ? after_word(at, "null") : NULL;
    switch (field->type) {
    case FIELD_STRING:
        return after_string(at);
    case FIELD_INTEGER:
        return after_number(at, true, false);
    case FIELD_NUMBER:
        return after_number(at, false, field->integer_ok);
    case FIELD_BOOLEAN:
        return after_word(at, *at == 't' ? "true" : "false");
    case FIELD_CHOICE:
        return after_choice(at, field);
    case FIELD_OBJECT:
        return after_object(at, field->schema);
    default:
        return after_list(at, field);
    }
}

static const char *after_key(const char *at, const char *name, bool first)
{
    at = first ? at : after_byte(at, ',');
    return after_word(after_word(after_byte(at, '"'), name), "\":");
}

static const char *after_object(const char *at, const struct schema *schema)
{
    bool first = true;

    at = after_byte(at, '{');
    for (size_t i = 0; at && i < schema->field_count; i++) {
        const struct field *field = &schema->fields[i];
        const char *value = field->internal ? NULL : after_key(at, field->name, first);

        if (!value && (field->omit_if_null || field->internal))
            continue;
        first = false;
        at = value ? after_value(value, field) : NULL;
    }
    return after_byte(at, '}');
}

bool schema_is_text_of(const struct schema *schema, const char *text)
{
    const char *end = after_object(text, schema);
    size_t length = end ? (size_t)(end - text) : 0;

    return end && !*end && utf8_valid_prefix(text, length) == length;
}
