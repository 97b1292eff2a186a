/* Private to common/experiments/demo: the people of the demonstration's tests and their events. */
#ifndef ASSAY_EXPERIMENTS_DEMO_SHOP_EVENTS_H
#define ASSAY_EXPERIMENTS_DEMO_SHOP_EVENTS_H

#include "base/demo_files.h"
#include "experiments/analyses/results_schema.h"
#include "experiments/live/records.h"

enum { SHOP_ARMS = 2, SHOP_SEGMENTS = 2 };

/* How people behave in a test. Rates and amounts are those of control and treatment. */
struct shop_model {
    uint64_t seed;
    int64_t people_a_day;
    double outcome[SHOP_ARMS];   /* share of people who convert; of amounts: the mean */
    double deviation;            /* of amounts; 0 = a share */
    double correlation;          /* of amounts with those before the test; 0 = none */
    double secondary[SHOP_ARMS]; /* share of people */
    double guardrail[SHOP_ARMS]; /* share of people */
    double first_segment;        /* share of people who belong to the first one */
    bool stratified;             /* by the same segments */
    double hours;                /* mean time from the exposure to the outcome */
};

/* How the events are called, in the language of the demonstration. */
struct shop_names {
    const char *prefix; /* of user ids */
    const char *metric, *secondary, *guardrail;
    const char *dimension;
    struct string_list segments; /* SHOP_SEGMENTS */
};

/* The events of a test, and what they amount to. */
struct shop_run {
    struct live_exposure *exposures;
    struct live_stratum *strata;
    struct live_pre_period *before;
    struct live_conversion *conversions;
    size_t people, strata_count, before_count, conversion_count;
    struct results_request observed;
};

/* Draws the events of the four weeks that end at `now` (microseconds). From the arena. */
struct shop_run *shop_draw(struct arena *arena, const struct shop_model *model,
                           const struct shop_names *names, const struct demo_currency *currency,
                           int64_t now);

/* Ingests them, in the caller's transaction. */
MUST_CHECK enum error shop_send(const struct live_call *call, const char *experiment,
                                const struct shop_run *run);

#endif
