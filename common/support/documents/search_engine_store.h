/*
 * Which versions of documents the search engine of SEARCH_URL holds. The database decides what is
 * current: a version is searched once it is both the document's and wholly indexed. Contains all
 * SQL about it.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_SEARCH_ENGINE_STORE_H

#include "support/documents/document_store.h"

/* Before anything of the version is written to the engine. */
MUST_CHECK enum error search_documents_begin(const struct document_call *call, int64_t key);

/* After all of it is found there. */
MUST_CHECK enum error search_documents_end(const struct document_call *call, int64_t key);

/* What a search needs to know, as one snapshot. */
struct search_documents {
    int64_t version;          /* of the knowledge base */
    int64_t newest;           /* no document has a higher key */
    int64_t chunks;           /* of all current documents */
    int64_t missing;          /* current documents with text that are not indexed */
    struct integer_list gone; /* versions in the engine that are not current, or not whole */
    const char *vectors;      /* its index with vectors of all current documents; NULL = none */
};
MUST_CHECK enum error search_documents_read(const struct document_call *call,
                                            struct search_documents *documents,
                                            struct integer_list *hidden);

/* Whether each of these documents is current and may be read by the call's reader. */
MUST_CHECK enum error search_documents_current(const struct document_call *call,
                                               const int64_t *keys, size_t count, bool *current);

/* Whether the embedded index answers the tenant's questions for now: it has all documents, and the
 * engine not yet. */
MUST_CHECK enum error search_documents_embedded_answers(const struct document_call *call,
                                                        bool *answers);

/* Of all tenants: documents that still have to be indexed. */
MUST_CHECK enum error search_documents_lag(struct db *db, int64_t *documents,
                                           struct problem *problem);

/* A version of a document. */
struct search_document {
    const char *tenant; /* from the arena */
    int64_t key;
};

/* The current document after `after` (a tenant of "" = the first) that is not indexed; `found` is
 * false at the end. */
MUST_CHECK enum error search_documents_next(struct db *db, struct arena *arena,
                                            const struct search_document *after,
                                            struct search_document *next, bool *found,
                                            struct problem *problem);

/* Notes which versions are no longer current, and unfinished ones nobody has touched for
 * `stale_seconds`; what was noted and is current after all is taken back. */
MUST_CHECK enum error search_documents_note_gone(struct db *db, int64_t stale_seconds,
                                                 struct problem *problem);

/* A version that was noted at least `seconds` ago. */
MUST_CHECK enum error search_documents_next_gone(struct db *db, struct arena *arena,
                                                 int64_t seconds, struct search_document *next,
                                                 bool *found, struct problem *problem);

/* Notes such a version anew, as what is left of it could not be deleted. */
MUST_CHECK enum error search_documents_postpone(const struct document_call *call, int64_t key);

/* Forgets a version that is no longer in the engine, and its place in the embedded index. */
MUST_CHECK enum error search_documents_drop(const struct document_call *call, int64_t key);

/* Versions of which the engine may hold something. */
MUST_CHECK enum error search_documents_known(const struct document_call *call,
                                             struct integer_list *keys);

/* Nothing of the tenant, or of any (NULL), is in the engine any more. Searches notice. */
MUST_CHECK enum error search_documents_forget(struct db *db, const char *tenant,
                                              struct problem *problem);

/* Vectors in the engine. */

/* The current document after `after` that is indexed, has all vectors of that model in the
 * database, and none in the engine; `found` is false at the end. */
MUST_CHECK enum error search_vectors_next(struct db *db, struct arena *arena, const char *model,
                                          const struct search_document *after,
                                          struct search_document *next, bool *found,
                                          struct problem *problem);

/* All vectors of a version are found in the engine's index of that name. */
MUST_CHECK enum error search_vectors_end(const struct document_call *call, int64_t key,
                                         const char *name);

/* The name of an index of vectors that is in use; NULL = there is none. */
MUST_CHECK enum error search_vectors_name(struct db *db, struct arena *arena, const char **name,
                                          struct problem *problem);

/* Documents that search_vectors_next() will find. */
MUST_CHECK enum error search_vectors_lag(struct db *db, const char *model, int64_t *documents,
                                         struct problem *problem);

/* Vectors of documents of the tenant, or of any (NULL), are no longer in the engine, but for those
 * in an index whose name begins with `prefix` (NULL = none). Searches notice. */
MUST_CHECK enum error search_vectors_forget(struct db *db, const char *tenant, const char *prefix,
                                            struct problem *problem);

/* Whether the engine has refused to make an index of vectors within the last `seconds`. */
MUST_CHECK enum error search_vectors_refused(struct db *db, int64_t seconds, bool *refused,
                                             struct problem *problem);

/* It has refused now, or (false) it has made one. */
MUST_CHECK enum error search_vectors_note(struct db *db, bool refused, struct problem *problem);

/* Searches of the tenant read the state again. */
MUST_CHECK enum error search_documents_changed(const struct document_call *call);

#endif
