/* Checks of the data, from the aggregates and from what each day brought. */
#include "experiments/live_results/quality.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/timestamp.h"
#include "experiments/design/srm_sequence.h"
#include "experiments/live_results/contamination.h"
#include "experiments/live_results/live_results_internal.h"
#include "experiments/live_results/novelty.h"
#include "math/poisson.h"
#include "stats/multiple_testing.h"
#include "stats/omnibus.h"
#include "stats/sequential/confidence_sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DATE_LENGTH = 10,
    FALLS_MAX = 20,
    USUAL_DAYS = 14, /* that a day is compared with */
    USUAL_DAYS_MIN = 3,
    DAYS_MAX = 366,    /* from the first to the last one */
    EXPECTED_MIN = 10, /* events that an arm must lack to be silent */
    WEEK = 7,
    WEEKDAY_DAYS_MIN = 2
};

static const int64_t day_length = INT64_C(86400) * 1000000;
static const double ratio_alpha = 0.001, fall_alpha = 1e-4, check_alpha = 0.01;
static const double contamination_seen = 0.001, contamination_high = 0.01;
static const double log_value_max = 690;

static const char *const weekday_names[WEEK] = {"monday", "tuesday",  "wednesday", "thursday",
                                                "friday", "saturday", "sunday"};

struct day {
    int64_t people[LIVE_ARMS_MAX], converted[LIVE_ARMS_MAX];
    double value[LIVE_ARMS_MAX];
};

struct checks {
    struct live_results results;
    struct arena *arena;
    int64_t first; /* day of the first item */
    size_t day_count;
    struct day
        *days; /* one after the other, also those without a row; none when they are too many */
    struct live_quality *quality;
    size_t alarm_count;
    struct quality_alarm *alarms;
};

static void alarm_once(struct checks *checks, const char *code, const char *severity)
{
    for (size_t i = 0; i < checks->alarm_count; i++)
        if (strcmp(checks->alarms[i].code, code) == 0)
            return;
    *ARRAY_ADD(checks->arena, checks->alarms, checks->alarm_count) =
        (struct quality_alarm){code, severity};
}

static const char *date_of(const struct checks *checks, size_t day)
{
    char text[CLOCK_TEXT_MAX];

    timestamp_to_z((checks->first + (int64_t)day) * day_length, false, text);
    return arena_copy(checks->arena, text, DATE_LENGTH);
}

static void spread_days(struct checks *checks, const struct live_series *series)
{
    const struct live_day *rows = series->days.items;
    size_t count = series->days.count;

    if (count == 0 || series->step != 1 || rows[count - 1].day - rows[0].day >= DAYS_MAX)
        return;
    checks->first = rows[0].day;
    checks->day_count = (size_t)(rows[count - 1].day - rows[0].day) + 1;
    checks->days = ARENA_ARRAY(checks->arena, struct day, checks->day_count);
    for (size_t i = 0; i < count; i++) {
        struct day *day = &checks->days[rows[i].day - checks->first];

        if (rows[i].arm < 0 || rows[i].arm >= (int64_t)checks->results.arms)
            continue;
        day->people[rows[i].arm] += rows[i].people;
        day->converted[rows[i].arm] += rows[i].converted;
        day->value[rows[i].arm] += checks->results.design->metric_type == METRIC_BINARY
                                       ? (double)rows[i].converted
                                       : rows[i].value_sum;
    }
}

/* At the end of each day, and now. */
static void check_ratio(struct checks *checks)
{
    size_t arms = checks->results.arms;
    struct quality_ratio *shown = ARENA_NEW(checks->arena, struct quality_ratio);
    double shares[LIVE_ARMS_MAX], most = 0;
    int64_t counts[LIVE_ARMS_MAX] = {0}, total = 0;
    int64_t *observed = ARENA_ARRAY(checks->arena, int64_t, arms);

    checks->quality->sample_ratio = shown;
    *shown = (struct quality_ratio){.status = "insufficient_data", .observed = {arms, observed}};
    for (size_t arm = 0; arm < arms; arm++) {
        shares[arm] = live_results_share(&checks->results, arm);
        observed[arm] = live_results_arm(&checks->results, (int)arm).n;
        total += observed[arm];
    }
    if (checks->results.view->adaptive.found || checks->results.clustered)
        shown->status = "not_applicable"; /* shares follow what was seen; users do not come alone */
    if (total == 0 || arms < 2 || checks->results.view->adaptive.found || checks->results.clustered)
        return;
    for (size_t i = 0; i < checks->day_count; i++) {
        for (size_t arm = 0; arm < arms; arm++)
            counts[arm] += checks->days[i].people[arm];
        most = fmax(most, srm_log_e_value(counts, shares, arms));
        if (!shown->since && most >= -log(ratio_alpha))
            shown->since = date_of(checks, i);
    }
    most = fmax(most, srm_log_e_value(observed, shares, arms));
    shown->e_value = GIVEN_NUMBER(exp(fmin(most, log_value_max)));
    shown->p_value = GIVEN_NUMBER(exp(-most));
    shown->is_mismatch = most >= -log(ratio_alpha);
    shown->status = shown->is_mismatch ? "mismatch" : "ok";
    if (shown->is_mismatch)
        alarm_once(checks, "SAMPLE_RATIO", "high");
}

