/*
 * The report on a design, which a team approves before a test starts. Numbers come from the sized
 * design, labels from the catalogs in the user's language, other texts from the design.
 */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_DESIGN_REPORT_H
#define ASSAY_EXPERIMENTS_PAYLOADS_DESIGN_REPORT_H

#include "experiments/payloads/analysis_payload.h"
#include "experiments/payloads/payload.h"

/* Sizes a design (of design_schema). Errors of calculation_run, and ERROR_INVALID with reason
 * ratio_std_dev_required when a ratio metric has no standard deviation. */
MUST_CHECK enum error design_calculate(const struct calculation_call *call,
                                       const struct experiment_payload *payload,
                                       struct calculation *calculation);

/* The report on a design sized by design_calculate. Refers to its texts. */
void design_report_compose(const struct calculation_call *call,
                           const struct experiment_payload *payload,
                           const struct calculation *calculation, struct analysis_report *report);

#endif
