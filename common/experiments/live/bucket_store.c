/* Rows of buckets, places of user ids, used keys, and moves between buckets. */
#include "experiments/live/bucket_store.h"

#include "base/json.h"
#include "base/list.h"
#include "experiments/live/rows.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_STRIDE = 1024, LIST_BYTES_MAX = 64 * 1024 * 1024 };

#define BUCKET_FIGURES                                                                             \
    "version, next_unit, next_sequence, links, alias_exposures, alias_conversions, merged_people,"

static const struct statement find_bucket = {
    .name = "live_bucket",
    .sql = "SELECT " BUCKET_FIGURES " stale, first_exposed_at, last_exposed_at FROM live_buckets"
           " WHERE experiment = ?",
};
static const struct statement insert_bucket = {
    .name = "live_bucket_insert",
    .sql = "INSERT INTO live_buckets (experiment) VALUES (?)",
};
static const struct statement update_bucket = {
    .name = "live_bucket_update",
    .sql = "UPDATE live_buckets SET version = ?, next_unit = ?, next_sequence = ?, links = ?,"
           " alias_exposures = ?, alias_conversions = ?, merged_people = ?, stale = ?,"
           " first_exposed_at = ?, last_exposed_at = ? WHERE experiment = ?",
};
static const struct statement sum_buckets = {
    .name = "live_buckets_sum",
    .sql = "SELECT CAST(coalesce(sum(version), 0) AS BIGINT),"
           " CAST(coalesce(sum(links), 0) AS BIGINT),"
           " CAST(coalesce(sum(alias_exposures), 0) AS BIGINT),"
           " CAST(coalesce(sum(alias_conversions), 0) AS BIGINT),"
           " CAST(coalesce(sum(merged_people), 0) AS BIGINT),"
           " CAST(coalesce(max(stale), 0) AS BIGINT), min(first_exposed_at), max(last_exposed_at)"
           " FROM live_buckets WHERE experiment BETWEEN ? AND ?",
};
static const struct statement find_places = {
    .name = "live_places_find",
    FOUND_BY_KEYS("user_id, bucket", "(SELECT value AS wanted FROM {json_text_rows:?}) AS ids",
                  "live_places", "experiment = ? AND user_id = ids.wanted"),
};
static const struct statement put_place = {
    .name = "live_place_put",
    .sql = "INSERT INTO live_places (experiment, user_id, bucket) VALUES (?, ?, ?)"
           " ON CONFLICT (experiment, user_id) DO UPDATE SET bucket = excluded.bucket",
};
static const struct statement clear_places = {
    .name = "live_places_clear",
    .sql = "DELETE FROM live_places WHERE experiment = ?",
};
static const struct statement take_key = {
    .name = "live_key_take",
    .sql = "INSERT INTO live_keys (experiment, idempotency_key, created_at) VALUES (?, ?, ?)"
           " ON CONFLICT (experiment, idempotency_key) DO NOTHING",
};
static const struct statement clear_keys = {
    .name = "live_keys_clear",
    .sql = "DELETE FROM live_keys WHERE experiment = ? AND created_at < ?",
};
static const struct statement divided_experiments = {
    .name = "live_divided",
    .sql = "SELECT experiment, buckets, version FROM live_experiments WHERE buckets > 1",
};
static const struct statement gather_bucket_sums = {
    .name = "live_divided_gather",
    .sql = "UPDATE live_experiments SET version = ?, first_exposed_at = ?, last_exposed_at = ?"
           " WHERE experiment = ?",
};

/* A table whose rows move: copied under the new numbers, then deleted. */
struct moving {
    struct statement copy, leave;
    bool by_user; /* rows are found by user id, else by the number of the unit */
};
#define MOVING(table, columns, found_by)                                                           \
    {"live_move_" table, "INSERT INTO " table " (experiment, unit, " columns                       \
                         ") SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), " columns " FROM " table  \
                         " WHERE experiment = ? AND " found_by " = ?"},                            \
    {                                                                                              \
        "live_leave_" table, "DELETE FROM " table " WHERE experiment = ? AND " found_by " = ?"     \
    }
static const struct moving moving_tables[] = {
    {MOVING("live_conversions", "sequence, metric, value, occurred_at, created_at, idempotency_key",
            "unit")},
    {MOVING("live_unit_covariates", "covariate, value, created_at", "unit")},
    {MOVING("live_unit_metrics",
            "metric, events, huge, early, late, sum_high, sum_low, counted, counted_huge,"
            " counted_high, counted_low",
            "unit")},
    {MOVING("live_units",
            "user_id, variation, occurred_at, exposed_at, exposure_sequence, dimensions,"
            " canonical_id, linked_at, exclusion_reason, excluded_at, stratum, stratified_at,"
            " stratum_sequence, crossed, cluster, cluster_crossed",
            "user_id"),
     .by_user = true},
};

int64_t live_bucket_of(const char *text, int64_t buckets)
{
    return (int64_t)(live_hash(text) % (uint64_t)buckets);
}

