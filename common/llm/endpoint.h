/*
 * A JSON endpoint: posts a JSON document and reads a JSON document. Embeddings and reranking share
 * it. Does not depend on the content of either document.
 */
#ifndef ASSAY_LLM_ENDPOINT_H
#define ASSAY_LLM_ENDPOINT_H

#include "base/json.h"
#include "net/fetch.h"

struct llm_endpoint {
    const char *url; /* the whole URL */
    const char *model;
    const char *token; /* NULL = no token is sent */
    struct fetch_policy policy;
    bool private_too;
};

/* An endpoint of the operator's own, at any address: it gets one attempt of `seconds`. The
 * environment variable `token_name` holds its token, or nothing. */
struct llm_endpoint llm_endpoint_local(const char *url, const char *model, const char *token_name,
                                       double connect_seconds, double seconds);

/* Posts `body` and reads the answer into `*document`, from the arena. Returns NULL, or the error:
 * "timeout", "http_401", "malformed"... */
const char *llm_endpoint_post(struct arena *arena, const struct llm_endpoint *endpoint,
                              const char *body, const struct fetch_watch *watch, json_t **document);

#endif
