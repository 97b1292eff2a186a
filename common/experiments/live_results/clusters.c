/* Rows are the cells of clusters: one per cluster and arm. */
#include "experiments/live_results/clusters.h"

#include "experiments/analyses/results_analysis.h"
#include "math/normal.h"
#include "math/student.h"
#include "stats/always_valid.h"
#include "stats/equivalence.h"

#include <math.h>

static struct live_cell *cell_of(const struct live_results *results, int64_t metric, int64_t slice,
                                 int arm)
{
    struct live_rollup *rollup =
        (struct live_rollup *)&results->view->rollup; /* adds absent ones */

    return live_rollup_cell(rollup, metric, slice, arm);
}

static int64_t users_of(const struct live_results *results, int64_t slice, int arm)
{
    return cell_of(results, LIVE_PRESENCE, slice, arm)->people;
}

/* The lists of a struct cluster_rows while they are filled. */
struct columns {
    size_t count;
    uint32_t *cluster;
    uint8_t *arm;
    double *weight, *total, *squares;
    bool defined;
};

static struct columns make_columns(struct arena *arena, size_t most)
{
    return (struct columns){.cluster = ARENA_ARRAY(arena, uint32_t, most),
                            .arm = ARENA_ARRAY(arena, uint8_t, most),
                            .weight = ARENA_ARRAY(arena, double, most),
                            .total = ARENA_ARRAY(arena, double, most),
                            .squares = ARENA_ARRAY(arena, double, most),
                            .defined = true};
}

static double sum_of(const struct live_cell *cell)
{
    return sum_value(&(struct sum){cell->sum.high, cell->sum.low});
}

/* What errors are clustered by: every slice by itself, or all periods of a cluster together. */
static uint32_t cluster_number(const struct live_results *results, size_t position)
{
    const struct live_view *view = results->view;
    const struct payload_switchback *turns = view->design->setup->clusters->switchback;

    if (!turns || turns->cluster_by == SWITCHBACK_BY_SLOT)
        return (uint32_t)position;
    return (uint32_t)live_cluster_place(&view->experiment.cluster_plan,
                                        view->clusters.items[position])
        .cluster;
}

static void add_row(const struct live_results *results, const struct cluster_measure *measure,
                    size_t position, int arm, uint8_t side, struct columns *columns)
{
    int64_t slice = results->view->clusters.items[position];
    const struct live_cell *cell = cell_of(results, measure->metric, slice, arm);
    bool known = measure->metric != 0;
    size_t row = columns->count++;

    columns->cluster[row] = cluster_number(results, position);
    columns->arm[row] = side;
    columns->weight[row] = (double)users_of(results, slice, arm);
    columns->total[row] = columns->squares[row] = 0;
    if (measure->kind == CLUSTER_BINARY) {
        columns->total[row] = columns->squares[row] = known ? (double)cell->people : 0;
        return;
    }
    if (known) {
        columns->defined = columns->defined && cell->huge == 0;
        columns->total[row] = sum_of(cell);
        columns->squares[row] = sum_value(&(struct sum){cell->squares.high, cell->squares.low});
    }
    if (measure->kind != CLUSTER_RATIO)
        return;
    cell = cell_of(results, measure->denominator, slice, arm);
    columns->weight[row] = measure->denominator ? sum_of(cell) : 0;
    /* A denominator below zero weighs nothing that a test could use. */
    columns->defined = columns->defined && cell->huge == 0 && columns->weight[row] >= 0;
}

static size_t clusters_most(const struct live_results *results)
{
    size_t slices = results->view->clusters.count;
    size_t names = 1 + (size_t)results->view->experiment.clusters;

    return slices > names ? slices : names;
}

static bool has_users(const struct live_results *results, struct live_cluster_place place, int arm)
{
    const struct live_cluster_plan *plan = &results->view->experiment.cluster_plan;

    return users_of(results, live_place_slice(plan, place, false), arm) > 0 ||
           users_of(results, live_place_slice(plan, place, true), arm) > 0;
}

int live_clusters_arm(const struct live_results *results, struct live_cluster_place place)
{
    int found = -1;

    for (size_t arm = 0; place.period >= 0 && arm < results->arms; arm++) {
        if (!has_users(results, place, (int)arm))
            continue;
        if (found >= 0)
            return -1;
        found = (int)arm;
    }
    return found;
}

/* The arm of the period before, among two; -1 = neither, or both. */
static int side_before(const struct live_results *results, int64_t slice, const int arms[2])
{
    struct live_cluster_place place =
        live_cluster_place(&results->view->experiment.cluster_plan, slice);
    int arm;

    place.period--;
    arm = live_clusters_arm(results, place);
    return arm == arms[0] ? 0 : arm == arms[1] ? 1 : -1;
}