static int ascending(const void *one, const void *other)
{
    double first = *(const double *)one, second = *(const double *)other;

    return (first > second) - (first < second);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof values[0], ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Of one arm, or with -1 of all. */
static int64_t count_of(const struct checks *checks, size_t day, int arm, bool events)
{
    const struct day *found = &checks->days[day];
    int64_t count = 0;

    for (size_t i = 0; i < checks->results.arms; i++)
        if (arm < 0 || i == (size_t)arm)
            count += events ? found->converted[i] : found->people[i];
    return count;
}

/* What the days before let expect; negative when they are too few. */
static double usual_of(const struct checks *checks, size_t day, int arm, bool events)
{
    double values[USUAL_DAYS];
    size_t count = 0;

    for (size_t i = day; i > 0 && count < USUAL_DAYS; i--) {
        int64_t people = count_of(checks, i - 1, arm, false);

        if (!events)
            values[count++] = (double)people;
        else if (people > 0)
            values[count++] = (double)count_of(checks, i - 1, arm, true) / (double)people;
    }
    if (count < USUAL_DAYS_MIN)
        return -1;
    return median(values, count) * (events ? (double)count_of(checks, day, arm, false) : 1);
}

static void check_fall(struct checks *checks, size_t day, int arm, bool events,
                       struct quality_fall *falls)
{
    double usual = usual_of(checks, day, arm, events);
    int64_t count = count_of(checks, day, arm, events);
    size_t *found = &checks->quality->falls.count;

    if (usual <= 0 || (double)count >= usual / 2 || poisson_cdf(count, usual) >= fall_alpha)
        return;
    if (*found == FALLS_MAX)
        memmove(falls, falls + 1, --*found * sizeof falls[0]);
    falls[(*found)++] = (struct quality_fall){.date = date_of(checks, day),
                                              .what = events ? "events" : "users",
                                              .variation_index = {arm >= 0, arm >= 0 ? arm : 0},
                                              .count = count,
                                              .usual = usual};
    alarm_once(checks, events ? "EVENTS_FELL" : "USERS_FELL", events ? "high" : "medium");
}

/* The newest day is not over. */
static void check_falls(struct checks *checks)
{
    struct quality_fall *falls = ARENA_ARRAY(checks->arena, struct quality_fall, FALLS_MAX);

    checks->quality->falls.items = falls;
    for (size_t day = 0; day + 1 < checks->day_count; day++) {
        check_fall(checks, day, -1, false, falls);
        check_fall(checks, day, -1, true, falls);
        for (int arm = 0; arm < (int)checks->results.arms; arm++)
            check_fall(checks, day, arm, true, falls);
    }
}

static void check_silence_of(struct checks *checks, const struct live_name *metric)
{
    const struct live_view *view = checks->results.view;
    struct live_moments arms[LIVE_ARMS_MAX];
    double people = 0, converted = 0;

    for (size_t i = 0; i < checks->results.arms; i++) {
        arms[i] = live_view_moments(view, metric->number, LIVE_EVERYBODY, (int)i);
        people += (double)arms[i].n;
        converted += (double)arms[i].converted;
    }
    for (size_t i = 0; i < checks->results.arms; i++) {
        double others = people - (double)arms[i].n;
        struct quality_silence *silent;
        double expected = others > 0 ? converted / others * (double)arms[i].n : 0;

        if (arms[i].converted > 0 || expected < EXPECTED_MIN)
            continue;
        silent = list_add(checks->arena, &checks->quality->silent_arms.items,
                          &checks->quality->silent_arms.count, sizeof *silent);
        *silent = (struct quality_silence){metric->name, (int64_t)i, expected};
        alarm_once(checks, "SILENT_ARM", "high");
    }
}

static void check_silence(struct checks *checks)
{
    const struct live_name_list *metrics = &checks->results.view->metrics;

    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].number)
            check_silence_of(checks, &metrics->items[i]);
}

