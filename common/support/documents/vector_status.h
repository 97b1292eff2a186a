/* What health and the page of documents say about searching by meaning. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_VECTOR_STATUS_H
#define ASSAY_SUPPORT_DOCUMENTS_VECTOR_STATUS_H

#include "base/schema.h"
#include "db/db.h"
#include "support/settings.h"

enum vector_state {
    VECTORS_OFF,     /* RAG_EMBEDDING_BACKEND=words */
    VECTORS_NONE,    /* there is no model */
    VECTORS_AWAY,    /* there is one, but the embedder does not answer */
    VECTORS_WORKING, /* some chunks have no vector yet */
    VECTORS_READY,
    VECTOR_STATE__MAX
};
extern const char *const vector_state_names[VECTOR_STATE__MAX + 1]; /* "off"... */

struct vector_status {
    int state;         /* enum vector_state */
    const char *model; /* that answers; NULL = none */
    int64_t chunks, embedded;
};
SCHEMA_OF(vector_status_schema, struct vector_status);

/* Of a tenant, or of all (NULL). Takes EMBEDDER_QUESTION_MILLISECONDS at most for the embedder. */
MUST_CHECK enum error vector_status_read(struct db *db, struct arena *arena,
                                         const struct support_settings *settings,
                                         const char *tenant, struct vector_status *status,
                                         struct problem *problem);

#endif
