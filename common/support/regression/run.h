/*
 * A regression run: answers the curated cases with the baseline and with the candidate, checks each
 * answer against the expectations of its case, and applies the gate.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_RUN_H
#define ASSAY_SUPPORT_REGRESSION_RUN_H

#include "support/candidates/overlay.h"
#include "support/curated/expectations.h"
#include "support/regression/paired.h"

struct regression_gate {
    int64_t most;     /* regressions allowed */
    double pass_rate; /* minimum */
    double alpha, power, target;
};

struct regression_plan {
    const char *run_id, *baseline, *candidate; /* names, see target_resolve() */
    const char *dataset;                       /* a path */
    const char *tenant;                        /* NULL = all */
    int64_t max_cases, seed;                   /* 0 = all of them */
    bool simulated; /* simulation: an experiment's answers are generated from the expectations */
    bool calls;     /* providers under comparison, and paid ones, may be called */
    struct regression_gate gate;
    const char *report_folder; /* folder of the report; "" = no report */
};

struct regression_result {
    int exit_code;                             /* 0 = passed, 1 = failed, 2 = undecided */
    const char *report_json, *report_markdown; /* paths below DATA_DIR; NULL = none */
    const char *aggregate, *gate;              /* JSON */
    const char *mode, *created_at;
    double pass_rate, baseline_rate, quality_delta, cost_delta, latency_delta, seconds;
    int64_t cases;
};

/* Answers one question with an overlay; set by the caller. */
struct regression_tools {
    struct db *db;
    struct arena *arena;
    const struct support_settings *settings;
    struct knowledge_cache *cache;
    const struct synonyms *synonyms;
    struct models *models; /* models; NULL = no models */
    struct problem *problem;
    /* Called after each case; an error ends the run. May be NULL. */
    enum error (*on_case)(void *context, int64_t done, int64_t of, struct problem *problem);
    void *context;
};

void regression_plan_start(struct regression_plan *plan, const struct support_settings *settings);

/* Errors of target_resolve(), models_check_day(), of the data and the files. */
MUST_CHECK enum error regression_run(const struct regression_tools *tools,
                                     const struct regression_plan *plan,
                                     struct regression_result *result);

#endif
