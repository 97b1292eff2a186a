/*
 * Documents in the search engine of SEARCH_URL (search/opensearch.h): a version is written whole
 * before the database points to it, and deleted some time after it no longer does. The program
 * `ingest` brings the engine up to the database: it makes the index, indexes what is missing, as
 * after a change of the setting or the loss of the index, and deletes what is old.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_H
#define ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_H

#include "search/opensearch.h"
#include "support/documents/document_store.h"
#include "support/settings.h"

/* Whether SEARCH_URL is set. */
bool search_engine_is_used(const struct support_settings *settings);

/* Whether vectors are of use: true without SEARCH_URL, and unless the engine has refused to keep
 * them, which it is asked again once an hour. */
MUST_CHECK enum error search_engine_keeps_vectors(struct db *db,
                                                  const struct support_settings *settings,
                                                  bool *keeps, struct problem *problem);

/* How to reach it. Strings are the settings' or from the arena. */
struct opensearch search_engine_server(const struct support_settings *settings, struct arena *arena,
                                       struct shm_region *region);

/* A version of a document. */
struct search_engine_text {
    int64_t key;
    enum text_language language;
    bool parents; /* its chunks are split into children */
    size_t count;
    struct search_engine_chunk {
        int64_t key;
        const char *header, *body;
        size_t length; /* of the body */
    } * chunks;
};

/* Writes a version that the database does not point to yet; all of it is found afterwards.
 * ERROR_UNAVAILABLE `search_unavailable`: try again later, nothing has changed. */
MUST_CHECK enum error search_engine_put(const struct document_call *call,
                                        const struct support_settings *settings,
                                        const struct search_engine_text *text);

/* What `ingest` remembers between rounds. Zeroed at first. */
struct search_engine_feed {
    char checked[256];                        /* the tenant whose counts were compared last */
    int64_t pause_until, tidy_at, compare_at; /* monotonic microseconds */
    bool away;                                /* the last round failed */
    uint64_t model;                           /* that vectors are expected of; 0 = none yet */
    char vectors[256];                        /* their index; "" = none yet */
};

/* One round of some seconds at most. `*worked`: there was something to do. An engine that does not
 * answer is no error: it is logged once, and tried again later. */
MUST_CHECK enum error search_engine_feed(struct db *db, struct arena *arena,
                                         const struct support_settings *settings,
                                         struct search_engine_feed *feed, bool *worked,
                                         struct problem *problem);

/* For readiness and metrics. */
struct search_engine_status {
    bool used, answers;
    bool vectors; /* it keeps them */
    int64_t lag;  /* documents that are not indexed yet */
    double milliseconds;
    const char *failure; /* NULL = it answers */
};
MUST_CHECK enum error search_engine_status_read(struct db *db, struct arena *arena,
                                                const struct support_settings *settings,
                                                struct shm_region *region,
                                                struct search_engine_status *status,
                                                struct problem *problem);

#endif
