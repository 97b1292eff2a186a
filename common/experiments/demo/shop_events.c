/* Draws people with a stream of random numbers each, so that counts do not depend on the time of
 * day. Visits follow the rhythm of a shop: quiet nights, full evenings, fewer people on weekends.
 */
#include "experiments/demo/shop_events.h"

#include "experiments/demo/project.h"
#include "math/random.h"

#include <math.h>

enum { DAYS = 28, HOURS_A_DAY = 24, CONVERSIONS_A_PERSON = 3 };
static const int64_t hour_us = 3600000000, minute_us = 60000000;
static const double alpha = 0.05;

/* Of the mean hour; by UTC. */
static double hour_weight(int64_t at)
{
    static const double weights[HOURS_A_DAY] = {.35, .22, .15, .12, .14, .25, .45, .7,
                                                .9,  1.0, 1.1, 1.2, 1.3, 1.2, 1.1, 1.1,
                                                1.2, 1.4, 1.6, 1.8, 1.9, 1.7, 1.2, .7};

    return weights[at / hour_us % HOURS_A_DAY];
}

static double day_weight(int64_t at)
{
    /* 1970-01-01 was a Thursday. */
    static const double weights[7] = {1.02, 1.1, .8, .74, .98, 1.04, 1.06};

    return weights[at / (HOURS_A_DAY * hour_us) % 7];
}

/* A time of the four weeks, by rejection. */
static int64_t draw_time(struct random *random, int64_t now)
{
    const double most = 1.9 * 1.1;
    const int64_t span = DAYS * HOURS_A_DAY * hour_us;

    for (;;) {
        int64_t at = now - minute_us - (int64_t)(random_uniform(random) * (double)span);

        if (random_uniform(random) * most < hour_weight(at) * day_weight(at))
            return at;
    }
}

struct drawing {
    struct arena *arena;
    const struct shop_model *model;
    const struct shop_names *names;
    const struct demo_currency *currency;
    int64_t now;
    struct shop_run *run;
    int64_t people[SHOP_ARMS], converted[SHOP_ARMS];
    double sum[SHOP_ARMS], squares[SHOP_ARMS];
};

/* Some hours after the visit, and never in the future. */
static void add_conversion(struct drawing *drawing, struct random *random, const char *user,
                           int64_t seen, const char *metric, double value)
{
    double hours = -log(random_uniform(random)) * drawing->model->hours;
    int64_t at = seen + (int64_t)(hours * (double)hour_us);

    if (at > drawing->now - minute_us)
        at = seen + (drawing->now - seen) / 2;
    drawing->run->conversions[drawing->run->conversion_count++] =
        (struct live_conversion){.user_id = user,
                                 .metric = metric,
                                 .value = value,
                                 .occurred_at = (struct optional_integer)GIVEN_INTEGER(at)};
}

static double to_cents(double value)
{
    return round(value * 100) / 100;
}

/* An order, and what the person spent on average before the test. */
static void add_order(struct drawing *drawing, struct random *random, const char *user, int arm,
                      int64_t seen)
{
    const struct shop_model *model = drawing->model;
    double usual = random_normal(random), chance = random_normal(random);
    double rest = sqrt(1 - model->correlation * model->correlation);
    double scale = drawing->currency->scale;
    double value = to_cents(
        scale * fmax(1, model->outcome[arm] +
                            model->deviation * (model->correlation * usual + rest * chance)));

    drawing->run->before[drawing->run->before_count++] = (struct live_pre_period){
        .user_id = user,
        .value = to_cents(scale * fmax(1, model->outcome[0] + model->deviation * usual)),
        .covariate_name = drawing->names->metric};
    add_conversion(drawing, random, user, seen, drawing->names->metric, value);
    drawing->sum[arm] += value;
    drawing->squares[arm] += value * value;
}

