/*
 * What to improve next: signals of one week (bad verdicts, votes against, gaps, slowness, drift,
 * old documents), ranked by impact, frequency and how recent they are.
 */
#ifndef ASSAY_SUPPORT_TRENDS_BACKLOG_H
#define ASSAY_SUPPORT_TRENDS_BACKLOG_H

#include "base/schema.h"
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

struct backlog_item {
    const char *source, *title, *tenant_id;
    double impact;
    int64_t frequency;
    double priority;
    const char *latest_at;
    double age_days;
    struct string_list trace_ids;
    json_t *details; /* by the source */
    const char *suggested_action;
};

struct backlog_summary {
    int64_t items;
    json_t *top_sources; /* by source: a number, the largest first */
};

struct backlog_statistics {
    json_t *items_by_type;
    const char *most_common_tenant;
};

struct backlog_document {
    const char *tenant, *week, *week_start, *week_end;
    const struct backlog_summary *summary;
    OBJECT_LIST(struct backlog_item, items);
    const struct backlog_statistics *stats;
    struct string_list warnings;
    const char *generated_at;
};

SCHEMA_OF(backlog_item_schema, struct backlog_item);
SCHEMA_OF(backlog_schema, struct backlog_document);

struct backlog {
    const char *week, *path; /* of the report, as it was given or made */
    struct backlog_document document;
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
 * and not kept. ERROR_SYSTEM backlog_unreadable. */
MUST_CHECK enum error backlog_current(const struct trace_call *call,
                                      const struct support_settings *settings,
                                      struct backlog_document *document);

struct backlog_file {
    const char *week, *path, *updated_at;
};
/* The reports of all weeks, or of one year (0 = any), newest first: struct backlog_file. */
MUST_CHECK enum error backlog_archive(struct arena *arena, const struct support_settings *settings,
                                      int64_t year, struct object_list *rows,
                                      struct problem *problem);

#endif
