/* Finds the chunks that may answer a question, by words and by meaning. */
#include "support/answer/graph_state.h"
#include "support/matching/fusion.h"
#include "support/matching/question_mean.h"

#include <string.h>

/* What a cosine says is known of the embedder's model only. Another model's order is used, its
 * cosines are not. */
static bool is_calibrated(const struct graph_state *state)
{
    return state->by_meaning && state->tools->settings->embedding_backend == EMBEDDING_LOCAL;
}

/* Reads the chunks of the best hits. */
static enum error read_hits(struct graph_state *state, const struct fused_hit *hits, size_t count,
                            double best_lexical)
{
    state->found = ARENA_ARRAY(state->arena, struct found_chunk, count + 1);
    state->found_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct chunk_scores scores = {hits[i].lexical, best_lexical,    is_calibrated(state),
                                            hits[i].near,    hits[i].meaning, hits[i].nearest};
        struct knowledge_chunk chunk;
        struct found_chunk *place;
        bool found;
        enum error error = knowledge_read(&state->knowledge, hits[i].chunk, &chunk, &found);

        if (error)
            return error;
        if (!found)
            continue;
        place = &state->found[state->found_count++];
        evidence_read(&state->question, state->arena, &chunk, &scores, place);
        if (state->by_meaning && !is_calibrated(state))
            place->rank = hits[i].score / hits[0].score + 0.5 * place->score;
    }
    return ERROR_NONE;
}

static size_t by_words_only(const struct search_hit *hits, size_t count, struct fused_hit *fused)
{
    for (size_t i = 0; i < count; i++)
        fused[i] = (struct fused_hit){
            .chunk = hits[i].chunk, .document = hits[i].document, .lexical = hits[i].score};
    return count;
}

/* By the embedder's model: by score. */
static size_t by_score(struct graph_state *state, const uint8_t *vector,
                       const struct search_hit *hits, size_t count, size_t most,
                       struct fused_hit *fused)
{
    uint8_t *centered = arena_alloc(state->arena, search_vector_bytes(QUESTION_MEAN_VALUES));
    struct nearest_hits nearest;

    question_center(vector, centered);
    nearest = fusion_search(state->knowledge.index, state->arena, centered, hits, count, most);
    return fusion_by_score(hits, count, &nearest, fused);
}

static size_t by_rank(struct graph_state *state, const uint8_t *vector,
                      const struct search_hit *hits, size_t count, size_t most,
                      struct fused_hit *fused)
{
    struct search_hit *near = ARENA_ARRAY(state->arena, struct search_hit, most + 1);
    struct search_spread spread;
    size_t found =
        search_index_nearest(state->knowledge.index, state->arena, vector, near, most, &spread);

    return fusion_by_rank(hits, count, near, found, (double)state->tools->settings->rrf_k, fused);
}

enum error retrieve_chunks(struct graph_state *state)
{
    size_t most = (size_t)state->tools->settings->retrieval_top_k, term_count, count, total;
    struct search_hit *hits = ARENA_ARRAY(state->arena, struct search_hit, most + 1);
    struct fused_hit *fused = ARENA_ARRAY(state->arena, struct fused_hit, 2 * most + 1);
    const struct search_term *terms =
        question_search_terms(&state->search, state->arena, state->knowledge.index, &term_count);
    const uint8_t *vector = question_vector(state);
    enum error error;

    count = search_index_best(state->knowledge.index, state->arena, terms, term_count, hits, most);
    state->by_meaning = vector != NULL;
    if (is_calibrated(state))
        total = by_score(state, vector, hits, count, most, fused);
    else if (vector)
        total = by_rank(state, vector, hits, count, most, fused);
    else
        total = by_words_only(hits, count, fused);
    error = read_hits(state, fused, total < most ? total : most, count ? hits[0].score : 0);
    evidence_order(state->found, state->found_count);
    return error;
}
