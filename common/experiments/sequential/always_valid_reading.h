/*
 * The documents and the reading of always-valid comparisons: two arms by sufficient statistics, or
 * by values where a quantile is compared.
 */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_ALWAYS_VALID_READING_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_ALWAYS_VALID_READING_H

#include "base/error.h"
#include "base/schema.h"
#include "i18n/i18n.h"

enum sequence_metric {
    SEQUENCE_MEAN,
    SEQUENCE_RATE,
    SEQUENCE_RATIO,
    SEQUENCE_QUANTILE,
    SEQUENCE__MAX
};

enum { SEQUENCE_VALUES_MAX = 20000 };

/* A covariate of the users of an arm, from before the experiment. */
struct sequence_covariate {
    double mean;
    double std;
    double correlation;                             /* with the value, or the numerator */
    struct optional_number denominator_correlation; /* of ratios */
};

struct sequence_arm {
    struct optional_integer n;
    struct optional_number mean;
    struct optional_number std;
    struct optional_integer conversions;
    struct optional_number denominator_mean;
    struct optional_number denominator_std;
    struct optional_number denominator_correlation;
    struct number_list values;
    const struct sequence_covariate *covariate;
};

struct always_valid_request {
    int metric; /* enum sequence_metric */
    const struct sequence_arm *control_arm;
    const struct sequence_arm *treatment_arm;
    double quantile;
    double alpha;
    struct optional_number effect;
    int64_t tuning_users;
};
SCHEMA_OF(always_valid_request_schema, struct always_valid_request);

struct always_valid_figures {
    double effect;
    struct optional_number standard_error;
    double p_value;
    struct optional_number ci_lower;
    struct optional_number ci_upper;
    bool is_significant;
};

struct always_valid_reply {
    const char *status;
    const char *note;
    const char *method;
    double confidence_level;
    struct optional_integer least_users;
    const struct always_valid_figures *unadjusted;
    const struct always_valid_figures *adjusted;
    struct optional_number variance_reduction_pct;
};
SCHEMA_OF(always_valid_reply_schema, struct always_valid_reply);

struct always_valid_call {
    const struct locale *locale;
    struct arena *arena;
};

void always_valid_read(const struct always_valid_call *call,
                       const struct always_valid_request *request,
                       struct always_valid_reply *reply);

#endif
