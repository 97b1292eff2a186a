/* The rules of assignment in their order. */
#include "experiments/live/assign.h"

#include "base/clock.h"
#include "experiments/adaptive/adaptive_store.h"
#include "experiments/assignment/assignment.h"
#include "experiments/assignment/targeting.h"
#include "experiments/flags/flag_store.h"
#include "experiments/segments/segment_lookup.h"

#include <math.h>

static void set_shares(const struct payload_setup *setup, struct arena *arena,
                       struct live_assignment *assignment)
{
    const struct number_list *split = &setup->traffic_split;
    double sum = 0;

    assignment->weights =
        (struct number_list){split->count, ARENA_ARRAY(arena, double, split->count)};
    for (size_t i = 0; i < split->count; i++)
        sum += split->items[i];
    for (size_t i = 0; i < split->count; i++)
        assignment->weights.items[i] = sum > 0 ? split->items[i] / sum : 1 / (double)split->count;
}

/* What decides about a user who has no exposure. */
struct assigning {
    const char *id;
    const struct live_asked *asked;
    const struct experiment_payload *design;
    const struct flag_settings *settings; /* of the flag, or NULL */
    const struct targeting_subject *subject;
    struct arena *arena;
};

/* A user whom the coverage lets in is assigned anew in each round, so that the shares of the round
 * are the probabilities whoever was let in before. */
static int assign_in_round(const struct assigning *assigning, struct assignment_plan *plan,
                           struct live_assignment *assignment)
{
    double let_in = assignment->position;

    plan->seed = adaptive_seed(assigning->id, assignment->round, assigning->arena);
    assignment->seed = plan->seed;
    assignment->position =
        hash_unit(plan->version, HASH_CODE_POINTS, plan->seed, assigning->asked->user_id);
    if (let_in >= assignment->coverage)
        return ASSIGNMENT_NONE;
    assignment_cut(plan, 1, &assignment->weights);
    return assignment_at(plan, assignment->position);
}

/* Where a user is within the variation that has the position while everybody is let in. */
static double place_within(struct assignment_plan plan, const struct number_list *weights,
                           double position)
{
    int variation;

    assignment_cut(&plan, 1, weights);
    variation = assignment_at(&plan, position);
    if (variation == ASSIGNMENT_NONE)
        return position;
    return (position - plan.ranges[variation].low) /
           (plan.ranges[variation].high - plan.ranges[variation].low);
}

/* The design's assignment, without recorded exposures. */
static void assign_by_design(const struct assigning *assigning, struct live_assignment *assignment)
{
    const struct payload_setup *setup = assigning->design->setup;
    const char *user_id = assigning->asked->user_id;
    struct assignment_plan plan = {.seed = assigning->id,
                                   .version = assigning->asked->version,
                                   .count = (size_t)setup->variants_count};

    assignment->variation = ASSIGNMENT_NONE;
    assignment->targeting_excluded =
        !targeting_holds(setup, assigning->subject, &assignment->failure);
    if (assignment->targeting_excluded)
        return;
    assignment->namespace_excluded =
        setup->namespace && !assignment_in_namespace(setup->namespace, user_id);
    if (assignment->namespace_excluded)
        return;
    assignment_cut(&plan, assignment->coverage, &assignment->weights);
    if (assignment->round) {
        assignment->variation = assign_in_round(assigning, &plan, assignment);
    } else {
        assignment->entry = place_within(plan, &assignment->weights, assignment->position);
        assignment->variation = assignment_at(&plan, assignment->position);
    }
    /* Only whoever could be treated now is compared with the treated. */
    assignment->held_out = assignment->variation != ASSIGNMENT_NONE && assigning->settings &&
                           flag_holds_out(assigning->settings, user_id);
    if (assignment->held_out)
        assignment->variation = ASSIGNMENT_NONE;
}

/* The number under which the rows of a user are stored. */
static enum error find_home(const struct live_call *call, const struct live_experiment *experiment,
                            const char *user_id, int64_t *number)
{
    struct live_units home;
    enum error error;

    *number = experiment->number;
    if (experiment->buckets <= 1)
        return ERROR_NONE;
    live_units_start(&home, call->arena, 1);
    live_units_add(&home, user_id);
    error = live_find_places(call, experiment, &home);
    if (!error)
        *number = live_bucket_number(experiment, home.items[0]->number);
    return error;
}

static enum error find_exposure(const struct live_call *call,
                                const struct live_experiment *experiment, const char *user_id,
                                struct optional_integer *stored)
{
    int64_t number;
    enum error error = find_home(call, experiment, user_id, &number);

    return error ? error : live_find_exposure(call, number, user_id, stored);
}

/* An adaptive experiment has the shares of the round instead of those of the design. */
static enum error take_round(const struct live_call *call, const struct live_asked *asked,
                             const struct adaptive *adaptive, struct live_assignment *assignment)
{
    if (adaptive->found) {
        assignment->round = adaptive->newest.round;
        assignment->weights = adaptive->newest.shares;
        return ERROR_NONE;
    }
    if (!asked->round)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "round_unknown",
                       "round: the experiment has no round %lld", (long long)asked->round);
}

