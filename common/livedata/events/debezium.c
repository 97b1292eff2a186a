/* Change data as Debezium writes it, with its schema or without: `op`, `before`, `after`, `source`.
 * It becomes an event of the entity whose file names the source's table. */
#include "livedata/events/debezium.h"

#include "base/text.h"
#include "crypto/digest.h"
#include "livedata/events/fields.h"
#include "livedata/events/own.h"

#include <stdio.h>
#include <string.h>

enum { SOURCE_MAX = 8000 };

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
static bool time_of(const json_t *body, const json_t *source, int64_t *at)
{
    const json_t *us = json_object_get(source, "ts_us"), *ms = json_object_get(source, "ts_ms");

    if (!ms)
        ms = json_object_get(body, "ts_ms");
    if (!json_is_integer(us) && !json_is_integer(ms))
        return false;
    *at = json_is_integer(us) ? json_integer_value(us) : json_integer_value(ms) * 1000;
    return true;
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

bool event_read_debezium(struct arena *arena, const json_t *payload, const struct catalog *catalog,
                         struct event *event, struct event_verdict *verdict)
{
    const json_t *body = body_of(payload), *source = json_object_get(body, "source");
    const char *op = json_string_value(json_object_get(body, "op"));
    const char *name = json_string_value(json_object_get(source, "name"));
    const struct entity_type *type = type_of(arena, catalog, source);
    bool removes = strcmp(op, "d") == 0;
    const json_t *row = json_object_get(body, removes ? "before" : "after");
    struct event_mapping mapping;
    bool good;

    event->source = arena_copy_string(arena, name && strlen(name) <= 64 ? name : "debezium");
    event->type = "change";
    if (!type && catalog->whole && (type = type_of(arena, catalog->whole, source)))
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
    if (!time_of(body, source, &event->at))
        return event_refuse(verdict, "source.ts_ms", "missing", "field required");
    event->type = arena_print(arena, "%s.%s", type->name,
                              removes      ? "deleted"
                              : *op == 'r' ? "snapshot"
                                           : "changed");
    mapping = type->table->own->changes;
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
