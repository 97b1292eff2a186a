/* Entities and metrics read, and written with what is known of their age. */
#include "livedata/reads/answers.h"

#include "livedata/catalog/contracts.h"
#include "livedata/entities/rows.h"
#include "livedata/journal/journal.h"
#include "livedata/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES_MAX = SHM_CACHE_ENTRY_MAX };

bool may_see_type(const struct reading *reading, const char *type)
{
    for (size_t i = 0; reading->types && i < reading->types->count; i++)
        if (strcmp(reading->types->items[i], type) == 0)
            return true;
    return !reading->types;
}

bool may_see_table(const struct reading *reading, const struct serving_table *table)
{
    return !reading->types || (table->entity && may_see_type(reading, table->entity)) ||
           may_see_type(reading, table->name);
}

static enum error check_moment(const struct reading *reading, int64_t as_of)
{
    if (as_of <= reading->storage.now)
        return ERROR_NONE;
    return problem_set(reading->storage.problem, ERROR_INVALID, "as_of_future",
                       "as_of cannot be in the future");
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
    struct problem *problem = reading->storage.problem;
    enum error error;

    *answer = (struct entity_answer){.id = id, .as_of = as_of};
    if (!may_see_type(reading, type_name))
        return problem_set(problem, ERROR_FORBIDDEN, "entity_forbidden",
                           "API key '%s' cannot access entity type '%.100s'.", reading->key_name,
                           type_name);
    answer->type = catalog_entity(reading->catalog, type_name);
    if (!answer->type)
        return problem_set(problem, ERROR_NOT_FOUND, "unknown_entity_type",
                           "Unknown entity type: %.100s. Available: %s", type_name,
                           catalog_entity_names(reading->catalog, reading->storage.arena));
    error = check_moment(reading, as_of);
    if (error)
        return error;
    return as_of ? read_past(reading, answer) : read_current(reading, answer);
}

static bool shows(const struct reading *reading, const char *name)
{
    return version_shows(reading->catalog, reading->version, name);
}

/* Both ages; older versions of the API know one of them. */
static void write_ages(struct json_writer *writer, const struct reading *reading,
                       struct data_ages ages, const char *path)
{
    write_optional_number(writer, "freshness_seconds", ages.freshness_seconds);
    if (shows(reading, path))
        write_optional_number(writer, "event_age_seconds", ages.event_age_seconds);
}

/* The block that both kinds of answers have. */
static void write_meta(struct json_writer *writer, const struct reading *reading, int64_t as_of,
                       struct data_ages ages, double budget, enum health_word health, bool entity)
{
    char text[MOMENT_TEXT];

    if (as_of)
        moment_format_seconds(as_of, text);
    writer_key(writer, "meta");
    writer_open_object(writer);
    writer_key_string(writer, "as_of", as_of ? text : NULL);
    if (!entity || shows(reading, "meta.is_historical"))
        writer_key_boolean(writer, "is_historical", as_of != 0);
    write_ages(writer, reading, ages, "meta.event_age_seconds");
    if (shows(reading, "meta.health"))
        writer_key_string(writer, "health", health_words[health]);
    if (shows(reading, "meta.stale")) {
        if (ages.freshness_seconds.given || ages.in_future)
            writer_key_boolean(writer, "stale", data_ages_are_stale(ages, budget));
        else
            writer_key_null(writer, "stale");
    }
}

void write_entity(struct json_writer *writer, const struct reading *reading,
                  const struct entity_answer *answer, enum health_word health)
{
    struct data_ages ages = entity_ages(reading, answer);

    writer_open_object(writer);
    writer_key_string(writer, "entity_type", answer->type->name);
    writer_key_string(writer, "entity_id", answer->id);
    if (shows(reading, "status"))
        writer_key_string(writer, "status", answer->status);
    writer_key(writer, "data");
    writer_raw(writer, answer->data);
    moment_write(writer, "last_updated", answer->newest.applied_at);
    write_ages(writer, reading, ages, "event_age_seconds");
    write_meta(writer, reading, answer->as_of, ages, reading->settings->freshness_sla_seconds,
               health, true);
    writer_close_object(writer);
    writer_close_object(writer);
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
    enum error error;

    *metric = catalog_metric(reading->catalog, name);
    if (!*metric)
        return problem_set(problem, ERROR_NOT_FOUND, "unknown_metric",
                           "Unknown metric: %.100s. Available: %s", name,
                           catalog_metric_names(reading->catalog, reading->storage.arena));
    if (!may_see_table(reading, (*metric)->table))
        return problem_set(problem, ERROR_FORBIDDEN, "metric_forbidden",
                           "API key '%s' cannot access metric '%s'.", reading->key_name, name);
    error = metric_check_window(*metric, window, reading->storage.arena, problem);
    return error ? error : check_moment(reading, as_of);
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
    char moment[MOMENT_TEXT] = "now";

    if (answer->request.as_of)
        moment_format(answer->request.as_of, moment);
    return arena_print(reading->storage.arena, "metric:tenant=%s:%s:%s:%s", reading->storage.tenant,
                       answer->request.metric->name, answer->request.window, moment);
}

