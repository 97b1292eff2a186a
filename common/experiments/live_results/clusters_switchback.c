/* Clusters that take turns: slots and switches, who is left out, and what the period before does.
 */
#include "experiments/live_results/clusters.h"

#include "experiments/live/turns.h"

#define OWNER struct live_carry_over
static const struct field carry_over_fields[] = {
    INTEGER(OWNER, treatment_index),
    OBJECT(OWNER, effect, carry_over_schema, .nullable = true,
           .help = "Null when too few slots follow a slot of either variation."),
};
#undef OWNER
static SCHEMA(carried_schema, struct live_carry_over, "LiveCarryOver", carry_over_fields,
              .help = "What the treatment in the period before adds to the goal.");

#define OWNER struct live_switchback
static const struct field switchback_fields[] = {
    TIME(OWNER, starts_at),
    NUMBER(OWNER, period_minutes),
    INTEGER(OWNER, periods),
    NUMBER(OWNER, washout_minutes),
    STRING(OWNER, cluster_by, .help = "slot or unit: what errors are clustered by."),
    INTEGER(OWNER, slots, .help = "Periods of clusters that have users after the washout."),
    INTEGER(OWNER, switches,
            .help = "Slots whose cluster had another variation in the period before."),
    INTEGER(OWNER, users_washed_out, .help = "Exposed at the beginning of a period, and left out."),
    INTEGER(OWNER, users_outside, .help = "Exposed before the first period or after the last."),
    INTEGER(OWNER, users_off_schedule,
            .help = "With another variation than the schedule of the design gives."),
    OBJECTS(OWNER, carry_over, carried_schema),
};
#undef OWNER
SCHEMA(live_switchback_schema, struct live_switchback, "LiveSwitchback", switchback_fields,
       .help = "Clusters that take turns.");

/* In the arms of the design. */
static int64_t count_washed_out(const struct live_results *results)
{
    const struct live_rollup *rollup = &results->view->rollup;
    int64_t people = 0;

    for (size_t i = 0; i < rollup->cell_slots; i++) {
        const struct live_cell *cell = rollup->cells[i];

        if (cell && cell->slice <= LIVE_WASHED_OUT && cell->arm < (int)results->arms)
            people += cell->people;
    }
    return people;
}

static int64_t people_in(const struct live_results *results, int64_t slice, size_t arm)
{
    return live_view_moments(results->view, 0, slice, (int)arm).n;
}

static bool is_switch(const struct live_results *results, struct live_cluster_place place)
{
    struct live_cluster_place before = {place.cluster, place.period - 1};
    int arm = live_clusters_arm(results, place), earlier = live_clusters_arm(results, before);

    return arm >= 0 && earlier >= 0 && arm != earlier;
}

static int64_t off_schedule(const struct live_results *results, int64_t slice,
                            struct live_cluster_place place)
{
    const struct live_view *view = results->view;
    const struct string_list *names = &view->cluster_names;
    const char *name = place.cluster < (int64_t)names->count ? names->items[place.cluster] : NULL;
    int64_t turn, people = 0;

    if (!name)
        return 0;
    turn = live_turn(view->design, view->experiment.id, name, place.period);
    for (size_t arm = 0; arm < results->arms; arm++)
        people += (int64_t)arm == turn ? 0 : people_in(results, slice, arm);
    return people;
}

static struct object_list list_carry_over(const struct live_results *results)
{
    size_t count = results->arms - 1;
    struct live_carry_over *items =
        ARENA_ARRAY(results->call->arena, struct live_carry_over, count);

    for (size_t i = 0; i < count; i++)
        items[i] =
            (struct live_carry_over){(int64_t)i + 1, live_clusters_carry_over(results, (int)i + 1)};
    return (struct object_list){count, items};
}

const struct live_switchback *live_clusters_switchback(const struct live_results *results)
{
    const struct live_view *view = results->view;
    const struct payload_switchback *plan = view->design->setup->clusters->switchback;
    struct live_switchback *block;

    if (!plan)
        return NULL;
    block = ARENA_NEW(results->call->arena, struct live_switchback);
    *block = (struct live_switchback){.starts_at = plan->starts_at,
                                      .period_minutes = plan->period_minutes,
                                      .periods = plan->periods,
                                      .washout_minutes = plan->washout_minutes,
                                      .cluster_by = switchback_cluster_names[plan->cluster_by],
                                      .slots = (int64_t)view->clusters.count,
                                      .users_washed_out = count_washed_out(results)};
    for (size_t i = 0; i < view->clusters.count; i++) {
        int64_t slice = view->clusters.items[i];
        struct live_cluster_place place = live_cluster_place(&view->experiment.cluster_plan, slice);

        block->switches += is_switch(results, place);
        block->users_off_schedule += off_schedule(results, slice, place);
    }
    for (size_t arm = 0; arm < results->arms; arm++)
        block->users_outside += people_in(results, LIVE_CLUSTERS_OUTSIDE, arm);
    block->carry_over = list_carry_over(results);
    return block;
}
