/* The contract of a domain's entity in one form: what a table is made from, and what hosts must
 * agree on. Descriptions are not part of it. */
#include "livedata/catalog/own.h"

#include "crypto/digest.h"

#include <string.h>

enum { CONTRACT_MAX = 64 * 1024 };

static const char *const type_words[] = {"text", "integer", "decimal", "boolean", "time", "json"};

static void write_columns(struct json_writer *writer, const struct serving_table *table,
                          const struct own_entity *own)
{
    writer_key(writer, "columns");
    writer_open_array(writer);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];

        writer_open_object(writer);
        writer_key_string(writer, "name", column->name);
        writer_key_string(writer, "type", type_words[column->type]);
        if (column->type == COLUMN_NUMBER)
            writer_key_integer(writer, "scale", column->scale);
        if (own->counts[i])
            writer_key_boolean(writer, "counts", true);
        if (column->values.count)
            writer_key_strings(writer, "values", &column->values);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_event(struct json_writer *writer, const struct serving_table *table,
                        const struct event_mapping *event)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", event->event_type);
    writer_key_string(writer, "does", mapping_actions[event->action]);
    writer_key_string(writer, "key", event->key);
    writer_key_string(writer, "version", event->version);
    writer_key(writer, "columns");
    writer_open_object(writer);
    for (size_t i = 0; i < event->column_count; i++) {
        const struct column_source *source = &event->columns[i];

        writer_key_string(writer, table->columns[source->column].name,
                          source->path ? source->path : source->amount);
    }
    writer_close_object(writer);
    writer_key(writer, "required");
    writer_open_array(writer);
    for (size_t i = 0; i < event->column_count; i++)
        if (event->columns[i].required)
            writer_string(writer, table->columns[event->columns[i].column].name);
    writer_close_array(writer);
    writer_close_object(writer);
}

static void write_indexes(struct json_writer *writer, const struct serving_table *table,
                          const struct own_entity *own)
{
    writer_key(writer, "indexes");
    writer_open_array(writer);
    for (size_t i = 0; i < own->index_count; i++) {
        writer_open_array(writer);
        for (size_t j = 0; j < own->indexes[i].column_count; j++)
            writer_string(writer, table->columns[own->indexes[i].columns[j]].name);
        writer_close_array(writer);
    }
    writer_close_array(writer);
}

enum error own_make_contract(struct arena *arena, const struct serving_table *table,
                             struct own_entity *own, struct problem *problem)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, CONTRACT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "entity", own->name);
    writer_key_string(&writer, "domain", own->domain);
    writer_key_string(&writer, "key", table->primary_key);
    write_columns(&writer, table, own);
    write_indexes(&writer, table, own);
    writer_key(&writer, "events");
    writer_open_array(&writer);
    for (size_t i = 0; i < own->event_count; i++)
        write_event(&writer, table, &own->events[i]);
    writer_close_array(&writer);
    writer_close_object(&writer);
    if (text.overflowed)
        return problem_set(problem, ERROR_INVALID, "config_invalid",
                           "entity %s: the file declares more than 64 KiB", own->name);
    own->contract = text.bytes;
    digest_sha256_hex(text.bytes, text.length, own->fingerprint);
    return ERROR_NONE;
}
