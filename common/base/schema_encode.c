/* Writes a C struct as JSON by its schema, and the schema itself as JSON Schema (2020-12, as
 * OpenAPI 3.1 uses it). */
#include "base/number.h"
#include "base/schema.h"
#include "base/timestamp.h"

#include <math.h>

static void write_number(struct json_writer *writer, const struct field *field, double value)
{
    if (field->rounded)
        value = number_round_figure(value, field->decimals);
    if (field->integer_ok && floor(value) == value && fabs(value) < 0x1p53)
        writer_integer(writer, (int64_t)value);
    else
        writer_number(writer, value);
}

static void write_items(struct json_writer *writer, const struct field *field,
                        const struct object_list *list)
{
    writer_open_array(writer);
    for (size_t i = 0; i < list->count; i++) {
        switch (field->type) {
        case FIELD_BOOLEANS:
            writer_boolean(writer, ((const bool *)list->items)[i]);
            break;
        case FIELD_STRINGS:
            writer_string(writer, ((const char *const *)list->items)[i]);
            break;
        case FIELD_INTEGERS:
            writer_integer(writer, ((const int64_t *)list->items)[i]);
            break;
        case FIELD_NUMBERS:
            write_number(writer, field, ((const double *)list->items)[i]);
            break;
        case FIELD_LISTS:
            write_items(writer, field->item, (const struct object_list *)list->items + i);
            break;
        default:
            schema_write(writer, field->schema,
                         (const char *)list->items + i * field->schema->size);
        }
    }
    writer_close_array(writer);
}

static void write_scalar(struct json_writer *writer, const struct field *field, const void *member)
{
    const struct optional_number *number = member;
    const struct optional_integer *integer = member;
    const struct optional_boolean *boolean = member;

    if (field->type == FIELD_NUMBER) {
        if (!field->nullable)
            write_number(writer, field, *(const double *)member);
        else if (number->given)
            write_number(writer, field, number->value);
        else
            writer_null(writer);
    } else if (field->type == FIELD_INTEGER) {
        if (!field->nullable)
            writer_integer(writer, *(const int64_t *)member);
        else if (integer->given)
            writer_integer(writer, integer->value);
        else
            writer_null(writer);
    } else if (!field->nullable) {
        writer_boolean(writer, *(const bool *)member);
    } else if (boolean->given) {
        writer_boolean(writer, boolean->value);
    } else {
        writer_null(writer);
    }
}

static void write_time(struct json_writer *writer, const struct field *field, const void *member)
{
    const struct optional_integer *optional = member;
    int64_t time = field->nullable ? optional->value : *(const int64_t *)member;
    char text[CLOCK_TEXT_MAX];

    if (field->nullable ? !optional->given : !time) {
        writer_null(writer);
        return;
    }
    if (field->time == TIME_Z || field->time == TIME_Z_SECONDS)
        timestamp_to_z(time, field->time == TIME_Z, text);
    else
        clock_format(time, text);
    if (field->time == TIME_SHORT_OFFSET && time % 1000000 == 0)
        writer_string(writer, arena_print(writer->out->arena, "%.19s+00:00", text));
    else
        writer_string(writer, text);
}

static void write_value(struct json_writer *writer, const struct field *field, const void *member)
{
    const void *object;
    const struct object_list *list = member;
    const struct schema_variant *variant;
    int choice;

    switch (field->type) {
    case FIELD_STRING:
        writer_string(writer, *(const char *const *)member);
        break;
    case FIELD_INTEGER:
    case FIELD_NUMBER:
    case FIELD_BOOLEAN:
        write_scalar(writer, field, member);
        break;
    case FIELD_CHOICE:
        choice = *(const int *)member;
        writer_string(writer, choice < 0 ? NULL : field->choices[choice]);
        break;
    case FIELD_OBJECT:
        object = *(const void *const *)member;
        if (object && field->written)
            writer_raw(writer, object);
        else if (object)
            schema_write(writer, field->schema, object);
        else
            writer_null(writer);
        break;
    case FIELD_MOMENT:
        write_time(writer, field, member);
        break;
    case FIELD_VARIANT:
        variant = member;
        if (variant->object)
            schema_write(writer, variant->schema, variant->object);
        else
            writer_null(writer);
        break;
    case FIELD_JSON:
    case FIELD_JSON_OBJECT:
    case FIELD_JSON_OBJECTS:
        object = *(const void *const *)member;
        if (object && field->written)
            writer_raw(writer, object);
        else if (object)
            writer_value(writer, object);
        else
            writer_null(writer);
        break;
    default:
        if (field->nullable && !list->items)
            writer_null(writer);
        else
            write_items(writer, field, list);
    }
}

