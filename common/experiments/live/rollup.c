/* The contributions of a subject to the aggregates. */
#include "experiments/live/rollup.h"

#include "base/list.h"
#include "stats/binned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_FIRST = 64, SCRATCH_FIRST = 32 };

/* When less than this of the largest sum is left, too many of its digits went with the rest. */
#define CANCELLED 0x1p-50

/* The same of the squares about the mean, in a sum that has 106 bits. */
#define CANCELLED_ABOUT_MEAN 0x1p-60

/* Properties of a subject that are needed more than once. */
struct person {
    const struct live_unit *root;
    const struct live_unit *exposure;
    bool included;
    int arm;
    int64_t events;
    size_t value_count;
    const struct live_values *values; /* one per metric */
};

void live_rollup_start(struct live_rollup *rollup, const struct live_experiment *experiment,
                       struct arena *arena)
{
    *rollup = (struct live_rollup){.arena = arena,
                                   .experiment = experiment,
                                   .cell_slots = CELLS_FIRST,
                                   .scratch_capacity = SCRATCH_FIRST};
    rollup->cells = ARENA_ARRAY(arena, struct live_cell *, rollup->cell_slots);
    rollup->scratch = ARENA_ARRAY(arena, struct live_values, rollup->scratch_capacity);
}

static struct live_cell **cell_slot(const struct live_rollup *rollup, int64_t metric, int64_t slice,
                                    int arm)
{
    uint64_t key = ((uint64_t)metric * 1000003 + (uint64_t)slice) * 16 + (uint64_t)(arm + 1);
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (rollup->cell_slots - 1);

    while (rollup->cells[at] &&
           (rollup->cells[at]->metric != metric || rollup->cells[at]->slice != slice ||
            rollup->cells[at]->arm != arm))
        at = (at + 1) & (rollup->cell_slots - 1);
    return &rollup->cells[at];
}

static void grow_cells(struct live_rollup *rollup)
{
    struct live_cell **before = rollup->cells;
    size_t slots = rollup->cell_slots;

    rollup->cell_slots *= 4;
    rollup->cells = ARENA_ARRAY(rollup->arena, struct live_cell *, rollup->cell_slots);
    for (size_t i = 0; i < slots; i++)
        if (before[i])
            *cell_slot(rollup, before[i]->metric, before[i]->slice, before[i]->arm) = before[i];
}

struct live_cell *live_rollup_cell(struct live_rollup *rollup, int64_t metric, int64_t slice,
                                   int arm)
{
    struct live_cell **slot = cell_slot(rollup, metric, slice, arm);

    if (*slot)
        return *slot;
    if (2 * ++rollup->cell_count > rollup->cell_slots) {
        grow_cells(rollup);
        slot = cell_slot(rollup, metric, slice, arm);
    }
    *slot = ARENA_NEW(rollup->arena, struct live_cell);
    (*slot)->metric = metric;
    (*slot)->slice = slice;
    (*slot)->arm = arm;
    return *slot;
}

struct live_total *live_rollup_total(struct live_rollup *rollup, int64_t metric)
{
    while (rollup->total_count <= (size_t)metric) {
        int64_t number = (int64_t)rollup->total_count;
        struct live_total *total = ARRAY_ADD(rollup->arena, rollup->totals, rollup->total_count);

        total->metric = number;
    }
    return &rollup->totals[metric];
}

struct live_metric_products *live_rollup_metric_products(struct live_rollup *rollup, int64_t metric,
                                                         int arm)
{
    struct live_metric_products **products;

    while (rollup->metric_arms_count <= (size_t)metric)
        ARRAY_ADD(rollup->arena, rollup->metric_arms, rollup->metric_arms_count);
    products = &rollup->metric_arms[metric].at[arm];
    if (!*products) {
        *products = ARENA_NEW(rollup->arena, struct live_metric_products);
        (*products)->metric = metric;
        (*products)->arm = arm;
    }
    return *products;
}

int64_t *live_rollup_covered(struct live_rollup *rollup, int64_t covariate)
{
    while (rollup->covered_count <= (size_t)covariate)
        ARRAY_ADD(rollup->arena, rollup->covered, rollup->covered_count);
    return &rollup->covered[covariate];
}

