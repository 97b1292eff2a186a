/*
 * Traces in the database: one row per answer, one step per node with the state after it, each
 * document once, and the evaluations. Contains all SQL about them.
 */
#ifndef ASSAY_SUPPORT_TRACES_TRACE_STORE_H
#define ASSAY_SUPPORT_TRACES_TRACE_STORE_H

#include "base/schema.h"
#include "db/db.h"
#include "support/answer/graph.h"
#include "support/traces/evaluators.h"

struct metrics;

struct trace_call {
    struct db *db;
    struct arena *arena;
    const char *tenant;
    struct problem *problem;
    const struct document_reader *reader; /* whose traces are searched and shown; NULL = all */
};

struct trace_start {
    const char *trace_id, *request_id, *session_id, *user_id, *question;
    const char *channel;       /* web, widget, email */
    const char *experiment_id; /* experiment in force; NULL = none */
    const char *origin;        /* NULL = "live"; "regression" was not sent to a user;
                                * "small_talk" was no question */
};

/* Call it before the graph runs, so that an answer that was never finished is visible. */
MUST_CHECK enum error trace_begin(const struct trace_call *call, const struct trace_start *start);

/* Call it after the graph has run, inside the caller's transaction. `answer_words` is for later
 * baselines. */
MUST_CHECK enum error trace_finish(const struct trace_call *call, const char *trace_id,
                                   const struct graph_outcome *outcome, double duration_ms);

/* Replaces the evaluations of the trace; in the caller's transaction. */
MUST_CHECK enum error trace_put_evaluations(const struct trace_call *call, const char *trace_id,
                                            const struct evaluation *evaluations, size_t count);

/* Mean and sample standard deviation of the words in the tenant's last 500 answers except this one;
 * the deviation is 0 when there are fewer than 30. */
MUST_CHECK enum error trace_length_baseline(const struct trace_call *call, const char *trace_id,
                                            double *mean, double *deviation);

struct trace_row {
    const char *trace_id, *started_at, *finished_at, *final_route;
    struct optional_integer final_quality;
    struct optional_number final_relevance, duration_ms;
    const char *question, *answer, *session_id, *request_id;
    double cost_usd;
};
SCHEMA_OF(trace_row_schema, struct trace_row);

struct trace_filter {
    const char *words; /* that question or answer contain; "" = any */
    const char *route; /* "" = any */
    int64_t limit, offset;
};
/* Newest first: struct trace_row. `total` without limit and offset. */
MUST_CHECK enum error trace_list(const struct trace_call *call, const struct trace_filter *filter,
                                 struct object_list *rows, int64_t *total);

/* ERROR_NOT_FOUND `trace_not_found`, also for another tenant's. */
MUST_CHECK enum error trace_find(const struct trace_call *call, const char *trace_id,
                                 struct trace_row *row);

/* The newest trace of a session with that question; `found` is false when there is none. */
MUST_CHECK enum error trace_of_question(const struct trace_call *call, const char *session_id,
                                        const char *question, struct trace_row *row, bool *found);

struct trace_step_row {
    int64_t order;
    const char *node, *state, *ts; /* the state with documents in place of references */
};
MUST_CHECK enum error trace_steps(const struct trace_call *call, const char *trace_id,
                                  struct object_list *rows);

struct trace_vote {
    const char *rating, *ts;
};
SCHEMA_OF(trace_vote_schema, struct trace_vote);
MUST_CHECK enum error trace_votes(const struct trace_call *call, const char *trace_id,
                                  struct object_list *rows);

struct trace_evaluation_row {
    const char *trace_id, *evaluator_name;
    double score;
    const char *verdict, *metadata, *evaluated_at;
    const char *question; /* of trace_worst() only */
};
MUST_CHECK enum error trace_evaluations(const struct trace_call *call, const char *trace_id,
                                        struct object_list *rows);

/* The worst traces of an evaluator: lowest scores first, or highest if a score of 1 is bad; skips
 * traces where the evaluator failed. Of all tenants if the call has none, like the next
 * function. */
MUST_CHECK enum error trace_worst(const struct trace_call *call, const char *evaluator,
                                  int64_t limit, struct object_list *rows);

/* By day in UTC; failed evaluators count as runs, but not in the mean. */
struct trend_point {
    const char *date;
    double mean_score;
    int64_t runs;
};
SCHEMA_OF(trend_point_schema, struct trend_point);
MUST_CHECK enum error trace_trend(const struct trace_call *call, const char *evaluator,
                                  int64_t days, struct object_list *rows);

struct purge_counts {
    int64_t traces, steps, feedback, evaluations;
};
/* One transaction of it: at most 500 traces. */
MUST_CHECK enum error trace_purge_batch(struct db *db, const char *tenant, int64_t days,
                                        struct purge_counts *counts, struct problem *problem);
/* Deletes the tenant's traces that started more than `days` ago, in batches; 0 deletes nothing. A
 * NULL tenant means all tenants. */
MUST_CHECK enum error trace_purge(struct db *db, const char *tenant, int64_t days,
                                  struct purge_counts *counts, struct problem *problem);

/* Adds the deleted rows to the metrics. */
void trace_count_purged(struct metrics *metrics, const struct purge_counts *counts);

#endif
