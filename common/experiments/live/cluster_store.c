/* Names are looked up in one statement; cells come in one statement per bucket. */
#include "experiments/live/cluster_store.h"

#include "base/json.h"
#include "base/list.h"
#include "db/query.h"

#include <stdlib.h>

enum { NAMES_BYTES_MAX = 64 * 1024 * 1024 };

static const struct statement clusters_by_name = {
    .name = "live_clusters_by_name",
    .sql = "SELECT c.cluster, c.name FROM (SELECT value AS wanted FROM {json_text_rows:?}) AS ids"
           " CROSS JOIN live_clusters c WHERE c.experiment = ? AND c.name = ids.wanted",
    .streams = true,
};
static const struct statement insert_cluster = {
    .name = "live_cluster_insert",
    .sql = "INSERT INTO live_clusters (experiment, cluster, name) VALUES (?, ?, ?)",
};
static const struct statement cells_of_clusters = {
    .name = "live_cells_of_clusters",
    .sql = "SELECT c.metric, c.slice, c.arm, c.people, c.huge, c.sum_high, c.sum_low,"
           " c.squares_high, c.squares_low, c.peak, c.events, c.early, c.late"
           " FROM (SELECT CAST(value ->> 0 AS BIGINT) AS metric FROM {json_rows:?}) AS wanted"
           " CROSS JOIN live_cells c WHERE c.experiment = ? AND c.metric = wanted.metric"
           " AND c.slice < " LIVE_BINS_BEGIN,
    .streams = true,
};

static const struct statement names_of_clusters = {
    .name = "live_cluster_names",
    .sql = "SELECT cluster, name FROM live_clusters WHERE experiment = ?",
    .streams = true,
};

enum error live_read_cluster_names(const struct live_call *call,
                                   const struct live_experiment *experiment,
                                   struct string_list *names)
{
    size_t count = 1 + (size_t)experiment->clusters;
    const char **items = ARENA_ARRAY(call->arena, const char *, count);
    struct query *query = db_query(call->db, &names_of_clusters);

    query_bind_integer(query, live_bucket_number(experiment, 0));
    while (query_next(query)) {
        int64_t number = query_integer(query, 0);

        if (number > 0 && (size_t)number < count)
            items[number] = query_text(query, 1, call->arena);
    }
    *names = (struct string_list){count, items};
    return query_end(query, call->problem);
}

void live_clusters_of(const struct live_exposure *records, size_t count, struct arena *arena,
                      struct live_units *names)
{
    size_t named = 0;

    *names = (struct live_units){0};
    for (size_t i = 0; i < count; i++)
        named += records[i].cluster != NULL;
    if (named == 0)
        return;
    live_units_start(names, arena, named);
    for (size_t i = 0; i < count; i++)
        if (records[i].cluster)
            live_units_add(names, records[i].cluster);
}

static enum error find_numbers(const struct live_call *call, const struct live_experiment *whole,
                               struct live_units *names)
{
    const char **texts = ARENA_ARRAY(call->arena, const char *, names->count);
    struct query *query = db_query(call->db, &clusters_by_name);

    for (size_t i = 0; i < names->count; i++)
        texts[i] = names->items[i]->user_id;
    query_bind_json(query, json_of_strings(call->arena, NAMES_BYTES_MAX, texts, names->count));
    query_bind_integer(query, live_bucket_number(whole, 0));
    while (query_next(query)) {
        struct live_unit *name = live_units_find(names, query_text(query, 1, call->arena));

        if (name)
            name->number = query_integer(query, 0);
    }
    return query_end(query, call->problem);
}

static bool has_new(const struct live_units *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i]->number == 0)
            return true;
    return false;
}

static int64_t clusters_most(const struct live_call *call, const struct live_experiment *whole)
{
    return live_clusters_most(&whole->cluster_plan, call->clusters_max);
}

/* In the order of the records, as many as there is space for. */
static enum error insert_names(const struct live_call *call, struct live_experiment *whole,
                               struct live_units *names)
{
    int64_t most = clusters_most(call, whole);
    struct query *query = db_query(call->db, &insert_cluster);

    for (size_t i = 0; i < names->count && whole->clusters < most; i++) {
        struct live_unit *name = names->items[i];

        if (name->number)
            continue;
        name->number = ++whole->clusters;
        for (int64_t bucket = 0; bucket < live_bucket_count(whole); bucket++) {
            query_bind_integer(query, live_bucket_number(whole, bucket));
            query_bind_integer(query, name->number);
            query_bind_text(query, name->user_id);
            query_repeat(query, NULL);
        }
    }
    return query_end(query, call->problem);
}

enum error live_number_clusters(const struct live_call *call, struct live_experiment *experiment,
                                bool create, struct live_units *names)
{
    struct live_experiment *whole = experiment->whole ? experiment->whole : experiment;
    enum error error = find_numbers(call, whole, names);

    if (error || !create || !has_new(names) || whole->clusters >= clusters_most(call, whole))
        return error;
    return insert_names(call, whole, names);
}

enum error live_brings_clusters(const struct live_call *call, const struct live_experiment *whole,
                                const struct object_list *records, bool *brings)
{
    struct live_units names;
    enum error error;

    *brings = false;
    live_clusters_of(records->items, records->count, call->arena, &names);
    if (names.count == 0)
        return ERROR_NONE;
    error = find_numbers(call, whole, &names);
    *brings = has_new(&names) && whole->clusters < clusters_most(call, whole);
    return error;
}

static int descending(const void *one, const void *other)
{
    int64_t first = *(const int64_t *)one, second = *(const int64_t *)other;

    return (first < second) - (first > second);
}

/* The cells of a cluster in several arms, and of several metrics, have one slice. */
static void list_slices(const struct live_rollup *rollup, struct live_cluster_slices *slices)
{
    size_t different = 0;

    for (size_t i = 0; i < rollup->cell_slots; i++) {
        const struct live_cell *cell = rollup->cells[i];

        if (cell && cell->metric == LIVE_PRESENCE && cell->slice <= LIVE_CLUSTERS &&
            cell->slice > LIVE_WASHED_OUT && cell->people > 0)
            *LIST_ADD(rollup->arena, slices) = cell->slice;
    }
    if (slices->count == 0)
        return;
    qsort(slices->items, slices->count, sizeof slices->items[0], descending);
    for (size_t i = 1; i < slices->count; i++)
        if (slices->items[i] != slices->items[different])
            slices->items[++different] = slices->items[i];
    slices->count = different + 1;
}

enum error live_read_clusters(const struct live_call *call, const struct integer_list *metrics,
                              struct live_rollup *rollup, struct live_cluster_slices *slices)
{
    enum error error = live_read_cells(call, &cells_of_clusters, metrics, rollup);

    *slices = (struct live_cluster_slices){0};
    if (!error)
        list_slices(rollup, slices);
    return error;
}