int64_t live_bucket_count(const struct live_experiment *experiment)
{
    return experiment->buckets > 1 ? experiment->buckets : 1;
}

int64_t live_bucket_number(const struct live_experiment *experiment, int64_t bucket)
{
    if (experiment->buckets <= 1)
        return experiment->number;
    return -(experiment->number * NUMBER_STRIDE + bucket);
}

enum error live_make_buckets(const struct live_call *call, const struct live_experiment *whole)
{
    struct query *query;

    if (whole->buckets <= 1)
        return ERROR_NONE;
    query = db_query(call->db, &insert_bucket);
    for (int64_t i = 0; i < whole->buckets; i++) {
        query_bind_integer(query, live_bucket_number(whole, i));
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

enum error live_lock_buckets(const struct live_call *call, const struct live_experiment *whole,
                             const bool *wanted)
{
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && i < whole->buckets; i++)
        if (!wanted || wanted[i])
            error =
                db_lock(call->db, arena_print(call->arena, "live %s %lld", whole->id, (long long)i),
                        call->problem);
    return error;
}

void live_fit_bucket(struct live_experiment *bucket, struct live_experiment *whole)
{
    const struct live_experiment own = *bucket;

    *bucket = *whole;
    bucket->whole = whole;
    bucket->buckets = 1;
    bucket->number = own.number;
    bucket->version = own.version;
    bucket->next_unit = own.next_unit;
    bucket->next_sequence = own.next_sequence;
    bucket->links = own.links;
    bucket->alias_exposures = own.alias_exposures;
    bucket->alias_conversions = own.alias_conversions;
    bucket->merged_people = own.merged_people;
    bucket->stale = own.stale;
    bucket->first_exposed_at = own.first_exposed_at;
    bucket->last_exposed_at = own.last_exposed_at;
}

static enum error read_bucket(const struct live_call *call, int64_t number,
                              struct live_experiment *bucket)
{
    struct query *query = db_query(call->db, &find_bucket);

    *bucket = (struct live_experiment){.number = number};
    query_bind_integer(query, number);
    if (query_next(query)) {
        bucket->version = query_integer(query, 0);
        bucket->next_unit = query_integer(query, 1);
        bucket->next_sequence = query_integer(query, 2);
        bucket->links = query_integer(query, 3);
        bucket->alias_exposures = query_integer(query, 4);
        bucket->alias_conversions = query_integer(query, 5);
        bucket->merged_people = query_integer(query, 6);
        bucket->stale = query_boolean(query, 7);
        bucket->first_exposed_at = query_optional_integer(query, 8);
        bucket->last_exposed_at = query_optional_integer(query, 9);
    }
    return query_end(query, call->problem);
}

enum error live_read_parts(const struct live_call *call, struct live_experiment *whole,
                           const bool *wanted, struct live_parts *parts)
{
    enum error error = ERROR_NONE;

    if (whole->buckets <= 1) {
        *parts = (struct live_parts){1, whole};
        return ERROR_NONE;
    }
    parts->count = (size_t)whole->buckets;
    parts->items = ARENA_ARRAY(call->arena, struct live_experiment, parts->count);
    for (size_t i = 0; !error && i < parts->count; i++) {
        if (wanted && !wanted[i])
            continue;
        error = read_bucket(call, live_bucket_number(whole, (int64_t)i), &parts->items[i]);
        live_fit_bucket(&parts->items[i], whole);
    }
    return error;
}

enum error live_save_bucket(const struct live_call *call, const struct live_experiment *bucket)
{
    struct query *query = db_query(call->db, &update_bucket);
    const int64_t values[] = {
        bucket->version,         bucket->next_unit,         bucket->next_sequence, bucket->links,
        bucket->alias_exposures, bucket->alias_conversions, bucket->merged_people};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        query_bind_integer(query, values[i]);
    query_bind_boolean(query, bucket->stale);
    query_bind_optional_integer(query, bucket->first_exposed_at);
    query_bind_optional_integer(query, bucket->last_exposed_at);
    query_bind_integer(query, bucket->number);
    return query_end(query, call->problem);
}

enum error live_sum_buckets(const struct live_call *call, struct live_experiment *whole)
{
    struct query *query;

    if (whole->buckets <= 1)
        return ERROR_NONE;
    query = db_query(call->db, &sum_buckets);
    query_bind_integer(query, live_bucket_number(whole, whole->buckets - 1));
    query_bind_integer(query, live_bucket_number(whole, 0));
    if (query_next(query)) {
        whole->version = query_integer(query, 0);
        whole->links = query_integer(query, 1);
        whole->alias_exposures = query_integer(query, 2);
        whole->alias_conversions = query_integer(query, 3);
        whole->merged_people = query_integer(query, 4);
        whole->stale = whole->stale || query_integer(query, 5) > 0;
        whole->first_exposed_at = query_optional_integer(query, 6);
        whole->last_exposed_at = query_optional_integer(query, 7);
    }
    return query_end(query, call->problem);
}

enum error live_find_places(const struct live_call *call, const struct live_experiment *whole,
                            struct live_units *homes)
{
    struct query *query;
    const char **ids = ARENA_ARRAY(call->arena, const char *, homes->count);

