/* Divides a batch over the buckets of an experiment. All of it is one transaction. */
#include "experiments/live/batch.h"
#include "experiments/live/cluster_store.h"
#include "experiments/live/slices.h"

#include <string.h>

/* A divided experiment while a batch runs. */
struct division {
    struct live_batch_run *batch;
    struct live_experiment *whole;
    struct live_units homes; /* the user ids of the batch; `number` is the bucket of each */
    bool *wanted;            /* the buckets that are locked, or will be */
    bool all;
    struct live_parts parts;
    int64_t first_sequence; /* of the first record; the same clock in all open buckets */
    size_t kept_count;
    size_t *kept; /* the records that go into a bucket, by their place in the batch */
};

static const size_t record_sizes[LIVE_KIND__MAX] = {
    [LIVE_EXPOSURES] = sizeof(struct live_exposure),
    [LIVE_CONVERSIONS] = sizeof(struct live_conversion),
    [LIVE_IDENTITIES] = sizeof(struct live_identity),
    [LIVE_EXCLUSIONS] = sizeof(struct live_exclusion),
    [LIVE_HOLDOUTS] = sizeof(struct live_holdout_member),
    [LIVE_PRE_PERIODS] = sizeof(struct live_pre_period),
    [LIVE_STRATA] = sizeof(struct live_stratum),
};

static int64_t home_of(const struct division *division, const char *user_id)
{
    return live_units_find(&division->homes, user_id)->number;
}

/* All names that the batch could bring, whatever becomes of its records. */
static enum live_name_kind names_of(const struct live_batch_run *batch,
                                    struct live_name_list *names)
{
    struct arena *arena = batch->call->arena;
    const void *items = batch->records->items;

    for (size_t i = 0; i < batch->records->count; i++) {
        const struct live_exposure *exposure = (const struct live_exposure *)items + i;
        const struct live_dimension *dimension;

        if (batch->kind == LIVE_CONVERSIONS)
            live_name_entry(arena, names, "", ((const struct live_conversion *)items)[i].metric);
        else if (batch->kind == LIVE_PRE_PERIODS)
            live_name_entry(arena, names, "",
                            ((const struct live_pre_period *)items)[i].covariate_name);
        else if (batch->kind == LIVE_STRATA)
            live_name_entry(arena, names, "", ((const struct live_stratum *)items)[i].stratum);
        else if (batch->kind == LIVE_EXPOSURES)
            for (size_t k = 0; k < exposure->dimensions.count; k++) {
                dimension = (const struct live_dimension *)exposure->dimensions.items + k;
                live_name_entry(arena, names, dimension->name, dimension->value);
            }
    }
    if (batch->kind == LIVE_CONVERSIONS)
        return LIVE_METRIC_NAMES;
    return batch->kind == LIVE_PRE_PERIODS ? LIVE_COVARIATE_NAMES : LIVE_SLICE_NAMES;
}

/* A new name concerns all buckets. */
static enum error brings_names(const struct division *division, bool *new_names)
{
    struct live_name_list names = {0};
    enum live_name_kind kind = names_of(division->batch, &names);
    enum error error;

    if (division->batch->kind == LIVE_EXPOSURES) {
        error = live_brings_slices(division->batch->call, division->whole, &names, new_names);
        return error || *new_names ? error
                                   : live_brings_clusters(division->batch->call, division->whole,
                                                          division->batch->records, new_names);
    }
    error = live_find_names(division->batch->call, live_bucket_number(division->whole, 0), kind,
                            &names);
    *new_names = false;
    for (size_t i = 0; i < names.count; i++)
        *new_names = *new_names || names.items[i].number == 0;
    return error;
}

/* Finds out which buckets the batch needs, and locks those that it did not need before. */
static enum error lock_what_is_needed(struct division *division)
{
    const struct live_call *call = division->batch->call;
    bool *more = ARENA_ARRAY(call->arena, bool, (size_t)division->whole->buckets);
    bool new_names = false;
    enum error error = brings_names(division, &new_names);

    if (!error)
        error = live_find_places(call, division->whole, &division->homes);
    for (size_t i = 0; i < division->homes.count; i++)
        more[division->homes.items[i]->number] = true;
    division->all = division->all || new_names;
    for (int64_t i = 0; i < division->whole->buckets; i++) {
        more[i] = (more[i] || division->all) && !division->wanted[i];
        division->wanted[i] = division->wanted[i] || more[i];
    }
    return error ? error : live_lock_buckets(call, division->whole, more);
}

