/* Private to common/experiments/templates: the table of presets. */
#ifndef ASSAY_EXPERIMENTS_TEMPLATES_PRESET_TABLE_H
#define ASSAY_EXPERIMENTS_TEMPLATES_PRESET_TABLE_H

#include "experiments/payloads/payload.h"

enum { PRESET_COUNT = 10, PRESET_TAGS_MAX = 3, PRESET_METRICS_MAX = 2 };

/* Members in which presets differ; all others are the same. Lists end with NULL, or with a
 * guardrail without a name. */
struct preset {
    const char *id;
    const char *name;
    const char *category;
    const char *description;
    const char *tags[PRESET_TAGS_MAX + 1];
    struct payload_project project;
    struct payload_hypothesis hypothesis;
    const char *unit;
    int64_t daily_traffic;
    double audience_share;
    const char *inclusion_criteria;
    const char *exclusion_criteria;
    const char *metric;
    enum metric_type metric_type;
    double baseline;
    double std_dev;           /* 0 = none */
    double cuped_correlation; /* 0 = none; else with the same deviation before the experiment */
    double expected_uplift_pct;
    double mde_pct;
    const char *secondary[PRESET_METRICS_MAX + 1];
    struct guardrail_metric guardrails[PRESET_METRICS_MAX + 1];
    struct payload_constraints constraints; /* texts and flags; presets share the numbers */
    const char *context;
};

extern const struct preset preset_table[PRESET_COUNT];

#endif
