/* Entities and metrics read, and answered with their ages. */
#include "livedata/reads/answers.h"

#include "base/list.h"
#include "livedata/access/types.h"
#include "livedata/columnar/columnar.h"
#include "livedata/entities/rows.h"
#include "livedata/journal/journal.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS_TEXT_MAX = 65536 };

const char *reading_event_types(const struct reading *reading)
{
    const struct catalog *view = reading->catalog;
    struct arena *arena = reading->storage.arena;
    static const char *const shop[] = {"order", "payment", "product", "session", "user"};
    struct string_list seen = {0};

    if (!view->whole && view->shop)
        return entity_types_text(arena, reading->types);
    seen.items = ARENA_ARRAY(arena, const char *, view->entity_count + COUNT_OF(shop) + 1);
    for (size_t i = 0; view->shop && i < COUNT_OF(shop); i++)
        if (may_see_type(reading, shop[i]))
            seen.items[seen.count++] = shop[i];
    for (size_t i = 0; i < view->entity_count; i++)
        if (may_see_table(reading, view->entities[i].table) ||
            may_see_type(reading, view->entities[i].name))
            seen.items[seen.count++] = view->entities[i].name;
    if (!reading->types)
        seen.items[seen.count++] = ""; /* events of no entity */
    return entity_types_text(arena, &seen);
}

static enum error not_found(const struct reading *reading, const char *type, const char *id)
{
    return problem_set(reading->storage.problem, ERROR_NOT_FOUND, "entity_not_found",
                       "%.100s/%.300s not found", type, id);
}

/* The status in an object that is at hand as text. */
static const char *status_of(struct arena *arena, const char *data)
{
    struct json_fault fault;
    json_t *json;

    if (json_read(arena, data, strlen(data), JSON_DEPTH_LIMIT, &json, &fault))
        return NULL;
    return json_string_value(json_object_get(json, "status"));
}

static enum error read_row(const struct reading *reading, struct entity_answer *answer,
                           struct entity_row *row)
{
    const struct row_value *status;
    bool found = false;
    enum error error =
        entity_row_read(&reading->storage, answer->type->table, answer->id, row, &found);

    if (error)
        return error;
    if (!found)
        return not_found(reading, answer->type->name, answer->id);
    status = entity_row_value(row, "status");
    answer->status = status && !status->null ? status->text : NULL;
    answer->data = entity_row_json(reading->storage.arena, answer->type, row, reading->storage.now);
    answer->newest = entity_row_mark(row, reading->storage.now);
    return ERROR_NONE;
}

/* "<last_updated> <own time of that event> <status or -> <data>" */
static void keep_entity(const struct reading *reading, const char *key,
                        const struct shm_cache_ticket *ticket, const struct entity_answer *answer)
{
    /* A status is one word in what is kept; those of domains may be anything. */
    if (answer->status && (!*answer->status || strpbrk(answer->status, " -")))
        return;
    live_cache_keep(reading->cache, key, ticket, reading->settings->entity_cache_ttl_seconds,
                    arena_print(reading->storage.arena, "%lld %lld %s %s",
                                (long long)answer->newest.applied_at,
                                (long long)answer->newest.event_at,
                                answer->status ? answer->status : "-", answer->data));
}

static void take_entity(const struct reading *reading, const char *kept,
                        struct entity_answer *answer)
{
    char *rest;
    size_t length;

    answer->newest.applied_at = strtoll(kept, &rest, 10);
    answer->newest.event_at = strtoll(rest, &rest, 10);
    length = strcspn(rest + 1, " ");
    if (length != 1 || rest[1] != '-')
        answer->status = arena_copy(reading->storage.arena, rest + 1, length);
    answer->data = rest + 1 + length + 1;
    answer->cache = CACHE_HIT;
}

