/*
 * Tests of independence for a table of counts of users: the rows are the classes of one
 * classification, the columns those of another.
 */
#ifndef ASSAY_STATS_CONTINGENCY_H
#define ASSAY_STATS_CONTINGENCY_H

#include "base/optional.h"

enum {
    CONTINGENCY_LINES_MAX = 50, /* rows, and columns */
    CONTINGENCY_TOTAL_MAX = 5000000,
};

/* Below this expected count in a cell, chi-square is only approximate (Cochran 1954). */
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
    double cramers_v; /* Cramer 1946, from the statistic; for a G-test it may exceed 1 */
    int64_t total;
    double min_expected; /* the smallest expected count under independence */
};

/* Why a table of counts >= 0 cannot be tested: no users at all, more than CONTINGENCY_TOTAL_MAX, an
 * empty row or an empty column. CONTINGENCY_FINE otherwise. */
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