static void merge_signed(struct sum *sum, const struct sum *other, int sign)
{
    sum_add(sum, sign * other->high);
    sum_add(sum, sign * other->low);
}

/* What was sent, whoever it is of. */
static void add_raw(struct live_rollup *rollup, const struct live_unit *root, int sign)
{
    bool merged = false;

    FOR_EACH_UNIT(unit, root)
    {
        int64_t events = 0;

        if (unit->exposed)
            rollup->arms[1 + unit->variation].exposures += sign;
        for (size_t i = 0; i < unit->value_count; i++) {
            const struct live_values *values = &unit->values[i];
            struct live_total *total = live_rollup_total(rollup, values->metric);

            total->events += sign * values->events;
            total->huge += sign * values->huge;
            merge_signed(&total->sum, &values->sum, sign);
            events += values->events;
        }
        if (unit == root)
            continue;
        rollup->alias_exposures += unit->exposed ? sign : 0;
        rollup->alias_conversions += sign * events;
        merged = merged || unit->exposed || events > 0;
    }
    rollup->merged_people += merged ? sign : 0;
}

static void merge_values(struct live_rollup *rollup, struct person *person,
                         const struct live_values *values)
{
    struct live_values *merged = rollup->scratch, *end = merged + person->value_count;

    while (merged < end && merged->metric != values->metric)
        merged++;
    if (merged < end) {
        merged->events += values->events;
        merged->huge += values->huge;
        merged->early += values->early;
        merged->late += values->late;
        sum_merge(&merged->sum, &values->sum);
        merged->counted += values->counted;
        merged->counted_huge += values->counted_huge;
        sum_merge(&merged->counted_sum, &values->counted_sum);
        return;
    }
    if (person->value_count == rollup->scratch_capacity) {
        struct live_values *before = rollup->scratch;

        rollup->scratch_capacity *= 2;
        rollup->scratch = ARENA_ARRAY(rollup->arena, struct live_values, rollup->scratch_capacity);
        memcpy(rollup->scratch, before, person->value_count * sizeof *before);
    }
    rollup->scratch[person->value_count++] = *values;
}

static const struct live_metric_rule *rule_of(const struct live_experiment *experiment,
                                              int64_t metric)
{
    for (size_t i = 0; i < experiment->rule_count; i++)
        if (experiment->rules[i].metric == metric)
            return &experiment->rules[i];
    return NULL;
}

int64_t live_metric_window(const struct live_experiment *experiment, int64_t metric)
{
    const struct live_metric_rule *rule = rule_of(experiment, metric);

    return rule ? rule->window : experiment->window;
}

double live_capped_value(const struct live_experiment *experiment, int64_t metric, double value)
{
    const struct live_metric_rule *rule = rule_of(experiment, metric);

    return rule ? fmin(fmax(value, rule->lower), rule->upper) : value;
}

static void count_all(struct live_values *values)
{
    values->counted = values->events;
    values->counted_huge = values->huge;
    values->counted_sum = values->sum;
}

/* Values too large for sums stay what they are. */
static void cap_values(const struct live_experiment *experiment, struct live_values *values)
{
    double value = sum_value(&values->counted_sum);
    double capped = live_capped_value(experiment, values->metric, value);

    if (capped != value && values->counted_huge == 0)
        values->counted_sum = (struct sum){capped, 0};
}

static struct person look_at(struct live_rollup *rollup, const struct live_unit *root)
{
    struct person person = {.root = root, .exposure = live_subject_exposure(root)};

    FOR_EACH_UNIT(unit, root)
    for (size_t i = 0; i < unit->value_count; i++)
        merge_values(rollup, &person, &unit->values[i]);
    person.values = rollup->scratch;
    for (size_t i = 0; i < person.value_count; i++) {
        struct live_values *values = &rollup->scratch[i];

        person.events += values->events;
        if (live_metric_window(rollup->experiment, values->metric) == LIVE_WINDOW_ALL)
            count_all(values);
        cap_values(rollup->experiment, values);
    }
    person.arm = person.exposure ? (int)person.exposure->variation : LIVE_HOLDOUT;
    return person;
}

