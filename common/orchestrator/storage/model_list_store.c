/* SQL of the model list that the browser read last. */
#include "orchestrator/storage/model_list_store.h"

#include "base/clock.h"
#include "db/query.h"
#include "orchestrator/models/shape.h"

#include <string.h>

enum { PAYLOAD_MAX = 1 << 20, PAYLOAD_DEPTH = 5 };

static const char catalog_key[] = "browser.web_provider";

static const struct statement read_list = {
    .name = "orch_model_list_read",
    .sql = "SELECT checked_at, payload FROM orch_model_catalog_snapshots WHERE catalog_key = ?",
};
static const struct statement write_list = {
    .name = "orch_model_list_write",
    .sql = "INSERT INTO orch_model_catalog_snapshots"
           " (catalog_key, checked_at, source, payload, updated_at) VALUES (?, ?, ?, ?, ?)"
           " ON CONFLICT (catalog_key) DO UPDATE SET checked_at = excluded.checked_at,"
           " source = excluded.source, payload = excluded.payload,"
           " updated_at = excluded.updated_at",
};

struct payload {
    OBJECT_LIST(struct model_shape, models);
};

#define OWNER struct payload
static const struct field payload_fields[] = {OBJECTS(OWNER, models, stored_model_schema)};
#undef OWNER
static SCHEMA(payload_schema, struct payload, "StoredModels", payload_fields,
              .extra = EXTRA_IGNORE);

struct row {
    int64_t checked_at;
    const char *payload;
};

#define OWNER struct row
static const struct field row_fields[] = {TIME(OWNER, checked_at), STRING(OWNER, payload)};
#undef OWNER
static SCHEMA(row_schema, struct row, "ModelListRow", row_fields);

/* An unreadable row counts as none: the next refresh replaces it. */
static void read_payload(struct arena *arena, const struct row *row, struct stored_model_list *list)
{
    struct schema_errors errors = {.arena = arena};
    struct payload payload = {0};
    const struct model_shape *models;
    struct json_fault fault;
    json_t *document;

    if (json_read(arena, row->payload, strlen(row->payload), PAYLOAD_DEPTH, &document, &fault) ||
        schema_decode(&payload_schema, document, "payload", &payload, &errors, arena))
        return;
    models = payload.models.items;
    list->labels.items = ARENA_ARRAY(arena, const char *, payload.models.count);
    for (size_t i = 0; i < payload.models.count; i++)
        if (models[i].provider_model_id)
            list->labels.items[list->labels.count++] = models[i].provider_model_id;
    if (list->labels.count)
        list->checked_at = row->checked_at;
}

enum error model_list_load(struct db *db, struct arena *arena, struct stored_model_list *list,
                           struct problem *problem)
{
    struct query *query = db_query(db, &read_list);
    struct row row = {0};
    enum error error;

    *list = (struct stored_model_list){0};
    query_bind_text(query, catalog_key);
    if (query_next(query))
        query_read(query, &row_schema, &row, arena);
    error = query_end(query, problem);
    if (!error && row.payload)
        read_payload(arena, &row, list);
    return error;
}

enum error model_list_save(struct db *db, struct arena *arena, const struct string_list *labels,
                           struct problem *problem)
{
    struct payload payload = {0};
    struct model_shape *models;
    char now[CLOCK_TEXT_MAX];
    struct catalog catalog;
    struct query *query;

    clock_format(clock_unix_microseconds(), now);
    catalog_make_from_labels(arena, labels, &catalog);
    models = ARENA_ARRAY(arena, struct model_shape, catalog.browser_count);
    for (size_t i = 0; i < catalog.browser_count; i++)
        models[i] = model_shape_of(&catalog.models[i]);
    payload.models = (struct object_list){catalog.browser_count, models};
    query = db_query(db, &write_list);
    query_bind_text(query, catalog_key);
    query_bind_text(query, now);
    query_bind_text(query, catalog.source);
    query_bind_text(query, schema_json(arena, PAYLOAD_MAX, &payload_schema, &payload));
    query_bind_text(query, now);
    return query_end(query, problem);
}
