/* The analysis of a design as stored with a project, without advice. */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_DESIGN_ANALYSIS_H
#define ASSAY_EXPERIMENTS_PAYLOADS_DESIGN_ANALYSIS_H

#include "experiments/payloads/design_report.h"

/* Errors of design_calculate(). All memory is from the call's arena. */
MUST_CHECK enum error design_analyze(const struct calculation_call *call,
                                     const struct experiment_payload *payload,
                                     const struct analysis_payload **analysis);

#endif
