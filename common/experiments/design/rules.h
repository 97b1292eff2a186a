/*
 * Warnings about designs: one constant table of rules, evaluated in order on a sized design.
 * Clients match the codes and severities, which are stable; messages are in the user's language.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_RULES_H
#define ASSAY_EXPERIMENTS_DESIGN_RULES_H

#include "base/arena.h"
#include "base/optional.h"
#include "experiments/design/allocation.h"
#include "experiments/design/sizing.h"
#include "experiments/design/srm.h"
#include "i18n/i18n.h"

enum {
    RULES_LONG_DURATION_DAYS = 56,        /* eight weeks */
    RULES_SHORT_TEST_DAYS = 14,           /* upper limit of a short test */
    RULES_LOW_TRAFFIC = 1000,             /* allocated users per day */
    RULES_LOW_TRAFFIC_PER_VARIANT = 2000, /* the same for each variant of a multivariant test */
    RULES_SPLIT_COST_PCT = 1 /* difference of user counts from which a split gives a warning */
};

struct warning {
    const char *code;
    const char *severity; /* "high" or "medium" */
    const char *message;
    const char *source; /* always "rules_engine" */
};

/* Input of the rules. The caller keeps it alive during the call. */
struct rules_facts {
    const struct sizing_request *request;
    const struct sizing_plan *plan;
    double inflation_factor;      /* of the sequential design; 1 (or 0) when there is none */
    const struct srm_result *srm; /* of the actual counts; NULL when the request has none */
    const struct verified_plan *verified; /* NULL when the plan was not verified */
    const struct allocation *allocation;  /* NULL when the plan was not verified */
    /* What people are told of the plan: its days and users, and the users of even arms; 0 = as
     * `plan`. */
    int64_t days, total, even_total;
};

/* The warnings that apply, in table order: a list of struct warning, from the arena. */
struct object_list rules_evaluate(const struct rules_facts *facts, const struct locale *locale,
                                  struct arena *arena);

#endif