/* The second look is under the locks: what a link has moved in between is locked as well. */
static enum error open_buckets(struct division *division)
{
    struct live_batch_run *batch = division->batch;
    const struct live_call *call = batch->call;
    struct live_names ids = live_batch_users(batch);
    enum error error;

    live_units_start(&division->homes, call->arena, ids.count);
    for (size_t i = 0; i < ids.count; i++)
        live_units_add(&division->homes, ids.items[i]);
    division->wanted = ARENA_ARRAY(call->arena, bool, (size_t)division->whole->buckets);
    error = lock_what_is_needed(division);
    if (!error)
        error = lock_what_is_needed(division);
    if (!error)
        error = live_find_experiment(call, division->whole->id, division->whole);
    if (!error)
        error = live_read_parts(call, division->whole, division->wanted, &division->parts);
    division->first_sequence = 1;
    for (size_t i = 0; !error && i < division->parts.count; i++)
        if (division->parts.items[i].next_sequence > division->first_sequence)
            division->first_sequence = division->parts.items[i].next_sequence;
    return error;
}

static void keep(struct division *division, size_t record)
{
    division->kept[division->kept_count++] = record;
}

static void keep_all(struct division *division)
{
    for (size_t i = 0; i < division->batch->records->count; i++)
        keep(division, i);
}

/* Of events with the same key the first counts, whoever they are of. */
static enum error keep_conversions(struct division *division)
{
    struct live_batch_run *batch = division->batch;
    const struct live_conversion *records = batch->records->items;
    struct arena *arena = batch->call->arena;
    struct live_names keys = {.arena = arena}, taken = {.arena = arena};
    struct live_units seen;
    enum error error;

    live_units_start(&seen, arena, batch->records->count);
    for (size_t i = 0; i < batch->records->count; i++)
        if (records[i].idempotency_key && !live_units_find(&seen, records[i].idempotency_key)) {
            live_units_add(&seen, records[i].idempotency_key);
            live_names_add(&keys, records[i].idempotency_key);
        }
    error = live_take_keys(batch->call, division->whole, batch->now, &keys, &taken);
    live_units_start(&seen, arena, batch->records->count);
    for (size_t i = 0; !error && i < taken.count; i++)
        live_units_add(&seen, taken.items[i]);
    for (size_t i = 0; !error && i < batch->records->count; i++) {
        const char *key = records[i].idempotency_key;

        if (key && live_units_find(&seen, key)) {
            batch->outcome->deduplicated++;
            continue;
        }
        if (key)
            live_units_add(&seen, key);
        keep(division, i);
    }
    return error;
}

/* The users of the batch that are in a bucket, loaded. Ids without rows are added. */
static enum error load_bucket(struct division *division, int64_t bucket, bool create,
                              struct live_units *units)
{
    const struct live_call *call = division->batch->call;
    struct live_names ids = {.arena = call->arena};
    const struct live_load load = {.call = call,
                                   .experiment = &division->parts.items[bucket],
                                   .units = units,
                                   .linked = true,
                                   .create = create,
                                   .covariates = true};

    for (size_t i = 0; i < division->homes.count; i++)
        if (division->homes.items[i]->number == bucket)
            live_names_add(&ids, division->homes.items[i]->user_id);
    live_units_start(units, call->arena, ids.count);
    return ids.count ? live_load_units(&load, &ids) : ERROR_NONE;
}

/* Judges the links in their order, as one bucket would; notes who has to move for them. */
static enum error judge_links(struct division *division, struct live_units *tables,
                              struct live_move *moves, size_t *move_count)
{
    struct live_batch_run *batch = division->batch;
    const struct live_identity *records = batch->records->items;
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && i < division->whole->buckets; i++)
        if (division->wanted[i])
            error = load_bucket(division, i, true, &tables[i]);
    for (size_t i = 0; !error && i < batch->records->count; i++) {
        int64_t from = home_of(division, records[i].anonymous_id);
        int64_t to = home_of(division, records[i].canonical_id);
        struct live_unit *alias = live_units_find(&tables[from], records[i].anonymous_id);
        struct live_unit *canonical = live_units_find(&tables[to], records[i].canonical_id);
        enum live_link link = live_judge_link(alias, canonical);

        batch->outcome->deduplicated += link == LIVE_LINK_KNOWN;
        if (link != LIVE_LINK_NEW)
            continue;
        alias->canonical_id = canonical->user_id;
        live_unit_join(alias, canonical);
        keep(division, i);
        if (from != to)
            moves[(*move_count)++] = (struct live_move){.user_id = alias->user_id,
                                                        .from = from,
                                                        .to = to,
                                                        .stored = alias->stored,
                                                        .unit = alias->number};
    }
    return error;
}

