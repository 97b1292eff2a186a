/* Schema, rules and texts of the analysis of clusters. */
#include "experiments/analyses/cluster_analysis.h"

#include "experiments/analyses/analyzer_internal.h"
#include "experiments/analyses/results_analysis.h"
#include "experiments/analyses/results_evidence.h"
#include "experiments/design/sizing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_PER_UNIT = 2000, /* of cost, for one column */
    COST_MIN = 1,
    DF_MIN = 4 /* below it, even Satterthwaite's p-values are rough (Tipton 2015) */
};

const char *const cluster_metric_names[CLUSTER_METRIC__MAX] = {
    [CLUSTER_MEAN] = "mean", [CLUSTER_BINARY] = "binary", [CLUSTER_RATIO] = "ratio"};

static const struct field covariate_field = {.type = FIELD_NUMBERS};

#define OWNER struct cluster_request_arm
static const struct field arm_fields[] = {
    STRINGS(OWNER, clusters, .required = true, .min_length = 1, .max_length = CLUSTER_ROWS_MAX,
            .help = "The cluster of every row. A cluster may have rows in both arms."),
    NUMBERS(OWNER, sums, .required = true, .min_length = 1, .max_length = CLUSTER_ROWS_MAX,
            .help = "The value of the row's user, or the sum over its users; of a ratio, the "
                    "numerator."),
    INTEGERS(OWNER, users, .nullable = true, .lower = AT_LEAST(1),
             .help = "Users of every row; one each when absent. A row per cluster with its users "
                     "and sum gives the same result as a row per user."),
    NUMBERS(OWNER, denominators, .nullable = true, .lower = AT_LEAST(0),
            .help = "Of a ratio, which needs them."),
    NUMBERS(OWNER, sums_of_squares, .nullable = true, .lower = AT_LEAST(0),
            .help = "Of the values of the row's users, for icc and design_effect; known without "
                    "them when every row is a user or the metric is binary."),
    LISTS(OWNER, covariates, &covariate_field, .nullable = true,
          .max_length = CLUSTER_COVARIATES_MAX,
          .help = "Known before the test: a list per covariate, a number per row."),
};
#undef OWNER

static bool is_absent_or_long(size_t count, const void *items, size_t rows)
{
    return !items || count == rows;
}

static bool lengths_match(const void *object)
{
    const struct cluster_request_arm *arm = object;
    const struct number_list *covariates = arm->covariates.items;
    size_t rows = arm->clusters.count;

    for (size_t i = 0; i < arm->covariates.count; i++)
        if (covariates[i].count != rows)
            return false;
    return arm->sums.count == rows && is_absent_or_long(arm->users.count, arm->users.items, rows) &&
           is_absent_or_long(arm->denominators.count, arm->denominators.items, rows) &&
           is_absent_or_long(arm->sums_of_squares.count, arm->sums_of_squares.items, rows);
}

static const struct schema_rule arm_rules[] = {
    {"errors.schemas.cluster_lengths", lengths_match},
};

static SCHEMA(arm_schema, struct cluster_request_arm, "ClusterArm", arm_fields,
              .help = "The rows of an arm, as lists of the same length.", RULES(arm_rules));

#define OWNER struct cluster_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, cluster_metric_names, .choice_count = CLUSTER_METRIC__MAX,
           .required = true),
    OBJECT(OWNER, control_arm, arm_schema, .required = true),
    OBJECT(OWNER, treatment_arm, arm_schema, .required = true),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go: verdict and outcome follow it."),
};
#undef OWNER

static bool needs_denominators(int metric, const struct cluster_request_arm *arm)
{
    return (metric == CLUSTER_RATIO) == (arm->denominators.items != NULL) &&
           !(metric == CLUSTER_RATIO && arm->users.items);
}

static bool denominators_belong(const void *object)
{
    const struct cluster_request *request = object;

    return needs_denominators(request->metric_type, request->control_arm) &&
           needs_denominators(request->metric_type, request->treatment_arm);
}

bool cluster_binary_holds(int metric, const struct number_list *sums,
                          const struct integer_list *users)
{
    if (metric != CLUSTER_BINARY)
        return true;
    for (size_t i = 0; i < sums->count; i++) {
        double most = users->items ? (double)users->items[i] : 1;

        if (!(sums->items[i] >= 0 && sums->items[i] <= most &&
              sums->items[i] == floor(sums->items[i])))
            return false;
    }
    return true;
}

static bool binary_sums_fit(const void *object)
{
    const struct cluster_request *request = object;

    return cluster_binary_holds(request->metric_type, &request->control_arm->sums,
                                &request->control_arm->users) &&
           cluster_binary_holds(request->metric_type, &request->treatment_arm->sums,
                                &request->treatment_arm->users);
}