static enum error read_current(const struct reading *reading, struct entity_answer *answer)
{
    const char *key = arena_print(reading->storage.arena, "entity:%s:%s:%s",
                                  reading->storage.tenant, answer->type->name, answer->id);
    struct shm_cache_ticket ticket;
    struct entity_row row;
    const char *kept;
    enum error error;

    answer->cache = reading->cache && reading->cache->shared ? CACHE_MISS : CACHE_UNUSED;
    if (live_cache_find(reading->cache, &reading->storage, key, answer->type->table->name, &ticket,
                        &kept)) {
        take_entity(reading, kept, answer);
        return ERROR_NONE;
    }
    error = read_row(reading, answer, &row);
    if (!error)
        keep_entity(reading, key, &ticket, answer);
    return error;
}

/* What was derived is not part of the entity. */
static const char *without_derived(struct arena *arena, const char *data)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    const char *key;
    json_t *json, *value;

    if (json_read(arena, data, strlen(data), JSON_DEPTH_LIMIT, &json, &fault))
        return data;
    text_start(&text, arena, 1 << 20);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "_derived") == 0)
            continue;
        writer_key(&writer, key);
        writer_value(&writer, value);
    }
    writer_close_object(&writer);
    return text.bytes;
}

/* The newest version that is old enough; else the row as it is, when it was there by then. */
static enum error read_past(const struct reading *reading, struct entity_answer *answer)
{
    static const char *const times[] = {"last_order_at", "ended_at", "started_at", "created_at"};
    const struct row_value *time = NULL;
    struct entity_row row;
    const char *data;
    enum error error = journal_version(&reading->storage, answer->type->name, answer->id,
                                       answer->as_of, &data, &answer->newest.applied_at);

    if (error)
        return error;
    if (data) {
        answer->data = without_derived(reading->storage.arena, data);
        answer->status = status_of(reading->storage.arena, data);
        return ERROR_NONE;
    }
    error = read_row(reading, answer, &row);
    if (error)
        return error;
    for (size_t i = 0; !time && i < sizeof times / sizeof times[0]; i++)
        time = entity_row_value(&row, times[i]);
    if (row.updated_at ? row.updated_at > answer->as_of
                       : !time || time->null || time->integer > answer->as_of)
        return not_found(reading, answer->type->name, answer->id);
    return ERROR_NONE;
}

enum error read_entity(const struct reading *reading, const char *type_name, const char *id,
                       int64_t as_of, struct entity_answer *answer)
{
    enum error error;

    *answer = (struct entity_answer){.id = id, .as_of = as_of};
    error = find_readable_type(reading, type_name, &answer->type);
    if (!error)
        error = table_served(answer->type->table, reading->storage.problem);
    if (!error)
        error = check_as_of(reading, as_of);
    if (error)
        return error;
    return as_of ? read_past(reading, answer) : read_current(reading, answer);
}

#define OWNER struct answer_meta
#define META_ROWS                                                                                  \
    TIME_OR_NULL(OWNER, as_of, .time = TIME_Z_SECONDS), BOOLEAN(OWNER, is_historical),             \
        NULLABLE_NUMBER(OWNER, freshness_seconds), NULLABLE_NUMBER(OWNER, event_age_seconds),      \
        CHOICE(OWNER, health, health_words, .choice_count = HEALTH_WORD__MAX),                     \
        NULLABLE_BOOLEAN(OWNER, stale)
static const struct field entity_meta_fields[] = {META_ROWS};
static const struct field metric_meta_fields[] = {
    META_ROWS,
    STRING(OWNER, reason, .omit_if_null = true, .help = "Why there is no value."),
    NULLABLE_BOOLEAN(OWNER, mixed_currency, .omit_if_null = true),
    STRINGS(OWNER, currencies_not_added, .omit_if_null = true,
            .help = "Currencies without a rate: they stand in components alone."),
};
#undef OWNER
static SCHEMA(entity_meta_schema, struct answer_meta, "EntityMeta", entity_meta_fields);
SCHEMA(metric_meta_schema, struct answer_meta, "MetricMeta", metric_meta_fields);

