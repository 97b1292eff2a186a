/*
 * The experiments kernels on standard input and output, for experiments_*_test.py. One case per
 * line, `name number number ...`; one answer per line: the columns with 17 digits, or `error` and
 * the reason.
 */
#include "evaluate.h"

#include "experiments/sequential.h"
#include "experiments/sizing.h"
#include "experiments/srm.h"
#include "experiments/two_sample.h"

#include <math.h>

static void print_columns(const double *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%.17g", i ? " " : "", columns[i]);
    putchar('\n');
}

#define PRINT_COLUMNS(...)                                                                         \
    print_columns((const double[]){__VA_ARGS__},                                                   \
                  sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void print_problem(const struct problem *problem)
{
    printf("error %s\n", problem->reason);
}

static struct optional_number when_given(double value)
{
    return isnan(value) ? (struct optional_number){0} : GIVEN_NUMBER(value);
}

/* metric test baseline mde_pct alpha power variants std_dev exposure margin_pct cluster_size icc;
 * nan for what is not given */
static struct sizing_request read_request(const double *a)
{
    static double split[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

    return (struct sizing_request){
        .metric_type = (enum metric_type)a[0],
        .planned_test = (int)a[1],
        .baseline_value = a[2],
        .mde_pct = a[3],
        .alpha = a[4],
        .power = a[5],
        .variants_count = (int64_t)a[6],
        .std_dev = when_given(a[7]),
        .exposure_per_user = when_given(a[8]),
        .equivalence_margin_pct = when_given(a[9]),
        .avg_cluster_size = when_given(a[10]),
        .icc = when_given(a[11]),
        .randomization_unit = isnan(a[10]) ? "user" : "cluster",
        .expected_daily_traffic = 1000000,
        .audience_share_in_test = 1,
        .traffic_split = {.count = (size_t)a[6], .items = split},
    };
}

static void answer_plan(const double *a, int count)
{
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct problem problem;
    double n;

    (void)count;
    if (sizing_plan_design(&request, &plan, &problem)) {
        print_problem(&problem);
        return;
    }
    n = (double)plan.sample_size_per_variant;
    PRINT_COLUMNS(n, (double)plan.individual_sample_size, (double)plan.normal_sample_size,
                  (double)plan.total_events, sizing_power(&request, &plan, n),
                  sizing_power(&request, &plan, n - 1), sizing_power(&request, &plan, n / 2));
}

/* As plan, then cuped_std cuped_correlation precision credibility */
static void answer_companions(const double *a, int count)
{
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct cuped_plan cuped;
    struct precision_plan precision;
    struct problem problem;

    (void)count;
    request.cuped_pre_experiment_std = when_given(a[12]);
    request.cuped_correlation = when_given(a[13]);
    request.analysis_mode = ANALYSIS_BAYESIAN;
    request.desired_precision = when_given(a[14]);
    request.credibility = a[15];
    if (sizing_plan_design(&request, &plan, &problem) ||
        sizing_plan_cuped(&request, &plan, &cuped, &problem) ||
        sizing_plan_precision(&request, &plan, &precision, &problem)) {
        print_problem(&problem);
        return;
    }
    PRINT_COLUMNS((double)cuped.sample_size_per_variant, cuped.std_dev,
                  cuped.variance_reduction_pct, cuped.theta,
                  (double)precision.sample_size_per_variant);
}

static void answer_guardrail(const double *a, int count)
{
    struct optional_number change =
        sizing_detectable_rate_change(a[0], a[1] != 0, a[2], a[3], a[4]);

    (void)count;
    PRINT_COLUMNS(change.given, change.value);
}

static void answer_fisher(const double *a, int count)
{
    (void)count;
    PRINT_COLUMNS(fisher_exact_power(a[0], a[1], (int64_t)a[2], a[3]));
}

/* looks alpha power -> constant, factor, cumulative alpha of each look */
static void answer_sequential(const double *a, int count)
{
    struct sequential_design design;
    struct problem problem;

    (void)count;
    if (sequential_solve((int)a[0], a[1], a[2], &design, &problem)) {
        print_problem(&problem);
        return;
    }
    printf("%.17g %.17g", design.constant, design.inflation_factor);
    for (int k = 0; k < design.looks; k++)
        printf(" %.17g", design.look[k].cumulative_alpha_spent);
    putchar('\n');
}

/* counts, then as many weights */
static void answer_srm(const double *a, int count)
{
    size_t arms = (size_t)count / 2;
    int64_t counts[EVALUATE_ARGUMENTS_MAX];
    double weights[EVALUATE_ARGUMENTS_MAX];
    struct integer_list observed = {arms, counts};
    struct number_list planned = {arms, weights};
    struct srm_result result;
    struct problem problem;

    for (size_t i = 0; i < arms; i++) {
        counts[i] = (int64_t)a[i];
        weights[i] = a[arms + i];
    }
    if (srm_check(&observed, &planned, NULL, &result, &problem))
        print_problem(&problem);
    else
        PRINT_COLUMNS(result.chi_square, result.p_value, result.is_srm);
}

static void print_result(const struct test_result *result)
{
    PRINT_COLUMNS(result->degenerate, result->effect, result->effect_relative_pct, result->ci_lower,
                  result->ci_upper, result->ci_score_lower.value, result->ci_score_upper.value,
                  result->p_value, result->statistic, result->degrees_of_freedom, result->power);
}

static void answer_binary(const double *a, int count)
{
    struct binary_observation observed = {(int64_t)a[0], (int64_t)a[1], (int64_t)a[2],
                                          (int64_t)a[3], a[4]};
    struct test_result result;

    (void)count;
    two_sample_binary(&observed, &result);
    print_result(&result);
}

static void answer_continuous(const double *a, int count)
{
    struct continuous_observation observed = {a[0], a[1],          (int64_t)a[2], a[3],
                                              a[4], (int64_t)a[5], a[6]};
    struct test_result result;

    (void)count;
    two_sample_continuous(&observed, &result);
    print_result(&result);
}

static void answer_wilson(const double *a, int count)
{
    double lower, upper;

    (void)count;
    wilson_interval((int64_t)a[0], (int64_t)a[1], a[2], &lower, &upper);
    PRINT_COLUMNS(lower, upper);
}

static const struct {
    const char *name;
    int arity; /* -1 = any even number */
    void (*answer)(const double *arguments, int count);
} functions[] = {
    {"plan", 12, answer_plan},
    {"companions", 16, answer_companions},
    {"guardrail", 5, answer_guardrail},
    {"fisher", 4, answer_fisher},
    {"sequential", 3, answer_sequential},
    {"srm", -1, answer_srm},
    {"binary", 5, answer_binary},
    {"continuous", 7, answer_continuous},
    {"wilson", 3, answer_wilson},
};

static void answer(char *line)
{
    double arguments[EVALUATE_ARGUMENTS_MAX];
    char *rest, *name = strtok_r(line, " \t\r\n", &rest);
    int count = name ? evaluate_parse(&rest, arguments) : -1;

    for (size_t i = 0; count >= 0 && i < sizeof functions / sizeof functions[0]; i++) {
        int arity = functions[i].arity;

        if (strcmp(functions[i].name, name) == 0 && (arity < 0 ? count % 2 == 0 : count == arity)) {
            functions[i].answer(arguments, count);
            return;
        }
    }
    puts("error no such function, or not its number of arguments");
}

int main(void)
{
    char line[4096];

    while (fgets(line, sizeof line, stdin))
        answer(line);
    return ferror(stdin) ? 1 : 0;
}
