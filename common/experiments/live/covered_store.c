/* SQL of what is counted by name over a whole experiment: covariates by the subjects that have
 * them, metrics by their events. */
#include "base/list.h"
#include "db/query.h"
#include "experiments/live/rollup_store.h"

#include <stdlib.h>
#include <string.h>

/* A covariate is used from a 20th of the subjects on: 5 %. */
enum { COVERAGE_PARTS = 20 };

static const struct statement covered_most = {
    .name = "live_covered_most",
    .sql = "SELECT covariate, name, people FROM live_covariates WHERE experiment = ?"
           " ORDER BY people DESC, name LIMIT ?",
};
static const struct statement metrics_with_events = {
    .name = "live_metrics_with_events",
    .sql = "SELECT name, events FROM live_metrics WHERE experiment = ? AND events > 0"
           " ORDER BY events DESC, name",
    .streams = true,
};
static const struct statement people_of_arms = {
    .name = "live_people_of_arms",
    .sql = "SELECT CAST(coalesce(sum(people), 0) AS BIGINT) FROM live_arms"
           " WHERE experiment = ? AND arm >= 0",
};

/* Of a divided experiment: the names, and what all buckets have under their numbers. */
static enum error sum_names(const struct live_call *call, const struct live_experiment *whole,
                            enum live_name_kind kind, struct live_name_list *names,
                            struct live_rollup *sums)
{
    enum error error = live_read_names(call, live_bucket_number(whole, 0), kind, names);

    live_rollup_start(sums, whole, call->arena);
    if (!error)
        error = live_read_totals(call, sums);
    return error ? error : live_read_coverage(call, sums);
}

static int covered_order(const void *one, const void *other)
{
    const struct live_covered *first = one, *second = other;

    if (first->people != second->people)
        return first->people > second->people ? -1 : 1;
    return strcmp(first->name, second->name);
}

static enum error read_divided(const struct live_call *call, const struct live_experiment *whole,
                               struct live_covered_list *covered)
{
    struct live_name_list names = {0};
    struct live_covered *all = NULL;
    struct live_rollup sums;
    size_t count = 0;
    enum error error = sum_names(call, whole, LIVE_COVARIATE_NAMES, &names, &sums);

    if (error)
        return error;
    for (size_t i = 0; i < names.count; i++)
        *ARRAY_ADD(call->arena, all, count) =
            (struct live_covered){names.items[i].name, names.items[i].number,
                                  *live_rollup_covered(&sums, names.items[i].number)};
    if (count)
        qsort(all, count, sizeof all[0], covered_order);
    for (size_t i = 0; i < count && i < LIVE_COVERED_MAX; i++)
        covered->items[covered->count++] = all[i];
    for (int arm = 0; arm < LIVE_ARMS_MAX; arm++)
        covered->exposed += sums.arms[1 + arm].people;
    return ERROR_NONE;
}

static enum error read_whole(const struct live_call *call, int64_t experiment,
                             struct live_covered_list *covered)
{
    struct query *query = db_query(call->db, &covered_most);
    enum error error;

    query_bind_integer(query, experiment);
    query_bind_integer(query, LIVE_COVERED_MAX);
    while (query_next(query))
        covered->items[covered->count++] = (struct live_covered){
            query_text(query, 1, call->arena), query_integer(query, 0), query_integer(query, 2)};
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &people_of_arms);
    query_bind_integer(query, experiment);
    if (query_next(query))
        covered->exposed = query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error live_read_covered(const struct live_call *call, const struct live_experiment *experiment,
                             struct live_covered_list *covered)
{
    *covered = (struct live_covered_list){0};
    return experiment->buckets > 1 ? read_divided(call, experiment, covered)
                                   : read_whole(call, experiment->number, covered);
}

/* A metric with its events. */
struct counted {
    const char *name;
    int64_t events;
};

static int counted_order(const void *one, const void *other)
{
    const struct counted *first = one, *second = other;

    if (first->events != second->events)
        return first->events > second->events ? -1 : 1;
    return strcmp(first->name, second->name);
}

static enum error visit_divided(const struct live_call *call, const struct live_experiment *whole,
                                live_metric_visitor *metric, void *context)
{
    struct live_name_list names = {0};
    struct counted *all = NULL;
    struct live_rollup sums;
    size_t count = 0;
    enum error error = sum_names(call, whole, LIVE_METRIC_NAMES, &names, &sums);

    for (size_t i = 0; !error && i < names.count; i++) {
        int64_t events = live_rollup_total(&sums, names.items[i].number)->events;

        if (events > 0)
            *ARRAY_ADD(call->arena, all, count) = (struct counted){names.items[i].name, events};
    }
    if (count)
        qsort(all, count, sizeof all[0], counted_order);
    for (size_t i = 0; i < count; i++)
        metric(all[i].name, all[i].events, context);
    return error;
}

enum error live_visit_metrics(const struct live_call *call,
                              const struct live_experiment *experiment, live_metric_visitor *metric,
                              void *context)
{
    struct query *query;

    if (experiment->buckets > 1)
        return visit_divided(call, experiment, metric, context);
    query = db_query(call->db, &metrics_with_events);
    query_bind_integer(query, experiment->number);
    while (query_next(query))
        metric(query_text(query, 0, call->arena), query_integer(query, 1), context);
    return query_end(query, call->problem);
}

bool live_is_covering(const struct live_covered_list *covered, size_t i)
{
    return covered->items[i].people * COVERAGE_PARTS >= covered->exposed;
}

size_t live_wanted_covariates(const struct live_covered_list *covered,
                              int64_t wanted[LIVE_COVARIATES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < covered->count; i++) {
        int64_t number = covered->items[i].number;
        size_t at = count < LIVE_COVARIATES_MAX ? count : LIVE_COVARIATES_MAX;

        if (!live_is_covering(covered, i))
            continue;
        if (count++ >= LIVE_COVARIATES_MAX)
            continue;
        for (; at > 0 && wanted[at - 1] > number; at--)
            wanted[at] = wanted[at - 1];
        wanted[at] = number;
    }
    return count;
}
