/* Contextual retrieval: a model describes each chunk, and the index includes the description. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_CONTEXTS_H
#define ASSAY_SUPPORT_DOCUMENTS_CONTEXTS_H

#include "db/db.h"
#include "support/documents/chunk.h"
#include "support/settings.h"

struct models;

struct contexts_request {
    const struct support_settings *settings;
    struct models *models; /* NULL = no calls */
    struct db *db;
    struct arena *arena;
    const char *title;
    const char *beginning; /* text of the document */
    const struct chunk_list *chunks;
    void (*progress)(void *context); /* after each batch of calls; may be NULL */
    void *context;
};

struct contexts_result {
    int64_t written;
    double cost; /* US dollars */
};

/* Whether the settings enable it. */
bool contexts_are_wanted(const struct support_settings *settings);

/* Replaces `headers`, one for each chunk, by lines that models of the node `transform_query` write.
 * If the model returns nothing usable, the chunk's header is kept; after a batch of calls without
 * any result, the headers of the rest of the document are kept. */
void contexts_write(const struct contexts_request *request, const char **headers,
                    struct contexts_result *result);

#endif
