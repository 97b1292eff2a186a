/*
 * The curated dataset (golden set): one case per line, with the expectations of a right answer.
 * Built from confirmed review cases; lines added manually are kept.
 */
#ifndef ASSAY_SUPPORT_CURATED_CURATED_H
#define ASSAY_SUPPORT_CURATED_CURATED_H

#include "base/schema.h"
#include "support/review/review_store.h"

#include <stdio.h>

extern const char curated_default_path[]; /* below DATA_DIR */

struct curated_expected {
    struct string_list contains, contains_not;
    struct string_list *any; /* groups of alternatives, one of each group must occur */
    size_t any_count;
    const char *route; /* NULL = not checked, like the missing members below */
    struct optional_number min_quality, min_factuality;
    struct optional_integer citations_least;
};

struct curated_case {
    const char *case_id, *tenant_id, *query, *context_hint, *channel;
    struct curated_expected expected;
    const char *verdict; /* good or bad */
    const char *notes, *source_trace_id;
    const char *created_at; /* NULL = not known */
    struct string_list tags;
    const char *line; /* the line as in the file, without surrounding blanks */
    long start;       /* bytes of the whole line, in the file */
    size_t size;
};

struct curated_set {
    struct curated_case *cases;
    size_t count;
};

/* Reads both forms of a line: `input.query`, or `query` (or `question`) at the top. ERROR_MALFORMED
 * with the number of an invalid line; ERROR_NOT_FOUND when there is no file. */
MUST_CHECK enum error curated_read(struct arena *arena, const char *path, struct curated_set *set,
                                   struct problem *problem);

/* Visits the cases one by one, with memory for one line; the memory of a case is reused after its
 * visit. */
enum { CURATED_SCRATCH = 256 << 20 };
typedef void curated_visit(void *context, const struct curated_case *item);
MUST_CHECK enum error curated_each(struct arena *arena, FILE *file, const char *path,
                                   curated_visit *visit, void *context, struct problem *problem);

struct curated_plan {
    const char *path;
    int64_t since; /* microseconds; skips cases created earlier */
    bool include_bad, prune;
};
/* A confirmed case that would fail immediately, and the reason. */
struct curated_skipped {
    const char *case_id, *query;
    struct string_list failures;
};
enum { CURATED_SKIPPED_SHOWN = 100 };
struct curated_built {
    const char *status; /* "ok" */
    int64_t selected, written, total;
    int64_t added, changed,
        unchanged;   /* of all tenants, against the current file; their sum is total */
    int64_t skipped; /* confirmed as good, but their own answer fails their expectations */
    OBJECT_LIST(struct curated_skipped, skipped_cases); /* the first of them */
    const char *out;                                    /* the file; NULL = not reported */
};
SCHEMA_OF(curated_built_schema, struct curated_built);
/* Writes the tenant's confirmed cases (NULL = all tenants') into the file. The same cases give the
 * same bytes. */
MUST_CHECK enum error curated_build(const struct trace_call *call, const struct curated_plan *plan,
                                    struct curated_built *built);

struct curated_verdicts {
    int64_t good, bad;
};
struct curated_stats {
    int64_t count;
    const struct curated_verdicts *verdict_counts;
    json_t *tenant_counts;  /* by tenant: {good, bad, total} */
    json_t *channel_counts; /* by channel: number of cases */
};
SCHEMA_OF(curated_stats_schema, struct curated_stats);

/* Counts the cases of one tenant, or NULL = of all. A missing file has no cases. */
MUST_CHECK enum error curated_count(struct arena *arena, const char *path, const char *tenant,
                                    struct curated_stats *stats, struct problem *problem);

/* Sets the gauges of the metrics. */
void curated_show(struct arena *arena, const struct support_settings *settings,
                  struct metrics *metrics);

/* The cases of a tenant; NULL = all. */
struct curated_set curated_of(struct arena *arena, const struct curated_set *set,
                              const char *tenant);

#endif