static void add_person(struct drawing *drawing, int64_t number)
{
    const struct shop_model *model = drawing->model;
    const struct shop_names *names = drawing->names;
    struct random random = random_start(model->seed, (uint64_t)number);
    int arm = (int)random_below(&random, SHOP_ARMS);
    bool converts = random_uniform(&random) < model->outcome[arm];
    bool does_secondary = random_uniform(&random) < model->secondary[arm];
    bool meets_guardrail = random_uniform(&random) < model->guardrail[arm];
    const char *segment =
        names->segments.items[random_uniform(&random) < model->first_segment ? 0 : 1];
    struct live_dimension *dimension = ARENA_NEW(drawing->arena, struct live_dimension);
    const char *user = arena_print(drawing->arena, "%s-%05lld", names->prefix, (long long)number);
    struct random when = random_start(model->seed + 1, (uint64_t)number);
    int64_t seen = draw_time(&when, drawing->now);
    struct shop_run *run = drawing->run;

    *dimension = (struct live_dimension){names->dimension, segment};
    run->exposures[run->people++] =
        (struct live_exposure){.user_id = user,
                               .variation_index = arm,
                               .occurred_at = (struct optional_integer)GIVEN_INTEGER(seen),
                               .dimensions = {1, dimension}};
    if (model->stratified)
        run->strata[run->strata_count++] = (struct live_stratum){user, segment};
    drawing->people[arm]++;
    drawing->converted[arm] += converts;
    if (model->deviation != 0)
        add_order(drawing, &random, user, arm, seen);
    else if (converts)
        add_conversion(drawing, &random, user, seen, names->metric, 1);
    if (does_secondary)
        add_conversion(drawing, &random, user, seen, names->secondary, 1);
    if (meets_guardrail)
        add_conversion(drawing, &random, user, seen, names->guardrail, 1);
}

static double mean_of(const struct drawing *drawing, int arm)
{
    return drawing->sum[arm] / (double)drawing->people[arm];
}

static double deviation_of(const struct drawing *drawing, int arm)
{
    double mean = mean_of(drawing, arm), people = (double)drawing->people[arm];

    return sqrt((drawing->squares[arm] - people * mean * mean) / (people - 1));
}

/* What the events amount to, as users would enter it. */
static struct results_request summarize(const struct drawing *drawing)
{
    struct binary_observation *binary = ARENA_NEW(drawing->arena, struct binary_observation);
    struct continuous_observation *amounts =
        ARENA_NEW(drawing->arena, struct continuous_observation);

    if (drawing->model->deviation != 0) {
        *amounts = (struct continuous_observation){mean_of(drawing, 0),
                                                   deviation_of(drawing, 0),
                                                   drawing->people[0],
                                                   mean_of(drawing, 1),
                                                   deviation_of(drawing, 1),
                                                   drawing->people[1],
                                                   alpha};
        return (struct results_request){.metric_type = ANALYZER_CONTINUOUS, .continuous = amounts};
    }
    *binary = (struct binary_observation){drawing->converted[0], drawing->people[0],
                                          drawing->converted[1], drawing->people[1], alpha};
    return (struct results_request){.metric_type = ANALYZER_BINARY, .binary = binary};
}

struct shop_run *shop_draw(struct arena *arena, const struct shop_model *model,
                           const struct shop_names *names, const struct demo_currency *currency,
                           int64_t now)
{
    const int64_t people = model->people_a_day * DAYS;
    struct shop_run *run = ARENA_NEW(arena, struct shop_run);
    struct drawing drawing = {.arena = arena,
                              .model = model,
                              .names = names,
                              .currency = currency,
                              .now = now,
                              .run = run};

    run->exposures = ARENA_ARRAY(arena, struct live_exposure, (size_t)people);
    run->strata = ARENA_ARRAY(arena, struct live_stratum, (size_t)people);
    run->before = ARENA_ARRAY(arena, struct live_pre_period, (size_t)people);
    run->conversions =
        ARENA_ARRAY(arena, struct live_conversion, (size_t)people * CONVERSIONS_A_PERSON);
    for (int64_t i = 0; i < people; i++)
        add_person(&drawing, i);
    run->observed = summarize(&drawing);
    return run;
}

enum error shop_send(const struct live_call *call, const char *experiment,
                     const struct shop_run *run)
{
    enum error error = demo_send(call, experiment, LIVE_EXPOSURES, run->exposures,
                                 sizeof *run->exposures, run->people);

    if (!error)
        error = demo_send(call, experiment, LIVE_STRATA, run->strata, sizeof *run->strata,
                          run->strata_count);
    if (!error)
        error = demo_send(call, experiment, LIVE_PRE_PERIODS, run->before, sizeof *run->before,
                          run->before_count);
    return error ? error
                 : demo_send(call, experiment, LIVE_CONVERSIONS, run->conversions,
                             sizeof *run->conversions, run->conversion_count);
}