/* The contributions of those who leave a bucket, as they are; they are alone: neither aliases nor
 * with aliases. */
static enum error move_contributions(struct division *division, int64_t from,
                                     struct live_move *moves, size_t count,
                                     struct live_rollup *rollups)
{
    struct live_units units;
    enum error error = load_bucket(division, from, false, &units);

    for (size_t i = 0; !error && i < count; i++) {
        struct live_move *move = &moves[i];
        struct live_unit *unit = live_units_find(&units, move->user_id);

        if (move->from != from || !move->stored)
            continue;
        live_rollup_subject(&rollups[from], unit, -1);
        live_rollup_subject(&rollups[move->to], unit, 1);
        move->number = division->parts.items[move->to].next_unit++;
    }
    return error;
}

static enum error save_contributions(struct division *division, int64_t bucket,
                                     struct live_rollup *rollup)
{
    struct live_experiment *part = &division->parts.items[bucket];
    const struct live_call *call = division->batch->call;
    enum error error = live_save_rollup(call, part, rollup);

    part->version++;
    return error ? error : live_save_experiment(call, part);
}

/* Moves the users before they are linked, so that each link is the business of one bucket. */
static enum error move_users(struct division *division, struct live_move *moves, size_t count)
{
    const struct live_call *call = division->batch->call;
    size_t buckets = division->parts.count;
    struct live_rollup *rollups = ARENA_ARRAY(call->arena, struct live_rollup, buckets);
    bool *moving = ARENA_ARRAY(call->arena, bool, buckets);
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count; i++)
        moving[moves[i].from] = moving[moves[i].to] = true;
    for (size_t i = 0; i < buckets; i++)
        if (moving[i])
            live_rollup_start(&rollups[i], &division->parts.items[i], call->arena);
    for (size_t i = 0; !error && i < buckets; i++)
        if (moving[i])
            error = move_contributions(division, (int64_t)i, moves, count, rollups);
    if (!error)
        error = live_move_units(call, division->whole, moves, count);
    for (size_t i = 0; !error && i < buckets; i++)
        if (moving[i])
            error = save_contributions(division, (int64_t)i, &rollups[i]);
    for (size_t i = 0; i < count; i++)
        live_units_find(&division->homes, moves[i].user_id)->number = moves[i].to;
    return error;
}

static enum error keep_links(struct division *division)
{
    struct arena *arena = division->batch->call->arena;
    struct live_units *tables = ARENA_ARRAY(arena, struct live_units, division->parts.count);
    struct live_move *moves = ARENA_ARRAY(arena, struct live_move, division->batch->records->count);
    size_t count = 0;
    enum error error = judge_links(division, tables, moves, &count);

    return error || count == 0 ? error : move_users(division, moves, count);
}

/* In the order of the records: the first values of a dimension have the places. */
static enum error number_new_slices(struct division *division)
{
    struct live_batch_run *batch = division->batch;
    struct live_units known, *homes = &division->homes;
    enum error error = ERROR_NONE;

    live_units_start(&known, batch->call->arena, homes->count);
    for (int64_t bucket = 0; !error && bucket < division->whole->buckets; bucket++) {
        struct live_units stored;

        error = load_bucket(division, bucket, false, &stored);
        for (size_t i = 0; !error && i < homes->count; i++) {
            const char *user_id = homes->items[i]->user_id;
            const struct live_unit *unit;

            if (homes->items[i]->number != bucket)
                continue;
            unit = live_units_find(&stored, user_id);
            if (unit)
                *live_units_add(&known, user_id) = *unit;
            else
                live_units_add(&known, user_id);
        }
    }
    if (!error)
        error = live_batch_number_slices(batch, &known);
    if (!error && batch->kind == LIVE_EXPOSURES)
        error = live_batch_number_clusters(batch);
    batch->names = (struct live_name_list){0}; /* the buckets find them */
    return error;
}

