/* The result of an experiment as a report document: the situation, why, all metrics, the course of
 * the effect, segments, checks of the data, the plan, and what people decided. Figures are those of
 * the live statistics. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_RESULT_REPORT_H
#define ASSAY_EXPERIMENTS_REPORTS_RESULT_REPORT_H

#include "experiments/live_results/course.h"
#include "experiments/live_results/decision_schema.h"
#include "experiments/live_results/quality.h"
#include "experiments/live_results/slices.h"
#include "experiments/reports/report_context.h"

struct result_facts {
    const struct experiment_payload *design;
    const struct live_stats *stats;
    const struct live_decision *decision;
    const struct course *course;
    const struct live_quality *quality;
    const struct live_slices *slices;
    const struct object_list *outcomes; /* struct outcome, newest first */
    const char *now;                    /* YYYY-MM-DD HH:MM UTC */
    const char *certificate_key; /* fingerprint of the key that signs certificates; NULL = none */
};

void report_of_result(const struct report_context *context, const struct result_facts *facts,
                      struct report_document *document);

#endif