size_t live_rollup_values(struct live_rollup *rollup, const struct live_unit *root,
                          const struct live_values **values)
{
    struct person person = look_at(rollup, root);

    *values = person.values;
    return person.value_count;
}

bool live_values_are_huge(const struct live_values *values)
{
    return values->counted_huge > 0 || !(fabs(sum_value(&values->counted_sum)) <= LIVE_VALUE_MAX);
}

/* Timing is of all events, everything else of those that count. */
static void add_to_cell(struct live_cell *cell, const struct live_values *values, int sign)
{
    double value = sum_value(&values->counted_sum);

    cell->events += sign * values->events;
    cell->early += sign * values->early;
    cell->late += sign * values->late;
    if (!values->counted)
        return;
    cell->people += sign;
    if (live_values_are_huge(values)) {
        cell->huge += sign;
        return;
    }
    sum_add(&cell->sum, sign * value);
    sum_add_product(&cell->squares, sign * value, value);
    cell->peak = fmax(cell->peak, value * value);
}

static void add_to_slice(struct live_rollup *rollup, const struct person *person, int64_t slice,
                         int sign)
{
    live_rollup_cell(rollup, LIVE_PRESENCE, slice, person->arm)->people += sign;
    for (size_t i = 0; i < person->value_count; i++)
        if (person->values[i].events)
            add_to_cell(live_rollup_cell(rollup, person->values[i].metric, slice, person->arm),
                        &person->values[i], sign);
}

/* Every subject with events of a requested metric, capped or in a bin. */
static void add_robust(struct live_rollup *rollup, const struct person *person, int sign)
{
    const struct live_experiment *experiment = rollup->experiment;

    for (size_t i = 0; i < experiment->robust_count; i++) {
        const struct live_robust *robust = &experiment->robust[i];
        const struct live_values *values = NULL;
        double value;

        for (size_t k = 0; k < person->value_count; k++)
            if (person->values[k].metric == robust->metric && person->values[k].counted)
                values = &person->values[k];
        if (!values)
            continue;
        value = sum_value(&values->counted_sum);
        if (!robust->capped) {
            int64_t position = live_values_are_huge(values) ? BINNED_LAST : binned_index(value);

            add_to_cell(live_rollup_cell(rollup, robust->metric, LIVE_BINS + position, person->arm),
                        values, sign);
        } else {
            struct live_values capped = *values;

            if (!live_values_are_huge(values) && value > robust->cap)
                capped.counted_sum = (struct sum){robust->cap, 0};
            add_to_cell(
                live_rollup_cell(rollup, live_capped_metric(i), LIVE_EVERYBODY, person->arm),
                &capped, sign);
        }
    }
}

/* The value of a metric, 0 without events. False when it is too large. */
static bool value_of(const struct person *person, int64_t metric, double *value)
{
    *value = 0;
    for (size_t i = 0; metric && i < person->value_count; i++) {
        if (person->values[i].metric != metric)
            continue;
        if (live_values_are_huge(&person->values[i]))
            return false;
        *value = sum_value(&person->values[i].counted_sum);
    }
    return true;
}

/* The one value that all ids of the subject agree on. */
static bool covariate_of(const struct live_unit *root, int64_t number, double *value)
{
    bool found = false;

    FOR_EACH_UNIT(unit, root)
    {
        const struct live_covariate *covariate = live_unit_covariate(unit, number);

        if (!covariate)
            continue;
        if (found && covariate->value != *value)
            return false;
        *value = covariate->value;
        found = true;
    }
    return found;
}

static void add_to_product(struct live_product *product, double one, double other, int sign)
{
    sum_add_product(&product->sum, sign * one, other);
    product->peak = fmax(product->peak, fabs(one * other));
}

static void add_products(struct live_rollup *rollup, enum live_family family, int arm,
                         const double *factors, int count, int sign)
{
    struct live_products **products = &rollup->products[family][arm];

    if (!*products)
        *products = ARENA_NEW(rollup->arena, struct live_products);
    for (int i = 0; i < count; i++) {
        if (fabs(factors[i]) > LIVE_VALUE_MAX) {
            (*products)->huge += sign;
            return;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            add_to_product(&(*products)->at[i][j], factors[i], factors[j], sign);
        }
    }
}

