/* Reads every subject once, a thousand at a time, through the same code as ingestion. */
#include "experiments/live/rebuild.h"

#include "experiments/live/metric_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEOPLE_AT_A_TIME = 1000, CHUNK_MEMORY_MAX = 1024 * 1024 * 1024 };

static const double same_digits = 1e-12;

/* One pass over all subjects of an experiment. */
struct pass {
    const struct live_call *call;
    struct live_rebuild *rebuild;
    struct live_experiment *experiment;
    struct live_rollup rollup;
    int64_t links;
    int64_t bucket; /* of a divided experiment */
    bool write;
};

static void note(struct live_rebuild *rebuild, const char *what, int64_t metric, int64_t slice,
                 int64_t arm)
{
    if (rebuild->differences++ == 0)
        snprintf(rebuild->first, sizeof rebuild->first, "%s of metric %lld, slice %lld, arm %lld",
                 what, (long long)metric, (long long)slice, (long long)arm);
}

/* Users are in the bucket of their own hash, aliases in that of their canonical user, and found
 * there. */
static enum error check_places(const struct pass *pass, const struct live_call *call,
                               const struct live_units *units)
{
    struct live_units homes;
    enum error error;

    live_units_start(&homes, call->arena, units->count);
    for (size_t i = 0; i < units->count; i++)
        live_units_add(&homes, units->items[i]->user_id);
    error = live_find_places(call, pass->experiment->whole, &homes);
    for (size_t i = 0; !error && i < homes.count; i++)
        if (homes.items[i]->number != pass->bucket)
            note(pass->rebuild, "the place of a user", 0, 0, pass->bucket);
    return error;
}

static enum error pass_over(struct pass *pass, struct arena *arena, const struct live_names *roots)
{
    struct live_call call = *pass->call;
    struct live_units units;
    const struct live_load load = {.call = &call,
                                   .experiment = pass->experiment,
                                   .units = &units,
                                   .linked = true,
                                   .covariates = true};
    int64_t differences = 0;
    enum error error;

    call.arena = arena;
    live_units_start(&units, arena, roots->count);
    error = live_load_units(&load, roots);
    if (!error)
        error = live_load_values_again(&load, &differences);
    if (error)
        return error;
    for (size_t i = 0; i < units.count; i++) {
        pass->links += units.items[i]->root != units.items[i];
        if (units.items[i]->root == units.items[i])
            live_rollup_subject(&pass->rollup, units.items[i], 1);
    }
    if (pass->write)
        return live_save_units(&call, pass->experiment, &units);
    if (pass->experiment->whole)
        error = check_places(pass, &call, &units);
    if (error)
        return error;
    for (; differences > 0; differences--)
        note(pass->rebuild, "values of single users", 0, 0, 0);
    return ERROR_NONE;
}

static enum error go_over_everybody(struct pass *pass, struct arena *arena)
{
    char last[LIVE_USER_MAX * 4 + 1] = "";
    enum error error = ERROR_NONE;
    size_t count = 1;

    while (!error && count > 0) {
        struct live_names roots = {.arena = arena};

        error =
            live_next_roots(pass->call, pass->experiment->number, last, PEOPLE_AT_A_TIME, &roots);
        count = roots.count;
        if (error || count == 0)
            break;
        snprintf(last, sizeof last, "%s", roots.items[count - 1]);
        error = pass_over(pass, arena, &roots);
        arena_reset(arena);
        pass->rebuild->people += (int64_t)count;
        if (pass->rebuild->progress)
            pass->rebuild->progress(pass->rebuild->people, pass->rebuild->context);
    }
    return error;
}

static enum error run_pass(struct pass *pass)
{
    struct arena *arena = arena_create(CHUNK_MEMORY_MAX);
    enum error error;

    if (!arena)
        return problem_set(pass->call->problem, ERROR_SYSTEM, "out_of_memory",
                           "no memory to go over the people of an experiment");
    live_rollup_start(&pass->rollup, pass->experiment, pass->call->arena);
    error = go_over_everybody(pass, arena);
    arena_destroy(arena);
    return error;
}

/* Those that cover enough, as counted so far; where none does, or too many do, as before. */
static enum error choose_covariates(const struct live_call *call,
                                    struct live_experiment *experiment)
{
    int64_t wanted[LIVE_COVARIATES_MAX];
    struct live_covered_list covered;
    size_t count;
    enum error error = live_read_covered(call, experiment, &covered);

