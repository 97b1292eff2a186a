/* Loads users bucket by bucket. */
#include "experiments/sources/exposure_times.h"

#include <stdlib.h>
#include <string.h>

static int by_user(const void *left, const void *right)
{
    return strcmp(((const struct live_exposure_time *)left)->user_id,
                  ((const struct live_exposure_time *)right)->user_id);
}

/* Loads those of `ids` that are stored under `number`. */
static enum error load_part(const struct live_call *call, const struct live_experiment *experiment,
                            int64_t number, const struct live_names *ids,
                            struct live_exposure_time *items, size_t *count)
{
    struct live_experiment home = *experiment;
    struct live_units units;
    const struct live_load load = {
        .call = call, .experiment = &home, .units = &units, .linked = true};
    enum error error;

    home.number = number;
    live_units_start(&units, call->arena, ids->count);
    error = live_load_units(&load, ids);
    for (size_t i = 0; !error && i < ids->count; i++) {
        const struct live_unit *unit = live_units_find(&units, ids->items[i]);
        const struct live_unit *exposed = unit ? live_subject_exposure(unit->root) : NULL;

        items[*count] = (struct live_exposure_time){.user_id = ids->items[i]};
        if (exposed)
            items[*count].at = GIVEN_INTEGER(exposed->occurred_at);
        ++*count;
    }
    return error;
}

static enum error load_divided(const struct live_call *call,
                               const struct live_experiment *experiment, struct live_units *homes,
                               struct live_exposure_time *items, size_t *count)
{
    enum error error = live_find_places(call, experiment, homes);

    for (int64_t bucket = 0; !error && bucket < experiment->buckets; bucket++) {
        struct live_names ids = {.arena = call->arena};

        for (size_t i = 0; i < homes->count; i++)
            if (homes->items[i]->number == bucket)
                live_names_add(&ids, homes->items[i]->user_id);
        if (ids.count)
            error = load_part(call, experiment, live_bucket_number(experiment, bucket), &ids, items,
                              count);
    }
    return error;
}

enum error live_find_exposure_times(const struct live_call *call,
                                    const struct live_experiment *experiment,
                                    const struct live_names *users,
                                    struct live_exposure_times *times)
{
    struct live_names ids = {.arena = call->arena};
    struct live_exposure_time *items =
        ARENA_ARRAY(call->arena, struct live_exposure_time, users->count);
    struct live_units homes;
    enum error error;

    *times = (struct live_exposure_times){.items = items};
    live_units_start(&homes, call->arena, users->count);
    for (size_t i = 0; i < users->count; i++)
        live_units_add(&homes, users->items[i]);
    for (size_t i = 0; i < homes.count; i++)
        live_names_add(&ids, homes.items[i]->user_id);
    if (!ids.count)
        return ERROR_NONE;
    error = experiment->buckets > 1
                ? load_divided(call, experiment, &homes, items, &times->count)
                : load_part(call, experiment, experiment->number, &ids, items, &times->count);
    qsort(items, times->count, sizeof *items, by_user);
    return error;
}

const struct live_exposure_time *live_exposure_time_of(const struct live_exposure_times *times,
                                                       const char *user_id)
{
    const struct live_exposure_time wanted = {.user_id = user_id};

    if (!times->count)
        return NULL;
    return bsearch(&wanted, times->items, times->count, sizeof wanted, by_user);
}
