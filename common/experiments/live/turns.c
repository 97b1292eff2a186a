/* Positions of hashes, as users have them. */
#include "experiments/live/turns.h"

#include "experiments/assignment/assignment.h"

#include <math.h>
#include <stdio.h>

enum { SEED_MAX = 4 * LIVE_NAME_MAX + 32 };

static int64_t random_turn(const struct payload_setup *setup, const char *experiment_id,
                           const char *cluster, int64_t period)
{
    char place[SEED_MAX];
    double position, end = 0, sum = 0;
    int64_t arm;

    snprintf(place, sizeof place, "%lld|%s", (long long)period, cluster);
    position = hash_unit(HASH_VERSION_2, HASH_CODE_POINTS, experiment_id, place);
    for (size_t i = 0; i < setup->traffic_split.count; i++)
        sum += setup->traffic_split.items[i];
    for (arm = 0; arm < setup->variants_count - 1; arm++) {
        end += setup->traffic_split.items[arm] / sum;
        if (position < end)
            break;
    }
    return arm;
}

int64_t live_turn(const struct experiment_payload *design, const char *experiment_id,
                  const char *cluster, int64_t period)
{
    const struct payload_setup *setup = design->setup;
    double first;

    if (setup->clusters->switchback->assignment == SWITCHBACK_RANDOM)
        return random_turn(setup, experiment_id, cluster, period);
    first = hash_unit(HASH_VERSION_2, HASH_CODE_POINTS, experiment_id, cluster);
    return ((int64_t)floor(first * (double)setup->variants_count) + period) % setup->variants_count;
}

static void list_turns(const struct live_reading *reading, int64_t limit, struct arena *arena,
                       int64_t first, struct live_turns *turns)
{
    struct live_cluster_plan plan;
    struct live_turn_period *items = ARENA_ARRAY(arena, struct live_turn_period, (size_t)limit);
    size_t count = 0;

    live_design_clusters(reading->design, &plan);
    turns->periods = plan.periods;
    for (int64_t i = first; i < plan.periods && count < (size_t)limit; i++) {
        int64_t starts_at = plan.start + i * plan.length;

        items[count++] = (struct live_turn_period){
            .period = i,
            .variation_index = live_turn(reading->design, turns->experiment_id, turns->cluster, i),
            .starts_at = starts_at,
            .counts_from = starts_at + plan.washout,
            .ends_at = starts_at + plan.length};
    }
    turns->turns.count = count;
    turns->turns.items = items;
}

enum error live_read_turns(const struct live_call *call, const char *id, const char *cluster,
                           int64_t first, int64_t limit, struct live_turns *turns)
{
    struct live_reading reading;
    enum error error = db_begin(call->db, DB_READ, call->problem);

    *turns = (struct live_turns){.experiment_id = id, .cluster = cluster};
    if (error)
        return error;
    error = db_finish(call->db, live_read_design(call, id, &reading), call->problem);
    if (error)
        return error;
    if (!reading.design->setup->clusters || !reading.design->setup->clusters->switchback)
        return problem_set(call->problem, ERROR_INVALID, "no_switchback",
                           "the design has no setup.clusters.switchback");
    list_turns(&reading, limit, call->arena, first, turns);
    return ERROR_NONE;
}
