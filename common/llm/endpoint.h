/*
 * An address that answers a JSON document with a JSON document: what embeddings and reranking have
 * in common. It must not know what is asked.
 */
#ifndef ASSAY_LLM_ENDPOINT_H
#define ASSAY_LLM_ENDPOINT_H

#include "base/json.h"
#include "net/fetch.h"

struct llm_endpoint {
    const char *url; /* the whole of it */
    const char *model;
    const char *token; /* NULL = none is sent */
    struct fetch_policy policy;
    bool private_too;
};

/* Sends `body` and reads the answer into `*document`, from the arena. NULL, or why there is none:
 * "timeout", "http_401", "malformed"... */
const char *llm_endpoint_post(struct arena *arena, const struct llm_endpoint *endpoint,
                              const char *body, const struct fetch_watch *watch, json_t **document);

#endif
