/* The catalog written; fields and metrics as documents of a search. */
#include "livedata/reads/discovery.h"

#include "base/string_list.h"
#include "livedata/catalog/contracts.h"
#include "livedata/search/search.h"

#include <stdio.h>

enum { DOCUMENTS_MAX = 1000 };

static const double field_boost = 0.6, metric_boost = 1.15;

static void write_texts(struct json_writer *writer, const char *key,
                        const struct string_list *texts)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < texts->count; i++)
        writer_string(writer, texts->items[i]);
    writer_close_array(writer);
}

static void write_entities(struct json_writer *writer, const struct catalog *catalog)
{
    writer_key(writer, "entities");
    writer_open_object(writer);
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];

        writer_key(writer, type->name);
        writer_open_object(writer);
        writer_key_string(writer, "description", type->description);
        writer_key(writer, "fields");
        writer_open_object(writer);
        for (size_t j = 0; j < type->field_count; j++)
            writer_key_string(writer, type->fields[j].name, type->fields[j].text);
        writer_close_object(writer);
        writer_key_string(writer, "primary_key", type->primary_key);
        writer_key_string(writer, "contract_version", contract_stable_version(catalog, type->name));
        writer_close_object(writer);
    }
    writer_close_object(writer);
}

static void write_metrics(struct json_writer *writer, const struct catalog *catalog)
{
    writer_key(writer, "metrics");
    writer_open_object(writer);
    for (size_t i = 0; i < catalog->metric_count; i++) {
        const struct live_metric *metric = &catalog->metrics[i];
        char entity[128];

        (void)!snprintf(entity, sizeof entity, "metric.%s", metric->name);
        writer_key(writer, metric->name);
        writer_open_object(writer);
        writer_key_string(writer, "description", metric->description);
        writer_key_string(writer, "unit", metric->unit);
        write_texts(writer, "available_windows", &metric->windows);
        writer_key_string(writer, "contract_version", contract_stable_version(catalog, entity));
        write_texts(writer, "source_events", &metric->source_events);
        writer_key_string(writer, "source_table", metric->table->name);
        writer_close_object(writer);
    }
    writer_close_object(writer);
}

void write_catalog(struct json_writer *writer, const struct catalog *catalog)
{
    static const char sources[] =
        "{\"events\":{\"path\":\"/v1/stream/events\",\"transport\":\"sse\","
        "\"description\":\"Events as they are applied\",\"filters\":{\"event_type\":[\"order\","
        "\"payment\",\"clickstream\",\"inventory\"],\"entity_id\":\"Id of one entity\"}}}";
    static const char audits[] =
        "{\"lineage\":{\"path\":\"/v1/lineage/{entity_type}/{entity_id}\","
        "\"description\":\"Where an entity came from\",\"layers\":[\"source\",\"ingestion\","
        "\"validation\",\"enrichment\",\"serving\"]}}";

    writer_open_object(writer);
    write_entities(writer, catalog);
    write_metrics(writer, catalog);
    writer_key(writer, "streaming_sources");
    writer_raw(writer, sources);
    writer_key(writer, "audit_sources");
    writer_raw(writer, audits);
    writer_close_object(writer);
}

static const char *words_of(struct arena *arena, const char *name)
{
    char *words = arena_copy_string(arena, name);

    for (char *at = words; *at; at++)
        if (*at == '_')
            *at = ' ';
    return words;
}

struct documents {
    size_t count;
    struct search_document items[DOCUMENTS_MAX];
};

static void add_fields(struct arena *arena, const struct entity_type *type,
                       struct documents *documents)
{
    for (size_t i = 0; i < type->field_count && documents->count < DOCUMENTS_MAX; i++)
        documents->items[documents->count++] = (struct search_document){
            .kind = "catalog_field",
            .id = arena_print(arena, "%s.%s", type->name, type->fields[i].name),
            .entity_type = type->name,
            .snippet = type->fields[i].text,
            .endpoint = "/v1/catalog",
            .text = arena_print(arena, "%s %s %s %s", type->name, search_plural(arena, type->name),
                                words_of(arena, type->fields[i].name), type->fields[i].text),
            .boost = field_boost};
}

