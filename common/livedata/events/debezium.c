/* Change data as Debezium writes it, with its schema or without: `op`, `before`, `after`, `source`.
 * It becomes an event of the entity whose file names the source's table. */
#include "livedata/events/debezium.h"

#include "base/text.h"
#include "crypto/digest.h"
#include "livedata/events/fields.h"
#include "livedata/events/own.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>

enum { SOURCE_MAX = 8000 };

/* About the year 9999, and as far back: what a time can be written as. */
#define TIME_MOST INT64_C(253402300800000000)

static const json_t *body_of(const json_t *payload)
{
    const json_t *inner = json_object_get(payload, "payload");

    return json_is_object(inner) && json_object_get(payload, "schema") ? inner : payload;
}

bool event_is_debezium(const json_t *payload)
{
    const json_t *body = body_of(payload);

    return json_is_string(json_object_get(body, "op")) &&
           json_is_object(json_object_get(body, "source")) && !json_object_get(body, "event_type");
}

/* The entity whose file names the table, alone or with its schema or database before it. */
static const struct entity_type *type_of(struct arena *arena, const struct catalog *catalog,
                                         const json_t *source)
{
    const char *table = json_string_value(json_object_get(source, "table"));
    const char *schema = json_string_value(json_object_get(source, "schema"));
    const char *whole;

    if (!table)
        return NULL;
    if (!schema)
        schema = json_string_value(json_object_get(source, "db"));
    whole = arena_print(arena, "%s.%s", schema ? schema : "", table);
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct own_entity *own = catalog->entities[i].table->own;

        if (own && own->source_table &&
            (strcmp(own->source_table, table) == 0 || strcmp(own->source_table, whole) == 0))
            return &catalog->entities[i];
    }
    return NULL;
}

/* Microseconds: of the change in the source, else of its being read. */
static bool time_of(const json_t *body, const json_t *source, const struct event_rules *rules,
                    int64_t *at, struct event_verdict *verdict)
{
    static const char from_1970[] = "is a time from 1970 on";
    const int64_t latest = rules->now + rules->ahead_seconds * us_per_second;
    const json_t *us = json_object_get(source, "ts_us"), *ms = json_object_get(source, "ts_ms");

    if (!ms)
        ms = json_object_get(body, "ts_ms");
    if (!json_is_integer(us) && !json_is_integer(ms))
        return event_refuse(verdict, "source.ts_ms", "missing", "field required");
    *at = json_integer_value(json_is_integer(us) ? us : ms);
    if (*at < 0)
        return event_refuse(verdict, "source.ts_ms", "value_error", from_1970);
    if (*at > (json_is_integer(us) ? latest : latest / 1000))
        return event_refuse(verdict, "source.ts_ms", "value_error", "lies in the future");
    *at *= json_is_integer(us) ? 1 : 1000;
    return true;
}

const json_t *debezium_field(const json_t *fields, const char *name)
{
    const json_t *field;
    size_t i;

    json_array_foreach(fields, i, field)
    {
        const char *own = json_string_value(json_object_get(field, "field"));

        if (own && strcmp(own, name) == 0)
            return field;
    }
    return NULL;
}

/* Microseconds of one, or -1000 for nanoseconds; 0 = the type is no time as a number. */
static int64_t unit_of(const char *type)
{
    static const struct {
        const char *name;
        int64_t unit;
    } types[] = {{"io.debezium.time.Date", INT64_C(86400000000)},
                 {"org.apache.kafka.connect.data.Date", INT64_C(86400000000)},
                 {"io.debezium.time.Timestamp", 1000},
                 {"org.apache.kafka.connect.data.Timestamp", 1000},
                 {"io.debezium.time.MicroTimestamp", 1},
                 {"io.debezium.time.NanoTimestamp", -1000}};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].unit;
    return 0;
}

/* Days, seconds, and milliseconds before 1973 could each be another. */
static int64_t unit_by_size(int64_t number)
{
    static const int64_t from = INT64_C(100000000000), until = INT64_C(4102444800000);

    return number >= from && number < until                 ? 1000
           : number >= from * 1000 && number < until * 1000 ? 1
                                                            : 0;
}

