/*
 * A cache of answers for repeated questions: per tenant, for the first question of a conversation;
 * valid while neither the knowledge base nor the active models change. Contains its SQL.
 */
#ifndef ASSAY_SUPPORT_CONVERSATION_ANSWER_CACHE_H
#define ASSAY_SUPPORT_CONVERSATION_ANSWER_CACHE_H

#include "support/answer/graph.h"

/* `llm_resp:<tenant>:<16 hexadecimal digits of the question's SHA-256>`, then the version of the
 * knowledge base, the profile, and what the reader may not read. NULL when the version cannot be
 * read. */
const char *answer_cache_key(const struct graph_tools *tools, const char *question,
                             int64_t *kb_version);

/* On a hit, `found` is true and `outcome` is the cached answer with one step, `cache`, whose state
 * names the trace of the original answer. */
MUST_CHECK enum error answer_cache_get(const struct graph_tools *tools,
                                       const struct graph_request *request, const char *key,
                                       struct graph_outcome *outcome, bool *found);

/* Stores an answer for LLM_CACHE_TTL_SECONDS; in the caller's transaction. */
MUST_CHECK enum error answer_cache_put(const struct graph_tools *tools, const char *key,
                                       const char *trace_id, const struct graph_outcome *outcome);

/* Whether an answer may be cached: it was sent without review and came from the graph. */
bool answer_cache_wants(const struct graph_outcome *outcome);

/* Deletes expired answers of all tenants. */
MUST_CHECK enum error answer_cache_forget(struct db *db, struct problem *problem);

#endif
