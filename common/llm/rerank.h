/*
 * Reranking: scores how well each document answers a query, through a cross-encoder endpoint in the
 * form that Cohere, Jina and text-embeddings-inference share: POST {model, query, documents: [...]}
 * -> results[{index, relevance_score}]. Does not depend on what the documents are used for.
 */
#ifndef ASSAY_LLM_RERANK_H
#define ASSAY_LLM_RERANK_H

#include "llm/endpoint.h"

/* Writes scores between 0 and 1 into `scores[count]`; logits are mapped by the logistic function.
 * Returns NULL, or the error; a missing or duplicate score makes the whole answer "malformed". */
const char *rerank_texts(struct arena *arena, const struct llm_endpoint *endpoint,
                         const char *query, const char *const *documents, size_t count,
                         const struct fetch_watch *watch, double *scores);

#endif