/* Fills the columns; with `before` only rows whose period before is known, and which arm it had. */
static void fill(const struct live_results *results, const struct cluster_measure *measure,
                 const int arms[2], double *before, struct columns *columns)
{
    const struct live_cluster_slices *slices = &results->view->clusters;

    for (size_t i = 0; i < slices->count; i++) {
        int side = before ? side_before(results, slices->items[i], arms) : 0;

        for (uint8_t of = 0; side >= 0 && of < 2; of++) {
            if (users_of(results, slices->items[i], arms[of]) == 0)
                continue;
            if (before)
                before[columns->count] = side;
            add_row(results, measure, i, arms[of], of, columns);
        }
    }
}

static struct cluster_rows rows_of(const struct live_results *results,
                                   const struct cluster_measure *measure,
                                   const struct columns *columns)
{
    return (struct cluster_rows){.count = columns->count,
                                 .cluster = columns->cluster,
                                 .arm = columns->arm,
                                 .weight = columns->weight,
                                 .total = columns->total,
                                 .squares =
                                     measure->kind == CLUSTER_RATIO ? NULL : columns->squares,
                                 .cluster_count = clusters_most(results)};
}

bool live_clusters_test(const struct live_results *results, const struct cluster_measure *measure,
                        int control, int treatment, struct cluster_result *found)
{
    struct arena *arena = results->call->arena;
    struct columns columns = make_columns(arena, 2 * results->view->clusters.count);
    struct cluster_rows rows;

    *found = (struct cluster_result){.refusal = CLUSTER_TOO_FEW};
    fill(results, measure, (const int[]){control, treatment}, NULL, &columns);
    if (columns.count == 0)
        return false;
    if (!columns.defined) {
        found->refusal = CLUSTER_TESTED;
        return false;
    }
    rows = rows_of(results, measure, &columns);
    cluster_robust_test(&rows, results->alpha, arena, found);
    return found->refusal == CLUSTER_TESTED;
}

const struct carry_over *live_clusters_carry_over(const struct live_results *results, int treatment)
{
    const struct cluster_measure goal = live_clusters_goal(results);
    struct arena *arena = results->call->arena;
    size_t most = 2 * results->view->clusters.count;
    struct columns columns = make_columns(arena, most);
    double *before = ARENA_ARRAY(arena, double, most);
    const double *covariates[] = {before};
    struct cluster_result found;
    struct cluster_rows rows;

    fill(results, &goal, (const int[]){CONTROL_ARM, treatment}, before, &columns);
    if (columns.count == 0 || !columns.defined)
        return NULL;
    rows = rows_of(results, &goal, &columns);
    rows.covariates = covariates;
    rows.covariate_count = 1;
    cluster_robust_test(&rows, results->alpha, arena, &found);
    return carry_over_show(&found, goal.kind == CLUSTER_BINARY, results->alpha, arena);
}

struct cluster_measure live_clusters_goal(const struct live_results *results)
{
    const struct payload_metrics *design = results->design;
    const struct live_view *view = results->view;

    if (design->metric_type == METRIC_RATIO)
        return (struct cluster_measure){CLUSTER_RATIO,
                                        live_view_metric(view, design->numerator_metric_name),
                                        live_view_metric(view, design->denominator_metric_name)};
    return (struct cluster_measure){design->metric_type == METRIC_BINARY ? CLUSTER_BINARY
                                                                         : CLUSTER_MEAN,
                                    live_view_metric(view, design->primary_metric_name), 0};
}

/* A trial change of the data moves the effect, and the error as that of independent users. */
static void apply_change(const struct live_results *results, struct cluster_result *found)
{
    const struct live_results_change *change = &results->change;
    struct test_result *test = &found->test;
    double critical = student_upper_quantile(results->alpha / 2, test->degrees_of_freedom);

    found->standard_error *= change->error / sqrt(change->people);
    test->effect += change->effect;
    test->treatment_value += change->effect;
    test->statistic = test->effect / found->standard_error;
    test->p_value = 2 * student_survival(fabs(test->statistic), test->degrees_of_freedom);
    test->is_significant = test->p_value < results->alpha;
    test->ci_lower = test->effect - critical * found->standard_error;
    test->ci_upper = test->effect + critical * found->standard_error;
}

/* The goal is tested once at an alpha: trial changes begin with that. */
static const struct cluster_result *test_goal(const struct live_results *results, int control,
                                              int treatment)
{
    const struct cluster_measure goal = live_clusters_goal(results);
    struct cluster_result **kept = &results->goal_tests[treatment];

    if (!*kept || (*kept)->test.alpha != results->alpha) {
        *kept = ARENA_NEW(results->call->arena, struct cluster_result);
        if (!live_clusters_test(results, &goal, control, treatment, *kept) && !(*kept)->refusal)
            (*kept)->refusal = CLUSTER_NO_VARIANCE; /* values that are too large */
    }
    return *kept;
}

