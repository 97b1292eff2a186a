/*
 * The documents of group sequential tests: a plan, what it demands, observed looks, and what they
 * say.
 */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_SCHEMA_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_SCHEMA_H

#include "base/schema.h"
#include "stats/sequential/group_sequential.h"

enum { SEQUENTIAL_PLAN_LOOKS_MAX = 100 }; /* planned, and as many observed */

struct sequential_plan {
    int64_t sides;
    int direction; /* enum goal_direction, of a plan with one side */
    double alpha;
    double power;
    int alpha_spending; /* enum spending_kind */
    struct optional_number alpha_parameter;
    int futility;      /* enum futility */
    int beta_spending; /* enum spending_kind */
    struct optional_number beta_parameter;
    struct number_list information_fractions;
};
SCHEMA_OF(sequential_plan_schema, struct sequential_plan);

/* Whether looks rise to 1 by steps that can be told apart. */
bool sequential_fractions_hold(const struct number_list *fractions);

/* Whether the parameter of a spending function is there exactly when the function has one. */
bool sequential_parameter_suits(int kind, struct optional_number parameter);

struct sequential_plan_look {
    int64_t look;
    double information_fraction;
    struct optional_number efficacy_z;
    struct optional_number efficacy_p;
    struct optional_number futility_z;
    double alpha_spent;
    double beta_spent;
    double efficacy_probability;
    double futility_probability;
    double null_efficacy_probability;
    double null_futility_probability;
};

struct sequential_design_reply {
    double drift;
    double fixed_drift;
    double inflation_factor;
    double expected_information;
    double null_expected_information;
    OBJECT_LIST(struct sequential_plan_look, looks);
};
SCHEMA_OF(sequential_design_reply_schema, struct sequential_design_reply);

struct observed_look {
    double information_fraction;
    struct optional_number z;
    struct optional_number estimate;
    struct optional_number standard_error;
};

struct sequential_monitor_request {
    const struct sequential_plan *plan;
    OBJECT_LIST(struct observed_look, looks);
    bool is_final;
    struct optional_number effect;
};
SCHEMA_OF(sequential_monitor_request_schema, struct sequential_monitor_request);

struct monitored_look {
    int64_t look;
    double information_fraction;
    double z;
    struct optional_number efficacy_z;
    struct optional_number futility_z;
    double alpha_spent;
    double beta_spent;
    const char *decision;
    double estimate;
    struct optional_number repeated_ci_lower;
    struct optional_number repeated_ci_upper;
};

struct sequential_adjusted {
    double p_value;
    bool is_significant;
    double estimate;
    double ci_lower;
    double ci_upper;
    double ci_level;
};

struct sequential_outlook {
    struct number_list information_fractions;
    double conditional_power_planned;
    double conditional_power_observed;
    struct optional_number conditional_power_effect;
    double predictive_power;
};

struct sequential_monitor_reply {
    const char *status;
    const char *verdict;
    const char *scale;
    bool overrun;
    OBJECT_LIST(struct monitored_look, looks);
    double repeated_p_value;
    const struct sequential_adjusted *adjusted;
    const struct sequential_outlook *outlook;
};
SCHEMA_OF(sequential_monitor_reply_schema, struct sequential_monitor_reply);

#endif
