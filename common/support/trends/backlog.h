/*
 * What to improve next: signals of one week (bad verdicts, votes against, gaps, slowness, drift,
 * old documents), ranked by impact, frequency and how recent they are.
 */
#ifndef ASSAY_SUPPORT_TRENDS_BACKLOG_H
#define ASSAY_SUPPORT_TRENDS_BACKLOG_H

#include "support/settings.h"
#include "support/traces/trace_store.h"

enum { BACKLOG_TRACES = 10, BACKLOG_SIGNALS_MOST = 10 };

/* impact x max(1, frequency) x exp(-age in days / 7), four decimals. */
double backlog_priority(double impact, int64_t frequency, double age_days);

struct backlog_request {
    const struct support_settings *settings;
    const char *week; /* NULL = the one before this */
    const char *out;  /* NULL = reports/improvement_backlog/<week>.md; a folder gets <week>.md */
};

struct backlog {
    const char *week, *path; /* of the report, as it was given or made */
    const char *document;    /* JSON text */
    const char *markdown;
};

/* Of the call's tenant, or of `all`. ERROR_INVALID bad_week. */
MUST_CHECK enum error backlog_make(const struct trace_call *call,
                                   const struct backlog_request *request, struct backlog *backlog);

/* Makes, keeps and writes it. */
MUST_CHECK enum error backlog_generate(const struct trace_call *call,
                                       const struct backlog_request *request,
                                       struct backlog *backlog);

/* The newest kept one of the tenant, else that of all cut to the tenant's, else made for last week
 * and not kept. JSON text. */
MUST_CHECK enum error backlog_current(const struct trace_call *call,
                                      const struct support_settings *settings,
                                      const char **document);

struct backlog_file {
    const char *week, *path, *updated_at;
};
/* The reports of all weeks, or of one year (0 = any), newest first: struct backlog_file. */
MUST_CHECK enum error backlog_archive(struct arena *arena, const struct support_settings *settings,
                                      int64_t year, struct object_list *rows,
                                      struct problem *problem);

#endif