static const char *user_of(const struct live_batch_run *batch, size_t record)
{
    const void *items = batch->records->items;

    switch (batch->kind) {
    case LIVE_EXPOSURES:
        return ((const struct live_exposure *)items)[record].user_id;
    case LIVE_CONVERSIONS:
        return ((const struct live_conversion *)items)[record].user_id;
    case LIVE_IDENTITIES:
        return ((const struct live_identity *)items)[record].canonical_id;
    case LIVE_EXCLUSIONS:
        return ((const struct live_exclusion *)items)[record].user_id;
    case LIVE_HOLDOUTS:
        return ((const struct live_holdout_member *)items)[record].user_id;
    case LIVE_PRE_PERIODS:
        return ((const struct live_pre_period *)items)[record].user_id;
    default:
        return ((const struct live_stratum *)items)[record].user_id;
    }
}

static enum error run_part(struct division *division, int64_t bucket, const struct object_list *own,
                           const int64_t *sequences)
{
    const struct live_batch_run *batch = division->batch;
    struct live_experiment *part = &division->parts.items[bucket];
    const struct live_batch_part settled = {sequences};
    struct live_batch_run *run = ARENA_NEW(batch->call->arena, struct live_batch_run);
    enum error error;

    live_fit_bucket(part, division->whole);
    part->next_sequence = division->first_sequence + (int64_t)batch->records->count;
    *run = (struct live_batch_run){.call = batch->call,
                                   .kind = batch->kind,
                                   .records = own,
                                   .outcome = batch->outcome,
                                   .part = &settled,
                                   .experiment = *part,
                                   .names = batch->names,
                                   .now = batch->now,
                                   .covariates_grew = batch->covariates_grew};
    error = live_run_batch(run);
    *part = run->experiment;
    return error;
}

/* The kept records, each in the bucket of its user, in their order. */
static enum error run_parts(struct division *division)
{
    const struct live_batch_run *batch = division->batch;
    size_t size = record_sizes[batch->kind];
    struct arena *arena = batch->call->arena;
    enum error error = ERROR_NONE;

    for (int64_t bucket = 0; !error && bucket < division->whole->buckets; bucket++) {
        int64_t *sequences;
        struct object_list own = {0};
        char *items;

        if (!division->wanted[bucket])
            continue;
        items = arena_alloc_array(arena, division->kept_count + 1, size);
        sequences = ARENA_ARRAY(arena, int64_t, division->kept_count + 1);
        for (size_t i = 0; i < division->kept_count; i++) {
            size_t record = division->kept[i];

            if (home_of(division, user_of(batch, record)) != bucket)
                continue;
            memcpy(items + own.count * size, (const char *)batch->records->items + record * size,
                   size);
            sequences[own.count++] = division->first_sequence + (int64_t)record;
        }
        own.items = items;
        if (own.count)
            error = run_part(division, bucket, &own, sequences);
    }
    return error;
}

/* What concerns all records before they are divided. */
static enum error settle(struct division *division)
{
    struct live_batch_run *batch = division->batch;
    enum error error = ERROR_NONE;

    division->kept = ARENA_ARRAY(batch->call->arena, size_t, batch->records->count);
    switch (batch->kind) {
    case LIVE_CONVERSIONS:
        error = live_batch_number_metrics(batch);
        return error ? error : keep_conversions(division);
    case LIVE_PRE_PERIODS:
        keep_all(division);
        return live_batch_number_covariates(batch);
    case LIVE_IDENTITIES:
        return keep_links(division);
    case LIVE_EXPOSURES:
    case LIVE_STRATA:
        keep_all(division);
        return division->all ? number_new_slices(division) : ERROR_NONE;
    default:
        keep_all(division);
        return ERROR_NONE;
    }
}

enum error live_run_divided(struct live_batch_run *batch)
{
    struct division division = {.batch = batch, .whole = &batch->experiment};
    enum error error = open_buckets(&division);

    if (!error)
        error = settle(&division);
    if (!error)
        error = run_parts(&division);
    /* Without new names nothing of the whole has changed, and others may be writing. */
    return error || !division.all ? error : live_save_experiment(batch->call, division.whole);
}
