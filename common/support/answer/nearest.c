/* The question's vector, from the embedder or the embeddings endpoint. */
#include "embedding/embedder.h"
#include "support/answer/graph_state.h"
#include "support/documents/ingest.h"
#include "support/documents/vector_store.h"

#include <stdlib.h>

/* By the endpoint, packed; NULL with the reason when it is unavailable. */
static const uint8_t *ask_endpoint(struct graph_state *state, uint32_t dimension,
                                   const char **reason)
{
    struct lookup_call call;
    struct llm_endpoint endpoint;
    struct embed_answer answer;
    uint8_t *row;

    *reason =
        lookup_call_begin(state, "model:embeddings", state->tools->settings->embedding_url, &call);
    if (*reason)
        return NULL;
    endpoint = ingest_embed_endpoint(state->tools->settings, call.seconds);
    embed_texts(state->arena, &endpoint, &state->meaning, 1, &state->watch, &answer);
    lookup_call_end(state, &call, answer.failure != NULL);
    *reason = answer.failure;
    if (!*reason && answer.dimension != dimension) { /* `ingest` makes new ones, or is doing so */
        (void)!vectors_expect_dimension(state->knowledge.call,
                                        state->tools->settings->embedding_model, answer.dimension);
        *reason = "dimension";
    }
    if (*reason)
        return NULL;
    row = arena_alloc(state->arena, search_vector_bytes(dimension));
    search_vector_pack(answer.vectors, dimension, row);
    return row;
}

/* The same by the embedder of the stack, which has its own model. */
static const uint8_t *ask_embedder(struct graph_state *state, uint64_t model, const char **reason)
{
    struct embedder_vector *vector = ARENA_NEW(state->arena, struct embedder_vector);
    struct lookup_call call;

    *reason = lookup_call_begin(state, "model:embedder", NULL, &call);
    if (*reason)
        return NULL;
    *reason = embedder_question(getenv("ASSAY_RUN_DIR"), state->meaning, vector);
    lookup_call_end(state, &call, *reason != NULL);
    if (!*reason && search_vector_model(vector->model) != model)
        *reason = "model"; /* another one was installed; new vectors are being made */
    return *reason ? NULL : vector->row;
}

const uint8_t *question_vector(struct graph_state *state)
{
    const struct support_settings *settings = state->tools->settings;
    uint32_t dimension, now;
    uint64_t model = search_index_vector_model(state->knowledge.index, &dimension);
    const char *reason = NULL;
    const uint8_t *vector = NULL;

    if (model && settings->embedding_backend == EMBEDDING_LOCAL)
        vector = ask_embedder(state, model, &reason);
    else if (model && settings->embedding_backend == EMBEDDING_REMOTE &&
             model == search_vector_model(settings->embedding_model))
        vector = ask_endpoint(state, dimension, &reason);
    if (vector &&
        (search_index_vector_model(state->knowledge.index, &now) != model || now != dimension)) {
        vector = NULL; /* another question has brought the index up to date meanwhile */
        reason = "dimension";
    }
    if (reason)
        models_note(&state->models, "retrieve", "embeddings", "lexical", reason);
    return vector;
}
