/*
 * Compares a candidate with a baseline case by case, and computes the power of the comparison. A
 * case counts by its severity. The exact paired test: given which cases differ, each is equally
 * likely to have become worse or better when the candidate is no worse (Fisher 1935; with equal
 * severities the one-sided sign test of McNemar 1947). Its power is that of the same test with
 * equal severities, summed over the numbers of cases that differ.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_PAIRED_H
#define ASSAY_SUPPORT_REGRESSION_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAIRED_SEVERITY_MAX = 5, PAIRED_CASES_MAX = 1000000 };

struct paired_case {
    int severity; /* 1 to PAIRED_SEVERITY_MAX */
    bool baseline_passed, candidate_passed;
};

/* P(a weighted loss at least this large), 1 when nothing differs. Exact up to 2000 differing cases,
 * then the normal approximation with continuity correction. */
double paired_p_value(const struct paired_case *cases, size_t count);

/* The probability that the test at `alpha` detects a worse candidate that loses cases with
 * probability `lost` and wins cases with probability `won`. */
double paired_power(int64_t cases, double lost, double won, double alpha);

struct paired_reach {
    double alpha, power; /* power that the two members below refer to */
    double won;          /* share of cases assumed to become better by chance */
    double drop;         /* smallest fall of the pass rate detected with that power; > 1 = none */
    double target;       /* the fall that has to be detected */
    int64_t needed;      /* cases needed for that; -1 = more than PAIRED_CASES_MAX */
};
struct paired_reach paired_reach(int64_t cases, double won, double alpha, double power,
                                 double target);

#endif