    if (error)
        return error;
    count = live_wanted_covariates(&covered, wanted);
    if (count == 0 || count > LIVE_COVARIATES_MAX)
        return ERROR_NONE;
    experiment->used_count = count;
    memcpy(experiment->used, wanted, count * sizeof wanted[0]);
    return ERROR_NONE;
}

/* Of a bucket, or of an experiment that is not divided. */
static enum error rebuild_part(const struct live_call *call, struct live_experiment *experiment,
                               struct live_rebuild *rebuild)
{
    struct pass pass = {.call = call, .rebuild = rebuild, .experiment = experiment, .write = true};
    enum error error = live_clear_rollup(call, experiment->number);

    if (!error)
        error = run_pass(&pass);
    if (error)
        return error;
    experiment->stale = false;
    experiment->version++;
    experiment->links = pass.links;
    experiment->alias_exposures = experiment->alias_conversions = experiment->merged_people = 0;
    error = live_save_rollup(call, experiment, &pass.rollup);
    return error ? error : live_save_experiment(call, experiment);
}

/* As of now, under the lock. A bucket alone may be stale. */
static enum error is_needed(const struct live_call *call, const struct live_reading *reading,
                            const struct live_parts *parts, bool *needed)
{
    const struct live_experiment *experiment = &reading->experiment;
    struct live_name_list metrics = {0};
    struct live_covered_list covered = {0};
    enum error error;

    live_design_names(reading->design, call->arena, &metrics);
    error = live_find_names(call, live_bucket_number(experiment, 0), LIVE_METRIC_NAMES, &metrics);
    if (!error && experiment->covariates > 0)
        error = live_read_covered(call, experiment, &covered);
    *needed = live_is_stale(call, reading, &metrics, &covered);
    for (size_t i = 0; i < parts->count; i++)
        *needed = *needed || parts->items[i].stale;
    return error;
}

static enum error rebuild_locked(const struct live_call *call, const char *id,
                                 struct live_rebuild *rebuild)
{
    struct live_reading reading;
    struct live_experiment *whole = &reading.experiment;
    struct live_parts parts;
    bool needed = true;
    enum error error = live_lock_experiment(call, id, &reading, &parts);

    if (error || whole->number == 0)
        return error;
    if (rebuild->only_if_stale)
        error = is_needed(call, &reading, &parts, &needed);
    if (error || !needed)
        return error;
    whole->spike_events = call->spike_events;
    error = live_fit_design(call, reading.design, whole);
    if (!error)
        error = choose_covariates(call, whole);
    for (size_t i = 0; !error && i < parts.count; i++) {
        if (whole->buckets > 1)
            live_fit_bucket(&parts.items[i], whole);
        error = rebuild_part(call, &parts.items[i], rebuild);
    }
    whole->stale = false;
    return error || whole->buckets <= 1 ? error : live_save_experiment(call, whole);
}

enum error live_rebuild_experiment(const struct live_call *call, const char *id,
                                   struct live_rebuild *rebuild)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    rebuild->people = rebuild->differences = 0;
    if (error)
        return error;
    return db_finish(call->db, rebuild_locked(call, id, rebuild), call->problem);
}

/* `size` is what the digits are counted from. */
static bool same_sum(const struct sum *one, const struct sum *other, double size)
{
    return fabs(one->high - other->high) <=
           same_digits * fmax(fabs(size), fmax(fabs(one->high), fabs(other->high)));
}

static void compare_cells(struct live_rebuild *rebuild, struct live_rollup *stored,
                          struct live_rollup *right)
{
    for (size_t i = 0; i < right->cell_slots; i++)
        if (right->cells[i])
            live_rollup_cell(stored, right->cells[i]->metric, right->cells[i]->slice,
                             right->cells[i]->arm);
    for (size_t i = 0; i < stored->cell_slots; i++) {
        const struct live_cell *one = stored->cells[i], *other;
        double size;

        if (!one)
            continue;
        other = live_rollup_cell(right, one->metric, one->slice, one->arm);
        size = sqrt(fmax(other->squares.high, 0) * (double)(1 + other->people));
        if (one->people != other->people || one->huge != other->huge ||
            one->events != other->events || one->early != other->early ||
            one->late != other->late || !same_sum(&one->sum, &other->sum, size) ||
            !same_sum(&one->squares, &other->squares, 0))
            note(rebuild, "the cell", one->metric, one->slice, one->arm);
    }
}

