/*
 * The documents of hybrid designs, which may be read at any time until their planned end and are
 * tested once there: what a plan demands, and what one reading says under it.
 */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_HYBRID_DESIGN_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_HYBRID_DESIGN_H

#include "experiments/sequential/sequential_monitor.h"
#include "stats/sequential/hybrid.h"

enum { HYBRID_FRACTIONS_MAX = 200 };
#define HYBRID_SHARE_MIN 0.01
#define HYBRID_FRACTION_MIN 0.01

/* All data so far: a statistic, or an estimate with its standard error. */
struct hybrid_look {
    double information_fraction;
    struct optional_number z;
    struct optional_number estimate;
    struct optional_number standard_error;
    bool is_end;
};

struct hybrid_request {
    double alpha;
    double power;
    double early_share;    /* of alpha, for readings before the end */
    double tuned_fraction; /* of the planned information, where early readings are narrow */
    struct number_list information_fractions;
    const struct hybrid_look *look;
};
SCHEMA_OF(hybrid_request_schema, struct hybrid_request);

struct hybrid_boundary {
    double information_fraction;
    double z;
    double p; /* of that z */
};

struct hybrid_reading {
    const char *status;
    const char *verdict;
    const char *scale;
    double boundary_z;
    double z;
    double p_value;
    bool is_significant;
    double estimate;
    double ci_lower;
    double ci_upper;
};

struct hybrid_reply {
    double end_z;
    double end_p; /* of that z */
    double early_error;
    double drift;
    double fixed_drift;
    double inflation_factor;
    double early_probability;
    double expected_information;
    double null_expected_information;
    OBJECT_LIST(struct hybrid_boundary, boundaries);
    const struct hybrid_reading *reading;
};
SCHEMA_OF(hybrid_reply_schema, struct hybrid_reply);

/* The share and the tuning of a request, at an alpha and an end in planned information. */
struct hybrid_plan hybrid_plan_at(const struct hybrid_request *request, double end);

/* The boundary, the p-value and the interval of a reading before the end. False when a figure is
 * not finite. Without texts. */
bool hybrid_read_early(const struct hybrid_request *request, const struct hybrid_look *look,
                       struct hybrid_reading *reading);

/* ERROR_INVALID where the plan has no solution. */
MUST_CHECK enum error hybrid_answer(const struct sequential_call *call,
                                    const struct hybrid_request *request,
                                    struct hybrid_reply *reply);

/* Units of admission. */
int64_t hybrid_cost_units(const struct hybrid_request *request);

#endif