/* What is stored of the experiment besides its events. */
static enum error read_rules(const struct live_call *call, const char *id,
                             const struct live_asked *asked, struct flag *flag,
                             struct adaptive *adaptive)
{
    const struct flag_call flags = {.db = call->db, .arena = call->arena, .problem = call->problem};
    const struct adaptive_call rounds = {call->db, call->arena, call->problem};
    bool has_flag = false;
    enum error error = flag_of_project(&flags, id, flag, &has_flag);

    return error ? error : adaptive_find(&rounds, id, asked->round, adaptive);
}

static void cover(const struct experiment_payload *design, const struct flag *flag,
                  struct live_assignment *assignment)
{
    const struct optional_number *held = &design->constraints->holdout_fraction;
    int64_t now = clock_unix_microseconds();

    assignment->coverage = held->given ? fmin(fmax(1 - held->value, 0), 1) : 1;
    if (!flag->settings)
        return;
    assignment->coverage *= flag_ramp_share(flag->settings, now);
    assignment->step = (struct optional_integer){flag->settings->ramp.count > 0,
                                                 flag_ramp_step(flag->settings, now)};
}

/* A user without an exposure, whom the design decides about. */
static enum error assign_anew(const struct live_call *call, const char *id,
                              const struct live_asked *asked,
                              const struct experiment_payload *design,
                              const struct flag_settings *settings,
                              struct live_assignment *assignment)
{
    struct targeting_subject subject = {
        .attributes = asked->attributes, .user_id = asked->user_id, .arena = call->arena};
    const struct assigning assigning = {.id = id,
                                        .asked = asked,
                                        .design = design,
                                        .settings = settings,
                                        .subject = &subject,
                                        .arena = call->arena};
    const struct string_list names = targeting_segment_names(design->setup, call->arena);
    enum error error = segment_lookup(call->db, &names, &subject, call->problem);

    if (!error)
        assign_by_design(&assigning, assignment);
    return error;
}

static enum error read_and_assign(const struct live_call *call, const char *id,
                                  const struct live_asked *asked,
                                  struct live_assignment *assignment)
{
    struct optional_integer stored = {0};
    struct live_reading reading;
    struct flag flag = {0};
    struct adaptive adaptive;
    enum error error = live_read_experiment(call, id, &reading);

    if (!error)
        error = read_rules(call, id, asked, &flag, &adaptive);
    if (!error && reading.experiment.number)
        error = find_exposure(call, &reading.experiment, asked->user_id, &stored);
    if (error)
        return error;
    *assignment = (struct live_assignment){
        .seed = id,
        .position = hash_unit(adaptive.found ? HASH_VERSION_2 : asked->version, HASH_CODE_POINTS,
                              id, asked->user_id),
        .variations = reading.design->setup->variants_count,
        .design = reading.design->setup,
        .targeted = targeting_is_set(reading.design->setup)};
    assignment->entry = assignment->position;
    cover(reading.design, &flag, assignment);
    set_shares(reading.design->setup, call->arena, assignment);
    error = take_round(call, asked, &adaptive, assignment);
    if (error)
        return error;
    if (stored.given) {
        assignment->sticky = true;
        assignment->variation = stored.value;
    } else {
        const struct live_asked by_round = {asked->user_id, asked->attributes, HASH_VERSION_2, 0};

        error = assign_anew(call, id, adaptive.found ? &by_round : asked, reading.design,
                            flag.settings, assignment);
    }
    assignment->in_experiment = assignment->variation >= 0;
    return error;
}

enum error live_assign(const struct live_call *call, const char *id, const struct live_asked *asked,
                       struct live_assignment *assignment)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    return db_finish(call->db, read_and_assign(call, id, asked, assignment), call->problem);
}

static enum error find_subject(const struct live_call *call,
                               const struct live_experiment *experiment, const char *user_id,
                               struct live_units *units)
{
    struct live_experiment home = *experiment;
    struct live_names ids = {.arena = call->arena};
    const struct live_load load = {
        .call = call, .experiment = &home, .units = units, .linked = true};
    enum error error = find_home(call, experiment, user_id, &home.number);

    live_names_add(&ids, user_id);
    return error ? error : live_load_units(&load, &ids);
}

enum error live_is_exposed(const struct live_call *call, const char *id, const char *user_id,
                           bool *exposed)
{
    const struct live_unit *unit;
    struct live_reading reading;
    struct live_units units;
    enum error error = live_read_experiment(call, id, &reading);

    *exposed = false;
    if (error || !reading.experiment.number)
        return error;
    live_units_start(&units, call->arena, 1);
    error = find_subject(call, &reading.experiment, user_id, &units);
    unit = live_units_find(&units, user_id);
    *exposed = !error && unit && live_subject_exposure(unit->root);
    return error;
}