static const char *value_of(const struct reading *reading, const struct live_metric *metric)
{
    const char *window = metric->windows.items[0];
    struct metric_answer answer;
    struct problem own;
    struct reading quiet = *reading;

    if (string_list_has(&metric->windows, "24h"))
        window = "24h";
    quiet.storage.problem = &own;
    quiet.types = NULL;
    if (read_metric(&quiet, metric->name, window, 0, &answer))
        return "unknown";
    if (answer.value.undefined)
        return "undefined";
    return arena_print(reading->storage.arena, "%.1f", answer.value.value);
}

static void add_metrics(const struct reading *reading, struct documents *documents)
{
    struct arena *arena = reading->storage.arena;

    for (size_t i = 0; i < reading->catalog->metric_count && documents->count < DOCUMENTS_MAX;
         i++) {
        const struct live_metric *metric = &reading->catalog->metrics[i];
        const char *snippet =
            arena_print(arena, "Metric %s: %s. Current value is %s %s.", metric->name,
                        metric->description, value_of(reading, metric), metric->unit);

        documents->items[documents->count++] = (struct search_document){
            .kind = "metric",
            .id = metric->name,
            .snippet = snippet,
            .endpoint = arena_print(arena, "/v1/metrics/%s", metric->name),
            .text = arena_print(arena, "metric %s %s %s %s %s", metric->name,
                                words_of(arena, metric->name), metric->description, metric->unit,
                                snippet),
            .boost = metric_boost};
    }
}

static void write_hits(struct json_writer *writer, const struct search_answer *answer)
{
    writer_key(writer, "results");
    writer_open_array(writer);
    for (size_t i = 0; i < answer->count; i++) {
        const struct search_hit *hit = &answer->hits[i];

        writer_open_object(writer);
        writer_key_string(writer, "type", hit->kind);
        writer_key_string(writer, "id", hit->id);
        writer_key_string(writer, "entity_type", hit->entity_type);
        writer_key_number(writer, "score", hit->score);
        writer_key_string(writer, "snippet", hit->snippet);
        writer_key_string(writer, "endpoint", hit->endpoint);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

enum error write_search(struct json_writer *writer, const struct reading *reading, const char *text,
                        int64_t limit, const struct string_list *types)
{
    const struct catalog *catalog = reading->catalog;
    struct arena *arena = reading->storage.arena;
    struct documents *documents = ARENA_NEW(arena, struct documents);
    struct search_request request = {.text = text, .limit = limit};
    const struct string_list none = {0};
    struct search_answer answer = {0};
    enum error error = ERROR_NONE;

    request.types.items = ARENA_ARRAY(arena, const char *, catalog->entity_count);
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];

        if (!may_see_type(reading, type->name) || (types && !string_list_has(types, type->name)))
            continue;
        request.types.items[request.types.count++] = type->name;
        add_fields(arena, type, documents);
    }
    if (!types)
        add_metrics(reading, documents);
    request.documents = documents->items;
    request.document_count = documents->count;
    if (request.types.count || !types)
        error = search_find(&reading->storage, catalog, &request, &answer);
    if (error)
        return error;
    writer_open_object(writer);
    writer_key_string(writer, "query", text);
    write_hits(writer, &answer);
    writer_key_boolean(writer, "partial", false);
    writer_key_boolean(writer, "degraded", false);
    writer_key_integer(writer, "indexed_documents", answer.documents);
    writer_key_null(writer, "entity_scan_limit");
    write_texts(writer, "partial_entity_types", &none);
    write_texts(writer, "failed_entity_types", &none);
    writer_close_object(writer);
    return ERROR_NONE;
}
