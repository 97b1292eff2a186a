/* Goes over the users of the first experiment, a thousand at a time, and loads the same ids of the
 * others. */
#include "experiments/interactions/shared_users.h"

#include "experiments/error_rates/past_users.h"
#include "experiments/live/bucket_store.h"

#include <stdio.h>
#include <string.h>

enum { USERS_AT_A_TIME = 1000, CHUNK_MEMORY_MAX = 256 * 1024 * 1024 };

/* A user of the first experiment who counts, with the value of its primary metric. */
struct measured_user {
    const struct live_unit *root;
    int64_t arm;
    double value, other;
    bool converted, huge;
};

struct pass {
    const struct live_call *call; /* with the arena of a chunk */
    struct shared_users *shared;
    struct live_experiment part; /* the first experiment, or a bucket of it */
    int64_t metric, other;       /* numbers; `other` is the denominator of a ratio, else 0 */
    uint64_t key_max;
    size_t user_count; /* of the chunk */
    struct measured_user *users;
    struct live_names ids; /* all ids of those users */
};

int64_t shared_users_people(const struct live_view *view)
{
    int64_t people = 0;

    for (size_t arm = 0; arm < view->arm_count; arm++)
        people += view->rollup.arms[1 + arm].people;
    return people;
}

static void choose_metrics(struct pass *pass, const struct live_view *view)
{
    const struct payload_metrics *metrics = view->design->metrics;

    pass->metric = live_view_metric(view, metrics->primary_metric_name);
    if (metrics->metric_type != METRIC_RATIO)
        return;
    pass->metric =
        metrics->numerator_metric_name ? live_view_metric(view, metrics->numerator_metric_name) : 0;
    pass->other = metrics->denominator_metric_name
                      ? live_view_metric(view, metrics->denominator_metric_name)
                      : 0;
}

static void take_value(const struct pass *pass, const struct live_values *values,
                       struct measured_user *user)
{
    bool is_metric = values->metric == pass->metric && pass->metric;
    bool is_other = values->metric == pass->other && pass->other;

    if (!values->counted || (!is_metric && !is_other))
        return;
    user->huge = user->huge || live_values_are_huge(values);
    if (is_metric)
        user->converted = true;
    if (is_metric && !user->huge)
        user->value = sum_value(&values->counted_sum);
    if (is_other && !user->huge)
        user->other = sum_value(&values->counted_sum);
}

static void add_user(struct pass *pass, struct live_rollup *scratch, const struct live_unit *root)
{
    const struct live_unit *exposure = live_subject_exposure(root);
    const struct live_values *values;
    struct measured_user *user;
    size_t count;

    if (root->root != root || !live_subject_counts(root, &pass->part) || exposure->variation < 0 ||
        (size_t)exposure->variation >= pass->shared->view->arm_count)
        return;
    user = &pass->users[pass->user_count++];
    *user = (struct measured_user){.root = root, .arm = exposure->variation};
    count = live_rollup_values(scratch, root, &values);
    for (size_t i = 0; i < count; i++)
        take_value(pass, &values[i], user);
    FOR_EACH_UNIT(unit, root)
    live_names_add(&pass->ids, unit->user_id);
}

static enum error load_users(struct pass *pass, const struct live_names *roots)
{
    struct live_units *units = ARENA_NEW(pass->call->arena, struct live_units);
    struct live_rollup scratch;
    const struct live_load load = {
        .call = pass->call, .experiment = &pass->part, .units = units, .linked = true};
    enum error error;

    live_units_start(units, pass->call->arena, roots->count);
    live_rollup_start(&scratch, &pass->part, pass->call->arena);
    error = live_load_units(&load, roots);
    pass->user_count = 0;
    pass->users = ARENA_ARRAY(pass->call->arena, struct measured_user, units->count);
    pass->ids = (struct live_names){.arena = pass->call->arena};
    for (size_t i = 0; !error && i < units->count; i++)
        add_user(pass, &scratch, units->items[i]);
    pass->shared->users += (int64_t)pass->user_count;
    return error;
}

static void add_to_cell(struct shared_cell *cell, const struct measured_user *user)
{
    cell->users++;
    cell->converted += user->converted;
    cell->huge += user->huge;
    if (user->huge)
        return;
    sum_add(&cell->value, user->value);
    sum_add(&cell->other, user->other);
    sum_add_product(&cell->value_squares, user->value, user->value);
    sum_add_product(&cell->other_squares, user->other, user->other);
    sum_add_product(&cell->products, user->value, user->other);
}

/* The arm in a part of another experiment; -1 = none there. */
static int64_t arm_in(const struct live_unit *root, const struct live_units *units,
                      const struct live_experiment *part, const struct live_view *view)
{
    FOR_EACH_UNIT(unit, root)
    {
        const struct live_unit *found = live_units_find(units, unit->user_id);
        const struct live_unit *exposure;

        if (!found || !live_subject_counts(found->root, part))
            continue;
        exposure = live_subject_exposure(found->root);
        if (exposure->variation >= 0 && (size_t)exposure->variation < view->arm_count)
            return exposure->variation;
    }
    return -1;
}