static void check_contamination(struct checks *checks)
{
    size_t arms = checks->results.arms;
    struct quality_contamination *shown =
        ARENA_ARRAY(checks->arena, struct quality_contamination, arms);
    double people = 0, crossed = 0;

    for (size_t i = 0; i < arms; i++) {
        const struct live_arm *arm = &checks->results.view->rollup.arms[1 + i];

        people += (double)arm->people;
        crossed += (double)arm->crossed;
        shown[i] = (struct quality_contamination){
            .variation_index = (int64_t)i,
            .users = arm->people,
            .in_several_arms = arm->crossed,
            .share =
                live_results_number(arm->people > 0, (double)arm->crossed / (double)arm->people)};
    }
    checks->quality->contamination = (struct object_list){arms, shown};
    if (crossed > contamination_seen * people)
        alarm_once(checks, "SEVERAL_ARMS",
                   crossed > contamination_high * people ? "high" : "medium");
}

/* Mean and squares about it of a covariate, among users of an arm that have all of them. */
struct spread {
    double n, mean, variance;
};

static struct spread spread_of(const struct live_products *products, size_t factor)
{
    double n = products ? sum_value(&products->at[0][0].sum) : 0;
    const struct sum *sum;

    if (n < SUBJECTS_MIN)
        return (struct spread){0};
    sum = &products->at[0][factor].sum;
    return (struct spread){
        n, sum_value(sum) / n,
        fmax(sum_about_means(&products->at[factor][factor].sum, sum, sum, n), 0) / (n - 1)};
}

static const char *covariate_name(const struct live_view *view, int64_t number)
{
    for (size_t i = 0; i < view->covariates.count; i++)
        if (view->covariates.items[i].number == number)
            return view->covariates.items[i].name;
    return NULL;
}

/* The page is read again and again: the p-value holds at every look. */
static void compare_spreads(const struct checks *checks, const struct spread *control,
                            const struct spread *treatment, struct quality_balance *shown)
{
    const struct sequence_tuning tuning = {.users =
                                               2 * (double)checks->results.call->mixture_users};
    double difference = treatment->mean - control->mean;
    double variance = control->variance / control->n + treatment->variance / treatment->n;
    double deviation = sqrt((control->variance + treatment->variance) / 2);
    struct always_valid test;

    shown->control_mean = control->mean;
    shown->treatment_mean = treatment->mean;
    if (!(variance > 0))
        return;
    shown->standardized_difference = GIVEN_NUMBER(difference / deviation);
    if (fmin(control->n, treatment->n) < SEQUENCE_USERS_MIN)
        return;
    confidence_sequence_difference(difference, variance, control->n + treatment->n, &tuning,
                                   check_alpha, &test);
    shown->p_value = live_results_number(test.evaluable, test.p_value);
}

static void judge_balance(struct checks *checks, struct quality_balance *shown, size_t count)
{
    double *p_values = ARENA_ARRAY(checks->arena, double, count);
    struct adjusted_test *tests = ARENA_ARRAY(checks->arena, struct adjusted_test, count);

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        p_values[i] = shown[i].p_value.given ? shown[i].p_value.value : 1;
    (void)multiple_testing_adjust(MULTIPLE_TESTING_HOLM, p_values, count, check_alpha,
                                  checks->arena, tests);
    for (size_t i = 0; i < count; i++) {
        shown[i].p_value_adjusted =
            live_results_number(shown[i].p_value.given, tests[i].adjusted_p_value);
        shown[i].is_unbalanced = shown[i].p_value.given && tests[i].rejected;
        if (shown[i].is_unbalanced)
            alarm_once(checks, "UNBALANCED", "medium");
    }
}

