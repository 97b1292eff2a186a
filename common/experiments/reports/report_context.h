/* Shared by all reports: labels in the user's language, and number formats of tables. Private to
 * common/experiments/reports/. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_REPORT_CONTEXT_H
#define ASSAY_EXPERIMENTS_REPORTS_REPORT_CONTEXT_H

#include "base/optional.h"
#include "experiments/analyses/report_print.h"
#include "i18n/i18n.h"
#include "report/document.h"

struct report_context {
    const struct locale *locale;
    struct arena *arena;
};

const char *report_label(const struct report_context *context, const char *key);

/* Thousands separated by commas; two decimals unless it is an integer. */
const char *report_number(const struct report_context *context, double value);

/* A probability: four significant digits. */
const char *report_probability(const struct report_context *context, double value);

/* Differences of a metric, signed, in percentage points where it is a rate; `size` as in
 * print_difference(). The interval has the unit once, behind its upper end. */
const char *report_difference(const struct report_context *context, bool rate, double size,
                              double value);
const char *report_range(const struct report_context *context, bool rate, double lower,
                         double upper);

/* "+20.2%", or a dash. */
const char *report_relative(const struct report_context *context, struct optional_number percent);

/* "6.5%": `percent` is 6.5. */
const char *report_percent(const struct report_context *context, double percent);

/* "0.032", "< 0.0001" */
const char *report_p_value(const struct report_context *context, double p_value);

/* The label of a metric type; unknown types unchanged. */
const char *report_metric_type(const struct report_context *context, const char *type);

/* Days with their unit, short form: "39 d". */
const char *report_days(const struct report_context *context, double days);

/* "[50, 50]" */
const char *report_split(const struct report_context *context, const struct number_list *split);

/* "A (control)", "Variant B". */
const char *report_arm_name(const struct report_context *context, int64_t arm);

/* A document in the user's language. */
void report_start(const struct report_context *context, struct report_document *document,
                  const char *title);

/* A list under a heading. */
void report_list(const struct report_context *context, struct report_document *document, int level,
                 const char *key, const struct string_list *texts);

#endif
