/*
 * The answer cache of the gateway: the answer of one model is given again to the same request of
 * the same caller. Only whole answers are kept, none for callers whose texts must not be written,
 * and none with personal data where that is replaced before dispatch.
 */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_ANSWER_CACHE_H
#define ASSAY_ORCHESTRATOR_STREAMS_ANSWER_CACHE_H

#include "orchestrator-streams/exchange.h"

/* What the cache does for a request. */
struct cache_use {
    bool reads, keeps;
    const char *key;
    int64_t seconds; /* how long an answer is kept, and how old one may be */
};

/* Decides by the settings, the caller and the request's Cache-Control. */
void answer_cache_choose(const struct exchange_call *exchange, const struct model *model,
                         struct cache_use *use);

/* The kept answer, NULL when there is none; adds the header x-cache. */
const struct kept_answer *answer_cache_find(struct exchange_call *exchange,
                                            const struct model *model, const struct cache_use *use);

/* Keeps an answer that is worth it. */
void answer_cache_keep(struct exchange_call *exchange, const struct cache_use *use,
                       const struct final_answer *final);

#endif
