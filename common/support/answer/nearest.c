/* Vector search: requests the question's vector from the embeddings endpoint. */
#include "support/answer/graph_state.h"
#include "support/documents/ingest.h"

/* The question's vector, packed; NULL with the reason when it is unavailable. */
static const uint8_t *embed_question(struct graph_state *state, uint32_t dimension,
                                     const char **reason)
{
    struct lookup_call call;
    struct llm_endpoint endpoint;
    struct embed_answer answer;
    uint8_t *row;

    *reason = lookup_call_begin(state, "model:embeddings", &call);
    if (*reason)
        return NULL;
    endpoint = ingest_embed_endpoint(state->tools->settings, call.seconds);
    embed_texts(state->arena, &endpoint, &state->meaning, 1, &state->watch, &answer);
    lookup_call_end(state, &call, answer.failure != NULL);
    *reason = answer.failure;
    if (!*reason && answer.dimension != dimension)
        *reason = "dimension";
    if (*reason)
        return NULL;
    row = arena_alloc(state->arena, search_vector_bytes(dimension));
    search_vector_pack(answer.vectors, dimension, row);
    return row;
}

static bool has_dimension(const struct support_settings *settings, const struct search_index *index,
                          uint32_t wanted)
{
    uint32_t dimension;

    return search_index_has_vectors(index, search_vector_model(settings->embedding_model),
                                    &dimension) &&
           dimension == wanted;
}

size_t nearest_chunks(struct graph_state *state, struct search_hit *hits, size_t most)
{
    const struct support_settings *settings = state->tools->settings;
    const struct search_index *index = state->knowledge.index;
    const char *reason;
    const uint8_t *vector;
    struct search_spread spread;
    uint32_t dimension;

    if (settings->embedding_backend != EMBEDDING_REMOTE ||
        !search_index_has_vectors(index, search_vector_model(settings->embedding_model),
                                  &dimension))
        return 0;
    vector = embed_question(state, dimension, &reason);
    if (vector && !has_dimension(settings, index, dimension)) {
        vector = NULL; /* another question has brought the index up to date meanwhile */
        reason = "dimension";
    }
    if (!vector) {
        models_note(&state->models, "retrieve", "embeddings", "lexical", reason);
        return 0;
    }
    return search_index_nearest(index, state->arena, vector, hits, most, &spread);
}