static void compare_products(struct live_rebuild *rebuild, const struct live_rollup *stored,
                             const struct live_rollup *right)
{
    static const struct live_products nothing = {0};

    for (int family = 0; family < LIVE_FAMILY__MAX; family++) {
        for (int arm = 0; arm < LIVE_ARMS_MAX; arm++) {
            const struct live_products *one = stored->products[family][arm];
            const struct live_products *other = right->products[family][arm];
            bool same;

            one = one ? one : &nothing;
            other = other ? other : &nothing;
            same = one->huge == other->huge;
            for (int i = 0; i < LIVE_FACTORS_MAX; i++)
                for (int j = i; j < LIVE_FACTORS_MAX; j++)
                    same = same && same_sum(&one->at[i][j].sum, &other->at[i][j].sum,
                                            sqrt(fabs(other->at[i][i].sum.high)) *
                                                sqrt(fabs(other->at[j][j].sum.high)));
            if (!same)
                note(rebuild, "the products", 0, 0, arm);
        }
    }
}

static bool same_metric_products(const struct live_metric_products *one,
                                 const struct live_metric_products *other,
                                 const struct live_products *all)
{
    double size = sqrt(fmax(other->at[LIVE_METRIC_SQUARES].sum.high, 0));
    bool same = one->huge == other->huge;

    for (int k = 0; k < LIVE_METRIC_COVARIATES + LIVE_COVARIATES_MAX; k++) {
        /* The sum is a product with 1; covariates are factors of the same numbers. */
        int factor = k < LIVE_METRIC_COVARIATES ? 0 : k;
        double with = all ? sqrt(fmax(all->at[factor][factor].sum.high, 0)) : 0;

        same = same && same_sum(&one->at[k].sum, &other->at[k].sum, size * with);
    }
    return same;
}

static void compare_metric_products(struct live_rebuild *rebuild, struct live_rollup *stored,
                                    struct live_rollup *right)
{
    size_t count = right->metric_arms_count > stored->metric_arms_count ? right->metric_arms_count
                                                                        : stored->metric_arms_count;

    for (int64_t metric = 0; metric < (int64_t)count; metric++)
        for (int arm = 0; arm < LIVE_ARMS_MAX; arm++)
            if (!same_metric_products(live_rollup_metric_products(stored, metric, arm),
                                      live_rollup_metric_products(right, metric, arm),
                                      right->products[LIVE_COVARIANCE][arm]))
                note(rebuild, "the products with covariates", metric, 0, arm);
}

static void compare_covered(struct pass *pass, struct live_rollup *stored)
{
    for (int64_t number = 1; number <= pass->experiment->covariates; number++)
        if (*live_rollup_covered(stored, number) != *live_rollup_covered(&pass->rollup, number))
            note(pass->rebuild, "the coverage of covariates", number, 0, 0);
}

static void compare_counts(struct pass *pass, struct live_rollup *stored)
{
    struct live_rollup *right = &pass->rollup;

    if (memcmp(stored->arms, right->arms, sizeof stored->arms) != 0)
        note(pass->rebuild, "the arms", 0, 0, 0);
    if (stored->alias_exposures != right->alias_exposures ||
        stored->alias_conversions != right->alias_conversions ||
        stored->merged_people != right->merged_people || pass->experiment->links != pass->links)
        note(pass->rebuild, "the links", 0, 0, 0);
    for (int64_t metric = 0; metric <= pass->experiment->metrics; metric++) {
        const struct live_total *one = live_rollup_total(stored, metric);
        const struct live_total *other = live_rollup_total(right, metric);

        if (one->events != other->events || one->huge != other->huge ||
            !same_sum(&one->sum, &other->sum, (double)one->events))
            note(pass->rebuild, "the total", metric, 0, 0);
    }
}

static enum error verify_part(const struct live_call *call, struct live_experiment *experiment,
                              int64_t bucket, struct live_rebuild *rebuild)
{
    struct live_rollup stored;
    struct pass pass = {
        .call = call, .rebuild = rebuild, .experiment = experiment, .bucket = bucket};
    enum error error = run_pass(&pass);

    if (error)
        return error;
    live_rollup_start(&stored, experiment, call->arena);
    error = live_read_rollup(call, &stored);
    if (error)
        return error;
    compare_counts(&pass, &stored);
    compare_covered(&pass, &stored);
    compare_cells(rebuild, &stored, &pass.rollup);
    compare_products(rebuild, &stored, &pass.rollup);
    compare_metric_products(rebuild, &stored, &pass.rollup);
    return ERROR_NONE;
}

