/* A table of user ids, and properties of the subjects that they belong to. */
#include "experiments/live/units.h"

#include <math.h>
#include <string.h>

enum { VALUES_FIRST = 4 };

/* How long after the exposure an event still is in its window: 14 days. */
static const int64_t horizon = INT64_C(14) * 24 * 3600 * 1000000;

uint64_t live_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

void live_units_start(struct live_units *units, struct arena *arena, size_t expected)
{
    *units = (struct live_units){.arena = arena, .capacity = expected + 8, .slot_count = 64};
    while (units->slot_count < 2 * units->capacity)
        units->slot_count *= 2;
    units->items = ARENA_ARRAY(arena, struct live_unit *, units->capacity);
    units->slots = ARENA_ARRAY(arena, struct live_unit *, units->slot_count);
}

static struct live_unit **slot_of(const struct live_units *units, const char *user_id)
{
    size_t at = live_hash(user_id) & (units->slot_count - 1);

    while (units->slots[at] && strcmp(units->slots[at]->user_id, user_id) != 0)
        at = (at + 1) & (units->slot_count - 1);
    return &units->slots[at];
}

static void grow(struct live_units *units)
{
    struct live_units larger;

    live_units_start(&larger, units->arena, 2 * units->capacity);
    for (size_t i = 0; i < units->count; i++) {
        larger.items[i] = units->items[i];
        *slot_of(&larger, units->items[i]->user_id) = units->items[i];
    }
    larger.count = units->count;
    *units = larger;
}

struct live_unit *live_units_find(const struct live_units *units, const char *user_id)
{
    return *slot_of(units, user_id);
}

struct live_unit *live_units_add(struct live_units *units, const char *user_id)
{
    struct live_unit **slot = slot_of(units, user_id);

    if (*slot)
        return *slot;
    if (units->count == units->capacity) {
        grow(units);
        slot = slot_of(units, user_id);
    }
    *slot = ARENA_NEW(units->arena, struct live_unit);
    (*slot)->user_id = user_id;
    (*slot)->root = *slot;
    units->items[units->count++] = *slot;
    return *slot;
}

void live_unit_join(struct live_unit *alias, struct live_unit *root)
{
    alias->root = root;
    alias->next_alias = root->aliases;
    root->aliases = alias;
}

/* Room for one more item. */
static void *reserve(struct arena *arena, void *items, size_t size, size_t count, size_t *capacity)
{
    void *larger;

    if (count < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : VALUES_FIRST;
    larger = arena_alloc_array(arena, *capacity, size);
    if (count)
        memcpy(larger, items, count * size);
    return larger;
}

struct live_values *live_unit_values(struct live_units *units, struct live_unit *unit,
                                     int64_t metric)
{
    for (size_t i = 0; i < unit->value_count; i++)
        if (unit->values[i].metric == metric)
            return &unit->values[i];
    unit->values = reserve(units->arena, unit->values, sizeof *unit->values, unit->value_count,
                           &unit->value_capacity);
    unit->values[unit->value_count] = (struct live_values){.metric = metric};
    return &unit->values[unit->value_count++];
}

struct live_covariate *live_unit_covariate(const struct live_unit *unit, int64_t number)
{
    for (size_t i = 0; i < unit->covariate_count; i++)
        if (unit->covariates[i].number == number)
            return &unit->covariates[i];
    return NULL;
}

void live_unit_add_covariate(struct live_units *units, struct live_unit *unit, int64_t number,
                             double value, bool stored)
{
    unit->covariates = reserve(units->arena, unit->covariates, sizeof *unit->covariates,
                               unit->covariate_count, &unit->covariate_capacity);
    unit->covariates[unit->covariate_count++] = (struct live_covariate){number, value, stored};
}

static bool comes_before(const struct live_unit *one, const struct live_unit *other)
{
    if (one->occurred_at != other->occurred_at)
        return one->occurred_at < other->occurred_at;
    if (one->exposed_at != other->exposed_at)
        return one->exposed_at < other->exposed_at;
    return one->exposure_sequence < other->exposure_sequence;
}

const struct live_unit *live_subject_exposure(const struct live_unit *root)
{
    const struct live_unit *first = NULL;

    FOR_EACH_UNIT(unit, root)
    if (unit->exposed && (!first || comes_before(unit, first)))
        first = unit;
    return first;
}

int64_t live_subject_stratum(const struct live_unit *root)
{
    const struct live_unit *first = NULL;

    FOR_EACH_UNIT(unit, root)
    if (unit->stratum && (!first || unit->stratified_at < first->stratified_at ||
                          (unit->stratified_at == first->stratified_at &&
                           unit->stratum_sequence < first->stratum_sequence)))
        first = unit;
    return first ? first->stratum : 0;
}

bool live_subject_crossed(const struct live_unit *root)
{
    const struct live_unit *first = live_subject_exposure(root);

    FOR_EACH_UNIT(unit, root)
    if (unit->crossed || (unit->exposed && unit->variation != first->variation))
        return true;
    return false;
}

bool live_subject_cluster_crossed(const struct live_unit *root)
{
    const struct live_unit *first = live_subject_exposure(root);

    FOR_EACH_UNIT(unit, root)
    if (unit->cluster_crossed ||
        (first && unit->exposed && unit->cluster && unit->cluster != first->cluster))
        return true;
    return false;
}

bool live_subject_excluded(const struct live_unit *root)
{
    FOR_EACH_UNIT(unit, root)
    if (unit->exclusion_reason)
        return true;
    return false;
}

static void count_value(double value, int64_t *events, int64_t *huge, struct sum *sum)
{
    ++*events;
    if (fabs(value) <= LIVE_VALUE_MAX)
        sum_add(sum, value);
    else
        ++*huge;
}

void live_values_count(struct live_values *values, double value)
{
    count_value(value, &values->events, &values->huge, &values->sum);
}

/* Moments lie within the years 1 to 9999 and windows within ten years: no sum can overflow. */
void live_values_classify(struct live_values *values, const struct live_timed_value *moment,
                          const struct live_unit *exposure)
{
    bool early;

    if (!exposure)
        return;
    early = moment->at < exposure->occurred_at;
    values->early += early;
    values->late += moment->at > exposure->occurred_at + horizon;
    if (moment->window == LIVE_WINDOW_ALL || early)
        return;
    if (moment->window == LIVE_WINDOW_OPEN || moment->at <= exposure->occurred_at + moment->window)
        count_value(moment->value, &values->counted, &values->counted_huge, &values->counted_sum);
}
