/* The catalog as an answer; fields and metrics as documents of a search. */
#include "livedata/reads/discovery.h"

#include "base/list.h"
#include "base/string_list.h"
#include "livedata/catalog/contracts.h"
#include "livedata/catalog/measure.h"
#include "livedata/tables/tables.h"

enum { DOCUMENTS_MAX = 1000, CATALOG_TEXT_MAX = 1 << 22 };

static const double field_boost = 0.6, metric_boost = 1.15;

/* What the catalog says of one entity type and of one metric. */
struct catalog_entity_answer {
    const char *description;
    const char *fields; /* JSON object: a description by field */
    const char *primary_key, *contract_version;
};
struct catalog_metric_answer {
    const char *description, *unit;
    struct string_list available_windows;
    const char *contract_version;
    struct string_list source_events;
    const char *source_table;
    const char *kind; /* of its measure; NULL = it has only its SQL */
};

#define OWNER struct catalog_entity_answer
static const struct field entity_fields[] = {
    STRING(OWNER, description), WRITTEN_JSON(OWNER, fields), STRING(OWNER, primary_key),
    STRING(OWNER, contract_version, .nullable = true)};
#undef OWNER
static SCHEMA(entity_entry_schema, struct catalog_entity_answer, "CatalogEntity", entity_fields);

#define OWNER struct catalog_metric_answer
static const struct field metric_fields[] = {
    STRING(OWNER, description),
    STRING(OWNER, unit),
    STRINGS(OWNER, available_windows),
    STRING(OWNER, contract_version, .nullable = true),
    STRINGS(OWNER, source_events),
    STRING(OWNER, source_table),
    STRING(OWNER, kind, .omit_if_null = true,
           .help = "Of a metric that has groups, filters and series.")};
#undef OWNER
static SCHEMA(metric_entry_schema, struct catalog_metric_answer, "CatalogMetric", metric_fields);

#define OWNER struct catalog_answer
static const struct field catalog_fields[] = {
    WRITTEN_JSON(OWNER, entities,
                 .help = "By type: description, fields, primary_key, contract_version."),
    WRITTEN_JSON(OWNER, metrics,
                 .help = "By name: description, unit, available_windows, contract_version, "
                         "source_events, source_table."),
    WRITTEN_JSON(OWNER, streaming_sources),
    WRITTEN_JSON(OWNER, audit_sources),
};
#undef OWNER
SCHEMA(catalog_schema, struct catalog_answer, "CatalogResponse", catalog_fields);

/* {"order_id": "Id of the order", ...} */
static const char *fields_text(struct arena *arena, const struct entity_type *type)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, CATALOG_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < type->field_count; i++)
        writer_key_string(&writer, type->fields[i].name, type->fields[i].text);
    writer_close_object(&writer);
    return text.bytes;
}

static const char *entities_text(struct arena *arena, const struct catalog *catalog)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, CATALOG_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];
        const struct catalog_entity_answer answer = {
            .description = type->description,
            .fields = fields_text(arena, type),
            .primary_key = type->primary_key,
            .contract_version = contract_stable_version(catalog, type->name)};

        writer_key(&writer, type->name);
        schema_write(&writer, &entity_entry_schema, &answer);
    }
    writer_close_object(&writer);
    return text.bytes;
}

static const char *metrics_text(struct arena *arena, const struct catalog *catalog,
                                const struct livedata_settings *settings)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, CATALOG_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < catalog->metric_count; i++) {
        const struct live_metric *metric = &catalog->metrics[i];
        const struct catalog_metric_answer answer = {
            .description = metric->description,
            .unit = metric_unit(metric, settings),
            .available_windows = metric->windows,
            .contract_version =
                contract_stable_version(catalog, arena_print(arena, "metric.%s", metric->name)),
            .source_events = metric->source_events,
            .source_table = metric->table->name,
            .kind = metric->measure ? measure_kinds[metric->measure->kind] : NULL};

        writer_key(&writer, metric->name);
        schema_write(&writer, &metric_entry_schema, &answer);
    }
    writer_close_object(&writer);
    return text.bytes;
}

struct catalog_answer catalog_show(struct arena *arena, const struct catalog *catalog,
                                   const struct livedata_settings *settings)
{
    static const char families[] = "\"order\",\"payment\",\"clickstream\",\"inventory\"";
    const char *sources = arena_print(
        arena,
        "{\"events\":{\"path\":\"/v1/stream/events\",\"transport\":\"sse\","
        "\"description\":\"Events as they are applied\",\"filters\":{\"event_type\":[%s],"
        "\"entity_id\":\"Id of one entity\"}}}",
        catalog->shop ? families : "");
    static const char audits[] =
        "{\"lineage\":{\"path\":\"/v1/lineage/{entity_type}/{entity_id}\","
        "\"description\":\"Where an entity came from\",\"layers\":[\"source\",\"ingestion\","
        "\"validation\",\"enrichment\",\"serving\"]}}";

    return (struct catalog_answer){.entities = entities_text(arena, catalog),
                                   .metrics = metrics_text(arena, catalog, settings),
                                   .streaming_sources = sources,
                                   .audit_sources = audits};
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
        const char *snippet = arena_print(
            arena, "Metric %s: %s. Current value is %s %s.", metric->name, metric->description,
            value_of(reading, metric), metric_unit(metric, reading->settings));

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

#define OWNER struct search_hit
static const struct field hit_fields[] = {
    {.name = "type", .type = FIELD_STRING, .offset = offsetof(struct search_hit, kind)},
    STRING(OWNER, id),
    STRING(OWNER, entity_type, .nullable = true),
    NUMBER(OWNER, score),
    STRING(OWNER, snippet),
    STRING(OWNER, endpoint),
};
#undef OWNER
static SCHEMA(hit_schema, struct search_hit, "SearchResult", hit_fields);

#define OWNER struct search_reply
static const struct field search_fields[] = {
    STRING(OWNER, query),
    OBJECTS(OWNER, results, hit_schema),
    BOOLEAN(OWNER, partial),
    BOOLEAN(OWNER, degraded),
    INTEGER(OWNER, indexed_documents),
    NULLABLE_INTEGER(OWNER, entity_scan_limit),
    STRINGS(OWNER, partial_entity_types),
    STRINGS(OWNER, failed_entity_types),
};
#undef OWNER
SCHEMA(search_schema, struct search_reply, "SearchResponse", search_fields);

enum error search_read(const struct reading *reading, const char *text, int64_t limit,
                       const struct string_list *types, struct search_reply *reply)
{
    const struct catalog *catalog = reading->catalog;
    struct arena *arena = reading->storage.arena;
    struct documents *documents = ARENA_NEW(arena, struct documents);
    struct search_request request = {.text = text, .limit = limit};
    struct search_answer answer = {0};
    struct problem unserved;
    enum error error = ERROR_NONE;

    *reply = (struct search_reply){.query = text};

    request.types.items = ARENA_ARRAY(arena, const char *, catalog->entity_count);
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];

        if (!may_see_type(reading, type->name) || (types && !string_list_has(types, type->name)))
            continue;
        if (table_served(type->table, &unserved)) {
            *LIST_ADD(arena, &reply->failed_entity_types) = type->name;
            continue;
        }
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
    reply->results = (struct object_list){answer.count, answer.hits};
    reply->indexed_documents = answer.documents;
    reply->partial = reply->failed_entity_types.count;
    return ERROR_NONE;
}
