/* Lets a model describe each chunk; the chunk is indexed under the description, too. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_CONTEXTS_H
#define ASSAY_SUPPORT_DOCUMENTS_CONTEXTS_H

#include "db/db.h"
#include "support/documents/chunk.h"
#include "support/settings.h"

struct models;

struct contexts_request {
    const struct support_settings *settings;
    struct models *models; /* NULL = nothing is asked */
    struct db *db;
    struct arena *arena;
    const char *title;
    const char *beginning; /* text of the document */
    const struct chunk_list *chunks;
    void (*progress)(void *context); /* after each round of calls; may be NULL */
    void *context;
};

struct contexts_result {
    int64_t written;
    double cost; /* dollars */
};

/* Whether the settings want them. */
bool contexts_are_wanted(const struct support_settings *settings);

/* Puts them in the place of `headers`, one for each chunk, by models of `transform_query`. A chunk
 * of which nothing fit is said keeps its header, and so does the rest of the document when a round
 * of calls has brought nothing at all. */
void contexts_write(const struct contexts_request *request, const char **headers,
                    struct contexts_result *result);

#endif
