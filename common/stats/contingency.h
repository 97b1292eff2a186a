/*
 * Whether two classifications of the same users depend on each other: tests of a table of counts,
 * one row per class of the one and one column per class of the other.
 */
#ifndef ASSAY_STATS_CONTINGENCY_H
#define ASSAY_STATS_CONTINGENCY_H

#include "base/optional.h"

enum {
    CONTINGENCY_LINES_MAX = 50, /* rows, and columns */
    CONTINGENCY_TOTAL_MAX = 5000000,
};

/* Below this many expected users in a cell, chi-square is a rough guide (Cochran 1954). */
#define CONTINGENCY_EXPECTED_MIN 5.0

enum contingency_method {
    CONTINGENCY_CHI_SQUARE, /* Pearson 1900, without Yates' correction */
    CONTINGENCY_G_TEST,     /* the likelihood ratio, Wilks 1938 */
    CONTINGENCY__MAX
};

/* `rows` are `row_count` lists of the same length, both 2 to CONTINGENCY_LINES_MAX. */
struct contingency_table {
    size_t row_count;
    const struct integer_list *rows;
};

struct contingency_result {
    double statistic;
    int64_t degrees_of_freedom; /* (rows - 1)(columns - 1) */
    double p_value;
    bool is_significant;
    double cramers_v; /* Cramer 1946, from the statistic; that of a G-test may pass 1 */
    int64_t total;
    double min_expected; /* users in the emptiest cell were rows and columns independent */
};

/* Why a table of counts >= 0 has no test: no users at all, more than CONTINGENCY_TOTAL_MAX, a row
 * or a column without any. CONTINGENCY_FINE otherwise. */
enum contingency_fault {
    CONTINGENCY_FINE,
    CONTINGENCY_EMPTY,
    CONTINGENCY_TOO_LARGE,
    CONTINGENCY_EMPTY_LINE,
};

/* Tests a table of counts >= 0. The result is only filled in when there is no fault. */
enum contingency_fault contingency_test(const struct contingency_table *table,
                                        enum contingency_method method, double alpha,
                                        struct contingency_result *result);

#endif
