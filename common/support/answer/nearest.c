/* Searching by meaning: the question as a vector, asked of the endpoint for embeddings. */
#include "base/clock.h"
#include "shm/breaker.h"
#include "support/answer/graph_state.h"
#include "support/documents/ingest.h"

#include <math.h>

static const char breaker_name[] = "model:embeddings";
static const double reserve_seconds = 0.5; /* of the question, for what comes after */

static double seconds_for(const struct graph_state *state)
{
    double seconds = state->tools->settings->stall_seconds;

    if (state->request->deadline)
        seconds = fmin(seconds,
                       (double)(state->request->deadline - clock_monotonic_microseconds()) / 1e6 -
                           reserve_seconds);
    return seconds;
}

/* The question's vector; NULL with the reason why there is none. */
static const float *embed_question(struct graph_state *state, uint32_t dimension,
                                   const char **reason)
{
    const struct support_settings *settings = state->tools->settings;
    struct shm_region *region = state->tools->region;
    const double seconds = seconds_for(state);
    const struct embed_endpoint endpoint = ingest_embed_endpoint(settings, seconds);
    const struct breaker_rule rule = {settings->breaker ? (uint32_t)settings->breaker_failures : 0,
                                      (uint32_t)(settings->breaker_seconds * 1000),
                                      (uint32_t)(fmax(seconds, 0) * 1000) + 1000};
    struct breaker_pass pass = {0};
    struct embed_answer answer;

    *reason = seconds <= 0 ? "time_budget" : NULL;
    if (!*reason && region && !breaker_ask(region, breaker_name, &rule, &pass))
        *reason = "breaker_open";
    if (*reason)
        return NULL;
    db_give_back(state->tools->call->db);
    embed_texts(state->arena, &endpoint, &state->meaning, 1, &state->watch, &answer);
    *reason = answer.failure;
    if (!*reason && answer.dimension != dimension)
        *reason = "dimension";
    if (region && state->watch.cancelled(state->watch.context))
        breaker_withdraw(region, &pass);
    else if (region)
        breaker_tell(region, &rule, &pass, !answer.failure);
    return *reason ? NULL : answer.vectors;
}

size_t nearest_chunks(struct graph_state *state, struct search_hit *hits, size_t most)
{
    const struct support_settings *settings = state->tools->settings;
    const struct search_index *index = state->knowledge.index;
    const char *reason;
    const float *vector;
    uint32_t dimension;

    if (settings->embedding_backend != EMBEDDING_REMOTE ||
        !search_index_has_vectors(index, search_vector_model(settings->embedding_model),
                                  &dimension))
        return 0;
    vector = embed_question(state, dimension, &reason);
    if (!vector) {
        models_note(&state->models, "retrieve", "embeddings", "lexical", reason);
        return 0;
    }
    return search_index_nearest(index, state->arena, vector, hits, most);
}
