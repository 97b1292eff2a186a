/* SQL of the menu that was seen last. */
#include "orchestrator/storage/model_list_store.h"

#include "base/json.h"
#include "db/query.h"
#include "db/store.h"

#include <string.h>

enum { PAYLOAD_MAX = 1 << 20, PAYLOAD_DEPTH = 5 };

static const char model_list_key[] = "browser.web_provider";

static const struct statement read_model_list = {
    .name = "orch_menu_read",
    .sql = "SELECT checked_at, payload FROM orch_model_catalog_snapshots WHERE catalog_key = ?",
};
static const struct statement write_model_list = {
    .name = "orch_menu_write",
    .sql = "INSERT INTO orch_model_catalog_snapshots"
           " (catalog_key, checked_at, source, payload, updated_at) VALUES (?, ?, ?, ?, ?)"
           " ON CONFLICT (catalog_key) DO UPDATE SET checked_at = excluded.checked_at,"
           " source = excluded.source, payload = excluded.payload,"
           " updated_at = excluded.updated_at",
};

/* A row that cannot be read is as good as none: the next look at the menu replaces it. */
static void read_payload(struct arena *arena, const char *payload, struct stored_model_list *menu)
{
    struct json_fault fault;
    json_t *document = NULL;
    const json_t *models;

    if (json_read(arena, payload, strlen(payload), PAYLOAD_DEPTH, &document, &fault))
        return;
    models = json_object_get(document, "models");
    menu->labels.items = ARENA_ARRAY(arena, const char *, json_array_size(models));
    for (size_t i = 0; i < json_array_size(models); i++) {
        const char *label =
            json_string_value(json_object_get(json_array_get(models, i), "provider_model_id"));

        if (label)
            menu->labels.items[menu->labels.count++] = label;
    }
}

enum error model_list_load(struct db *db, struct arena *arena, struct stored_model_list *menu,
                           struct problem *problem)
{
    struct query *query = db_query(db, &read_model_list);
    const char *payload = NULL;
    enum error error;

    *menu = (struct stored_model_list){0};
    query_bind_text(query, model_list_key);
    if (query_next(query)) {
        menu->checked_at = query_text(query, 0, arena);
        payload = query_text(query, 1, arena);
    }
    error = query_end(query, problem);
    if (!error && payload)
        read_payload(arena, payload, menu);
    if (!menu->labels.count)
        menu->checked_at = NULL;
    return error;
}

static void write_model(struct json_writer *writer, const struct model *model)
{
    writer_open_object(writer);
    writer_key_string(writer, "id", model->id);
    writer_key_string(writer, "display_name", model->display_name);
    writer_key_strings(writer, "aliases", &model->aliases);
    writer_key_string(writer, "adapter_kind", backend_names[model->backend]);
    writer_key_string(writer, "provider", model->provider);
    writer_key_string(writer, "provider_model_id", model->provider_model_id);
    writer_key_integer(writer, "timeout_seconds", model->timeout_seconds);
    writer_key_string(writer, "expected_latency_class", model->fast ? "fast" : "slow");
    writer_key_integer(writer, "concurrency_limit", model->concurrency_limit);
    writer_key_boolean(writer, "reasoning_capable", model->reasoning_capable);
    writer_key_string(writer, "fallback_model_id", model->fallback_model_id);
    writer_close_object(writer);
}

enum error model_list_save(struct db *db, struct arena *arena, const struct string_list *labels,
                           struct problem *problem)
{
    const char *now = store_now(arena);
    struct json_writer writer;
    struct catalog catalog;
    struct query *query;
    struct text payload;

    catalog_make_from_labels(arena, labels, &catalog);
    text_start(&payload, arena, PAYLOAD_MAX);
    writer_start(&writer, &payload);
    writer_open_object(&writer);
    writer_key(&writer, "models");
    writer_open_array(&writer);
    for (size_t i = 0; i < catalog.browser_count; i++)
        write_model(&writer, &catalog.models[i]);
    writer_close_array(&writer);
    writer_close_object(&writer);
    query = db_query(db, &write_model_list);
    query_bind_text(query, model_list_key);
    query_bind_text(query, now);
    query_bind_text(query, catalog.source);
    query_bind_text(query, payload.bytes);
    query_bind_text(query, now);
    return query_end(query, problem);
}
