/* What reports are written with: words of the reader's language, and figures as tables show them.
 * Private to common/experiments/reports/. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_DESK_H
#define ASSAY_EXPERIMENTS_REPORTS_DESK_H

#include "experiments/analyses/report_print.h"
#include "i18n/i18n.h"
#include "report/folio.h"

struct report_desk {
    const struct locale *locale;
    struct arena *arena;
};

const char *desk_word(const struct report_desk *desk, const char *key);

/* With commas after every three digits; two decimals unless it is whole. */
const char *desk_figure(const struct report_desk *desk, double value);

/* A probability: four significant digits. */
const char *desk_small(const struct report_desk *desk, double value);

/* The word for a kind of metric; kinds without a word of their own as they are. */
const char *desk_metric_type(const struct report_desk *desk, const char *type);

/* Days with their unit, short: "39 d". */
const char *desk_days(const struct report_desk *desk, double days);

/* "[50, 50]" */
const char *desk_split(const struct report_desk *desk, const struct number_list *split);

/* A document in the reader's language. */
void desk_start(const struct report_desk *desk, struct folio *document, const char *title);

/* A list under a heading. */
void desk_list(const struct report_desk *desk, struct folio *document, int level, const char *key,
               const struct string_list *texts);

#endif