static void check_balance(struct checks *checks)
{
    const struct live_view *view = checks->results.view;
    struct live_products *const *products = view->rollup.products[LIVE_COVARIANCE];
    size_t arms = checks->results.arms, used = view->experiment.used_count, count = 0;
    struct quality_balance *shown = ARENA_ARRAY(checks->arena, struct quality_balance, used * arms);

    for (size_t i = 0; i < used; i++) {
        const char *name = covariate_name(view, view->experiment.used[i]);
        struct spread control = spread_of(products[CONTROL_ARM], i + 2);

        for (size_t arm = 1; name && arm < arms; arm++) {
            struct spread treatment = spread_of(products[arm], i + 2);

            if (control.n == 0 || treatment.n == 0)
                continue;
            shown[count] =
                (struct quality_balance){.covariate = name, .treatment_index = (int64_t)arm};
            compare_spreads(checks, &control, &treatment, &shown[count++]);
        }
    }
    judge_balance(checks, shown, count);
    checks->quality->balance = (struct object_list){count, shown};
}

/* 1970 began on a Thursday. */
static size_t weekday_of(int64_t day)
{
    return (size_t)(((day + 3) % WEEK + WEEK) % WEEK);
}

/* What each complete day brought per user seen so far, less the same of the control. */
static void collect_effects(const struct checks *checks, size_t arm, struct number_list *effects)
{
    double seen[2] = {0}, value;
    const size_t sides[2] = {CONTROL_ARM, arm};

    for (size_t day = 0; day + 1 < checks->day_count; day++) {
        const struct day *found = &checks->days[day];
        struct number_list *list = &effects[weekday_of(checks->first + (int64_t)day)];

        for (int i = 0; i < 2; i++)
            seen[i] += (double)found->people[sides[i]];
        if (seen[0] == 0 || seen[1] == 0)
            continue;
        value = found->value[arm] / seen[1] - found->value[CONTROL_ARM] / seen[0];
        *LIST_ADD(checks->arena, list) = value;
    }
}

static void check_weekdays_of(struct checks *checks, size_t arm, struct quality_weekdays *shown)
{
    struct number_list effects[WEEK] = {0};
    struct quality_weekday *weekdays = ARENA_ARRAY(checks->arena, struct quality_weekday, WEEK);
    struct omnibus_result result;
    bool enough = true;

    collect_effects(checks, arm, effects);
    *shown =
        (struct quality_weekdays){.treatment_index = (int64_t)arm, .weekdays = {WEEK, weekdays}};
    for (size_t i = 0; i < WEEK; i++) {
        double sum = 0;

        for (size_t k = 0; k < effects[i].count; k++)
            sum += effects[i].items[k];
        weekdays[i] = (struct quality_weekday){
            weekday_names[i], (int64_t)effects[i].count,
            live_results_number(effects[i].count > 0, sum / (double)effects[i].count)};
        shown->complete_days += weekdays[i].days;
        enough = enough && effects[i].count >= WEEKDAY_DAYS_MIN;
    }
    shown->status = enough ? "ok" : "too_short";
    if (!enough || !omnibus_kruskal(&(struct omnibus_groups){WEEK, effects}, check_alpha,
                                    checks->arena, &result))
        return;
    shown->p_value = GIVEN_NUMBER(result.p_value);
    shown->differs = result.p_value <= check_alpha;
    if (shown->differs)
        alarm_once(checks, "WEEKDAYS_DIFFER", "medium");
}

static void check_weekdays(struct checks *checks)
{
    size_t count = checks->results.arms - 1;
    struct quality_weekdays *shown = ARENA_ARRAY(checks->arena, struct quality_weekdays, count);

    for (size_t i = 0; i < count; i++)
        check_weekdays_of(checks, i + 1, &shown[i]);
    checks->quality->weekday_effects = (struct object_list){count, shown};
}

void live_results_quality(const struct live_results_call *call, const struct live_view *view,
                          const struct live_series *series, struct live_quality *quality)
{
    struct checks checks = {.arena = call->arena, .quality = quality};

    live_results_start(&checks.results, call, view);
    *quality = (struct live_quality){.experiment_id = view->experiment.id,
                                     .status = series->known ? "ok" : "pending",
                                     .is_current = series->current,
                                     .step_days = series->step};
    spread_days(&checks, series);
    check_ratio(&checks);
    check_falls(&checks);
    check_silence(&checks);
    check_contamination(&checks);
    if (!checks.results.clustered)
        check_balance(&checks);
    check_weekdays(&checks);
    if (live_results_contamination(&checks.results, series, quality))
        alarm_once(&checks, "CONTAMINATED", "high");
    if (live_results_novelty(&checks.results, series, quality))
        alarm_once(&checks, "EFFECT_CHANGES", "medium");
    quality->alarms = (struct object_list){checks.alarm_count, checks.alarms};
}