enum error read_metric(const struct reading *reading, const char *name, const char *window,
                       int64_t as_of, struct metric_answer *answer)
{
    struct live_cache *cache = reading->cache;
    struct shm_cache_ticket ticket = {0};
    struct kept_metric kept;
    const char *bytes;
    const struct live_metric *metric;
    enum error error = reading_metric(reading, name, window, as_of, &metric);

    if (error)
        return error;
    *answer = (struct metric_answer){.request = {metric, window, as_of},
                                     .computed_at = reading->storage.now,
                                     .cache = cache && cache->shared ? CACHE_MISS : CACHE_UNUSED};
    if (live_cache_find(cache, &reading->storage, metric_key(reading, answer), metric->table->name,
                        &ticket, &bytes)) {
        memcpy(&kept, bytes, sizeof kept);
        unpack_metric(reading, &kept, answer);
        return ERROR_NONE;
    }
    error = metric_compute(&reading->storage, reading->settings, &answer->request, &answer->value);
    if (!error && cache && cache->shared) {
        pack_metric(answer, &kept);
        shm_cache_put(cache->shared, metric_key(reading, answer), &ticket,
                      (int64_t)(reading->settings->cache_ttl_seconds * 1e6), (const char *)&kept,
                      sizeof kept);
    }
    return error;
}

static void write_components(struct json_writer *writer, const struct metric_value *value)
{
    writer_key(writer, "components");
    if (!value->currency_count) {
        writer_null(writer);
        return;
    }
    writer_open_object(writer);
    for (size_t i = 0; i < value->currency_count; i++)
        writer_key_number(writer, value->currencies[i].currency, value->currencies[i].value);
    writer_close_object(writer);
}

/* Currencies that stand in `components` alone. */
static void write_left_out(struct json_writer *writer, const struct metric_value *value)
{
    bool any = false;

    for (size_t i = 0; i < value->currency_count; i++)
        any = any || value->currencies[i].left_out;
    if (!any)
        return;
    writer_key(writer, "currencies_not_added");
    writer_open_array(writer);
    for (size_t i = 0; i < value->currency_count; i++)
        if (value->currencies[i].left_out)
            writer_string(writer, value->currencies[i].currency);
    writer_close_array(writer);
}

struct data_ages metric_ages(const struct reading *reading, const struct metric_answer *answer)
{
    if (answer->request.as_of)
        return (struct data_ages){0};
    return data_ages(answer->value.newest, reading->storage.now);
}

void write_metric_value(struct json_writer *writer, const struct metric_value *value)
{
    if (value->undefined)
        writer_key_null(writer, "value");
    else
        writer_key_number(writer, "value", value->value);
}

void write_metric(struct json_writer *writer, const struct reading *reading,
                  const struct metric_answer *answer, enum health_word health)
{
    const struct live_metric *metric = answer->request.metric;
    const char *reason = metric_reason(&answer->value);

    writer_open_object(writer);
    writer_key_string(writer, "metric_name", metric->name);
    write_metric_value(writer, &answer->value);
    writer_key_string(writer, "unit", metric_unit(metric, reading->settings));
    writer_key_string(writer, "window", answer->request.window);
    moment_write(writer, "computed_at", answer->computed_at);
    write_components(writer, &answer->value);
    write_meta(writer, reading, answer->request.as_of, metric_ages(reading, answer),
               metric->budget_seconds.given ? metric->budget_seconds.value
                                            : reading->settings->freshness_sla_seconds,
               health, false);
    if (reason)
        writer_key_string(writer, "reason", reason);
    if (answer->value.currency_count > 1)
        writer_key_boolean(writer, "mixed_currency", true);
    write_left_out(writer, &answer->value);
    writer_close_object(writer);
    writer_close_object(writer);
}
