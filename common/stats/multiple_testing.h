/*
 * Corrections for multiple testing: which of many p-values stay significant when the false
 * discovery rate (Benjamini and Hochberg 1995) or the family-wise error rate (Holm 1979) is limited
 * to a level. Must not depend on what was tested.
 */
#ifndef ASSAY_STATS_MULTIPLE_TESTING_H
#define ASSAY_STATS_MULTIPLE_TESTING_H

#include "base/arena.h"

#include <stdbool.h>

enum multiple_testing_method { MULTIPLE_TESTING_BH, MULTIPLE_TESTING_HOLM, MULTIPLE_TESTING__MAX };

extern const char *const multiple_testing_names[MULTIPLE_TESTING__MAX]; /* bh, holm */

struct adjusted_test {
    double adjusted_p_value; /* the p-value is rejected at every level above it */
    bool rejected;
};

struct multiple_testing_result {
    size_t rejected_count;
    double critical_value; /* the largest rejected p-value, 0 when none is */
};

/* Adjusts `count` p-values (each in [0, 1]) at `level`; `tests` has as many elements, in the same
 * order. BH steps up and holds for independent or positively dependent tests; Holm steps down and
 * always holds. Comparisons are <=, and equal p-values get the same result. */
struct multiple_testing_result multiple_testing_adjust(enum multiple_testing_method method,
                                                       const double *p_values, size_t count,
                                                       double level, struct arena *arena,
                                                       struct adjusted_test *tests);

#endif
