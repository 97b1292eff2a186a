/*
 * The curated data: one case per line, with the expectations of a right answer. Built from
 * confirmed cases of review; lines that people have added are kept.
 */
#ifndef ASSAY_SUPPORT_CURATED_CURATED_H
#define ASSAY_SUPPORT_CURATED_CURATED_H

#include "base/schema.h"
#include "support/review/review_store.h"

#include <stdio.h>

extern const char curated_default_path[]; /* below DATA_DIR */

struct curated_expected {
    struct string_list contains, contains_not;
    struct string_list *any; /* groups, one option of each */
    size_t any_count;
    const char *route; /* NULL = not checked, as what is not given below */
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
    const char *line; /* as it stands in the file, without what surrounds it */
    long start;       /* of the whole line, in the file */
    size_t size;
};

struct curated_set {
    struct curated_case *cases;
    size_t count;
};

/* Both forms of a line: `input.query`, or `query` (or `question`) at the top. ERROR_MALFORMED with
 * the number of a line that is no case; ERROR_NOT_FOUND when there is no file. */
MUST_CHECK enum error curated_read(struct arena *arena, const char *path, struct curated_set *set,
                                   struct problem *problem);

/* The same one by one, with the memory of one line: what is visited is gone afterwards. */
enum { CURATED_SCRATCH = 256 << 20 };
typedef void curated_visit(void *context, const struct curated_case *item);
MUST_CHECK enum error curated_each(struct arena *arena, FILE *file, const char *path,
                                   curated_visit *visit, void *context, struct problem *problem);

struct curated_plan {
    const char *path;
    int64_t since; /* microseconds; cases made before are left out */
    bool include_bad, prune;
};
/* A confirmed case that would fail at once, and why. */
struct curated_skipped {
    const char *case_id;
    struct string_list failures;
};
enum { CURATED_SKIPPED_SHOWN = 100 };
struct curated_built {
    const char *status; /* "ok" */
    int64_t selected, written, total;
    int64_t skipped; /* confirmed as good, but their own answer does not meet what they expect */
    OBJECT_LIST(struct curated_skipped, skipped_cases); /* the first of them */
    const char *out;                                    /* the file; NULL = not said */
};
SCHEMA_OF(curated_built_schema, struct curated_built);
/* Puts the tenant's confirmed cases (NULL = everybody's) into the file. The same cases give the
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
    json_t *channel_counts; /* by channel: a number */
};
SCHEMA_OF(curated_stats_schema, struct curated_stats);

/* Counts the cases of one tenant, or NULL = of all. Without a file there are no cases. */
MUST_CHECK enum error curated_count(struct arena *arena, const char *path, const char *tenant,
                                    struct curated_stats *stats, struct problem *problem);

/* Sets the gauges. */
void curated_show(struct arena *arena, const struct support_settings *settings,
                  struct metrics *metrics);

/* The cases of a tenant; NULL = all. */
struct curated_set curated_of(struct arena *arena, const struct curated_set *set,
                              const char *tenant);

/* Cuts the set in two for good, by a hash of the ids: the first part has int(n * ratio) cases. */
void curated_split(struct arena *arena, const struct curated_set *set, double ratio,
                   struct curated_set *first, struct curated_set *second);

#endif
