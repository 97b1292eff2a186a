/* The rules of assignment in their order. */
#include "experiments/live/assign.h"

#include "base/clock.h"
#include "experiments/assignment/assignment.h"
#include "experiments/assignment/targeting.h"
#include "experiments/flags/flag_store.h"

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

/* The design's assignment, without recorded exposures. */
static void assign_by_design(const struct experiment_payload *design, const char *id,
                             const char *user_id, const json_t *attributes,
                             enum hash_version version, const struct flag_settings *settings,
                             struct live_assignment *assignment)
{
    const struct payload_setup *setup = design->setup;
    struct assignment_plan plan = {
        .seed = id, .version = version, .count = (size_t)setup->variants_count};

    assignment->variation = ASSIGNMENT_NONE;
    assignment->targeting_excluded = !targeting_holds(&setup->targeting_rules, attributes);
    if (assignment->targeting_excluded)
        return;
    assignment->namespace_excluded =
        setup->namespace && !assignment_in_namespace(setup->namespace, user_id);
    if (assignment->namespace_excluded)
        return;
    assignment_cut(&plan, assignment->coverage, &assignment->weights);
    assignment->variation = assignment_at(&plan, assignment->position);
    /* Only whoever could be treated now is compared with the treated. */
    assignment->held_out =
        assignment->variation != ASSIGNMENT_NONE && settings && flag_holds_out(settings, user_id);
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

static enum error read_and_assign(const struct live_call *call, const char *id, const char *user_id,
                                  const json_t *attributes, enum hash_version version,
                                  struct live_assignment *assignment)
{
    struct optional_integer stored = {0};
    struct live_reading reading;
    struct flag flag = {0};
    bool has_flag = false;
    const struct payload_constraints *constraints;
    enum error error = live_read_experiment(call, id, &reading);

    if (!error)
        error = flag_of_project(
            &(struct flag_call){.db = call->db, .arena = call->arena, .problem = call->problem}, id,
            &flag, &has_flag);
    if (!error && reading.experiment.number)
        error = find_exposure(call, &reading.experiment, user_id, &stored);
    if (error)
        return error;
    constraints = reading.design->constraints;
    *assignment = (struct live_assignment){
        .position = hash_unit(version, HASH_CODE_POINTS, id, user_id),
        .variations = reading.design->setup->variants_count,
        .coverage = constraints->holdout_fraction.given
                        ? fmin(fmax(1 - constraints->holdout_fraction.value, 0), 1)
                        : 1,
        .targeted = reading.design->setup->targeting_rules.count > 0};
    if (flag.settings)
        assignment->coverage *= flag_ramp_share(flag.settings, clock_unix_microseconds());
    set_shares(reading.design->setup, call->arena, assignment);
    if (stored.given) {
        assignment->sticky = true;
        assignment->variation = stored.value;
    } else {
        assign_by_design(reading.design, id, user_id, attributes, version, flag.settings,
                         assignment);
    }
    assignment->in_experiment = assignment->variation >= 0;
    return ERROR_NONE;
}

enum error live_assign(const struct live_call *call, const char *id, const char *user_id,
                       const json_t *attributes, enum hash_version version,
                       struct live_assignment *assignment)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = read_and_assign(call, id, user_id, attributes, version, assignment);
    return db_finish(call->db, error, call->problem);
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
