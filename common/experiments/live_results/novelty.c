/* Effects by days since the exposure, with their covariance: the same users have several days. */
#include "experiments/live_results/novelty.h"

#include "math/normal.h"
#include "stats/contrasts/trend.h"
#include "stats/multiple_testing.h"

#include <math.h>
#include <string.h>

static const double change_alpha = 0.001, interval_alpha = 0.05;

/* By first and second day. */
struct arm_days {
    struct live_age at[LIVE_AGES_MAX][LIVE_AGES_MAX];
};

struct reading {
    const struct live_results *results;
    struct arm_days *arms;
};

static struct arm_days *spread_rows(const struct live_results *results,
                                    const struct live_series *series)
{
    const struct live_age *rows = series->ages.items;
    struct arm_days *arms = ARENA_ARRAY(results->call->arena, struct arm_days, LIVE_ARMS_MAX);

    for (size_t i = 0; i < series->ages.count; i++)
        if (rows[i].arm >= 0 && rows[i].arm < LIVE_ARMS_MAX && rows[i].second < LIVE_AGES_MAX)
            arms[rows[i].arm].at[rows[i].first][rows[i].second] = rows[i];
    return arms;
}

/* Users become fewer from day to day. */
static size_t days_with_users(const struct arm_days *control, const struct arm_days *treatment)
{
    size_t days = 0;

    while (days < LIVE_AGES_MAX && control->at[days][days].people >= NOVELTY_USERS_MIN &&
           treatment->at[days][days].people >= NOVELTY_USERS_MIN)
        days++;
    return days;
}

static double mean_of(const struct arm_days *arm, size_t day)
{
    return arm->at[day][day].value_sum / (double)arm->at[day][day].people;
}

/* Of the means of two days, first <= second: users whose second day is over have both. */
static double covariance_of(const struct arm_days *arm, size_t first, size_t second)
{
    const struct live_age *both = &arm->at[first][second], *last = &arm->at[second][second];
    double m = mean_of(arm, first), k = mean_of(arm, second), n = (double)both->people;
    double about = both->products - m * last->value_sum - k * both->value_sum + n * m * k;

    return about / (n - 1) / (double)arm->at[first][first].people;
}

static void fill_points(const struct arm_days *control, const struct arm_days *treatment,
                        size_t days, struct trend_points *points)
{
    points->count = days;
    for (size_t i = 0; i < days; i++) {
        points->x[i] = (double)i;
        points->estimate[i] = mean_of(treatment, i) - mean_of(control, i);
        for (size_t j = i; j < days; j++)
            points->covariance[i][j] = points->covariance[j][i] =
                covariance_of(control, i, j) + covariance_of(treatment, i, j);
    }
}

static void show_days(const struct reading *reading, const struct arm_days *treatment,
                      const struct trend_points *points, struct quality_novelty *shown)
{
    struct quality_novelty_day *days =
        ARENA_ARRAY(reading->results->call->arena, struct quality_novelty_day, points->count);
    double z = normal_upper_quantile(interval_alpha / 2);

    for (size_t i = 0; i < points->count; i++) {
        double radius = z * sqrt(fmax(points->covariance[i][i], 0));

        days[i] = (struct quality_novelty_day){.day = (int64_t)i,
                                               .control_users =
                                                   reading->arms[CONTROL_ARM].at[i][i].people,
                                               .treatment_users = treatment->at[i][i].people,
                                               .effect = points->estimate[i],
                                               .ci_lower = points->estimate[i] - radius,
                                               .ci_upper = points->estimate[i] + radius};
    }
    shown->days = (struct object_list){points->count, days};
}

static bool has_huge(const struct arm_days *arm, size_t days)
{
    for (size_t i = 0; i < days; i++)
        for (size_t j = i; j < days; j++)
            if (arm->at[i][j].huge)
                return true;
    return false;
}

static const char *withheld(const struct live_results *results)
{
    if (results->design->metric_type == METRIC_RATIO)
        return "ratio";
    if (results->clustered)
        return "clusters";
    return results->view->adaptive.found ? "adaptive" : NULL;
}

static void read_arm(const struct reading *reading, size_t arm, struct quality_novelty *shown)
{
    const struct arm_days *control = &reading->arms[CONTROL_ARM], *treatment = &reading->arms[arm];
    size_t days = days_with_users(control, treatment);
    const char *why = withheld(reading->results);
    struct trend_points points;
    struct trend trend;

    *shown = (struct quality_novelty){
        .treatment_index = (int64_t)arm,
        .status = "ok",
        .unit = reading->results->design->metric_type == METRIC_BINARY ? "rate" : "mean"};
    if (!why && days < NOVELTY_DAYS_MIN)
        why = "too_short";
    if (!why && (has_huge(control, days) || has_huge(treatment, days)))
        why = "values_too_large";
    if (why) {
        shown->status = why;
        return;
    }
    fill_points(control, treatment, days, &points);
    show_days(reading, treatment, &points, shown);
    if (!trend_test(&points, interval_alpha, &trend)) {
        shown->status = "zero_variance";
        return;
    }
    shown->slope = GIVEN_NUMBER(trend.slope);
    shown->ci_lower = GIVEN_NUMBER(trend.ci_lower);
    shown->ci_upper = GIVEN_NUMBER(trend.ci_upper);
    shown->p_value = GIVEN_NUMBER(trend.p_value);
}

static bool judge(const struct reading *reading, struct quality_novelty *shown, size_t count)
{
    struct arena *arena = reading->results->call->arena;
    double *p_values = ARENA_ARRAY(arena, double, count);
    struct adjusted_test *tests = ARENA_ARRAY(arena, struct adjusted_test, count);
    bool changes = false;

    for (size_t i = 0; i < count; i++)
        p_values[i] = shown[i].p_value.given ? shown[i].p_value.value : 1;
    (void)multiple_testing_adjust(MULTIPLE_TESTING_HOLM, p_values, count, change_alpha, arena,
                                  tests);
    for (size_t i = 0; i < count; i++) {
        shown[i].p_value_adjusted =
            live_results_number(shown[i].p_value.given, tests[i].adjusted_p_value);
        shown[i].changes = shown[i].p_value.given && tests[i].rejected;
        changes = changes || shown[i].changes;
    }
    return changes;
}

bool live_results_novelty(const struct live_results *results, const struct live_series *series,
                          struct live_quality *quality)
{
    struct reading reading = {.results = results, .arms = spread_rows(results, series)};
    size_t count = results->arms > 1 ? results->arms - 1 : 0;
    struct quality_novelty *shown =
        ARENA_ARRAY(results->call->arena, struct quality_novelty, count);

    for (size_t i = 0; i < count; i++)
        read_arm(&reading, i + 1, &shown[i]);
    quality->novelty = (struct object_list){count, shown};
    return count > 0 && judge(&reading, shown, count);
}