static const char *const refusal_keys[] = {
    [CLUSTER_TOO_FEW] = "errors.schemas.cluster_too_few",
    [CLUSTER_NO_WEIGHT] = "errors.schemas.cluster_no_denominator",
    [CLUSTER_NO_VARIANCE] = "errors.schemas.cluster_no_variance"};

static const struct results_reply *analysis_of(const struct live_results *results,
                                               const struct cluster_measure *goal,
                                               const struct cluster_result *found)
{
    const struct results_call call = {.locale = results->call->locale,
                                      .arena = results->call->arena};
    const struct cluster_plan plan = {.metric = goal->kind,
                                      .alpha = results->alpha,
                                      .lower_is_better =
                                          results->design->direction == GOAL_DECREASE};
    struct cluster_reply reply;

    cluster_show(&call, &plan, found, &reply);
    return reply.result;
}

void live_clusters_compare(const struct live_results *results, int control, int treatment,
                           struct live_comparison *comparison)
{
    const struct cluster_measure goal = live_clusters_goal(results);
    struct cluster_result found = *test_goal(results, control, treatment);
    struct test_result *test = &comparison->test;
    double error;

    if (found.refusal) {
        comparison->note = live_results_text(results, refusal_keys[found.refusal]);
        return;
    }
    if (results->change.people > 0)
        apply_change(results, &found);
    error = found.standard_error;
    *test = found.test;
    if (goal.kind == CLUSTER_BINARY)
        cluster_show_as_rates(test);
    comparison->status = "ok";
    comparison->variance = error * error;
    if (goal.kind != CLUSTER_RATIO)
        comparison->probability_treatment_beats_control = GIVEN_NUMBER(student_cdf(
            goal_sign(results->design) * found.test.statistic, found.test.degrees_of_freedom));
    comparison->always_valid = live_results_always_valid(
        results, found.test.effect,
        found.test.degrees_of_freedom >= CLUSTER_ALWAYS_VALID_DF ? comparison->variance : 0);
    if (!results->rough)
        comparison->analysis = analysis_of(results, &goal, &found);
}

static struct cluster_measure measure_of(const struct live_results *results, const char *name,
                                         bool rate)
{
    return (struct cluster_measure){rate ? CLUSTER_BINARY : CLUSTER_MEAN,
                                    live_view_metric(results->view, name), 0};
}

bool live_clusters_test_metric(const struct live_results *results, const char *name, bool rate,
                               int arm, struct test_result *test)
{
    const struct cluster_measure measure = measure_of(results, name, rate);
    struct cluster_result found;

    if (!live_clusters_test(results, &measure, CONTROL_ARM, arm, &found))
        return false;
    *test = found.test;
    if (rate)
        cluster_show_as_rates(test);
    return true;
}

double live_clusters_variance(const struct test_result *test, double scale)
{
    double critical = student_upper_quantile(test->alpha / 2, test->degrees_of_freedom);
    double error = (test->ci_upper - test->ci_lower) / 2 / critical / scale;

    return error * error;
}

bool live_clusters_are_few(const struct test_result *test)
{
    return test->degrees_of_freedom < CLUSTER_ALWAYS_VALID_DF;
}

/* The variance is widened so that bounds at alpha are Student's; p-values are exactly his. */
void live_clusters_harm(const struct live_results *results, const char *name, bool rate, int arm,
                        bool increase_is_bad, double margin, struct harm_result *test)
{
    const struct cluster_measure measure = measure_of(results, name, rate);
    struct cluster_result found;
    double harm, df, wider;

    *test = (struct harm_result){0};
    if (!live_clusters_test(results, &measure, CONTROL_ARM, arm, &found))
        return;
    df = found.test.degrees_of_freedom;
    harm = increase_is_bad ? found.test.effect : -found.test.effect;
    wider = found.standard_error * student_upper_quantile(results->alpha, df) /
            normal_upper_quantile(results->alpha);
    harm_test(harm, wider * wider, margin, results->alpha, test);
    if (!test->evaluable)
        return;
    test->p_value = student_survival((harm - margin) / found.standard_error, df);
    test->p_non_inferior = student_cdf((harm - margin) / found.standard_error, df);
}

void live_clusters_counts(const struct live_results *results, struct integer_list *counts)
{
    const struct live_cluster_slices *slices = &results->view->clusters;

    for (size_t arm = 0; arm < counts->count; arm++) {
        counts->items[arm] = 0;
        for (size_t i = 0; i < slices->count; i++)
            counts->items[arm] += users_of(results, slices->items[i], (int)arm) > 0;
    }
}
