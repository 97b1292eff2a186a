/* Events of domains: key, version and values from where the mapping says. */
#include "livedata/events/own.h"

#include "base/number.h"
#include "base/string_list.h"
#include "livedata/events/debezium.h"
#include "livedata/events/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_LONGEST = 256, TEXT_LONGEST = 16000, NAME_MAX_LENGTH = 64, ID_LONGEST = 36 };

/* Times before 1970 sort as well. */
static const int64_t stamp_offset = INT64_C(4611686018427387904);

const json_t *event_member(const json_t *payload, const char *path)
{
    char name[NAME_MAX_LENGTH + 1];

    while (payload) {
        size_t length = strcspn(path, ".");

        if (length > NAME_MAX_LENGTH)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        payload = json_object_get(payload, name);
        if (!path[length])
            return payload;
        path += length + 1;
    }
    return NULL;
}

/* JSON values of a column in one form, so that equal values are equal texts. */
static const char *json_text(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, TEXT_LONGEST);
    writer_start(&writer, &text);
    writer_value_sorted(&writer, value);
    return text.overflowed ? NULL : text.bytes;
}

static bool read_text(const struct table_column *column, const char *path, const char *text,
                      struct own_value *read, struct event_verdict *verdict)
{
    char detail[160];

    if (!text)
        return event_refuse(verdict, path, "string_type", "must be text");
    if (strlen(text) > TEXT_LONGEST)
        return event_refuse(verdict, path, "string_too_long", "is too long");
    read->text = text;
    if (!column->values.count || string_list_has(&column->values, text))
        return true;
    (void)!snprintf(detail, sizeof detail, "is none of the %zu values of %s", column->values.count,
                    column->name);
    return event_refuse(verdict, path, "enum", detail);
}

static bool read_boolean(const char *path, const json_t *value, struct own_value *read,
                         struct event_verdict *verdict)
{
    if (json_is_boolean(value))
        read->integer = json_is_true(value);
    else if (json_is_integer(value) && json_integer_value(value) >= 0 &&
             json_integer_value(value) <= 1)
        read->integer = json_integer_value(value);
    else
        return event_refuse(verdict, path, "bool_type", "must be true or false");
    return true;
}

static bool read_decimal(struct arena *arena, const struct event_mapping *mapping,
                         const struct table_column *column, const char *path, const json_t *value,
                         struct own_value *read, struct event_verdict *verdict)
{
    char detail[120];

    if (!own_number_is_exact(value))
        return event_refuse(verdict, path, "decimal_parsing",
                            "has more than 15 digits, send it as a text");
    if (mapping->of_changes ? debezium_decimal(arena, mapping->row_fields, path, value,
                                               column->scale, &read->integer)
                            : own_decimal(value, column->scale, &read->integer))
        return true;
    (void)!snprintf(detail, sizeof detail,
                    column->type == COLUMN_INTEGER ? "must be a whole number"
                                                   : "must be a number with at most %d places",
                    column->scale);
    return event_refuse(verdict, path, "decimal_parsing", detail);
}

static bool read_time(const struct event_mapping *mapping, const char *path, const json_t *value,
                      struct own_value *read, struct event_verdict *verdict)
{
    if (!mapping->of_changes)
        return event_timestamp(value, &read->integer)
                   ? true
                   : event_refuse(verdict, path, "datetime_parsing", "is no time");
    return debezium_time(mapping->row_fields, path, value, &read->integer)
               ? true
               : event_refuse(verdict, path, "datetime_parsing",
                              "is no time, or a number whose unit only the schema would tell");
}

static bool read_value(struct arena *arena, const struct event_mapping *mapping,
                       const struct table_column *column, const char *path, const json_t *value,
                       struct own_value *read, struct event_verdict *verdict)
{
    *read = (struct own_value){.given = true, .null = json_is_null(value)};
    if (read->null)
        return true;
    switch (column->type) {
    case COLUMN_TEXT:
        return read_text(column, path, json_string_value(value), read, verdict);
    case COLUMN_BOOLEAN:
        return read_boolean(path, value, read, verdict);
    case COLUMN_TIME:
        return read_time(mapping, path, value, read, verdict);
    case COLUMN_JSON:
        read->text = json_text(arena, value);
        return read->text ? true : event_refuse(verdict, path, "string_too_long", "is too large");
    default:
        return read_decimal(arena, mapping, column, path, value, read, verdict);
    }
}

/* What an index cannot hold would fail the whole batch. */
static bool check_indexed(const struct own_entity *entity, size_t column, const char *path,
                          const struct own_value *read, struct event_verdict *verdict)
{
    char detail[120];

    if (!read->text || !entity->indexed[column] || strlen(read->text) <= OWN_INDEXED_TEXT_LONGEST)
        return true;
    (void)!snprintf(detail, sizeof detail, "is in an index and has at most %d bytes",
                    OWN_INDEXED_TEXT_LONGEST);
    return event_refuse(verdict, path, "string_too_long", detail);
}