#define OWNER struct entity_reply
static const struct field entity_fields[] = {
    STRING(OWNER, entity_type),
    STRING(OWNER, entity_id),
    STRING(OWNER, status, .nullable = true),
    WRITTEN_JSON(OWNER, data, .help = "The fields that the catalog lists for the type."),
    TIME_OR_NULL(OWNER, last_updated, .time = TIME_Z),
    NULLABLE_NUMBER(OWNER, freshness_seconds),
    NULLABLE_NUMBER(OWNER, event_age_seconds),
    OBJECT(OWNER, meta, entity_meta_schema),
    OBJECT(OWNER, freshness, answer_freshness_schema, .omit_if_null = true),
};
#undef OWNER
SCHEMA(entity_schema, struct entity_reply, "EntityResponse", entity_fields);

#define OWNER struct metric_group
static const struct field group_fields[] = {
    WRITTEN_JSON(OWNER, keys, .help = "The columns that it was grouped by."),
    TIME_OR_NULL(OWNER, at, .time = TIME_Z, .omit_if_null = true,
                 .help = "The beginning of its hour, day, week or month."),
    NULLABLE_NUMBER(OWNER, value),
    STRING(OWNER, reason, .omit_if_null = true, .help = "Why there is no value."),
};
#undef OWNER
static SCHEMA(group_schema, struct metric_group, "MetricGroup", group_fields);

#define OWNER struct metric_reply
static const struct field metric_fields[] = {
    STRING(OWNER, metric_name),
    NULLABLE_NUMBER(OWNER, value),
    STRING(OWNER, unit),
    STRING(OWNER, window),
    TIME(OWNER, computed_at, .time = TIME_Z),
    WRITTEN_JSON(OWNER, components, .nullable = true,
                 .help = "Of a metric of money: the value per currency."),
    TIME_OR_NULL(OWNER, from, .time = TIME_Z, .omit_if_null = true),
    TIME_OR_NULL(OWNER, to, .time = TIME_Z, .omit_if_null = true,
                 .help = "Not included; absent where the window ends now."),
    STRING(OWNER, time_zone, .omit_if_null = true),
    OBJECTS(OWNER, groups, group_schema, .omit_if_null = true, .help = "With group_by."),
    NULLABLE_BOOLEAN(OWNER, truncated, .omit_if_null = true,
                     .help = "There are more groups than LIVE_QUERY_ROWS_MAX."),
    OBJECT(OWNER, meta, metric_meta_schema),
    OBJECT(OWNER, freshness, answer_freshness_schema, .omit_if_null = true),
};
#undef OWNER
SCHEMA(metric_schema, struct metric_reply, "MetricResponse", metric_fields);

static struct answer_meta *meta_of(const struct reading *reading, int64_t as_of,
                                   struct data_ages ages, double budget, enum health_word health)
{
    struct answer_meta *meta = ARENA_NEW(reading->storage.arena, struct answer_meta);

    *meta = (struct answer_meta){.as_of = as_of,
                                 .is_historical = as_of != 0,
                                 .freshness_seconds = ages.freshness_seconds,
                                 .event_age_seconds = ages.event_age_seconds,
                                 .health = (int)health};
    if (ages.freshness_seconds.given || ages.in_future)
        meta->stale = GIVEN_BOOLEAN(data_ages_are_stale(ages, budget));
    return meta;
}

struct entity_reply entity_show(const struct reading *reading, const struct entity_answer *answer,
                                enum health_word health)
{
    struct data_ages ages = entity_ages(reading, answer);

    return (struct entity_reply){
        .entity_type = answer->type->name,
        .entity_id = answer->id,
        .status = answer->status,
        .data = answer->data,
        .last_updated = answer->newest.applied_at,
        .freshness_seconds = ages.freshness_seconds,
        .event_age_seconds = ages.event_age_seconds,
        .meta =
            meta_of(reading, answer->as_of, ages, reading->settings->freshness_sla_seconds, health),
        .freshness = freshness_show(&reading->storage, &reading->fresh,
                                    reading->settings->freshness_sla_seconds)};
}