    for (size_t i = 0; i < homes->count; i++) {
        ids[i] = homes->items[i]->user_id;
        homes->items[i]->number = live_bucket_of(ids[i], whole->buckets);
    }
    query = db_query(call->db, &find_places);
    query_bind_json(query, json_of_strings(call->arena, LIST_BYTES_MAX, ids, homes->count));
    query_bind_integer(query, whole->number);
    while (query_next(query))
        live_units_find(homes, query_text(query, 0, call->arena))->number = query_integer(query, 1);
    return query_end(query, call->problem);
}

static int text_order(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

enum error live_take_keys(const struct live_call *call, const struct live_experiment *whole,
                          int64_t now, struct live_names *keys, struct live_names *taken)
{
    int64_t *changes = ARENA_ARRAY(call->arena, int64_t, keys->count);
    struct query *query;
    enum error error;

    if (keys->count == 0)
        return ERROR_NONE;
    qsort((void *)keys->items, keys->count, sizeof keys->items[0], text_order);
    query = db_query(call->db, &take_key);
    for (size_t i = 0; i < keys->count; i++) {
        const char *key = keys->items[i];

        query_bind_integer(query, live_bucket_number(whole, live_bucket_of(key, whole->buckets)));
        query_bind_text(query, key);
        query_bind_integer(query, now);
        query_repeat(query, &changes[i]);
    }
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < keys->count; i++)
        if (changes[i] == 0)
            live_names_add(taken, keys->items[i]);
    return error;
}

static enum error put_places(const struct live_call *call, const struct live_experiment *whole,
                             const struct live_move *moves, size_t count)
{
    struct query *query = db_query(call->db, &put_place);

    for (size_t i = 0; i < count; i++) {
        query_bind_integer(query, whole->number);
        query_bind_text(query, moves[i].user_id);
        query_bind_integer(query, moves[i].to);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

static enum error move_rows(const struct live_call *call, const struct live_experiment *whole,
                            const struct moving *table, bool copy, const struct live_move *moves,
                            size_t count)
{
    const struct statement *statement = copy ? &table->copy : &table->leave;
    struct query *query = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!moves[i].stored)
            continue;
        query = query ? query : db_query(call->db, statement);
        if (copy) {
            query_bind_integer(query, live_bucket_number(whole, moves[i].to));
            query_bind_integer(query, moves[i].number);
        }
        query_bind_integer(query, live_bucket_number(whole, moves[i].from));
        if (table->by_user)
            query_bind_text(query, moves[i].user_id);
        else
            query_bind_integer(query, moves[i].unit);
        query_repeat(query, NULL);
    }
    return query ? query_end(query, call->problem) : ERROR_NONE;
}

enum error live_move_units(const struct live_call *call, const struct live_experiment *whole,
                           const struct live_move *moves, size_t count)
{
    enum error error = count ? put_places(call, whole, moves, count) : ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof moving_tables / sizeof moving_tables[0]; i++) {
        error = move_rows(call, whole, &moving_tables[i], true, moves, count);
        if (!error)
            error = move_rows(call, whole, &moving_tables[i], false, moves, count);
    }
    return error;
}

enum error live_clear_places(const struct live_call *call, const struct live_experiment *whole)
{
    struct query *query;

    if (whole->buckets <= 1)
        return ERROR_NONE;
    query = db_query(call->db, &clear_places);
    query_bind_integer(query, whole->number);
    return query_end(query, call->problem);
}

enum error live_clear_keys(const struct live_call *call, int64_t bucket_number, int64_t before)
{
    struct query *query;

    if (bucket_number >= 0) /* not divided: the events themselves hold the keys */
        return ERROR_NONE;
    query = db_query(call->db, &clear_keys);
    query_bind_integer(query, bucket_number);
    query_bind_integer(query, before ? before : INT64_MAX);
    return query_end(query, call->problem);
}

static enum error gather_one(const struct live_call *call, struct live_experiment *whole)
{
    int64_t before = whole->version;
    struct query *query;
    enum error error = live_sum_buckets(call, whole);

    if (error || whole->version == before)
        return error;
    query = db_query(call->db, &gather_bucket_sums);
    query_bind_integer(query, whole->version);
    query_bind_optional_integer(query, whole->first_exposed_at);
    query_bind_optional_integer(query, whole->last_exposed_at);
    query_bind_integer(query, whole->number);
    return query_end(query, call->problem);
}

enum error live_gather_buckets(const struct live_call *call)
{
    struct query *query = db_query(call->db, &divided_experiments);
    struct live_experiment *wholes = NULL;
    size_t count = 0;
    enum error error;

    while (query_next(query))
        *ARRAY_ADD(call->arena, wholes, count) =
            (struct live_experiment){.number = query_integer(query, 0),
                                     .buckets = query_integer(query, 1),
                                     .version = query_integer(query, 2)};
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < count; i++)
        error = gather_one(call, &wholes[i]);
    return error;
}
