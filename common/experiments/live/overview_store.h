/*
 * SQL of the list of experiments: every project with its state, its owner and the newest figures of
 * its events. The figures are stored per experiment; whoever lists them renews those that are
 * outdated first (live_results/overview.h).
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_OVERVIEW_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_OVERVIEW_STORE_H

#include "experiments/live/records.h"
#include "experiments/payloads/payload.h"

/* not_started: nobody was exposed; ready: the policy has a verdict; decided: somebody has decided.
 */
enum overview_state {
    OVERVIEW_NOT_STARTED,
    OVERVIEW_COLLECTING,
    OVERVIEW_READY,
    OVERVIEW_DECIDED,
    OVERVIEW_ARCHIVED,
    OVERVIEW__MAX
};
extern const char *const overview_state_names[OVERVIEW__MAX];

enum overview_sort {
    OVERVIEW_BY_STATE,
    OVERVIEW_BY_UPDATE,
    OVERVIEW_BY_NAME,
    OVERVIEW_BY_PEOPLE,
    OVERVIEW_SORT__MAX
};

struct overview_item {
    const char *id;
    const char *project_name;
    const char *hypothesis;
    int metric_type; /* enum metric_type, -1 = unknown */
    const char *owner;
    int state; /* enum overview_state */
    const char *decision, *decided_at;
    const char *verdict, *headline; /* NULL without events */
    int64_t people;
    struct optional_integer planned;
    struct optional_number progress; /* people / planned; above 1 beyond the plan */
    struct optional_integer variation_index;
    struct optional_number effect_relative;
    int64_t first_exposed_at, last_exposed_at; /* 0 = none */
    bool has_analysis_snapshot;
    struct optional_integer duration_days;
    const char *created_at, *updated_at;
};
SCHEMA_OF(overview_item_schema, struct overview_item);

struct overview_filter {
    int state;         /* enum overview_state, -1 = all but the archived */
    int metric_type;   /* enum metric_type, -1 = all */
    const char *q;     /* NULL or blank = all */
    const char *owner; /* NULL = all */
    enum overview_sort sort_by;
    bool ascending;
    int64_t limit, offset;
};

/* A page of struct overview_item, and how many match in each state, whichever state is asked for.
 */
MUST_CHECK enum error overview_list(const struct live_call *call,
                                    const struct overview_filter *filter, struct object_list *items,
                                    int64_t counts[OVERVIEW__MAX]);

/* The ids of at most `limit` experiments whose stored figures are outdated. */
MUST_CHECK enum error overview_outdated(const struct live_call *call, int64_t limit,
                                        struct string_list *ids);

struct overview_summary {
    int64_t version;
    const char *design_at; /* updated_at of the design */
    const char *verdict, *headline;
    int64_t people;
    struct optional_integer planned, variation_index;
    struct optional_number effect_relative;
    struct optional_integer source_at;   /* of a metric of live data: what was read of it */
    struct optional_integer fresh_until; /* while that is fresh */
};
MUST_CHECK enum error overview_save(const struct live_call *call, const char *id,
                                    const struct overview_summary *summary);

#endif