int live_family_factors(const struct live_experiment *experiment, enum live_family family)
{
    if (family == LIVE_RATIO)
        return experiment->numerator && experiment->denominator ? 3 : 0;
    if (!live_adjusts(experiment) || experiment->used_count == 0)
        return 0;
    return 3 + (int)experiment->used_count;
}

static bool has_events(const struct person *person, int64_t metric)
{
    for (size_t i = 0; i < person->value_count; i++)
        if (person->values[i].metric == metric && person->values[i].counted)
            return true;
    return false;
}

/* The first factor of the design's metric, and the last. False when one is too large. */
static bool outcome_of(const struct live_experiment *experiment, const struct person *person,
                       double *first, double *last)
{
    if (!experiment->primary_metric)
        return value_of(person, experiment->numerator, first) &&
               value_of(person, experiment->denominator, last);
    *last = has_events(person, experiment->primary_metric);
    return value_of(person, experiment->primary_metric, first);
}

static void add_metric_products(struct live_rollup *rollup, const struct person *person,
                                const struct live_values *values, const double *covariates,
                                int sign)
{
    struct live_metric_products *products =
        live_rollup_metric_products(rollup, values->metric, person->arm);
    double value = sum_value(&values->counted_sum);

    if (live_values_are_huge(values)) {
        products->huge += sign;
        return;
    }
    add_to_product(&products->at[LIVE_METRIC_SUM], value, 1, sign);
    add_to_product(&products->at[LIVE_METRIC_SQUARES], value, value, sign);
    for (size_t i = 0; i < rollup->experiment->used_count; i++)
        add_to_product(&products->at[LIVE_METRIC_COVARIATES + i], value, covariates[i], sign);
}

/* Those of all metrics that a subject with all covariates has events of. With a covariate too large
 * for sums nothing of the experiment is adjusted. */
static void add_all_metric_products(struct live_rollup *rollup, const struct person *person,
                                    const double *covariates, int sign)
{
    const struct live_experiment *experiment = rollup->experiment;

    for (size_t i = 0; i < experiment->used_count; i++)
        if (fabs(covariates[i]) > LIVE_VALUE_MAX)
            return;
    for (size_t i = 0; i < person->value_count; i++)
        if (person->values[i].counted && person->values[i].metric != experiment->primary_metric)
            add_metric_products(rollup, person, &person->values[i], covariates, sign);
}

static void add_families(struct live_rollup *rollup, const struct person *person, int sign)
{
    const struct live_experiment *experiment = rollup->experiment;
    double factors[LIVE_FACTORS_MAX] = {1};
    int ratio = rollup->off[LIVE_RATIO] ? 0 : live_family_factors(experiment, LIVE_RATIO);
    int covariance =
        rollup->off[LIVE_COVARIANCE] ? 0 : live_family_factors(experiment, LIVE_COVARIANCE);

    if (ratio) {
        if (!value_of(person, experiment->denominator, &factors[1]) ||
            !value_of(person, experiment->numerator, &factors[2]))
            factors[1] = INFINITY;
        add_products(rollup, LIVE_RATIO, person->arm, factors, ratio, sign);
    }
    if (!covariance)
        return;
    for (int i = 2; i < covariance - 1; i++)
        if (!covariate_of(person->root, experiment->used[i - 2], &factors[i]))
            return;
    if (!outcome_of(experiment, person, &factors[1], &factors[covariance - 1]))
        factors[1] = INFINITY;
    add_products(rollup, LIVE_COVARIANCE, person->arm, factors, covariance, sign);
    add_all_metric_products(rollup, person, &factors[2], sign);
}

/* Each covariate that all ids of the subject agree on, once. */
static void add_covered(struct live_rollup *rollup, const struct live_unit *root, int sign)
{
    double value;

    FOR_EACH_UNIT(unit, root)
    for (size_t i = 0; i < unit->covariate_count; i++) {
        int64_t number = unit->covariates[i].number;
        const struct live_unit *first = root;

        while (!live_unit_covariate(first, number))
            first = first == root ? root->aliases : first->next_alias;
        if (first == unit && covariate_of(root, number, &value))
            *live_rollup_covered(rollup, number) += sign;
    }
}

