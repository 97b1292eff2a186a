/* What the support service counts for a scraper (shm/metrics.h): one table for its responders and
 * its programs, which count in the same file. */
#ifndef ASSAY_SUPPORT_FIGURES_H
#define ASSAY_SUPPORT_FIGURES_H

#include "shm/metrics.h"

#include <stdint.h>

/* Positions in the table. Labels are given in the order of their names. */
enum support_figure {
    FIGURE_REQUESTS,
    FIGURE_REQUEST_SECONDS,
    FIGURE_HTTP_REQUESTS,
    FIGURE_HTTP_SECONDS,
    FIGURE_QUALITY,
    FIGURE_FACTUALITY,
    FIGURE_QUALITY_SOURCE,
    FIGURE_ESCALATIONS,
    FIGURE_FEEDBACK,
    FIGURE_MODEL_ROUTING,
    FIGURE_CONSENSUS,
    FIGURE_ROLLBACKS,
    FIGURE_EVAL_DRIFT,
    FIGURE_REGRESSION_RUNS,
    FIGURE_REGRESSION_SECONDS,
    FIGURE_REGRESSION_PASS_RATE,
    FIGURE_EVALUATOR_SCORE,
    FIGURE_EVALUATOR_RUNS,
    FIGURE_EVALUATOR_ERRORS,
    FIGURE_EVALUATIONS_DROPPED,
    FIGURE_BREAKER_STATE,
    FIGURE_BREAKER_TRANSITIONS,
    FIGURE_RETRY_EVENTS,
    FIGURE_FALLBACKS,
    FIGURE_TIMEOUTS,
    FIGURE_INFLIGHT,
    FIGURE_PIPELINE_REJECTIONS,
    FIGURE_RATE_REJECTIONS,
    FIGURE_BODY_REJECTIONS,
    FIGURE_COMPONENT_UP,
    FIGURE_POOL_SIZE,
    FIGURE_POOL_TAKEN,
    FIGURE_POOL_OVERFLOW,
    FIGURE_ACTIVE_SESSIONS,
    FIGURE_INDEXED_CHUNKS,
    FIGURE_LEXICAL_ENABLED,
    FIGURE_COST,
    FIGURE_CACHE_HITS,
    FIGURE_CACHE_MISSES,
    FIGURE_STALE_DOCUMENTS,
    FIGURE_PERSIST_FAILURES,
    FIGURE_TRACES_PURGED,
    FIGURE_AUDIT_PURGED,
    FIGURE_AUTH_FAILURES,
    FIGURE_REVIEW_PENDING,
    FIGURE_REVIEW_CONFIRMED,
    FIGURE_REVIEW_OLDEST,
    FIGURE_CURATED_SIZE,
    FIGURE_CURATED_BUILT,
    FIGURE_MAIL_FETCHED,
    FIGURE_MAIL_ERRORS,
    FIGURE_MAIL_SUCCESS,
    FIGURE__MAX
};

extern const struct metric support_figures[FIGURE__MAX];

/* What was purged of traces, and of the audit log. */
void figures_add_purged(struct metrics *metrics, int64_t traces, int64_t steps, int64_t feedback);
void figures_add_audit_purged(struct metrics *metrics, int64_t entries);

#endif
