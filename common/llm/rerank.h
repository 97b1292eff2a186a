/*
 * Reranking: how well each document answers a query, asked of a cross-encoder's endpoint, in the
 * form that Cohere, Jina and text-embeddings-inference share:
 * POST {model, query, documents: [...]} -> results[{index, relevance_score}]. It must not know
 * what the documents are for.
 */
#ifndef ASSAY_LLM_RERANK_H
#define ASSAY_LLM_RERANK_H

#include "llm/endpoint.h"

/* Scores between 0 and 1 into `scores[count]`; where the endpoint speaks in logits, through the
 * logistic function. NULL, or why there are none; a document without a score, or with two, makes
 * the whole answer "malformed". */
const char *rerank_texts(struct arena *arena, const struct llm_endpoint *endpoint,
                         const char *query, const char *const *documents, size_t count,
                         const struct fetch_watch *watch, double *scores);

#endif
