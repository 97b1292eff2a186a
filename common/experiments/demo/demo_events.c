/* Users of the examples and their events, drawn with fixed seeds, so that every host has the same.
 * Metrics have the names of the presets. */
#include "experiments/demo/demo_events.h"

#include "experiments/demo/project.h"
#include "math/random.h"

#include <math.h>

#define HOUR 3600000000LL
#define DAY (24 * HOUR)

/* 2026-05-01T09:00:00Z: everybody's exposure, unless it says otherwise. */
static const int64_t anchor = 1777626000000000;

enum { ARMS = 2, RECORDS_MAX = 4096 };
enum { CHECKOUT_SEED = 3, PRICING_SEED = 19, ONBOARDING_SEED = 25 };

/* The experiment that records go into, and where chance comes from. */
struct crowd {
    const struct live_call *call;
    const char *experiment;
    struct random random;
};

static struct crowd crowd_of(const struct live_call *call, const char *experiment, uint64_t seed)
{
    return (struct crowd){call, experiment, random_start(seed, 0)};
}

static bool happens(struct crowd *crowd, double probability)
{
    return random_uniform(&crowd->random) < probability;
}

static double to_cents(double value)
{
    return round(value * 100) / 100;
}

/* A time one to four days after the exposure. */
static struct optional_integer later(struct crowd *crowd)
{
    double days = 1 + 3 * random_uniform(&crowd->random);

    return (struct optional_integer){true, anchor + (int64_t)(days * (double)DAY)};
}

static struct optional_integer at(int64_t moment)
{
    return (struct optional_integer){true, moment};
}

static const char *name(const struct crowd *crowd, const char *prefix, int64_t number)
{
    return arena_print(crowd->call->arena, "%s-%04lld", prefix, (long long)number);
}

#define SEND(crowd, kind, records, count)                                                          \
    demo_send((crowd)->call, (crowd)->experiment, kind, records, sizeof *(records), count)
#define RECORDS(crowd, type) ARENA_ARRAY((crowd)->call->arena, type, RECORDS_MAX)

/* Everybody of both arms, `users` in each; the user ids begin with the prefix of the arm. */
static enum error expose(struct crowd *crowd, const char *const prefixes[ARMS], int64_t users)
{
    struct live_exposure *records = RECORDS(crowd, struct live_exposure);
    size_t count = 0;

    for (int64_t arm = 0; arm < ARMS; arm++)
        for (int64_t i = 0; i < users; i++)
            records[count++] = (struct live_exposure){.user_id = name(crowd, prefixes[arm], i),
                                                      .variation_index = arm,
                                                      .occurred_at = at(anchor)};
    return SEND(crowd, LIVE_EXPOSURES, records, count);
}

/* Puts everybody into one of two strata; `in_first[arm][user]` says into which. */
static enum error stratify(struct crowd *crowd, const char *const prefixes[ARMS], int64_t users,
                           double share, const char *const strata[2], bool *in_first[ARMS])
{
    struct live_stratum *records = RECORDS(crowd, struct live_stratum);
    size_t count = 0;

    for (int64_t arm = 0; arm < ARMS; arm++) {
        in_first[arm] = ARENA_ARRAY(crowd->call->arena, bool, (size_t)users);
        for (int64_t i = 0; i < users; i++) {
            in_first[arm][i] = happens(crowd, share);
            records[count++] = (struct live_stratum){name(crowd, prefixes[arm], i),
                                                     strata[in_first[arm][i] ? 0 : 1]};
        }
    }
    return SEND(crowd, LIVE_STRATA, records, count);
}

/* Of each arm the users to whom it happens, once each. */
static enum error convert(struct crowd *crowd, const char *const prefixes[ARMS], int64_t users,
                          const char *metric, const double probability[ARMS])
{
    struct live_conversion *records = RECORDS(crowd, struct live_conversion);
    size_t count = 0;

    for (int64_t arm = 0; arm < ARMS; arm++)
        for (int64_t i = 0; i < users; i++)
            if (happens(crowd, probability[arm]))
                records[count++] =
                    (struct live_conversion){.user_id = name(crowd, prefixes[arm], i),
                                             .metric = metric,
                                             .value = 1,
                                             .occurred_at = later(crowd)};
    return SEND(crowd, LIVE_CONVERSIONS, records, count);
}