struct data_ages entity_ages(const struct reading *reading, const struct entity_answer *answer)
{
    if (answer->as_of)
        return (struct data_ages){0};
    return data_ages(answer->newest, reading->storage.now);
}

enum error reading_metric(const struct reading *reading, const char *name, const char *window,
                          int64_t as_of, const struct live_metric **metric)
{
    struct problem *problem = reading->storage.problem;
    struct metric_tables tables;
    enum error error;

    error = find_metric(reading, name, metric);
    if (!error)
        error = check_metric_readable(reading, *metric, NULL);
    if (error)
        return error;
    error = metric_check_window(*metric, window, reading->storage.arena, problem);
    tables = metric_tables(*metric, NULL);
    for (size_t i = 0; !error && i < tables.count; i++)
        error = table_served(tables.items[i], problem);
    return error ? error : check_as_of(reading, as_of);
}

/* The struct itself is kept, with the texts of currencies, which are short, behind it. */
struct kept_metric {
    double value;
    bool undefined;
    bool only_others;
    int64_t computed_at;
    struct event_mark newest;
    size_t count;
    struct {
        char currency[8];
        double value;
        bool left_out;
    } currencies[METRIC_CURRENCIES_MAX];
};

static void pack_metric(const struct metric_answer *answer, struct kept_metric *kept)
{
    *kept = (struct kept_metric){.value = answer->value.value,
                                 .undefined = answer->value.undefined,
                                 .only_others = answer->value.only_others,
                                 .computed_at = answer->computed_at,
                                 .newest = answer->value.newest,
                                 .count = answer->value.currency_count};
    for (size_t i = 0; i < kept->count; i++) {
        (void)!snprintf(kept->currencies[i].currency, sizeof kept->currencies[i].currency, "%.7s",
                        answer->value.currencies[i].currency);
        kept->currencies[i].value = answer->value.currencies[i].value;
        kept->currencies[i].left_out = answer->value.currencies[i].left_out;
    }
}

static void unpack_metric(const struct reading *reading, const struct kept_metric *kept,
                          struct metric_answer *answer)
{
    answer->value = (struct metric_value){.value = kept->value,
                                          .undefined = kept->undefined,
                                          .only_others = kept->only_others,
                                          .newest = kept->newest,
                                          .currency_count = kept->count};
    answer->computed_at = kept->computed_at;
    answer->cache = CACHE_HIT;
    for (size_t i = 0; i < kept->count && i < METRIC_CURRENCIES_MAX; i++) {
        answer->value.currencies[i].currency =
            arena_copy_string(reading->storage.arena, kept->currencies[i].currency);
        answer->value.currencies[i].value = kept->currencies[i].value;
        answer->value.currencies[i].left_out = kept->currencies[i].left_out;
    }
}

static const char *metric_key(const struct reading *reading, const struct metric_answer *answer)
{
    char timestamp[TIMESTAMP_TEXT] = "now";

    if (answer->request.as_of)
        timestamp_format(answer->request.as_of, timestamp);
    return arena_print(reading->storage.arena, "metric:tenant=%s:%s:%s:%s", reading->storage.tenant,
                       answer->request.metric->name, answer->request.window, timestamp);
}

/* An answer of a copy that lags must not be kept: nothing would tell when the copy has caught up.
 */
static bool reading_is_behind(const struct reading *reading)
{
    return reading->storage.columnar && reading->storage.columnar->behind;
}

