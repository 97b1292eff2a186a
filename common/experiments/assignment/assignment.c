/* Ranges of variations, and users put into them. */
#include "experiments/assignment/assignment.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* How far from 1 the sum of weights may be. */
static const double WEIGHTS_TOLERANCE = 0.01;

enum { NAMESPACE_BUCKETS = 1000, USERS_PER_UNIT = 10000 };

static bool weights_hold(const struct number_list *weights, size_t count)
{
    double sum = 0;

    if (weights->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        sum += weights->items[i];
    return sum >= 1 - WEIGHTS_TOLERANCE && sum <= 1 + WEIGHTS_TOLERANCE;
}

void assignment_cut(struct assignment_plan *plan, double coverage,
                    const struct number_list *weights)
{
    bool given = weights_hold(weights, plan->count);
    double covered = fmin(fmax(coverage, 0), 1), before = 0;

    for (size_t i = 0; i < plan->count; i++) {
        double weight = given ? weights->items[i] : 1 / (double)plan->count;

        plan->ranges[i] = (struct assignment_range){before, before + covered * weight};
        before += weight;
    }
}

int assignment_at(const struct assignment_plan *plan, double position)
{
    for (size_t i = 0; i < plan->count; i++)
        if (position >= plan->ranges[i].low && position < plan->ranges[i].high)
            return (int)i;
    return ASSIGNMENT_NONE;
}

int assignment_of(const struct assignment_plan *plan, const char *user)
{
    return assignment_at(plan, hash_unit(plan->version, HASH_UTF16, plan->seed, user));
}

double assignment_namespace_position(const char *id, const char *user)
{
    uint32_t before = hash_append(HASH_START, HASH_CODE_POINTS, user);
    uint32_t hash = hash_append(hash_append(before, HASH_CODE_POINTS, "__"), HASH_CODE_POINTS, id);

    return hash % NAMESPACE_BUCKETS / (double)NAMESPACE_BUCKETS;
}

bool assignment_in_namespace(const struct payload_namespace *space, const char *user)
{
    double position = assignment_namespace_position(space->id, user);

    return position >= space->range_start && position < space->range_end;
}

void assignment_preview(const struct assignment_plan *plan, const char *prefix, int64_t users,
                        struct arena *arena, struct assignment_preview *preview)
{
    size_t prefix_length = strlen(prefix);
    char *user = arena_alloc(arena, prefix_length + NUMBER_TEXT_MAX);

    *preview = (struct assignment_preview){0};
    memcpy(user, prefix, prefix_length);
    for (int64_t i = 0; i < users; i++) {
        int variation;

        integer_format(i, user + prefix_length);
        variation = assignment_of(plan, user);
        preview->counts[1 + variation]++;
        if (i < ASSIGNMENT_SAMPLES)
            preview->samples[preview->sample_count++] = (struct assignment_sample){
                .user_id = arena_copy_string(arena, user), .variation_index = variation};
    }
}

int64_t assignment_preview_cost(int64_t users)
{
    return users > USERS_PER_UNIT ? (users + USERS_PER_UNIT - 1) / USERS_PER_UNIT : 1;
}