static bool covariates_match(const void *object)
{
    const struct cluster_request *request = object;

    return request->control_arm->covariates.count == request->treatment_arm->covariates.count;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.cluster_denominators", denominators_belong},
    {"errors.schemas.cluster_binary_sums", binary_sums_fit},
    {"errors.schemas.cluster_covariates", covariates_match},
};

SCHEMA(cluster_request_schema, struct cluster_request, "ClusterRequest", request_fields,
       .help = "Two arms of users who were assigned by clusters: shops, classes, teams, cities.",
       RULES(request_rules),
       .example = "{\"metric_type\":\"mean\",\"control_arm\":{\"clusters\":[\"Kyiv\",\"Lyon\","
                  "\"Oslo\"],\"users\":[40,25,31],\"sums\":[410,230,322]},\"treatment_arm\":{"
                  "\"clusters\":[\"Porto\",\"Riga\",\"Turin\"],\"users\":[38,22,45],\"sums\":[430,"
                  "251,489]}}");

#define OWNER struct cluster_arm_reply
static const struct field arm_reply_fields[] = {
    INTEGER(OWNER, clusters),
    NUMBER(OWNER, users, .help = "Or the denominator of a ratio."),
    NUMBER(OWNER, average_cluster_size, ROUNDED(4)),
    NUMBER(OWNER, cluster_size_cv, ROUNDED(4),
           .help = "Standard deviation of the clusters' sizes over their mean."),
};
#undef OWNER
static SCHEMA(arm_reply_schema, struct cluster_arm_reply, "ClusterArmSizes", arm_reply_fields,
              .help = "How large the clusters of an arm are.");

#define OWNER struct cluster_evidence
static const struct field evidence_fields[] = {
    STRING(OWNER, method, .help = "CR2: the variance of Bell and McCaffrey."),
    NUMBER(OWNER, standard_error, ROUNDED(6)),
    NUMBER(OWNER, degrees_of_freedom, ROUNDED(4), .help = "Satterthwaite's."),
    OBJECT(OWNER, control, arm_reply_schema),
    OBJECT(OWNER, treatment, arm_reply_schema),
    INTEGER(OWNER, covariates_used,
            .help = "Those that are no combination of others or of the arms."),
    NULLABLE_NUMBER(OWNER, icc, ROUNDED(6),
                    .help = "Share of the variance that lies between clusters, for the next plan; "
                            "null with covariates or without squares."),
    NULLABLE_NUMBER(OWNER, design_effect, ROUNDED(4),
                    .help = "How many times the variance is that of independent users."),
};
#undef OWNER
SCHEMA(cluster_evidence_schema, struct cluster_evidence, "ClusterEvidence", evidence_fields,
       .help = "What the clusters did to the result.");

#define OWNER struct cluster_reply
static const struct field reply_fields[] = {
    OBJECT(OWNER, result, results_reply_schema),
    OBJECT(OWNER, clusters, cluster_evidence_schema),
};
#undef OWNER
SCHEMA(cluster_reply_schema, struct cluster_reply, "ClusterReply", reply_fields,
       .help = "The comparison of two arms of clusters.");

/* One row for all metrics, but for the unit of the effect. */
#define ROW(metric, unit, places)                                                                  \
    {                                                                                              \
        .name = (metric),                                                                          \
        .conventions = {.direction = "treatment_minus_control",                                    \
                        .effect_unit = (unit),                                                     \
                        .test = "cluster_robust_t",                                                \
                        .standard_error = "cr2",                                                   \
                        .p_value = "two_sided_t_satterthwaite",                                    \
                        .interval = "t_satterthwaite"},                                            \
        .decimals = (places)                                                                       \
    }
static const struct analyzer cluster_analyzers[CLUSTER_METRIC__MAX] = {
    [CLUSTER_MEAN] = ROW("cluster_mean", "metric_unit", EFFECT_DECIMALS),
    [CLUSTER_BINARY] = ROW("cluster_binary", "percentage_points", EFFECT_DECIMALS),
    [CLUSTER_RATIO] = ROW("cluster_ratio", "metric_unit", RATE_DECIMALS),
};

static const struct {
    const char *reason, *key;
} refusals[] = {
    [CLUSTER_TOO_FEW] = {"too_few_clusters", "errors.schemas.cluster_too_few"},
    [CLUSTER_NO_WEIGHT] = {"no_denominator", "errors.schemas.cluster_no_denominator"},
    [CLUSTER_NO_VARIANCE] = {"degenerate", "errors.schemas.cluster_no_variance"},
};