/* Whether a member is null or absent. */
static bool is_absent(const struct field *field, const void *member)
{
    switch (field->type) {
    case FIELD_INTEGER:
        return field->nullable && !((const struct optional_integer *)member)->given;
    case FIELD_NUMBER:
        return field->nullable && !((const struct optional_number *)member)->given;
    case FIELD_BOOLEAN:
        return field->nullable && !((const struct optional_boolean *)member)->given;
    case FIELD_CHOICE:
        return *(const int *)member < 0;
    case FIELD_MOMENT:
        return field->nullable ? !((const struct optional_integer *)member)->given
                               : !*(const int64_t *)member;
    case FIELD_VARIANT:
        return !((const struct schema_variant *)member)->object;
    case FIELD_STRING:
    case FIELD_OBJECT:
    case FIELD_JSON:
    case FIELD_JSON_OBJECT:
    case FIELD_JSON_OBJECTS:
        return !*(const void *const *)member;
    default: /* a nullable list is absent when null, other lists when empty */
        return field->nullable ? !((const struct object_list *)member)->items
                               : !((const struct object_list *)member)->count;
    }
}

void schema_write(struct json_writer *writer, const struct schema *schema, const void *object)
{
    writer_open_object(writer);
    for (size_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].internal ||
            (schema->fields[i].omit_if_null &&
             is_absent(&schema->fields[i], (const char *)object + schema->fields[i].offset)))
            continue;
        writer_key(writer, schema->fields[i].name);
        write_value(writer, &schema->fields[i], (const char *)object + schema->fields[i].offset);
    }
    writer_close_object(writer);
}

const char *schema_json(struct arena *arena, size_t most, const struct schema *schema,
                        const void *object)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, most);
    writer_start(&writer, &text);
    schema_write(&writer, schema, object);
    return text.overflowed ? NULL : text.bytes;
}

/* "type": "number", or "type": ["number", "null"]. */
static void describe_type(struct json_writer *writer, const char *type, bool nullable)
{
    writer_key(writer, "type");
    if (!nullable) {
        writer_string(writer, type);
        return;
    }
    writer_open_array(writer);
    writer_string(writer, type);
    writer_string(writer, "null");
    writer_close_array(writer);
}

static void describe_bound(struct json_writer *writer, struct bound bound, const char *inclusive,
                           const char *exclusive)
{
    if (bound.kind != BOUND_NONE)
        writer_key_number(writer, bound.kind == BOUND_INCLUSIVE ? inclusive : exclusive,
                          bound.value);
}

static void describe_number(struct json_writer *writer, const struct field *field, bool integer,
                            bool nullable)
{
    describe_type(writer, integer ? "integer" : "number", nullable);
    describe_bound(writer, field->lower, "minimum", "exclusiveMinimum");
    describe_bound(writer, field->upper, "maximum", "exclusiveMaximum");
}

const char *schema_component_name(const struct schema *schema, bool reply, struct arena *arena)
{
    return schema->complete && !reply ? arena_print(arena, "%sInput", schema->name) : schema->name;
}

static void describe_reference(struct json_writer *writer, const struct schema *schema, bool reply)
{
    struct arena *arena = writer->out->arena;

    writer_key_string(
        writer, "$ref",
        arena_print(arena, "#/components/schemas/%s", schema_component_name(schema, reply, arena)));
}

static void describe_length(struct json_writer *writer, const struct field *field,
                            const char *minimum, const char *maximum)
{
    if (field->min_length)
        writer_key_integer(writer, minimum, (int64_t)field->min_length);
    if (field->max_length)
        writer_key_integer(writer, maximum, (int64_t)field->max_length);
}

static void describe_choice(struct json_writer *writer, const struct field *field)
{
    describe_type(writer, "string", field->nullable);
    writer_key(writer, "enum");
    writer_open_array(writer);
    for (size_t i = 0; i < field->choice_count; i++)
        writer_string(writer, field->choices[i]);
    if (field->nullable)
        writer_null(writer);
    writer_close_array(writer);
}

static void describe_list(struct json_writer *writer, const struct field *field, bool reply)
{
    describe_type(writer, "array", field->nullable);
    describe_length(writer, field, "minItems", "maxItems");
    writer_key(writer, "items");
    writer_open_object(writer);
    if (field->type == FIELD_OBJECTS)
        describe_reference(writer, field->schema, reply);
    else if (field->type == FIELD_LISTS)
        describe_list(writer, field->item, reply);
    else if (field->type == FIELD_BOOLEANS)
        describe_type(writer, "boolean", false);
    else if (field->type == FIELD_STRINGS)
        describe_type(writer, "string", false);
    else
        describe_number(writer, field, field->type == FIELD_INTEGERS, field->null_items);
    writer_close_object(writer);
}

