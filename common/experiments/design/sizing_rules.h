/*
 * Validation rules of a design: one predicate per rule, used by every schema that contains a
 * design. Their texts are in the catalogs (errors.schemas.*).
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SIZING_RULES_H
#define ASSAY_EXPERIMENTS_DESIGN_SIZING_RULES_H

#include "experiments/design/sizing.h"

bool sizing_split_has_every_variant(const struct number_list *split, int64_t variants);
bool sizing_split_is_positive(const struct number_list *split);

/* The part of a design that the metric rules read. */
struct sizing_metric {
    enum metric_type metric_type;
    double baseline_value;
    struct optional_number std_dev;
    int planned_test; /* enum planned_test, -1 = the metric's own */
    struct optional_number equivalence_margin_pct;
};

/* Rules about one metric type are true for all other types. */
bool sizing_binary_baseline_holds(struct sizing_metric metric);
bool sizing_baseline_holds(struct sizing_metric metric, enum metric_type type);
bool sizing_std_dev_holds(struct sizing_metric metric, enum metric_type type);
bool sizing_planned_test_holds(struct sizing_metric metric);
bool sizing_tost_margin_holds(struct sizing_metric metric);

/* Positive, or negative for a decrease. */
bool sizing_effect_holds(double mde_pct, int direction);

/* A power not above the alpha of one comparison needs no users. */
bool sizing_power_holds(double power, double alpha, int64_t variants);

bool sizing_cluster_size_holds(struct optional_number avg_cluster_size);
bool sizing_icc_holds(struct optional_number icc);
bool sizing_precision_holds(enum analysis_mode mode, struct optional_number desired_precision);

#endif