static enum error refuse(const struct results_call *call, enum cluster_refusal refusal)
{
    return problem_set(
        call->problem, ERROR_INVALID, refusals[refusal].reason, "%s",
        locale_format(call->locale, call->arena, refusals[refusal].key, NO_TEXT_ARGUMENTS));
}

struct named_row {
    const char *name;
    size_t place;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct named_row *)left)->name, ((const struct named_row *)right)->name);
}

size_t cluster_number_names(const char *const *names, size_t count, struct arena *arena,
                            uint32_t *numbers)
{
    struct named_row *sorted = ARENA_ARRAY(arena, struct named_row, count);
    uint32_t different = 0;

    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct named_row){names[i], i};
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        different += i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) != 0;
        numbers[sorted[i].place] = different;
    }
    return count ? different + 1 : 0;
}

void cluster_show_as_rates(struct test_result *test)
{
    test->control_rate_pct = GIVEN_NUMBER(100 * test->control_value);
    test->treatment_rate_pct = GIVEN_NUMBER(100 * test->treatment_value);
    test->control_value = test->treatment_value = 0;
    test->effect *= 100;
    test->ci_lower *= 100;
    test->ci_upper *= 100;
    test->test_interval.lower = GIVEN_NUMBER(test->ci_lower);
    test->test_interval.upper = GIVEN_NUMBER(test->ci_upper);
}

static const char *interpretation_text(const struct results_call *call, int decimals,
                                       const struct cluster_result *found,
                                       const struct test_result *test)
{
    struct arena *arena = call->arena;
    bool rates = test->control_rate_pct.given;
    double control = rates ? test->control_rate_pct.value : test->control_value;
    double treatment = rates ? test->treatment_rate_pct.value : test->treatment_value;

    return locale_format(
        call->locale, arena,
        rates ? "results.interpretation.cluster_rates" : "results.interpretation.cluster",
        TEXT_ARGUMENTS({"treatment", report_print_fixed(arena, decimals, treatment)},
                       {"control", report_print_fixed(arena, decimals, control)},
                       {"treatmentClusters", report_print_count(arena, found->arms[1].clusters)},
                       {"controlClusters", report_print_count(arena, found->arms[0].clusters)},
                       {"effect", report_print_signed(arena, decimals, test->effect)},
                       {"ciLevel", report_level(arena, test)},
                       {"ciLower", report_print_fixed(arena, decimals, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, decimals, test->ci_upper)},
                       {"df", report_print_fixed(arena, 1, test->degrees_of_freedom)},
                       {"pValue", report_print_p_value(arena, test->p_value)},
                       {"significance",
                        report_print_significance(call->locale, arena, test->is_significant)}));
}

static const struct cluster_arm_reply *arm_reply(const struct cluster_arm *arm, struct arena *arena)
{
    struct cluster_arm_reply *reply = ARENA_NEW(arena, struct cluster_arm_reply);

    *reply = (struct cluster_arm_reply){.clusters = arm->clusters,
                                        .users = arm->weight,
                                        .average_cluster_size = arm->weight / (double)arm->clusters,
                                        .cluster_size_cv = arm->size_cv};
    return reply;
}

const struct cluster_evidence *cluster_evidence_of(enum cluster_metric metric,
                                                   const struct cluster_result *found,
                                                   struct arena *arena)
{
    struct cluster_evidence *evidence = ARENA_NEW(arena, struct cluster_evidence);

    *evidence = (struct cluster_evidence){.method = "CR2",
                                          .standard_error = found->standard_error *
                                                            (metric == CLUSTER_BINARY ? 100 : 1),
                                          .degrees_of_freedom = found->test.degrees_of_freedom,
                                          .control = arm_reply(&found->arms[0], arena),
                                          .treatment = arm_reply(&found->arms[1], arena),
                                          .covariates_used = found->covariates_used,
                                          .icc = found->icc,
                                          .design_effect = found->design_effect};
    return evidence;
}

enum error cluster_compose(const struct results_call *call, const struct cluster_plan *plan,
                           const struct cluster_rows *rows, struct cluster_result *found,
                           struct cluster_reply *answer)
{
    cluster_robust_test(rows, plan->alpha, call->arena, found);
    if (found->refusal)
        return refuse(call, found->refusal);
    cluster_show(call, plan, found, answer);
    return ERROR_NONE;
}

