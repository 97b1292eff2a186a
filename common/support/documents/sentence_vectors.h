/* Compares the sentences of a document by their vectors, for RAG_SEMANTIC_CHUNKING. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_SENTENCE_VECTORS_H
#define ASSAY_SUPPORT_DOCUMENTS_SENTENCE_VECTORS_H

#include "support/documents/subjects.h"
#include "support/settings.h"

/* Sentences of one document that are embedded while it is indexed, about ten a second by the
 * embedder. A section with more sentences than are left of them is compared by words. */
enum { SENTENCE_VECTORS_MAX = 128 };

struct sentence_vectors {
    const struct support_settings *settings;
    size_t left; /* sentences that may still be embedded */
};

/* The measure of a subject_meter whose context is a sentence_vectors. */
bool sentence_vectors_measure(void *context, struct arena *arena, const char *const *texts,
                              size_t count, double *distances);

#endif
