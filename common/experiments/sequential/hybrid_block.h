/*
 * What live statistics show of an experiment with hybrid readings: its plan, its one test at the
 * end, and what is known of each treatment now.
 */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_HYBRID_BLOCK_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_HYBRID_BLOCK_H

#include "base/schema.h"

/* A treatment: by the test at the end once it is taken, by a reading of now before that. Effects
 * are in natural units. */
struct live_hybrid_reading {
    int64_t treatment_index;
    const char *status;
    struct optional_number boundary_z, z, p_value, effect, ci_lower, ci_upper;
    bool is_significant;
};

struct live_hybrid_end {
    double information_fraction;
    int64_t users;
    const char *taken_at;
    const char *actor; /* NULL = the upkeep */
};

struct live_hybrid {
    const char *status;
    double alpha; /* of one treatment, over all readings and both sides */
    double early_share, tuned_fraction;
    struct optional_number early_error;
    struct optional_number end_z;
    bool end_due;
    const struct live_hybrid_end *end; /* NULL before the test at the end */
    OBJECT_LIST(struct live_hybrid_reading, comparisons);
    const char *plan; /* what the test at the end was taken under */
};
SCHEMA_OF(live_hybrid_schema, struct live_hybrid);

#endif