/* Of the example about the checkout. */
enum {
    CHECKOUT_USERS = 2000,
    LATE = 12,        /* buy after the horizon */
    OUT_OF_ORDER = 3, /* and these before they saw anything */
    FIRST_ALIAS = 20,
    ALIAS_END = 80,
    FIRST_STAFF = 100,
    STAFF_END = 108,
    BOT_EVENTS = 130,
    HELD_OUT = 400,
};
static const char *const checkout[ARMS] = {"ckt-c", "ckt-t"};
static const char purchase[] = "purchase_conversion";

static enum error checkout_purchases(struct crowd *crowd, bool *const ios[ARMS])
{
    static const double probability[ARMS] = {0.043, 0.085};
    struct live_conversion *records = RECORDS(crowd, struct live_conversion);
    size_t count = 0;

    for (int64_t arm = 0; arm < ARMS; arm++)
        for (int64_t i = 0; i < CHECKOUT_USERS; i++) {
            bool forced = arm == 1 && i < LATE + OUT_OF_ORDER;
            bool buys = happens(crowd, probability[arm] + (ios[arm][i] ? 0.007 : -0.004));

            if (!buys && !forced)
                continue;
            records[count++] = (struct live_conversion){
                .user_id = name(crowd, checkout[arm], i),
                .metric = purchase,
                .value = 1,
                .occurred_at = !forced ? later(crowd) : at(anchor + (i < LATE ? 20 * DAY : -DAY))};
        }
    return SEND(crowd, LIVE_CONVERSIONS, records, count);
}

static enum error checkout_refunds(struct crowd *crowd)
{
    struct live_conversion *records = RECORDS(crowd, struct live_conversion);
    size_t count = 0;

    for (int64_t arm = 0; arm < ARMS; arm++)
        for (int64_t i = 0; i < CHECKOUT_USERS; i++)
            if (happens(crowd, 0.08))
                records[count++] = (struct live_conversion){
                    .user_id = name(crowd, checkout[arm], i),
                    .metric = "Refund value",
                    .value = to_cents(fmax(0, 18 + 6.5 * random_normal(&crowd->random))),
                    .occurred_at = later(crowd)};
    return SEND(crowd, LIVE_CONVERSIONS, records, count);
}

/* Sixty people were seen before they signed in. */
static enum error checkout_aliases(struct crowd *crowd)
{
    struct live_exposure *seen = RECORDS(crowd, struct live_exposure);
    struct live_identity *links = RECORDS(crowd, struct live_identity);
    size_t count = 0;
    enum error error;

    for (int64_t i = FIRST_ALIAS; i < ALIAS_END; i++, count++) {
        const char *anonymous = name(crowd, "ckt-anon", i);

        seen[count] = (struct live_exposure){
            .user_id = anonymous, .variation_index = 1, .occurred_at = at(anchor - 2 * HOUR)};
        links[count] = (struct live_identity){anonymous, name(crowd, checkout[1], i)};
    }
    error = SEND(crowd, LIVE_EXPOSURES, seen, count);
    return error ? error : SEND(crowd, LIVE_IDENTITIES, links, count);
}

static enum error checkout_staff(struct crowd *crowd)
{
    struct live_exclusion *records = RECORDS(crowd, struct live_exclusion);
    size_t count = 0;

    for (int64_t i = FIRST_STAFF; i < STAFF_END; i++)
        records[count++] = (struct live_exclusion){name(crowd, checkout[0], i), "internal_qa"};
    return SEND(crowd, LIVE_EXCLUSIONS, records, count);
}

static enum error checkout_bot(struct crowd *crowd)
{
    static const char bot[] = "ckt-bot-1";
    struct live_exposure seen = {.user_id = bot, .variation_index = 1, .occurred_at = at(anchor)};
    struct live_conversion *records = RECORDS(crowd, struct live_conversion);
    enum error error = SEND(crowd, LIVE_EXPOSURES, &seen, 1);

    for (int64_t i = 0; i < BOT_EVENTS; i++)
        records[i] = (struct live_conversion){.user_id = bot,
                                              .metric = purchase,
                                              .value = 1,
                                              .idempotency_key = name(crowd, "ckt-bot", i),
                                              .occurred_at = later(crowd)};
    return error ? error : SEND(crowd, LIVE_CONVERSIONS, records, BOT_EVENTS);
}

