/*
 * The sums of arms, from which verifiers compute effects again: those of a certificate, and those
 * which looks keep of their moment.
 */
#ifndef ASSAY_EXPERIMENTS_CERTIFICATES_CERTIFICATE_SUMS_H
#define ASSAY_EXPERIMENTS_CERTIFICATES_CERTIFICATE_SUMS_H

#include "experiments/live/view.h"

enum { CERTIFICATE_SUMS_BYTES_MAX = 1 << 14 };

/* Users of an arm and their values: sums of squares and products are about the means. Values are
 * absent where they are too large to be squared; those of ratios where the metric is none. */
struct certificate_arm {
    int64_t variation_index;
    int64_t users;
    int64_t converted;
    struct optional_number mean, squares;
    struct optional_number denominator_mean, denominator_squares, products;
};
SCHEMA_OF(certificate_arm_schema, struct certificate_arm);

struct certificate_sums {
    OBJECT_LIST(struct certificate_arm, arms);
};
SCHEMA_OF(certificate_sums_schema, struct certificate_sums);

/* All arms, by a metric in a slice. */
struct object_list certificate_arms(const struct live_view *view, const char *metric, int64_t slice,
                                    struct arena *arena);

/* All arms, by the primary metric. */
struct object_list certificate_goal_arms(const struct live_view *view, struct arena *arena);

/* The same as JSON text of certificate_sums; NULL when it is too long. */
const char *certificate_sums_text(const struct live_view *view, struct arena *arena);

#endif
