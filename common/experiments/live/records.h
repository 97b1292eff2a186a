/* The records that clients send for a running experiment, and the arguments of every call here. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RECORDS_H
#define ASSAY_EXPERIMENTS_LIVE_RECORDS_H

#include "base/optional.h"
#include "db/db.h"

enum {
    LIVE_HOLDOUT = -1, /* the variation of the holdout */
    LIVE_ARMS_MAX = 10,
    LIVE_BATCH_MAX = 1000, /* records per request */
    LIVE_USER_MAX = 200,   /* code points of a user id, a key and a reason */
    LIVE_NAME_MAX = 100,   /* of a metric, covariate, stratum and dimension */
    LIVE_DIMENSIONS_MAX = 8,
};

/* Timestamps are microseconds since 1970, UTC; absent = when the record was received. */
struct live_exposure {
    const char *user_id;
    int64_t variation_index; /* LIVE_HOLDOUT..LIVE_ARMS_MAX - 1 */
    struct optional_integer occurred_at;
    const char *cluster;                            /* NULL = none was sent */
    OBJECT_LIST(struct live_dimension, dimensions); /* struct live_dimension */
};

struct live_dimension {
    const char *name;
    const char *value;
};

struct live_conversion {
    const char *user_id;
    const char *metric;
    double value;
    const char *idempotency_key; /* NULL = every record counts */
    struct optional_integer occurred_at;
};

struct live_identity {
    const char *anonymous_id;
    const char *canonical_id;
};

struct live_exclusion {
    const char *user_id;
    const char *exclusion_reason;
};

struct live_holdout_member {
    const char *user_id;
};

struct live_pre_period {
    const char *user_id;
    double value;
    const char *covariate_name;
};

struct live_stratum {
    const char *user_id;
    const char *stratum;
};

enum live_kind {
    LIVE_EXPOSURES,
    LIVE_CONVERSIONS,
    LIVE_IDENTITIES,
    LIVE_EXCLUSIONS,
    LIVE_HOLDOUTS,
    LIVE_PRE_PERIODS,
    LIVE_STRATA,
    LIVE_KIND__MAX
};

/* The callee runs the transaction; memory is from `arena`. A subject with more events than
 * `spike_events` is classified as a robot. */
struct live_call {
    struct db *db;
    struct arena *arena;
    int64_t spike_events;
    int64_t clusters_max; /* names of clusters that an experiment keeps */
    struct problem *problem;
};

#endif