static enum error checkout_holdout(struct crowd *crowd)
{
    static const char *const prefixes[ARMS] = {"ckt-h", ""};
    static const double probability[ARMS] = {0.042, 0};
    struct live_holdout_member *records = RECORDS(crowd, struct live_holdout_member);
    enum error error;

    for (int64_t i = 0; i < HELD_OUT; i++)
        records[i] = (struct live_holdout_member){name(crowd, prefixes[0], i)};
    error = SEND(crowd, LIVE_HOLDOUTS, records, HELD_OUT);
    return error ? error : convert(crowd, prefixes, HELD_OUT, purchase, probability);
}

enum error demo_checkout_events(const struct live_call *call, const char *experiment)
{
    static const char *const platforms[2] = {"ios", "android"};
    static const double failed[ARMS] = {0.024, 0.025};
    struct crowd crowd = crowd_of(call, experiment, CHECKOUT_SEED);
    bool *ios[ARMS];
    enum error error = expose(&crowd, checkout, CHECKOUT_USERS);

    if (!error)
        error = stratify(&crowd, checkout, CHECKOUT_USERS, 0.4, platforms, ios);
    if (!error)
        error = checkout_purchases(&crowd, ios);
    if (!error)
        error = convert(&crowd, checkout, CHECKOUT_USERS, "Payment error rate", failed);
    if (!error)
        error = checkout_refunds(&crowd);
    if (!error)
        error = checkout_aliases(&crowd);
    if (!error)
        error = checkout_staff(&crowd);
    if (!error)
        error = checkout_bot(&crowd);
    return error ? error : checkout_holdout(&crowd);
}

/* Of the example about prices: spending before the experiment predicts spending in it. */
enum { PRICING_USERS = 400 };
static const char *const pricing[ARMS] = {"prc-c", "prc-t"};

static enum error pricing_orders(struct crowd *crowd, bool *const is_new[ARMS])
{
    static const double effect[ARMS] = {0, 5};
    struct live_pre_period *before = RECORDS(crowd, struct live_pre_period);
    struct live_conversion *orders = RECORDS(crowd, struct live_conversion);
    size_t count = 0;
    enum error error;

    for (int64_t arm = 0; arm < ARMS; arm++)
        for (int64_t i = 0; i < PRICING_USERS; i++, count++) {
            const char *user = name(crowd, pricing[arm], i);
            double spent = round((45 + 12 * random_normal(&crowd->random)) * 1e4) / 1e4;
            double order = 45 + 0.55 * (spent - 45) + effect[arm] + (is_new[arm][i] ? 0 : 5) +
                           10 * random_normal(&crowd->random);

            before[count] = (struct live_pre_period){
                .user_id = user, .value = spent, .covariate_name = "avg_order_value"};
            orders[count] = (struct live_conversion){.user_id = user,
                                                     .metric = "avg_order_value",
                                                     .value = to_cents(fmax(0, order)),
                                                     .occurred_at = later(crowd)};
        }
    error = SEND(crowd, LIVE_PRE_PERIODS, before, count);
    return error ? error : SEND(crowd, LIVE_CONVERSIONS, orders, count);
}

enum error demo_pricing_events(const struct live_call *call, const char *experiment)
{
    static const char *const segments[2] = {"new", "returning"};
    static const double bought[ARMS] = {0.045, 0.033};
    struct crowd crowd = crowd_of(call, experiment, PRICING_SEED);
    bool *is_new[ARMS];
    enum error error = expose(&crowd, pricing, PRICING_USERS);

    if (!error)
        error = stratify(&crowd, pricing, PRICING_USERS, 0.55, segments, is_new);
    if (!error)
        error = pricing_orders(&crowd, is_new);
    return error ? error : convert(&crowd, pricing, PRICING_USERS, "Purchase conversion", bought);
}

/* Of the example about onboarding: a small effect, too few people. */
enum error demo_onboarding_events(const struct live_call *call, const char *experiment)
{
    enum { USERS = 1200 };
    static const char *const onboarding[ARMS] = {"onb-c", "onb-t"};
    static const double finished[ARMS] = {0.340, 0.355};
    struct crowd crowd = crowd_of(call, experiment, ONBOARDING_SEED);
    enum error error = expose(&crowd, onboarding, USERS);

    return error ? error
                 : convert(&crowd, onboarding, USERS, "onboarding_completion_rate", finished);
}