void cluster_show(const struct results_call *call, const struct cluster_plan *plan,
                  const struct cluster_result *found, struct cluster_reply *answer)
{
    const struct analyzer *analyzer = &cluster_analyzers[plan->metric];
    struct results_reply *result = ARENA_NEW(call->arena, struct results_reply);
    struct results_finding finding = {0};

    finding.test = found->test;
    finding.test.lower_is_better = plan->lower_is_better;
    if (plan->metric == CLUSTER_BINARY)
        cluster_show_as_rates(&finding.test);
    finding.interpretation = interpretation_text(call, analyzer->decimals, found, &finding.test);
    if (finding.test.degrees_of_freedom < DF_MIN)
        finding.small_counts = "results.small_counts.clusters";
    results_compose(call, analyzer, &finding, result);
    evidence_add(&(struct evidence){.locale = call->locale,
                                    .arena = call->arena,
                                    .analyzer = analyzer,
                                    .finding = &finding},
                 result);
    *answer = (struct cluster_reply){
        .result = result, .clusters = cluster_evidence_of(plan->metric, found, call->arena)};
}

/* The columns of both arms, one after the other. */
struct columns {
    size_t count;
    const char **names;
    uint8_t *arm;
    double *weight, *total, *squares;
    size_t covariate_count;
    double *covariates[CLUSTER_COVARIATES_MAX];
};

static double squares_of(int metric, const struct cluster_request_arm *arm, size_t row)
{
    double sum = arm->sums.items[row];

    if (metric == CLUSTER_BINARY)
        return sum;
    return arm->sums_of_squares.items ? arm->sums_of_squares.items[row] : sum * sum;
}

static double weight_of(const struct cluster_request_arm *arm, size_t row)
{
    if (arm->denominators.items)
        return arm->denominators.items[row];
    return arm->users.items ? (double)arm->users.items[row] : 1;
}

static void add_rows(int metric, const struct cluster_request_arm *arm, uint8_t number,
                     struct columns *columns)
{
    const struct number_list *covariates = arm->covariates.items;

    for (size_t row = 0; row < arm->clusters.count; row++) {
        size_t place = columns->count++;

        columns->names[place] = arm->clusters.items[row];
        columns->arm[place] = number;
        columns->weight[place] = weight_of(arm, row);
        columns->total[place] = arm->sums.items[row];
        columns->squares[place] = squares_of(metric, arm, row);
        for (size_t j = 0; j < columns->covariate_count; j++)
            columns->covariates[j][place] = covariates[j].items[row];
    }
}

static bool squares_are_known(int metric, const struct cluster_request_arm *arm)
{
    return metric == CLUSTER_BINARY ||
           (metric == CLUSTER_MEAN && (arm->sums_of_squares.items || !arm->users.items));
}

static struct columns columns_of(const struct cluster_request *observed, struct arena *arena)
{
    size_t most = observed->control_arm->clusters.count + observed->treatment_arm->clusters.count;
    struct columns columns = {.names = ARENA_ARRAY(arena, const char *, most),
                              .arm = ARENA_ARRAY(arena, uint8_t, most),
                              .weight = ARENA_ARRAY(arena, double, most),
                              .total = ARENA_ARRAY(arena, double, most),
                              .squares = ARENA_ARRAY(arena, double, most)};

    columns.covariate_count = observed->control_arm->covariates.count;
    for (size_t j = 0; j < columns.covariate_count; j++)
        columns.covariates[j] = ARENA_ARRAY(arena, double, most);
    add_rows(observed->metric_type, observed->control_arm, 0, &columns);
    add_rows(observed->metric_type, observed->treatment_arm, 1, &columns);
    return columns;
}

enum error cluster_analyze(const struct results_call *call, const struct cluster_request *observed,
                           struct cluster_reply *answer)
{
    struct columns columns = columns_of(observed, call->arena);
    uint32_t *numbers = ARENA_ARRAY(call->arena, uint32_t, columns.count);
    bool squares = squares_are_known(observed->metric_type, observed->control_arm) &&
                   squares_are_known(observed->metric_type, observed->treatment_arm);
    struct cluster_rows rows = {
        .count = columns.count,
        .cluster = numbers,
        .arm = columns.arm,
        .weight = columns.weight,
        .total = columns.total,
        .squares = squares ? columns.squares : NULL,
        .covariates = (const double *const *)columns.covariates,
        .covariate_count = columns.covariate_count,
        .cluster_count = cluster_number_names(columns.names, columns.count, call->arena, numbers)};
    const struct cluster_plan plan = {.metric = (enum cluster_metric)observed->metric_type,
                                      .alpha = observed->alpha,
                                      .lower_is_better = observed->direction == GOAL_DECREASE};
    struct cluster_result found;

    return cluster_compose(call, &plan, &rows, &found, answer);
}

int64_t cluster_cost_units(const struct cluster_request *observed)
{
    size_t columns = 1 + observed->control_arm->covariates.count;
    size_t rows = observed->control_arm->clusters.count + observed->treatment_arm->clusters.count;

    return analyzer_units(COST_MIN, (int64_t)(rows * columns), ROWS_PER_UNIT);
}
