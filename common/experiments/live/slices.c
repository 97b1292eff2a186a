/* Places values under the dimensions of the design before they get numbers. */
#include "experiments/live/slices.h"

#include "base/json.h"
#include "db/query.h"
#include "experiments/adaptive/adaptive.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = LIVE_DIMENSIONS_MAX * 21 };

static const struct statement count_slices = {
    .name = "live_slice_counts",
    .sql = "SELECT dimension, count(*) FROM live_slices WHERE experiment = ? AND dimension NOT IN "
           "('', '" ADAPTIVE_DIMENSION "')"
           " AND name <> '" PAYLOAD_OTHER "' GROUP BY dimension",
};

/* How many values each dimension has, as `number`. */
static enum error read_counts(const struct live_call *call, int64_t number,
                              struct live_name_list *counts)
{
    struct query *query = db_query(call->db, &count_slices);

    query_bind_integer(query, number);
    while (query_next(query))
        live_name_entry(call->arena, counts, query_text(query, 0, call->arena), "")->number =
            query_integer(query, 1);
    return query_end(query, call->problem);
}

static bool is_kept(const struct live_name_list *counts, const char *dimension)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->items[i].dimension, dimension) == 0)
            return true;
    return false;
}

/* A new value takes a place while there is one. */
static enum live_place take_place(struct arena *arena, struct live_name_list *counts,
                                  const char *dimension, int64_t most)
{
    struct live_name *count = live_name_entry(arena, counts, dimension, "");

    if (count->number >= most)
        return LIVE_NAME_OTHER;
    count->number++;
    return LIVE_NAME_OWN;
}

static enum live_place place_of(struct arena *arena, const struct object_list *declared,
                                struct live_name_list *counts, const struct live_name *slice)
{
    const struct payload_dimension *dimension = payload_find_dimension(declared, slice->dimension);
    bool other = strcmp(slice->name, PAYLOAD_OTHER) == 0;

    if (!dimension && strcmp(slice->dimension, ADAPTIVE_DIMENSION) == 0)
        return adaptive_round_of(slice->name) ? LIVE_NAME_OWN : LIVE_NAME_OTHER;
    if (declared->count > 0 && !dimension)
        return LIVE_NAME_NONE;
    if (other && (dimension || is_kept(counts, slice->dimension)))
        return LIVE_NAME_OWN;
    if (dimension && dimension->values.count > 0)
        return payload_dimension_has(dimension, slice->name) ? LIVE_NAME_OWN : LIVE_NAME_OTHER;
    if (slice->number)
        return LIVE_NAME_OWN;
    if (dimension)
        return take_place(arena, counts, slice->dimension, dimension->values_max);
    if (!is_kept(counts, slice->dimension) && counts->count >= LIVE_DIMENSIONS_MAX)
        return LIVE_NAME_NONE;
    return take_place(arena, counts, slice->dimension, LIVE_SLICE_VALUES_MAX);
}

/* With the entries of "other" that are needed. */
static void add_others(struct arena *arena, struct live_name_list *slices)
{
    size_t count = slices->count;

    for (size_t i = 0; i < count; i++)
        if (slices->items[i].place == LIVE_NAME_OTHER)
            live_name_entry(arena, slices, slices->items[i].dimension, PAYLOAD_OTHER);
}

static enum error place_all(const struct live_call *call, const struct live_experiment *whole,
                            struct live_name_list *slices)
{
    int64_t any = live_bucket_number(whole, 0);
    struct live_name_list counts = {0};
    struct live_reading reading;
    enum error error = live_find_names(call, any, LIVE_SLICE_NAMES, slices);

    if (!error)
        error = live_read_design(call, whole->id, &reading);
    if (!error)
        error = read_counts(call, any, &counts);
    for (size_t i = 0; !error && i < slices->count; i++)
        slices->items[i].place =
            place_of(call->arena, &reading.design->setup->dimensions, &counts, &slices->items[i]);
    add_others(call->arena, slices);
    return error;
}

enum error live_number_slices(const struct live_call *call, struct live_experiment *experiment,
                              struct live_name_list *slices)
{
    const struct live_experiment *whole = experiment->whole ? experiment->whole : experiment;
    enum error error;

    if (slices->count == 0)
        return ERROR_NONE;
    error = place_all(call, whole, slices);
    if (!error)
        error = live_number_names(call, experiment, LIVE_SLICE_NAMES, slices);
    for (size_t i = 0; !error && i < slices->count; i++) {
        struct live_name *slice = &slices->items[i];

        if (slice->place == LIVE_NAME_OTHER)
            slice->number =
                live_name_entry(call->arena, slices, slice->dimension, PAYLOAD_OTHER)->number;
        else if (slice->place == LIVE_NAME_NONE)
            slice->number = 0;
    }
    return error;
}

enum error live_brings_slices(const struct live_call *call, const struct live_experiment *whole,
                              struct live_name_list *slices, bool *brings)
{
    enum error error = slices->count ? place_all(call, whole, slices) : ERROR_NONE;

    *brings = false;
    if (!error)
        error = live_find_names(call, live_bucket_number(whole, 0), LIVE_SLICE_NAMES, slices);
    for (size_t i = 0; i < slices->count; i++)
        *brings = *brings || (slices->items[i].place == LIVE_NAME_OWN && !slices->items[i].number);
    return error;
}

static bool is_among(const int64_t *numbers, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

const char *live_slices_text(struct arena *arena, const struct live_name_list *slices,
                             const struct live_exposure *exposure)
{
    const struct live_dimension *sent = exposure->dimensions.items;
    int64_t numbers[LIVE_DIMENSIONS_MAX];
    char text[TEXT_MAX];
    size_t length = 0, count = 0;

    for (size_t i = 0; i < exposure->dimensions.count && count < LIVE_DIMENSIONS_MAX; i++) {
        struct live_name_list found = *slices; /* every slice sent has its entry: none is added */
        int64_t number = live_name_entry(arena, &found, sent[i].name, sent[i].value)->number;

        if (!number || is_among(numbers, count, number))
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, count ? " %lld" : "%lld",
                                   (long long)number);
        numbers[count++] = number;
    }
    return count ? arena_copy_string(arena, text) : NULL;
}
