/* The plan as text: nothing, or periods, start, length and washout with blanks between them. */
#include "experiments/live/cluster_plan.h"

#include "experiments/payloads/payload.h"

#include <math.h>
#include <stdlib.h>

static const double minute = 60e6; /* microseconds */

bool live_same_cluster_plan(const struct live_cluster_plan *one,
                            const struct live_cluster_plan *other)
{
    return one->kept == other->kept && one->periods == other->periods &&
           one->start == other->start && one->length == other->length &&
           one->washout == other->washout;
}

void live_design_clusters(const struct experiment_payload *design, struct live_cluster_plan *plan)
{
    const struct payload_clusters *clusters = design->setup->clusters;
    const struct payload_switchback *turns = clusters ? clusters->switchback : NULL;

    *plan = (struct live_cluster_plan){.kept = clusters != NULL};
    if (!turns)
        return;
    plan->periods = turns->periods;
    plan->start = turns->starts_at;
    plan->length = llround(turns->period_minutes * minute);
    plan->washout = llround(turns->washout_minutes * minute);
}

const char *live_cluster_plan_text(const struct live_cluster_plan *plan, struct arena *arena)
{
    if (!plan->kept)
        return "";
    return arena_print(arena, "%lld %lld %lld %lld", (long long)plan->periods,
                       (long long)plan->start, (long long)plan->length, (long long)plan->washout);
}

void live_read_cluster_plan(const char *text, struct live_cluster_plan *plan)
{
    int64_t *const members[] = {&plan->periods, &plan->start, &plan->length, &plan->washout};

    *plan = (struct live_cluster_plan){.kept = *text != '\0'};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        char *end;

        *members[i] = strtoll(text, &end, 10);
        text = end;
    }
}

static int64_t periods_of(const struct live_cluster_plan *plan)
{
    return plan->periods ? plan->periods : 1;
}

int64_t live_clusters_most(const struct live_cluster_plan *plan, int64_t cells_max)
{
    int64_t most = cells_max / periods_of(plan);

    return most > 0 ? most : 1;
}

int64_t live_place_slice(const struct live_cluster_plan *plan, struct live_cluster_place place,
                         bool washed_out)
{
    return (washed_out ? LIVE_WASHED_OUT : LIVE_CLUSTERS) -
           (place.cluster * periods_of(plan) + place.period);
}

struct live_cluster_place live_cluster_place(const struct live_cluster_plan *plan, int64_t slice)
{
    int64_t number = LIVE_CLUSTERS - slice;

    return (struct live_cluster_place){number / periods_of(plan), number % periods_of(plan)};
}

int64_t live_cluster_slice(const struct live_cluster_plan *plan, int64_t cluster, int64_t moment)
{
    struct live_cluster_place place = {.cluster = cluster};
    int64_t since = moment - plan->start;

    if (!plan->periods)
        return live_place_slice(plan, place, false);
    place.period = since / plan->length;
    if (since < 0 || place.period >= plan->periods)
        return LIVE_CLUSTERS_OUTSIDE;
    return live_place_slice(plan, place, since - place.period * plan->length < plan->washout);
}