enum error read_metric(const struct reading *reading, const char *name, const char *window,
                       int64_t as_of, struct metric_answer *answer)
{
    struct live_cache *cache = reading->cache;
    struct shm_cache_ticket ticket = {0};
    struct kept_metric kept;
    const char *bytes;
    struct metric_tables tables;
    struct string_list names;
    const struct live_metric *metric;
    enum error error = reading_metric(reading, name, window, as_of, &metric);

    if (error)
        return error;
    tables = metric_tables(metric, NULL);
    names = names_of_tables(reading->storage.arena, &tables);
    *answer = (struct metric_answer){.request = {metric, window, as_of},
                                     .computed_at = reading->storage.now,
                                     .cache = cache && cache->shared ? CACHE_MISS : CACHE_UNUSED};
    if (live_cache_find_of(cache, &reading->storage, metric_key(reading, answer), &names, &ticket,
                           &bytes)) {
        memcpy(&kept, bytes, sizeof kept);
        unpack_metric(reading, &kept, answer);
        return ERROR_NONE;
    }
    error = metric_compute(&reading->storage, reading->settings, &answer->request, &answer->value);
    if (!error && cache && cache->shared && !reading_is_behind(reading)) {
        pack_metric(answer, &kept);
        shm_cache_put(cache->shared, metric_key(reading, answer), &ticket,
                      (int64_t)(reading->settings->cache_ttl_seconds * 1e6), (const char *)&kept,
                      sizeof kept);
    }
    return error;
}

/* The value per currency; NULL where the metric is not one of money. */
static const char *components_of(struct arena *arena, const struct metric_value *value)
{
    struct json_writer writer;
    struct text text;

    if (!value->currency_count)
        return NULL;
    text_start(&text, arena, COMPONENTS_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < value->currency_count; i++)
        writer_key_number(&writer, value->currencies[i].currency, value->currencies[i].value);
    writer_close_object(&writer);
    return text.bytes;
}

/* Currencies that stand in `components` alone. */
static struct string_list not_added(struct arena *arena, const struct metric_value *value)
{
    struct string_list list = {0};

    for (size_t i = 0; i < value->currency_count; i++)
        if (value->currencies[i].left_out)
            *LIST_ADD(arena, &list) = value->currencies[i].currency;
    return list;
}

struct data_ages metric_ages(const struct reading *reading, const struct metric_answer *answer)
{
    if (answer->request.as_of)
        return (struct data_ages){0};
    return data_ages(answer->value.newest, reading->storage.now);
}

static double metric_budget(const struct reading *reading, const struct live_metric *metric)
{
    return metric->budget_seconds.given ? metric->budget_seconds.value
                                        : reading->settings->freshness_sla_seconds;
}

const struct answer_freshness *metric_freshness(const struct reading *reading,
                                                const struct live_metric *metric)
{
    return freshness_show(&reading->storage, &reading->fresh, metric_budget(reading, metric));
}

struct answer_meta *metric_meta(const struct reading *reading, const struct live_metric *metric,
                                int64_t as_of, struct event_mark newest, enum health_word health)
{
    struct data_ages ages = as_of ? (struct data_ages){0} : data_ages(newest, reading->storage.now);

    return meta_of(reading, as_of, ages, metric_budget(reading, metric), health);
}

struct metric_reply metric_show(const struct reading *reading, const struct metric_answer *answer,
                                enum health_word health)
{
    const struct live_metric *metric = answer->request.metric;
    const struct metric_value *value = &answer->value;
    struct arena *arena = reading->storage.arena;
    struct answer_meta *meta =
        metric_meta(reading, metric, answer->request.as_of, value->newest, health);

    meta->reason = metric_reason(value);
    if (value->currency_count > 1)
        meta->mixed_currency = GIVEN_BOOLEAN(true);
    meta->currencies_not_added = not_added(arena, value);
    return (struct metric_reply){.metric_name = metric->name,
                                 .value = {!value->undefined, value->value},
                                 .unit = metric_unit(metric, reading->settings),
                                 .window = answer->request.window,
                                 .computed_at = answer->computed_at,
                                 .components = components_of(arena, value),
                                 .meta = meta,
                                 .freshness = metric_freshness(reading, metric)};
}
