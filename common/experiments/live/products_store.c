/* Sums of products, and those of metrics with covariates: one table, the latter as the family after
 * all others. Read, added to in memory and written back, as rollup_store.c does. */
#include "experiments/live/rollup_store.h"

#include "db/query.h"

#include <string.h>

enum { HUGE_ROW = -1 };

static const struct statement products_of_experiment = {
    .name = "live_products",
    .sql = "SELECT family, arm, first, second, sum_high, sum_low, peak FROM live_products"
           " WHERE experiment = ?",
};
static const struct statement put_product = {
    .name = "live_product_put",
    .sql = "INSERT INTO live_products (experiment, family, arm, first, second, sum_high, sum_low,"
           " peak) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (experiment, family, arm, first, second) DO UPDATE SET"
           " sum_high = excluded.sum_high, sum_low = excluded.sum_low, peak = excluded.peak",
};
static const struct statement clear_covariance = {
    .name = "live_covariance_clear",
    .sql = "DELETE FROM live_products WHERE experiment = ? AND family >= ?",
};

static struct live_products *products_of(struct live_rollup *rollup, int family, int arm)
{
    if (!rollup->products[family][arm])
        rollup->products[family][arm] = ARENA_NEW(rollup->arena, struct live_products);
    return rollup->products[family][arm];
}

static void read_product(struct live_products *products, int64_t first, int second,
                         const struct live_product *product)
{
    if (first == HUGE_ROW)
        products->huge += (int64_t)product->sum.high;
    else
        (void)live_product_add(&products->at[first][second], product);
}

static void read_metric_product(struct live_metric_products *products, int position,
                                const struct live_product *product)
{
    if (position == HUGE_ROW)
        products->huge += (int64_t)product->sum.high;
    else
        (void)live_product_add(&products->at[position], product);
}

enum error live_read_products(const struct live_call *call, int64_t number,
                              struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, &products_of_experiment);

    query_bind_integer(query, number);
    while (query_next(query)) {
        struct live_product product = {{query_number(query, 4), query_number(query, 5)},
                                       query_number(query, 6)};
        int64_t family = query_integer(query, 0), first = query_integer(query, 2);
        int arm = (int)query_integer(query, 1), second = (int)query_integer(query, 3);

        if (family == LIVE_FAMILY__MAX)
            read_metric_product(live_rollup_metric_products(rollup, first, arm), second, &product);
        else
            read_product(products_of(rollup, (int)family, arm), first, second, &product);
    }
    return query_end(query, call->problem);
}

static void put_one_product(struct query *query, const int64_t key[5],
                            const struct live_product *product)
{
    for (int i = 0; i < 5; i++)
        query_bind_integer(query, key[i]);
    query_bind_number(query, product->sum.high);
    query_bind_number(query, product->sum.low);
    query_bind_number(query, product->peak);
    query_repeat(query, NULL);
}

/* Adds one arm's changes and writes all its rows. */
static bool put_products(struct query *query, const int64_t position[3], int count,
                         struct live_products *stored, const struct live_products *change)
{
    int64_t key[5] = {position[0], position[1], position[2], HUGE_ROW, 0};
    bool kept = true;

    stored->huge += change->huge;
    put_one_product(query, key, &(struct live_product){.sum.high = (double)stored->huge});
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            bool whole = live_product_add(&stored->at[i][j], &change->at[i][j]);

            /* Sums of squares decide; products of two may well cancel out. */
            kept = kept && (whole || i != j || i == 0);
        }
    }
    for (int i = 1; i < count; i++)
        kept = kept && live_squares_hold(&stored->at[i][i].sum, &stored->at[0][i].sum,
                                         stored->at[0][0].sum.high, stored->at[i][i].peak);
    if (stored->at[0][0].sum.high == 0) {
        memset(stored->at, 0, sizeof stored->at);
        kept = true;
    }
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            key[3] = i;
            key[4] = j;
            put_one_product(query, key, &stored->at[i][j]);
        }
    }
    return kept;
}

/* The same of one metric: its rows have the metric first, and where the sum stands. */
static bool put_metric_products(struct query *query, int64_t experiment, int count,
                                struct live_metric_products *stored,
                                const struct live_metric_products *change)
{
    int64_t key[5] = {experiment, LIVE_FAMILY__MAX, change->arm, change->metric, HUGE_ROW};
    bool kept = true;

    stored->huge += change->huge;
    put_one_product(query, key, &(struct live_product){.sum.high = (double)stored->huge});
    for (int i = 0; i < count; i++) {
        bool whole = live_product_add(&stored->at[i], &change->at[i]);

        kept = kept && (whole || i != LIVE_METRIC_SQUARES);
        key[4] = i;
        put_one_product(query, key, &stored->at[i]);
    }
    return kept;
}

static bool put_all_metric_products(struct query *query, const struct live_experiment *experiment,
                                    struct live_rollup *stored, const struct live_rollup *changes)
{
    bool kept = true;

    for (size_t metric = 0; metric < changes->metric_arms_count; metric++)
        for (int arm = 0; arm < LIVE_ARMS_MAX; arm++) {
            const struct live_metric_products *change = changes->metric_arms[metric].at[arm];

            if (change &&
                !put_metric_products(
                    query, experiment->number, LIVE_METRIC_COVARIATES + (int)experiment->used_count,
                    live_rollup_metric_products(stored, change->metric, arm), change))
                kept = false;
        }
    return kept;
}

enum error live_save_products(const struct live_call *call, struct live_experiment *experiment,
                              const struct live_rollup *changes)
{
    struct live_rollup stored;
    struct query *query;
    bool any = false;
    enum error error;

    for (int family = 0; family < LIVE_FAMILY__MAX; family++)
        for (int arm = 0; arm < LIVE_ARMS_MAX; arm++)
            any = any || changes->products[family][arm];
    if (!any)
        return ERROR_NONE;
    live_rollup_start(&stored, experiment, changes->arena);
    error = live_read_products(call, experiment->number, &stored);
    if (error)
        return error;
    query = db_query(call->db, &put_product);
    for (int family = 0; family < LIVE_FAMILY__MAX; family++) {
        for (int arm = 0; arm < LIVE_ARMS_MAX; arm++) {
            const int64_t position[3] = {experiment->number, family, arm};

            if (changes->products[family][arm] &&
                !put_products(query, position,
                              live_family_factors(experiment, (enum live_family)family),
                              products_of(&stored, family, arm), changes->products[family][arm]))
                experiment->stale = true;
        }
    }
    if (!put_all_metric_products(query, experiment, &stored, changes))
        experiment->stale = true;
    return query_end(query, call->problem);
}

enum error live_clear_covariance(const struct live_call *call, int64_t experiment)
{
    struct query *query = db_query(call->db, &clear_covariance);

    query_bind_integer(query, experiment);
    query_bind_integer(query, LIVE_COVARIANCE);
    return query_end(query, call->problem);
}
