/*
 * The looks that a design plans to take while the experiment runs, each with a share of alpha
 * (group sequential test by a spending function). Without futility the test has two sides at the
 * design's alpha. With futility it has one side, that of the goal, at half of it: the boundary for
 * a gain is the same, and harm is left to the guardrails.
 */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_LOOKS_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_LOOKS_H

#include "base/schema.h"

enum { PAYLOAD_LOOKS_MAX = 20 };

struct payload_looks {
    int alpha_spending; /* enum spending_kind */
    struct optional_number alpha_parameter;
    int futility;      /* enum futility */
    int beta_spending; /* enum spending_kind */
    struct optional_number beta_parameter;
    struct number_list information_fractions; /* of the planned users, ascending to 1 */
};

SCHEMA_OF(payload_looks_schema, struct payload_looks);

/* Instead of looks at planned moments: readings at any time by a share of alpha, and one test at
 * the planned size by all that is left of it. Two-sided. */
struct payload_hybrid {
    double early_share;    /* of alpha */
    double tuned_fraction; /* of the planned users, where early readings are narrow */
};

SCHEMA_OF(payload_hybrid_schema, struct payload_hybrid);

#endif
