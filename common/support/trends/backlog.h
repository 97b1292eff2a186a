/*
 * The improvement backlog: signals of one week (bad verdicts, negative votes, gaps, latency, drift,
 * old documents), ranked by impact, frequency and age.
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
    const char *week; /* NULL = last week */
    const char
        *out; /* NULL = reports/improvement_backlog/<week>.md; for a folder <week>.md in it */
};

struct backlog_item {
    const char *source, *title, *tenant_id;
    double impact;
    int64_t frequency;
    double priority;
    const char *latest_at;
    double age_days;
    struct string_list trace_ids;
    json_t *details; /* of the signal source */
    const char *suggested_action;
};

struct backlog_summary {
    int64_t items;
    json_t *top_sources; /* by source: counts, largest first */
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
    const char *week, *path; /* path of the report, as given or generated */
    struct backlog_document document;
    const char *markdown;
};

/* Of the call's tenant, or of `all`. ERROR_INVALID bad_week. */
MUST_CHECK enum error backlog_make(const struct trace_call *call,
                                   const struct backlog_request *request, struct backlog *backlog);

/* Builds, stores and writes the backlog. */
MUST_CHECK enum error backlog_generate(const struct trace_call *call,
                                       const struct backlog_request *request,
                                       struct backlog *backlog);

/* The newest stored one of the tenant, else the one of all tenants reduced to this tenant, else one
 * built for last week without storing it. ERROR_SYSTEM backlog_unreadable. */
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
