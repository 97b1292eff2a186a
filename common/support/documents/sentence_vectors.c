/* Vectors of sentences, by the embedder or the embeddings endpoint. */
#include "support/documents/sentence_vectors.h"
#include "embedding/embedder.h"
#include "search/vector.h"
#include "support/documents/ingest.h"

#include <stdlib.h>

static bool embed_here(struct arena *arena, const char *const *texts, size_t count,
                       double *distances)
{
    struct embedder_vector *vectors = ARENA_ARRAY(arena, struct embedder_vector, count);
    size_t done;

    if (embedder_passages(getenv("ASSAY_RUN_DIR"), texts, count, vectors, &done))
        return false;
    for (size_t i = 0; i + 1 < count; i++)
        distances[i] =
            1 - search_vector_cosine(vectors[i].row, vectors[i + 1].row, EMBEDDER_DIMENSION);
    return true;
}

static bool embed_remotely(const struct support_settings *settings, struct arena *arena,
                           const char *const *texts, size_t count, double *distances)
{
    const struct llm_endpoint endpoint =
        ingest_embed_endpoint(settings, settings->embedding_timeout_sec);
    size_t batch = (size_t)settings->embedding_batch;
    const float **vectors = ARENA_ARRAY(arena, const float *, count);
    uint32_t dimension = 0;

    for (size_t at = 0; at < count; at += batch) {
        size_t some = count - at < batch ? count - at : batch;
        struct embed_answer answer;

        embed_texts(arena, &endpoint, texts + at, some, NULL, &answer);
        if (answer.failure || (at && answer.dimension != dimension))
            return false;
        dimension = answer.dimension;
        for (size_t i = 0; i < some; i++)
            vectors[at + i] = answer.vectors + i * dimension;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        distances[i] = 1;
        for (uint32_t j = 0; j < dimension; j++)
            distances[i] -= (double)vectors[i][j] * (double)vectors[i + 1][j];
    }
    return true;
}

bool sentence_vectors_measure(void *context, struct arena *arena, const char *const *texts,
                              size_t count, double *distances)
{
    struct sentence_vectors *vectors = context;

    if (count > vectors->left || vectors->settings->embedding_backend == EMBEDDING_WORDS)
        return false;
    vectors->left -= count;
    return vectors->settings->embedding_backend == EMBEDDING_REMOTE
               ? embed_remotely(vectors->settings, arena, texts, count, distances)
               : embed_here(arena, texts, count, distances);
}