/* Users who were found in a part are taken from the list of those who are looked for. */
static enum error look_in_part(struct pass *pass, struct shared_other *other,
                               struct live_experiment *part, const struct live_names *ids,
                               bool *found)
{
    struct live_units units;
    const struct live_load load = {
        .call = pass->call, .experiment = part, .units = &units, .linked = true};
    enum error error;

    if (ids->count == 0)
        return ERROR_NONE;
    live_units_start(&units, pass->call->arena, ids->count);
    error = live_load_units(&load, ids);
    for (size_t i = 0; !error && i < pass->user_count; i++) {
        const struct measured_user *user = &pass->users[i];
        int64_t arm = found[i] ? -1 : arm_in(user->root, &units, part, other->view);

        if (arm < 0)
            continue;
        found[i] = true;
        other->users++;
        add_to_cell(&other->cells[user->arm][arm], user);
    }
    return error;
}

/* The ids that each bucket of another experiment may have. */
static enum error divide_ids(struct pass *pass, const struct live_experiment *whole,
                             struct live_names *divided)
{
    struct live_units homes;
    enum error error;

    live_units_start(&homes, pass->call->arena, pass->ids.count);
    for (size_t i = 0; i < pass->ids.count; i++)
        live_units_add(&homes, pass->ids.items[i]);
    error = live_find_places(pass->call, whole, &homes);
    for (size_t i = 0; !error && i < homes.count; i++)
        live_names_add(&divided[homes.items[i]->number], homes.items[i]->user_id);
    return error;
}

static enum error look_in(struct pass *pass, struct shared_other *other)
{
    const struct live_experiment *whole = &other->view->experiment;
    struct arena *arena = pass->call->arena;
    size_t buckets = (size_t)live_bucket_count(whole);
    struct live_names *divided = ARENA_ARRAY(arena, struct live_names, buckets);
    bool *found = ARENA_ARRAY(arena, bool, pass->user_count);
    struct live_experiment part = *whole;
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < buckets; i++)
        divided[i].arena = arena;
    if (buckets == 1)
        divided[0] = pass->ids;
    else
        error = divide_ids(pass, whole, divided);
    part.buckets = 1;
    for (size_t i = 0; !error && i < buckets; i++) {
        part.number = live_bucket_number(whole, (int64_t)i);
        error = look_in_part(pass, other, &part, &divided[i], found);
    }
    return error;
}

static enum error take_chunk(struct pass *pass, const struct live_names *chosen)
{
    enum error error = chosen->count ? load_users(pass, chosen) : ERROR_NONE;

    for (size_t i = 0; !error && chosen->count && pass->user_count && i < pass->shared->other_count;
         i++)
        if (pass->shared->others[i].view->experiment.number)
            error = look_in(pass, &pass->shared->others[i]);
    return error;
}

static void choose(const struct pass *pass, const struct live_names *all, struct live_names *chosen)
{
    *chosen = (struct live_names){.arena = pass->call->arena};
    for (size_t i = 0; i < all->count; i++)
        if (past_user_key(all->items[i]) <= pass->key_max)
            live_names_add(chosen, all->items[i]);
}

static enum error go_over_part(struct pass *pass)
{
    char last[LIVE_USER_MAX * 4 + 1] = "";
    enum error error = ERROR_NONE;
    size_t count = 1;

    while (!error && count > 0) {
        struct live_names roots = {.arena = pass->call->arena}, chosen;

        error = live_next_roots(pass->call, pass->part.number, last, USERS_AT_A_TIME, &roots);
        count = roots.count;
        if (error || count == 0)
            break;
        snprintf(last, sizeof last, "%s", roots.items[count - 1]);
        choose(pass, &roots, &chosen);
        error = take_chunk(pass, &chosen);
        arena_reset(pass->call->arena);
    }
    return error;
}

static enum error go_over(struct pass *pass, const struct live_experiment *whole)
{
    enum error error = db_begin(pass->call->db, DB_READ, pass->call->problem);

    if (error)
        return error;
    pass->part = *whole;
    pass->part.buckets = 1;
    for (int64_t i = 0; !error && whole->number && i < live_bucket_count(whole); i++) {
        pass->part.number = live_bucket_number(whole, i);
        error = go_over_part(pass);
    }
    return db_finish(pass->call->db, error, pass->call->problem);
}

enum error shared_users_read(const struct live_call *call, struct shared_users *shared)
{
    struct live_call chunk = *call;
    struct pass pass = {.call = &chunk, .shared = shared, .key_max = UINT64_MAX};
    int64_t people = shared_users_people(shared->view);
    enum error error;

    shared->users = 0;
    shared->is_sample = people > shared->most;
    if (shared->is_sample)
        pass.key_max = (uint64_t)((double)shared->most / (double)people * 0x1p64);
    choose_metrics(&pass, shared->view);
    chunk.arena = arena_create_below(call->arena, CHUNK_MEMORY_MAX);
    error = go_over(&pass, &shared->view->experiment);
    arena_destroy(chunk.arena);
    return error;
}
