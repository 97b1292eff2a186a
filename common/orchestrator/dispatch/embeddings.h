/* What answers mean, as points: asked of a provider of embeddings, all texts in one call. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_EMBEDDINGS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_EMBEDDINGS_H

#include "orchestrator/dispatch/run.h"
#include "orchestrator/measures/similarity.h"

/* Points that were asked for already, for the time of a run. */
struct embedding_cache {
    size_t count, capacity;
    const char **texts;
    struct vector *vectors;
};

bool embeddings_are_configured(const struct worker_context *worker);

/* Fills in a vector per text, asking only for those that are not known; where no provider is
 * configured, one of the words of the text. ERROR_UNAVAILABLE with reason `embeddings_unavailable`
 * when the provider does not give them. */
MUST_CHECK enum error embed(struct run *run, struct embedding_cache *cache,
                            const char *const *texts, size_t count, struct vector *vectors);

#endif
