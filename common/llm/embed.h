/*
 * Embeddings: texts as points, asked of whatever speaks OpenAI's protocol for them:
 * POST {model, input: [...]} -> data[].embedding, placed by data[].index. It must not know what the
 * texts are for.
 */
#ifndef ASSAY_LLM_EMBED_H
#define ASSAY_LLM_EMBED_H

#include "llm/endpoint.h"

enum { EMBED_DIMENSION_MAX = 8192 };

struct embed_answer {
    float *vectors; /* `dimension` for each text, of length 1; from the arena */
    uint32_t dimension;
    const char *failure; /* NULL = none; else "timeout", "http_401", "malformed"... */
};

/* Asks for all texts in one call. Any vector that is missing, of another dimension, not finite or
 * without a direction makes the whole answer malformed. */
void embed_texts(struct arena *arena, const struct llm_endpoint *endpoint, const char *const *texts,
                 size_t count, const struct fetch_watch *watch, struct embed_answer *answer);

#endif
