/*
 * Embeddings: converts texts into vectors through an OpenAI-compatible endpoint: POST {model,
 * input: [...]} -> data[].embedding, ordered by data[].index. Does not depend on what the texts are
 * used for.
 */
#ifndef ASSAY_LLM_EMBED_H
#define ASSAY_LLM_EMBED_H

#include "llm/endpoint.h"

enum { EMBED_DIMENSION_MAX = 8192 };

struct embed_answer {
    float *vectors; /* `dimension` values per text, normalized to length 1; from the arena */
    uint32_t dimension;
    const char *failure; /* NULL = none; else "timeout", "http_401", "malformed"... */
};

/* Requests all embeddings in one call. The whole answer is malformed if a vector is missing, has
 * another dimension, is not finite or is zero. */
void embed_texts(struct arena *arena, const struct llm_endpoint *endpoint, const char *const *texts,
                 size_t count, const struct fetch_watch *watch, struct embed_answer *answer);

#endif