static void add_slices(struct live_rollup *rollup, const struct person *person, int sign)
{
    int64_t stratum = live_subject_stratum(person->root);
    const char *rest = person->exposure->dimensions;
    char *end;

    if (stratum)
        add_to_slice(rollup, person, stratum, sign);
    while (rest && *rest) {
        add_to_slice(rollup, person, strtoll(rest, &end, 10), sign);
        rest = *end ? end + 1 : end;
    }
}

/* Subjects of one cluster are in one cell. What has no place in the plan is counted. */
static void add_cluster(struct live_rollup *rollup, const struct person *person, int sign)
{
    const struct live_cluster_plan *plan = &rollup->experiment->cluster_plan;
    int64_t slice;

    if (!plan->kept || !person->exposure->cluster)
        return;
    if (live_subject_cluster_crossed(person->root))
        live_rollup_cell(rollup, LIVE_PRESENCE, LIVE_CLUSTERS_CROSSED, person->arm)->people += sign;
    slice = live_cluster_slice(plan, person->exposure->cluster, person->exposure->occurred_at);
    if (slice <= LIVE_CLUSTERS && slice > LIVE_WASHED_OUT)
        add_to_slice(rollup, person, slice, sign);
    else
        live_rollup_cell(rollup, LIVE_PRESENCE, slice, person->arm)->people += sign;
}

static bool is_robot(int64_t events, const struct live_experiment *experiment)
{
    return events > experiment->spike_events;
}

bool live_subject_counts(const struct live_unit *root, const struct live_experiment *experiment)
{
    int64_t events = 0;

    FOR_EACH_UNIT(unit, root)
    for (size_t i = 0; i < unit->value_count; i++)
        events += unit->values[i].events;
    return live_subject_exposure(root) && !live_subject_excluded(root) &&
           !is_robot(events, experiment);
}

void live_rollup_subject(struct live_rollup *rollup, const struct live_unit *root, int sign)
{
    struct person person = look_at(rollup, root);
    struct live_arm *arm = &rollup->arms[1 + person.arm];

    add_raw(rollup, root, sign);
    if (!person.exposure)
        return;
    if (live_subject_excluded(root)) {
        arm->excluded += sign;
    } else if (is_robot(person.events, rollup->experiment)) {
        arm->spiked += sign;
    } else {
        arm->people += sign;
        arm->crossed += live_subject_crossed(root) ? sign : 0;
        add_to_slice(rollup, &person, LIVE_EVERYBODY, sign);
        if (person.arm == LIVE_HOLDOUT)
            return;
        add_slices(rollup, &person, sign);
        add_cluster(rollup, &person, sign);
        add_robust(rollup, &person, sign);
        add_covered(rollup, root, sign);
        add_families(rollup, &person, sign);
    }
}

/* Making the sums again helps only when what is there now is smaller than it was. Values that are
 * all the same have no squares about their mean, and nothing to lose. */
bool live_squares_hold(const struct sum *squares, const struct sum *sum, double count, double peak)
{
    double about_mean = count > 0 ? sum_about_means(squares, sum, sum, count) : 0;

    return about_mean == 0 || squares->high > peak / 4 ||
           fabs(about_mean) >= CANCELLED_ABOUT_MEAN * peak;
}

bool live_cell_add(struct live_cell *stored, const struct live_cell *change)
{
    stored->people += change->people;
    stored->huge += change->huge;
    stored->events += change->events;
    stored->early += change->early;
    stored->late += change->late;
    sum_merge(&stored->sum, &change->sum);
    sum_merge(&stored->squares, &change->squares);
    stored->peak = fmax(fmax(stored->peak, change->peak), fabs(stored->squares.high));
    if (stored->people == stored->huge) {
        stored->sum = stored->squares = (struct sum){0};
        stored->peak = 0;
    }
    return stored->squares.high >= CANCELLED * stored->peak &&
           live_squares_hold(&stored->squares, &stored->sum,
                             (double)(stored->people - stored->huge), stored->peak);
}

bool live_product_add(struct live_product *stored, const struct live_product *change)
{
    sum_merge(&stored->sum, &change->sum);
    stored->peak = fmax(fmax(stored->peak, change->peak), fabs(stored->sum.high));
    return fabs(stored->sum.high) >= CANCELLED * stored->peak;
}
