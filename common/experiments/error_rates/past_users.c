/* Goes over all users, a thousand at a time, and loads those of the sample. */
#include "experiments/error_rates/past_users.h"

#include "base/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { USERS_AT_A_TIME = 1000, CHUNK_MEMORY_MAX = 256 * 1024 * 1024 };

/* More are read than the sample has, so that it is full although some do not count. */
static const double margin = 1.1;
static const double margin_users = 1000;

struct reading {
    const struct live_call *call;
    struct past_users *users;
    struct live_experiment part; /* the experiment, or a bucket of it */
    uint64_t key_max;
    struct arena *chunk;
};

/* A user as read, at its place before they are sorted. */
struct read_user {
    uint64_t key;
    uint32_t place;
};

uint64_t past_user_key(const char *user_id)
{
    uint64_t key = live_hash(user_id) + UINT64_C(0x9e3779b97f4a7c15);

    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

static int position_of(const struct live_name_list *metrics, int64_t number)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].number == number)
            return (int)i;
    return -1;
}

static void add_user(struct reading *reading, struct live_rollup *scratch,
                     const struct live_unit *root)
{
    struct past_users *users = reading->users;
    const struct live_values *values;
    size_t count = live_rollup_values(scratch, root, &values);
    uint32_t place = (uint32_t)users->count;

    *ARRAY_ADD(users->arena, users->keys, users->count) = past_user_key(root->user_id);
    for (size_t i = 0; i < count; i++) {
        int metric = position_of(&users->view->metrics, values[i].metric);
        bool huge = live_values_are_huge(&values[i]);

        if (metric >= 0 && values[i].counted)
            *ARRAY_ADD(users->arena, users->values, users->value_count) = (struct past_value){
                place, (uint32_t)metric, huge ? INFINITY : sum_value(&values[i].counted_sum)};
    }
}

static enum error load_users(struct reading *reading, const struct live_names *roots)
{
    struct live_call call = *reading->call;
    struct live_units units;
    struct live_rollup scratch;
    const struct live_load load = {
        .call = &call, .experiment = &reading->part, .units = &units, .linked = true};
    enum error error;

    call.arena = reading->chunk;
    live_units_start(&units, reading->chunk, roots->count);
    live_rollup_start(&scratch, &reading->part, reading->chunk);
    error = live_load_units(&load, roots);
    for (size_t i = 0; !error && i < units.count; i++) {
        const struct live_unit *unit = units.items[i];

        if (unit->root == unit && live_subject_counts(unit, &reading->part) &&
            live_subject_exposure(unit)->variation >= 0)
            add_user(reading, &scratch, unit);
    }
    return error;
}

static void choose(const struct reading *reading, const struct live_names *all,
                   struct live_names *chosen)
{
    *chosen = (struct live_names){.arena = reading->chunk};
    for (size_t i = 0; i < all->count; i++)
        if (past_user_key(all->items[i]) <= reading->key_max)
            live_names_add(chosen, all->items[i]);
}

static enum error read_part(struct reading *reading)
{
    char last[LIVE_USER_MAX * 4 + 1] = "";
    enum error error = ERROR_NONE;
    size_t count = 1;

    while (!error && count > 0) {
        struct live_names roots = {.arena = reading->chunk}, chosen;

        error = live_next_roots(reading->call, reading->part.number, last, USERS_AT_A_TIME, &roots);
        count = roots.count;
        if (error || count == 0)
            break;
        snprintf(last, sizeof last, "%s", roots.items[count - 1]);
        choose(reading, &roots, &chosen);
        if (chosen.count)
            error = load_users(reading, &chosen);
        arena_reset(reading->chunk);
    }
    return error;
}

static int by_key(const void *one, const void *other)
{
    const struct read_user *first = one, *second = other;

    if (first->key != second->key)
        return first->key < second->key ? -1 : 1;
    return first->place < second->place ? -1 : 1;
}

static int by_metric(const void *one, const void *other)
{
    const struct past_value *first = one, *second = other;

    if (first->metric != second->metric)
        return first->metric < second->metric ? -1 : 1;
    return (first->user > second->user) - (first->user < second->user);
}

/* Gives users their places and drops those beyond the sample. */
static void put_in_order(struct past_users *users)
{
    struct read_user *read = ARENA_ARRAY(users->arena, struct read_user, users->count);
    uint32_t *place_of = ARENA_ARRAY(users->arena, uint32_t, users->count);
    size_t kept = 0, count = users->count;

    for (size_t i = 0; i < count; i++)
        read[i] = (struct read_user){users->keys[i], (uint32_t)i};
    if (count)
        qsort(read, count, sizeof read[0], by_key);
    for (size_t i = 0; i < count; i++) {
        users->keys[i] = read[i].key;
        place_of[read[i].place] = (uint32_t)i;
    }
    if (count > (size_t)users->most)
        users->count = (size_t)users->most;
    for (size_t i = 0; i < users->value_count; i++) {
        struct past_value value = users->values[i];

        value.user = place_of[value.user];
        if (value.user < users->count)
            users->values[kept++] = value;
    }
    users->value_count = kept;
    if (kept)
        qsort(users->values, kept, sizeof users->values[0], by_metric);
}

static double people_of(const struct past_users *users)
{
    double people = 0;

    for (int arm = 0; arm < LIVE_ARMS_MAX; arm++)
        people += (double)users->view->rollup.arms[1 + arm].people;
    return people;
}

bool past_users_are_sample(const struct past_users *users)
{
    return people_of(users) > (double)users->most;
}

static uint64_t key_max_of(const struct past_users *users)
{
    double people = people_of(users), wanted = (double)users->most * margin + margin_users;

    return wanted >= people ? UINT64_MAX : (uint64_t)(wanted / people * 0x1p64);
}

enum error past_users_read(const struct live_call *call, const struct live_experiment *experiment,
                           void *context)
{
    struct past_users *users = context;
    struct reading reading = {.call = call,
                              .users = users,
                              .part = *experiment,
                              .key_max = key_max_of(users),
                              .chunk = arena_create_below(users->arena, CHUNK_MEMORY_MAX)};
    int64_t buckets = live_bucket_count(experiment);
    enum error error = ERROR_NONE;

    users->count = users->value_count = 0;
    users->keys = NULL;
    users->values = NULL;
    reading.part.buckets = 1;
    for (int64_t i = 0; !error && experiment->number && i < buckets; i++) {
        reading.part.number = live_bucket_number(experiment, i);
        error = read_part(&reading);
    }
    arena_destroy(reading.chunk);
    put_in_order(users);
    return error;
}