bool debezium_time(const json_t *fields, const char *member, const json_t *value, int64_t *time)
{
    const char *type = json_string_value(json_object_get(debezium_field(fields, member), "name"));
    int64_t number = json_integer_value(value), unit;

    if (json_is_string(value))
        return timestamp_parse(json_string_value(value), time);
    if (!json_is_integer(value))
        return false;
    unit = type ? unit_of(type) : unit_by_size(number);
    if (unit == -1000)
        *time = number / 1000;
    else if (!unit || __builtin_mul_overflow(number, unit, time))
        return false;
    return *time > -TIME_MOST && *time < TIME_MOST;
}

/* The same change has the same id, however often it is delivered. */
static const char *id_of(struct arena *arena, const json_t *source, const char *op, const char *key)
{
    char digest[DIGEST_SHA256_TEXT];
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, SOURCE_MAX);
    writer_start(&writer, &text);
    writer_value_sorted(&writer, source);
    text_append_format(&text, " %s %s", op, key);
    digest_sha256_hex(text.bytes, text.length, digest);
    return arena_print(arena, "%.8s-%.4s-%.4s-%.4s-%.12s", digest, digest + 8, digest + 12,
                       digest + 16, digest + 20);
}

/* The position in the source's log orders changes of the same time. */
static int64_t version_of(const json_t *source)
{
    static const char *const members[] = {"lsn", "pos", "ts_ns"};

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const json_t *value = json_object_get(source, members[i]);

        if (json_is_integer(value) && json_integer_value(value) >= 0)
            return json_integer_value(value);
    }
    return 0;
}

bool event_read_debezium(struct arena *arena, const json_t *payload,
                         const struct event_rules *rules, struct event *event,
                         struct event_verdict *verdict)
{
    const json_t *body = body_of(payload), *source = json_object_get(body, "source");
    const char *op = json_string_value(json_object_get(body, "op"));
    const char *name = json_string_value(json_object_get(source, "name"));
    const struct entity_type *type = type_of(arena, rules->catalog, source);
    bool removes = strcmp(op, "d") == 0;
    const json_t *row = json_object_get(body, removes ? "before" : "after");
    struct event_mapping mapping;
    bool good;

    event->source = arena_copy_string(arena, name && strlen(name) <= 64 ? name : "debezium");
    event->type = "change";
    if (!type && rules->catalog->whole && (type = type_of(arena, rules->catalog->whole, source)))
        return event_fault(
            verdict, EVENT_SCHEMA, "source.table", "domain_not_listed",
            arena_print(arena, "changes of %s are of the domain %s, which the tenant does not list",
                        type->name, type->domain->name));
    if (!type)
        return event_refuse(verdict, "source.table", "literal_error",
                            "is no table that the file of an entity names (changes: {table: …})");
    if (strlen(op) != 1 || !strchr("crud", *op))
        return event_refuse(verdict, "op", "literal_error", "is c, r, u or d");
    if (!json_is_object(row))
        return event_refuse(verdict, removes ? "before" : "after", "dict_type",
                            "must be the row; a deletion needs its key at least");
    if (!time_of(body, source, rules, &event->at, verdict))
        return false;
    event->type = arena_print(arena, "%s.%s", type->name,
                              removes      ? "deleted"
                              : *op == 'r' ? "snapshot"
                                           : "changed");
    mapping = type->table->own->changes;
    mapping.row_fields = json_object_get(
        debezium_field(json_object_get(json_object_get(payload, "schema"), "fields"),
                       removes ? "before" : "after"),
        "fields");
    mapping.action = removes ? MAPPING_DELETE : MAPPING_INSERT;
    if (removes)
        mapping.column_count = 0;
    good = event_read_own(arena, row, &mapping, type, event, verdict);
    if (!good || !event->entity_id)
        return false;
    event->id = id_of(arena, source, op, event->entity_id);
    event_set_version(arena, event, version_of(source));
    return true;
}
