/* Embeddings of answers: one call to the provider for all texts. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_EMBEDDINGS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_EMBEDDINGS_H

#include "orchestrator/dispatch/run.h"
#include "orchestrator/measures/similarity.h"

/* Cache of embeddings, for the duration of a run. */
struct known_embedding {
    const char *text;
    struct vector vector;
};
struct embedding_cache {
    size_t count;
    struct known_embedding *items;
};

bool embeddings_are_configured(const struct worker_context *worker);

/* Fills in a vector per text and requests only those not cached. Without a provider, the vector
 * counts the words of the text. ERROR_UNAVAILABLE with reason `embeddings_unavailable` when the
 * provider fails. */
MUST_CHECK enum error embed(struct run *run, struct embedding_cache *cache,
                            const char *const *texts, size_t count, struct vector *vectors);

#endif
