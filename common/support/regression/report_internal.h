/*
 * Private to common/support/regression: types shared by the files that build the report of a run.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_REPORT_INTERNAL_H
#define ASSAY_SUPPORT_REGRESSION_REPORT_INTERNAL_H

#include "support/regression/report.h"

enum { REPORT_MOST = 60 * 1024 * 1024 };

/* Whether the candidate's answer to a case is better or worse than the baseline's. */
enum case_change { CHANGE_NONE, CHANGE_REGRESSION, CHANGE_NEW_PASS, CHANGE_LOST, CHANGE__MAX };
extern const char *const case_change_names[CHANGE__MAX];

enum case_change case_change_of(const struct case_outcome *item);

/* Sums over the cases that one target answered. */
struct arm_stats {
    int64_t passed, refused;
    double cost, latency;
};

struct run_stats {
    int64_t total, lost, effective, regressions, new_passes;
    struct arm_stats baseline, candidate;
    double quality_delta; /* sum */
    double p_value;
    struct paired_reach reach;
    bool sees_target; /* enough cases to detect a fall as large as the target */
    struct string_list reasons;
    bool passed;
};

/* part / whole; 0 when the whole is 0. */
double share_of(double part, double whole);

/* The data of a report. */
struct report {
    const struct regression_tools *tools;
    const struct regression_plan *plan;
    const struct run_stats *stats;
    const struct case_outcome *cases;
    size_t count;
};

/* report_json.c: the report as indented JSON; NULL when it is longer than REPORT_MOST. */
const char *report_json(const struct report *report, const struct regression_result *result);
/* Its members `aggregate` and `gate` alone, compact. */
const char *report_aggregate_json(const struct report *report);
const char *report_gate_json(const struct report *report);

/* report_markdown.c: the report as Markdown. */
const char *report_markdown(const struct report *report, const struct regression_result *result);

#endif
