/*
 * The assumptions of a plan, in English sentences. They document the formulas, so they stay in one
 * language and print the input numbers; localized texts are in report_text.h.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_ASSUMPTIONS_H
#define ASSAY_EXPERIMENTS_DESIGN_ASSUMPTIONS_H

#include "base/arena.h"
#include "base/optional.h"
#include "experiments/design/sequential.h"
#include "experiments/design/sizing.h"

/* The plan's own lines, then alpha, then clusters and interim looks if there are any. `design` is
 * NULL without interim looks. From the arena. */
struct string_list assumptions_list(const struct sizing_request *request,
                                    const struct sizing_plan *plan,
                                    const struct sequential_design *design, struct arena *arena);

/* Explains the correction for several comparisons; NULL with a single comparison. */
const char *assumptions_bonferroni_note(const struct sizing_plan *plan, struct arena *arena);

/* Explains the Bayesian precision companion; NULL when it is not given. */
const char *assumptions_bayesian_note(const struct sizing_request *request,
                                      const struct precision_plan *precision, struct arena *arena);

/* A count with thousands separated by commas, in every language. */
const char *assumptions_print_count(struct arena *arena, int64_t count);

#endif
