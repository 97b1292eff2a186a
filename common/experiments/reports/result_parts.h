/* Parts of the report of a result beside the verdict: the adjusted effect, segments, and checks of
 * the data. A part without data adds nothing. Private to common/experiments/reports/. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_RESULT_PARTS_H
#define ASSAY_EXPERIMENTS_REPORTS_RESULT_PARTS_H

#include "experiments/reports/result_report.h"

/* The effect of each treatment, adjusted by what was known of users before the experiment. */
void result_add_adjusted(const struct report_context *context, const struct live_stats *stats,
                         struct report_document *document);

/* Every segment of the goal, and discoveries of the other metrics; at most 60 rows, discoveries
 * first. */
void result_add_segments(const struct report_context *context, const struct live_slices *slices,
                         struct report_document *document);

/* Every check of the data, and whether it raises an alarm. */
void result_add_checks(const struct report_context *context, const struct live_quality *quality,
                       struct report_document *document);

#endif
