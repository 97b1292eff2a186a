/*
 * The review queue: answers that need a review, and the verdicts of reviewers. A case is pending,
 * may be in review, and ends with a verdict, which is final until the case is reopened. Contains
 * all SQL of the queue.
 */
#ifndef ASSAY_SUPPORT_REVIEW_REVIEW_STORE_H
#define ASSAY_SUPPORT_REVIEW_REVIEW_STORE_H

#include "shm/metrics.h"
#include "support/review/extract.h"

/* The first matching reason applies. */
enum review_reason {
    REVIEW_THUMBS_DOWN,
    REVIEW_LOW_QUALITY,
    REVIEW_ESCALATED,
    REVIEW_FACT_FAIL,
    REVIEW_SLOW_TRACE,
    REVIEW_MANUAL,
    REVIEW_REASON__MAX
};
extern const char *const review_reason_names[REVIEW_REASON__MAX];

enum review_status {
    REVIEW_PENDING,
    REVIEW_IN_REVIEW,
    REVIEW_CONFIRMED_GOOD,
    REVIEW_CONFIRMED_BAD,
    REVIEW_DISMISSED,
    REVIEW_STATUS__MAX
};
extern const char *const review_status_names[REVIEW_STATUS__MAX];

enum { REVIEW_LIST_MAX = 500, REVIEW_NOTES_MAX = 5000 };

struct review_row {
    int64_t id;
    const char *trace_id, *tenant_id, *reason, *status;
    const char *notes; /* "" = none */
    const char *created_at, *reviewed_at, *reviewed_by;
    const char *snapshot;            /* NULL = none yet */
    const char *question, *asked_at; /* NULL = deleted with its trace */
    struct optional_number quality, fact_score, duration_ms;
    bool drawn;                           /* at random, whatever the reason */
    const char *chosen;                   /* random, unsure; NULL = somebody or a sign made it */
    double doubt;                         /* of the evaluators, 0 to 1; -1 = not computed */
    const char *doubt_kind, *doubt_about; /* near_limit, disagreement or NULL; judge_name() */
};

struct review_filter {
    const char *status, *reason; /* "" = any */
    int64_t limit, offset;
    const char *trace_id; /* NULL or "" = of any answer */
    const char *words;    /* that the question contains; NULL or "" = any */
    bool drawn;           /* only those drawn at random */
    bool unsure_first;    /* by doubt, of a call with a tenant; otherwise newest first */
};

/* Result of one run of the queue builder. */
struct review_built {
    int64_t matched, inserted, upgraded;
};

/* Calls with tenant NULL apply to the cases of all tenants. */

/* Creates cases for the traces of the last days that need a review; one transaction. */
MUST_CHECK enum error review_build(const struct trace_call *call,
                                   const struct support_settings *settings, int64_t days,
                                   struct review_built *built);

/* Newest first, or as the filter says: struct review_row. */
MUST_CHECK enum error review_list(const struct trace_call *call, const struct review_filter *filter,
                                  struct object_list *rows);

struct review_key {
    int64_t id;
    const char *trace_id, *created_at;
};
/* Confirmed as good, and also as bad with `bad`: oldest first, without a limit: struct
 * review_key. */
MUST_CHECK enum error review_confirmed(const struct trace_call *call, bool bad,
                                       struct object_list *rows);

/* The traces of unconfirmed cases, in bytewise order. */
MUST_CHECK enum error review_revoked(const struct trace_call *call, struct string_list *trace_ids);

/* ERROR_NOT_FOUND review_not_found. */
MUST_CHECK enum error review_find(const struct trace_call *call, int64_t id,
                                  struct review_row *row);

/* The content of a case: its trace, or the copy stored with the case. */
MUST_CHECK enum error review_extract(const struct trace_call *call, const struct review_row *row,
                                     struct extract *extract);

struct review_verdict {
    enum review_status status;
    const char *notes;
    const char *reviewer;    /* id of a person or NULL */
    struct string_list tags; /* from a batch */
    bool pending_only;       /* refuses also a case that another reviewer has claimed */
};
/* ERROR_NOT_FOUND review_not_found, ERROR_CONFLICT review_not_pending. One transaction. */
MUST_CHECK enum error review_decide(const struct trace_call *call, int64_t id,
                                    const struct review_verdict *verdict);

/* Locks the case against other verdicts until the transaction ends. ERROR_NOT_FOUND
 * review_not_found. */
MUST_CHECK enum error review_hold(const struct trace_call *call, int64_t id);

/* Creates a case manually. ERROR_NOT_FOUND trace_not_found, ERROR_CONFLICT review_exists. */
MUST_CHECK enum error review_add(const struct trace_call *call, const char *trace_id,
                                 const char *notes, int64_t *id);

/* A customer has voted an answer down: it becomes a case at once, or a pending case gets that
 * reason. No effect on a judged case, an unknown trace, or one that was not shown to a person. */
MUST_CHECK enum error review_add_vote(const struct trace_call *call, const char *trace_id);

struct review_counts {
    int64_t status[REVIEW_STATUS__MAX], reason[REVIEW_REASON__MAX], pending[REVIEW_REASON__MAX];
    double oldest_pending_seconds;
};
MUST_CHECK enum error review_count(const struct trace_call *call, struct review_counts *counts);

/* Sets the gauges of all tenants. A gauge that cannot be computed keeps its value. */
void review_show(struct db *db, struct arena *arena, struct metrics *metrics);

#endif
