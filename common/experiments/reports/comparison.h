/*
 * Compares projects by their newest analyses: common items, items of only one project, and ranges
 * of sizes and durations. Does not depend on the database or HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_REPORTS_COMPARISON_H
#define ASSAY_EXPERIMENTS_REPORTS_COMPARISON_H

#include "experiments/analyses/results_schema.h"
#include "experiments/design/sensitivity.h"
#include "experiments/projects/snapshot_store.h"
#include "stats/bayes/uplift_draws.h"

enum { COMPARED_MIN = 2, COMPARED_MAX = 5, COMPARED_HIGHLIGHTS = 4, COMPARED_RECOMMENDATIONS = 5 };

/* Sizes for effects and powers around the planned ones. */
struct compared_grid {
    OBJECT_LIST(struct sensitivity_cell, cells);
    double current_mde; /* percent of the baseline for rates, units for means */
    double current_power;
};

struct compared_project {
    const char *id;
    const char *project_name;
    const char *updated_at;
    const char *last_analysis_at;
    const char *analysis_created_at;
    const char *analysis_run_id;
    const char *metric_type;
    int64_t sample_size_per_variant;
    int64_t total_sample_size;
    int64_t estimated_duration_days;
    const char *primary_metric;
    struct string_list warning_codes;
    int64_t warnings_count;
    struct string_list risk_highlights;
    struct string_list recommendation_highlights;
    struct string_list assumptions;
    bool advice_available;
    const char *executive_summary;
    const char *warning_severity;
    const struct compared_grid *sensitivity; /* NULL when there is nothing to draw */
    const struct results_reply *observed_results;
};

struct compared_range {
    int64_t min;
    int64_t max;
    double median;
};

/* Items that exactly one of the projects has. */
struct compared_unique {
    const char *id;
    struct string_list warnings;
    struct string_list risks;
    struct string_list assumptions;
};

struct comparison {
    OBJECT_LIST(struct compared_project, projects);
    struct string_list shared_warnings;
    struct string_list shared_risks;
    struct string_list shared_assumptions;
    struct compared_unique unique[COMPARED_MAX]; /* as `projects` */
    struct compared_range sample_size_range;     /* range of the totals */
    struct compared_range duration_range;
    struct string_list metric_types_used;
    struct string_list recommendation_highlights;
};

/* Every snapshot has an analysis; the comparison refers to it. */
void comparison_build(const struct project_snapshot *snapshots, size_t count, struct arena *arena,
                      struct comparison *comparison);

struct compared_project comparison_entry(const struct project_snapshot *snapshot,
                                         struct arena *arena);

/* Values of an axis around the current one: it and `candidates`, rounded to 4 decimals, at most
 * `limit` of them, nearest first, returned in ascending order. From the arena. */
struct number_list comparison_axis(const double *candidates, size_t count, double current,
                                   size_t limit, struct arena *arena);

/* A comparison of two projects, the candidate against the base. */
struct compared_deltas {
    int64_t sample_size_per_variant;
    int64_t total_sample_size;
    int64_t estimated_duration_days;
    int64_t warnings_count;
};

struct compared_pair {
    const struct compared_project *base_project;
    const struct compared_project *candidate_project;
    const struct compared_deltas *deltas;
    struct string_list shared_warning_codes; /* sorted, as the next two */
    struct string_list base_only_warning_codes;
    struct string_list candidate_only_warning_codes;
    struct string_list shared_assumptions;
    struct string_list base_only_assumptions;
    struct string_list candidate_only_assumptions;
    struct string_list shared_risk_highlights;
    struct string_list base_only_risk_highlights;
    struct string_list candidate_only_risk_highlights;
    const char *metric_alignment_note;
    struct string_list highlights;
    const char *summary;
};

void comparison_build_pair(const struct project_snapshot *base,
                           const struct project_snapshot *candidate, struct arena *arena,
                           struct compared_pair *pair);

/* Draws of the observed uplift; false when the project has no rates or means. */
bool comparison_draw(const struct project_snapshot *snapshot, size_t count, uint64_t seed,
                     struct arena *arena, struct uplift_draws *draws);

#endif
