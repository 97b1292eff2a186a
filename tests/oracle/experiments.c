/*
 * The experiments kernels on standard input and output (support/lines.h), for
 * experiments_*_test.py. The answer is `error` and the reason where a kernel gives one.
 */
#include "experiments/design/sequential.h"
#include "experiments/design/sizing.h"
#include "experiments/design/srm.h"
#include "experiments/design/verified.h"
#include "stats/two_sample.h"
#include "support/lines.h"

#include <math.h>
#include <stdio.h>

static void print_problem(const struct problem *problem)
{
    printf("error %s", problem->reason);
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

static void answer_plan(struct line *line)
{
    const double *a = line_take(line, 12).items;
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct problem problem;
    double n;

    if (sizing_plan_design(&request, &plan, &problem)) {
        print_problem(&problem);
        return;
    }
    n = (double)plan.sample_size_per_variant;
    PRINT_NUMBERS(n, (double)plan.individual_sample_size, (double)plan.normal_sample_size,
                  (double)plan.total_events, sizing_power(&request, &plan, n),
                  sizing_power(&request, &plan, n - 1), sizing_power(&request, &plan, n / 2));
}

/* As plan -> planned users, verified power there, verified users */
static void answer_verified(struct line *line)
{
    const double *a = line_take(line, 12).items;
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct verified_plan verified;
    struct problem problem;

    if (sizing_plan_design(&request, &plan, &problem) ||
        verified_plan_find(&request, &plan, &verified, &problem)) {
        print_problem(&problem);
        return;
    }
    PRINT_NUMBERS((double)plan.sample_size_per_variant, verified.power,
                  (double)verified.sample_size_per_variant);
}

/* As plan -> users, power as drawn and as worked out for each point of the curve */
static void answer_curve(struct line *line)
{
    const double *a = line_take(line, 12).items;
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct verified_plan verified;
    struct power_point points[25];
    struct problem problem;
    size_t count;

    if (sizing_plan_design(&request, &plan, &problem) ||
        verified_plan_find(&request, &plan, &verified, &problem)) {
        print_problem(&problem);
        return;
    }
    count = verified_power_curve(&request, &plan, &verified, points, 25);
    for (size_t i = 0; i < count; i++)
        PRINT_NUMBERS((double)points[i].sample_size_per_variant, points[i].verified_power,
                      verified_power_of_size(&request, &plan, points[i].sample_size_per_variant));
}

/* As plan, then users of control and of treatment -> verified power, nan where there is none */
static void answer_verified_power(struct line *line)
{
    const double *a = line_take(line, 14).items;
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct optional_number power;
    struct problem problem;

    if (sizing_plan_design(&request, &plan, &problem)) {
        print_problem(&problem);
        return;
    }
    power = verified_power(&request, &plan, (int64_t)a[12], (int64_t)a[13]);
    PRINT_NUMBERS(power.given ? power.value : NAN);
}

/* As plan, then cuped_std cuped_correlation precision credibility */
static void answer_companions(struct line *line)
{
    const double *a = line_take(line, 16).items;
    struct sizing_request request = read_request(a);
    struct sizing_plan plan;
    struct cuped_plan cuped;
    struct precision_plan precision;
    struct problem problem;

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
    PRINT_NUMBERS((double)cuped.sample_size_per_variant, cuped.std_dev,
                  cuped.variance_reduction_pct, cuped.theta,
                  (double)precision.sample_size_per_variant);
}

static void answer_guardrail(struct line *line)
{
    const double *a = line_take(line, 5).items;
    struct optional_number change =
        sizing_detectable_rate_change(a[0], a[1] != 0, a[2], a[3], a[4]);

    PRINT_NUMBERS(change.given, change.value);
}

static void answer_fisher(struct line *line)
{
    const double *a = line_take(line, 4).items;

    PRINT_NUMBERS(fisher_exact_power(a[0], a[1], (int64_t)a[2], a[3]));
}

/* looks alpha power -> constant, factor, cumulative alpha of each look */
static void answer_sequential(struct line *line)
{
    const double *a = line_take(line, 3).items;
    struct sequential_design design;
    struct problem problem;

    if (sequential_solve((int)a[0], a[1], a[2], &design, &problem)) {
        print_problem(&problem);
        return;
    }
    PRINT_NUMBERS(design.constant, design.inflation_factor);
    for (int k = 0; k < design.looks; k++)
        PRINT_NUMBERS(design.look[k].cumulative_alpha_spent);
}

/* counts, then as many weights */
static void answer_srm(struct line *line)
{
    size_t arms = line->numbers.count / 2;
    struct integer_list observed = {arms, ARENA_ARRAY(line->arena, int64_t, arms)};
    struct number_list counts = line_take(line, arms), planned = line_take(line, arms);
    struct srm_result result;
    struct problem problem;

    for (size_t i = 0; i < arms; i++)
        observed.items[i] = (int64_t)counts.items[i];
    if (srm_check(&observed, &planned, NULL, &result, &problem))
        print_problem(&problem);
    else
        PRINT_NUMBERS(result.chi_square, result.p_value, result.is_srm);
}

static void print_result(const struct test_result *result)
{
    PRINT_NUMBERS(result->degenerate, result->effect, result->effect_relative_pct, result->ci_lower,
                  result->ci_upper, result->ci_score_lower.value, result->ci_score_upper.value,
                  result->p_value, result->statistic, result->degrees_of_freedom, result->power);
}

static void answer_binary(struct line *line)
{
    const double *a = line_take(line, 5).items;
    struct binary_observation observed = {(int64_t)a[0], (int64_t)a[1], (int64_t)a[2],
                                          (int64_t)a[3], a[4]};
    struct test_result result;

    two_sample_binary(&observed, &result);
    print_result(&result);
}

static void answer_continuous(struct line *line)
{
    const double *a = line_take(line, 7).items;
    struct continuous_observation observed = {a[0], a[1],          (int64_t)a[2], a[3],
                                              a[4], (int64_t)a[5], a[6]};
    struct test_result result;

    two_sample_continuous(&observed, &result);
    print_result(&result);
}

static const struct line_method methods[] = {
    {"plan", answer_plan},
    {"curve", answer_curve},
    {"verified", answer_verified},
    {"verified_power", answer_verified_power},
    {"companions", answer_companions},
    {"guardrail", answer_guardrail},
    {"fisher", answer_fisher},
    {"sequential", answer_sequential},
    {"srm", answer_srm},
    {"binary", answer_binary},
    {"continuous", answer_continuous},
};

LINES_MAIN(methods)