static void describe_variant(struct json_writer *writer, const struct field *field, bool reply)
{
    writer_key(writer, "anyOf");
    writer_open_array(writer);
    for (size_t i = 0; field->variants[i]; i++) {
        writer_open_object(writer);
        describe_reference(writer, field->variants[i], reply);
        writer_close_object(writer);
    }
    if (field->nullable)
        writer_raw(writer, "{\"type\":\"null\"}");
    writer_close_array(writer);
}

static void describe_object(struct json_writer *writer, const struct field *field, bool reply)
{
    if (!field->nullable) {
        describe_reference(writer, field->schema, reply);
        return;
    }
    writer_key(writer, "anyOf");
    writer_open_array(writer);
    writer_open_object(writer);
    describe_reference(writer, field->schema, reply);
    writer_close_object(writer);
    writer_open_object(writer);
    describe_type(writer, "null", false);
    writer_close_object(writer);
    writer_close_array(writer);
}

static void describe_default(struct json_writer *writer, const struct field *field)
{
    if (field->type == FIELD_STRING && field->default_text)
        writer_key_string(writer, "default", field->default_text);
    if (field->nullable && !field->default_unless_null)
        return;
    if (field->type == FIELD_NUMBER)
        writer_key_number(writer, "default", field->default_value);
    else if (field->type == FIELD_INTEGER)
        writer_key_integer(writer, "default", (int64_t)field->default_value);
    else if (field->type == FIELD_BOOLEAN)
        writer_key_boolean(writer, "default", field->default_value != 0);
    else if (field->type == FIELD_CHOICE)
        writer_key_string(writer, "default", field->choices[(size_t)field->default_value]);
}

static void describe_members(struct json_writer *writer, const struct field *field, bool reply,
                             bool required)
{
    switch (field->type) {
    case FIELD_STRING:
        describe_type(writer, "string", field->nullable);
        describe_length(writer, field, "minLength", "maxLength");
        break;
    case FIELD_INTEGER:
    case FIELD_NUMBER:
        describe_number(writer, field, field->type == FIELD_INTEGER, field->nullable);
        break;
    case FIELD_BOOLEAN:
        describe_type(writer, "boolean", field->nullable);
        break;
    case FIELD_CHOICE:
        describe_choice(writer, field);
        break;
    case FIELD_OBJECT:
        describe_object(writer, field, reply);
        break;
    case FIELD_VARIANT:
        describe_variant(writer, field, reply);
        break;
    case FIELD_MOMENT:
        if (!reply)
            break; /* text or a number */
        describe_type(writer, "string", field->nullable || field->zero_is_null);
        writer_key_string(writer, "format", "date-time");
        break;
    case FIELD_JSON:
        break; /* anything */
    case FIELD_JSON_OBJECT:
        describe_type(writer, "object", field->nullable);
        break;
    case FIELD_JSON_OBJECTS:
        describe_type(writer, "array", field->nullable);
        writer_key(writer, "items");
        writer_raw(writer, "{\"type\":\"object\"}");
        break;
    default:
        describe_list(writer, field, reply);
    }
    if (!required)
        describe_default(writer, field);
    if (field->help)
        writer_key_string(writer, "description", field->help);
}

void schema_describe_field(struct json_writer *writer, const struct field *field)
{
    writer_open_object(writer);
    describe_members(writer, field, false, field->required);
    writer_close_object(writer);
}

static bool is_required(const struct schema *schema, const struct field *field, bool reply)
{
    return (reply && !field->omit_if_null) || field->required ||
           (schema->complete && !field->nullable && !field->optional);
}

static void describe_required(struct json_writer *writer, const struct schema *schema, bool reply)
{
    writer_key(writer, "required");
    writer_open_array(writer);
    for (size_t i = 0; i < schema->field_count; i++)
        if (!schema->fields[i].internal && is_required(schema, &schema->fields[i], reply))
            writer_string(writer, schema->fields[i].name);
    writer_close_array(writer);
}

void schema_describe(struct json_writer *writer, const struct schema *schema, bool reply)
{
    writer_open_object(writer);
    describe_type(writer, "object", false);
    if (schema->help)
        writer_key_string(writer, "description", schema->help);
    describe_required(writer, schema, reply);
    writer_key(writer, "properties");
    writer_open_object(writer);
    for (size_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].internal)
            continue;
        writer_key(writer, schema->fields[i].name);
        writer_open_object(writer);
        describe_members(writer, &schema->fields[i], reply,
                         is_required(schema, &schema->fields[i], reply));
        writer_close_object(writer);
    }
    writer_close_object(writer);
    if (!schema->open && (reply || schema->extra <= EXTRA_STORED))
        writer_key_boolean(writer, "additionalProperties", false);
    if (schema->example) {
        writer_key(writer, "examples");
        writer_open_array(writer);
        writer_raw(writer, schema->example);
        writer_close_array(writer);
    }
    writer_close_object(writer);
}