/* PostgreSQL does not log large values that an update leaves as they are: Debezium writes this in
 * their place, in an array for arrays. */
static bool is_left_out(const json_t *value)
{
    const json_t *item = json_array_size(value) == 1 ? json_array_get(value, 0) : value;

    return json_is_string(item) &&
           strcmp(json_string_value(item), "__debezium_unavailable_value") == 0;
}

/* A missing column is null in an insert, and stays as it is in an upsert. */
static bool read_source(struct arena *arena, const json_t *payload,
                        const struct event_mapping *mapping, const struct column_source *source,
                        struct own_event *own, struct event_verdict *verdict)
{
    const struct table_column *column = &own->type->table->columns[source->column];
    struct own_value *read = &own->values[source->column];
    const json_t *value;

    if (!source->path) {
        read->given = own_decimal_text(source->amount, column->scale, &read->integer);
        return true;
    }
    value = event_member(payload, source->path);
    if (mapping->of_changes && is_left_out(value)) {
        *read = (struct own_value){0};
        return true;
    }
    if (source->required && (!value || json_is_null(value)))
        return event_refuse(verdict, source->path, "missing", "field required");
    if (value && !(own->action == MAPPING_COUNT && json_is_null(value)))
        return read_value(arena, mapping, column, source->path, value, read, verdict) &&
               check_indexed(own->type->table->own, source->column, source->path, read, verdict);
    *read = (struct own_value){.given = own->action == MAPPING_INSERT, .null = true};
    return true;
}

static const char *key_of(struct arena *arena, const json_t *value)
{
    char number[NUMBER_TEXT_MAX];

    if (!json_is_integer(value))
        return json_string_value(value);
    integer_format(json_integer_value(value), number);
    return arena_copy_string(arena, number);
}

static bool read_key(struct arena *arena, const json_t *payload, const char *path,
                     struct event *event, struct event_verdict *verdict)
{
    const json_t *value = event_member(payload, path);

    event->entity_id = key_of(arena, value);
    if (!value)
        return event_refuse(verdict, path, "missing", "field required");
    if (!event->entity_id || !*event->entity_id || strlen(event->entity_id) > KEY_LONGEST ||
        strchr(event->entity_id, '/')) {
        event->entity_id = NULL;
        return event_refuse(verdict, path, "string_pattern_mismatch",
                            "is the key: a text without / of 1 to 256 bytes, or a whole number");
    }
    return true;
}

static bool read_version(const json_t *payload, const char *path, struct own_event *own,
                         struct event_verdict *verdict)
{
    const json_t *value = event_member(payload, path);

    if (!value)
        return true;
    own->version = json_integer_value(value);
    if (json_is_integer(value) && own->version >= 0)
        return true;
    return event_refuse(verdict, path, "int_parsing", "must be a whole number from 0");
}

static void make_stamp(struct arena *arena, const struct event *event, struct own_event *own)
{
    own->stamp = arena_print(arena, "%019" PRIu64 " %019" PRId64 " %s",
                             (uint64_t)event->at + (uint64_t)stamp_offset, own->version, event->id);
}

bool event_read_own(struct arena *arena, const json_t *payload, const struct event_mapping *mapping,
                    const struct entity_type *type, struct event *event,
                    struct event_verdict *verdict)
{
    struct own_event *own = ARENA_NEW(arena, struct own_event);
    const json_t *corrects = json_object_get(payload, "corrects");
    bool good;

    *own = (struct own_event){.type = type,
                              .action = mapping->action,
                              .corrects = json_string_value(corrects),
                              .values =
                                  ARENA_ARRAY(arena, struct own_value, type->table->column_count)};
    event->family = EVENT_OWN;
    event->entity_type = type->name;
    event->own = own;
    good = read_key(arena, payload, mapping->key, event, verdict);
    good = read_version(payload, mapping->version, own, verdict) && good;
    if (corrects &&
        (!own->corrects || strlen(own->corrects) > ID_LONGEST || mapping->action != MAPPING_COUNT))
        good = event_refuse(verdict, "corrects", "value_error",
                            "is the event_id of an event that counts, in one of the same kind");
    for (size_t i = 0; i < mapping->column_count; i++)
        good = read_source(arena, payload, mapping, &mapping->columns[i], own, verdict) && good;
    if (event->id)
        make_stamp(arena, event, own);
    return good;
}

void event_set_version(struct arena *arena, struct event *event, int64_t version)
{
    struct own_event *own = ARENA_NEW(arena, struct own_event);

    *own = *event->own;
    own->version = version;
    make_stamp(arena, event, own);
    event->own = own;
}