static enum error verify_now(const struct live_call *call, const char *id,
                             struct live_rebuild *rebuild)
{
    struct live_reading reading;
    struct live_parts parts;
    enum error error = live_read_experiment(call, id, &reading);

    if (error || reading.experiment.number == 0)
        return error;
    error = live_read_parts(call, &reading.experiment, NULL, &parts);
    for (size_t i = 0; !error && i < parts.count; i++)
        error = verify_part(call, &parts.items[i], (int64_t)i, rebuild);
    return error;
}

enum error live_verify_experiment(const struct live_call *call, const char *id,
                                  struct live_rebuild *rebuild)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    rebuild->people = rebuild->differences = 0;
    if (error)
        return error;
    return db_finish(call->db, verify_now(call, id, rebuild), call->problem);
}

/* A name without a number differs from all that are kept. */
static bool keeps_robust(const struct live_reading *reading, const struct live_name_list *metrics)
{
    const struct live_experiment *experiment = &reading->experiment;
    struct live_robust wanted[LIVE_ROBUST_MAX];
    size_t count = live_design_robust(reading->design, metrics, wanted);

    if (count != experiment->robust_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (wanted[i].metric != experiment->robust[i].metric ||
            wanted[i].capped != experiment->robust[i].capped ||
            wanted[i].cap != experiment->robust[i].cap)
            return false;
    return true;
}

static bool keeps_rules(const struct live_call *call, const struct live_reading *reading,
                        const struct live_name_list *metrics)
{
    const struct live_experiment *experiment = &reading->experiment;
    struct live_metric_rule wanted[LIVE_RULES_MAX];
    size_t count = live_design_rules(reading->design, metrics, wanted);

    return strcmp(live_rules_text(wanted, count, call->arena),
                  live_rules_text(experiment->rules, experiment->rule_count, call->arena)) == 0;
}

static bool keeps_clusters(const struct live_reading *reading)
{
    struct live_cluster_plan wanted;

    live_design_clusters(reading->design, &wanted);
    return live_same_cluster_plan(&wanted, &reading->experiment.cluster_plan);
}

static int integer_order(const void *one, const void *other)
{
    int64_t first = *(const int64_t *)one, second = *(const int64_t *)other;

    return (first > second) - (first < second);
}

/* If no covariate covers enough subjects, nothing is adjusted and nothing needs to be
 * recomputed. */
static bool keeps_covariates(const struct live_experiment *experiment,
                             const struct live_covered_list *covered)
{
    int64_t wanted[LIVE_COVARIATES_MAX], used[LIVE_COVARIATES_MAX];
    size_t count = live_wanted_covariates(covered, wanted);

    if (!live_adjusts(experiment) || covered->exposed == 0 || count == 0 ||
        count > LIVE_COVARIATES_MAX)
        return true;
    if (count != experiment->used_count)
        return false;
    memcpy(used, experiment->used, count * sizeof used[0]);
    qsort(used, count, sizeof used[0], integer_order);
    return memcmp(used, wanted, count * sizeof used[0]) == 0;
}

bool live_is_stale(const struct live_call *call, const struct live_reading *reading,
                   const struct live_name_list *metrics, const struct live_covered_list *covered)
{
    const struct live_experiment *experiment = &reading->experiment;
    struct live_design_metrics needed = live_design_metrics(reading->design);
    bool adjusts = experiment->covariates > 0; /* nothing else needs the primary metric */

    if (experiment->number == 0)
        return false;
    if (experiment->stale || experiment->spike_events != call->spike_events)
        return true;
    if ((adjusts && needed.primary && !live_name_number(metrics, needed.primary)) ||
        (needed.numerator && !live_name_number(metrics, needed.numerator)) ||
        (needed.denominator && !live_name_number(metrics, needed.denominator)))
        return true;
    if (!keeps_robust(reading, metrics) || !keeps_rules(call, reading, metrics) ||
        !keeps_clusters(reading) || !keeps_covariates(experiment, covered) ||
        experiment->window != live_design_window(reading->design))
        return true;
    return (adjusts && experiment->primary_metric != live_name_number(metrics, needed.primary)) ||
           experiment->numerator != live_name_number(metrics, needed.numerator) ||
           experiment->denominator != live_name_number(metrics, needed.denominator);
}
