/* Reranks chunks with a cross-encoder, which reads the question and a chunk together. */
#include "llm/rerank.h"
#include "support/answer/graph_state.h"

#include <math.h>

static struct llm_endpoint endpoint_of(const struct support_settings *settings, double seconds)
{
    return llm_endpoint_local(settings->reranker_url, settings->reranker_model,
                              settings->reranker_api_key_env, settings->connect_seconds, seconds);
}

static const char *judge(struct graph_state *state, double *scores)
{
    const char **texts = ARENA_ARRAY(state->arena, const char *, state->graded_count);
    struct llm_endpoint endpoint;
    struct lookup_call call;
    const char *failure =
        lookup_call_begin(state, "model:reranker", state->tools->settings->reranker_url, &call);

    if (failure)
        return failure;
    for (size_t i = 0; i < state->graded_count; i++)
        texts[i] = arena_print(state->arena, "%s\n%s", state->graded[i].chunk.header,
                               state->graded[i].chunk.body);
    endpoint = endpoint_of(state->tools->settings, call.seconds);
    failure = rerank_texts(state->arena, &endpoint, state->request->question, texts,
                           state->graded_count, &state->watch, scores);
    lookup_call_end(state, &call, failure != NULL);
    return failure;
}

void rerank_chunks(struct graph_state *state)
{
    const struct support_settings *settings = state->tools->settings;
    double *scores = ARENA_ARRAY(state->arena, double, state->graded_count + 1);
    const char *failure;

    if (!settings->reranker_url || !state->graded_count)
        return;
    failure = judge(state, scores);
    if (failure) {
        models_note(&state->models, "retrieve", "reranker", "fusion", failure);
        return;
    }
    for (size_t i = 0; i < state->graded_count; i++) {
        state->graded[i].rank = scores[i];
        state->graded[i].relevance = round(scores[i] * 1000) / 1000;
    }
    answer_rank(state->graded, state->graded_count);
    if (state->graded_count > (size_t)settings->rerank_top_k)
        state->graded_count = (size_t)settings->rerank_top_k;
}
