/*
 * Formats numbers in sentences, the same in every language. Texts belong to the arena. For
 * common/experiments.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_REPORT_PRINT_H
#define ASSAY_EXPERIMENTS_ANALYSES_REPORT_PRINT_H

#include "base/arena.h"
#include "i18n/i18n.h"

#include <stdbool.h>
#include <stdint.h>

/* With `decimals` decimals, or with three significant digits if those would be all zeros: 0.050,
 * but 0.000124 and 3.17e-05. Only 0 prints as 0. Zero has no minus sign. */
const char *report_print_fixed(struct arena *arena, int decimals, double value);

/* The same with a sign, a plus for 0. */
const char *report_print_signed(struct arena *arena, int decimals, double value);

/* Six decimals, or two significant digits if those would be all zeros: 0.035488, 3.2e-05. A value
 * too small for a double prints as less than 1e-307, not 0. */
const char *report_print_p_value(struct arena *arena, double p_value);

/* A percentage without its sign: one decimal, two significant digits below 1. */
const char *report_print_percent(struct arena *arena, bool sign, double percent);

/* A p-value with its relation, for sentences: "= 0.032", "< 0.0001". */
const char *report_print_p_relation(struct arena *arena, double p_value);

/* Keeps signs and units at their number inside text that runs from right to left. */
const char *report_print_isolated(const struct locale *locale, struct arena *arena,
                                  const char *text);

const char *report_print_count(struct arena *arena, int64_t count);

/* "is statistically significant", or the opposite. */
const char *report_print_significance(const struct locale *locale, struct arena *arena,
                                      bool significant);

#endif
