/*
 * Analysis of a switchback: a unit (a market, a city, the whole product) changes its arm from slot
 * to slot of time. Slots, or units, are the clusters; the first minutes of a slot, in which the arm
 * before still has effects, are left out.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_SWITCHBACK_ANALYSIS_H
#define ASSAY_EXPERIMENTS_ANALYSES_SWITCHBACK_ANALYSIS_H

#include "experiments/analyses/cluster_analysis.h"

enum switchback_clusters { SWITCHBACK_BY_SLOT, SWITCHBACK_BY_UNIT, SWITCHBACK_CLUSTERS__MAX };
extern const char *const switchback_cluster_names[SWITCHBACK_CLUSTERS__MAX];

/* Rows as lists of the same length; times and lengths are in one unit of the caller. */
struct switchback_request {
    int metric_type; /* enum cluster_metric */
    double slot_length;
    double washout; /* left out at the beginning of every slot */
    int cluster_by; /* enum switchback_clusters */
    struct number_list times;
    struct integer_list arms;
    struct string_list units; /* none = one unit */
    struct number_list sums;
    struct integer_list users;
    struct number_list denominators;
    double alpha;
    int direction; /* enum goal_direction */
};

/* The effect of the slot before on this one, what is left of it after the washout. */
struct carry_over {
    double effect, standard_error, degrees_of_freedom, p_value, ci_lower, ci_upper;
    bool is_significant;
};

struct switchback_reply {
    const struct results_reply *result;
    const struct cluster_evidence *clusters;
    int64_t units, slots, switches; /* slots whose unit had another arm in the slot before */
    int64_t rows_used, rows_washed_out;
    const struct carry_over *carry_over; /* NULL where it cannot be estimated */
};

SCHEMA_OF(switchback_request_schema, struct switchback_request);
SCHEMA_OF(carry_over_schema, struct carry_over);
SCHEMA_OF(switchback_reply_schema, struct switchback_reply);

/* The slope of the arm before, in percentage points for a binary metric; NULL without one. */
const struct carry_over *carry_over_show(const struct cluster_result *found, bool binary,
                                         double alpha, struct arena *arena);

/* Analyzes a valid request. ERROR_INVALID as cluster_compose(), and when a slot of a unit has rows
 * of both arms. */
MUST_CHECK enum error switchback_analyze(const struct results_call *call,
                                         const struct switchback_request *observed,
                                         struct switchback_reply *answer);

int64_t switchback_cost_units(const struct switchback_request *observed);

#endif
