/* Figures of answers and of what evaluators said of them. */
#include "support-ask/count.h"
#include "http/server.h"
#include "support/metrics.h"

#include <string.h>

static void count_evaluations(struct metrics *metrics, const struct asked *asked)
{
    for (size_t i = 0; i < asked->evaluation_count; i++) {
        const struct evaluation *evaluation = &asked->evaluations[i];
        const char *const labels[] = {evaluation->evaluator, evaluation->verdict};

        metric_add(metrics, METRIC_EVALUATOR_RUNS, labels, 1);
        metric_observe(metrics, METRIC_EVALUATOR_SCORE, labels, evaluation->score);
        if (strcmp(evaluation->verdict, "error") == 0)
            metric_add(metrics, METRIC_EVALUATOR_ERRORS, labels, 1);
    }
    if (asked->evaluation_count && asked->not_kept)
        metric_add(metrics, METRIC_EVALUATIONS_DROPPED, (const char *const[]){"error"}, 1);
}

static void count_losses(const struct request *request, const struct asked *asked)
{
    struct metrics *metrics = request->server->metrics;
    const char *path = request->route->path;
    const char *operation = strstr(path, "/stream") ? "stream" : "ask";

    if (asked->outcome.route == ROUTE_TIMEOUT)
        metric_add(metrics, METRIC_TIMEOUTS, &path, 1);
    if (asked->not_kept)
        metric_add(metrics, METRIC_PERSIST_FAILURES, &operation, 1);
    if (asked->history_lost)
        metric_add(metrics, METRIC_PERSIST_FAILURES, (const char *const[]){"session_lookup"}, 1);
}

/* What models were asked for the answer, what stood in for them, what they cost. */
static void count_models(struct metrics *metrics, const char *tenant, const struct models_run *run)
{
    for (size_t i = 0; i < run->fallback_count; i++)
        metric_add(metrics, METRIC_FALLBACKS,
                   (const char *const[]){run->fallbacks[i].from_provider, run->fallbacks[i].reason,
                                         run->fallbacks[i].to_provider},
                   1);
    for (size_t i = 0; i < run->transition_count; i++)
        metric_add(metrics, METRIC_BREAKER_TRANSITIONS,
                   (const char *const[]){run->transitions[i].provider, run->transitions[i].to}, 1);
    for (size_t i = 0; i < run->call_count; i++)
        if (run->calls[i].cost > 0)
            metric_add(metrics, METRIC_COST,
                       (const char *const[]){run->calls[i].model, run->calls[i].provider, tenant},
                       run->calls[i].cost);
    if (run->attempts == 0)
        return;
    metric_add(metrics, METRIC_RETRY_EVENTS, (const char *const[]){"attempt"}, run->attempts);
    metric_add(metrics, METRIC_RETRY_EVENTS, (const char *const[]){"retry"}, run->retries);
    metric_add(metrics, METRIC_RETRY_EVENTS, (const char *const[]){"success"}, run->succeeded);
    metric_add(metrics, METRIC_RETRY_EVENTS, (const char *const[]){"exhausted"}, run->exhausted);
}

void count_answer(struct request *request, const struct asked *asked)
{
    struct metrics *metrics = request->server->metrics;
    const struct graph_outcome *outcome = &asked->outcome;
    const char *tenant = request->who.tenant ? request->who.tenant : "default";

    if (!asked->session_id)
        return;
    metric_add(metrics, METRIC_REQUESTS, &route_kind_names[outcome->route], 1);
    metric_observe(metrics, METRIC_REQUEST_SECONDS, NULL, asked->seconds);
    if (!outcome->small_talk) {
        metric_observe(metrics, METRIC_QUALITY, NULL, outcome->quality);
        metric_observe(metrics, METRIC_FACTUALITY, NULL, outcome->factuality);
        metric_add(metrics, METRIC_QUALITY_SOURCE, &outcome->quality_source, 1);
        metric_add(metrics, METRIC_MODEL_ROUTING, &outcome->complexity, 1);
    }
    if (outcome->consensus.level)
        metric_add(metrics, METRIC_CONSENSUS,
                   (const char *const[]){outcome->consensus.level, outcome->consensus.verdict}, 1);
    if (outcome->small_talk == SMALL_TALK_PERSON || outcome->route == ROUTE_HUMAN ||
        outcome->route == ROUTE_ERROR_ESCALATION)
        metric_add(metrics, METRIC_ESCALATIONS, NULL, 1);
    count_evaluations(metrics, asked);
    if (outcome->models)
        count_models(metrics, tenant, outcome->models);
    if (asked->cache_asked)
        metric_add(metrics, outcome->cached ? METRIC_CACHE_HITS : METRIC_CACHE_MISSES, &tenant, 1);
    count_losses(request, asked);
}
