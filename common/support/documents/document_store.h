/*
 * The knowledge base in the database: documents, their chunks, and the current search segments.
 * Contains all SQL about them; text extraction and indexing are in other files.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_DOCUMENT_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_DOCUMENT_STORE_H

#include "base/schema.h"
#include "db/db.h"
#include "support/documents/chunk.h"
#include "support/documents/document_access.h"

/* The tenant, the database and the arena of a call. */
struct document_call {
    struct db *db;
    struct arena *arena;
    const char *tenant;
    struct problem *problem;
    const struct document_reader *reader; /* whose documents are found; NULL = all */
};

/* The same call for all documents: what ingestion and the index need. */
struct document_call document_call_for_all(const struct document_call *call);

struct document_row {
    const char *doc_id;
    int64_t key; /* of the indexed version */
    int64_t version;
    const char *title, *source, *file_type, *language, *content_hash;
    int64_t size_bytes;
    const char *categories; /* JSON list of texts */
    int64_t page_count, chunk_count;
    bool auto_generated;
    bool parent_child; /* its chunks are parents; the search uses their children */
    const char *last_updated, *created_at;
    const char *file_hash; /* SHA-256 of its file; NULL = no file, or unknown */
};

MUST_CHECK enum error document_find(const struct document_call *call, const char *doc_id,
                                    struct document_row *row, bool *found);

struct document_filter {
    const char *words; /* that name or title contain; "" = any */
    int64_t limit, offset;
};
/* Newest first: a list of struct document_row. `total` without limit and offset. */
MUST_CHECK enum error document_list(const struct document_call *call,
                                    const struct document_filter *filter, struct object_list *rows,
                                    int64_t *total);

/* The document after `after` in the order of names; "" gives the first one. `found` is false at the
 * end. Iterates over a whole knowledge base, one document at a time. */
MUST_CHECK enum error document_next(const struct document_call *call, const char *after,
                                    struct document_row *row, bool *found);

/* Sets last_updated to now after a check. A file hash that is not NULL replaces the stored one.
 * `found` says whether the document exists. */
MUST_CHECK enum error document_touch(const struct document_call *call, const char *doc_id,
                                     const char *file_hash, bool *found);

/* Allocates `count` keys, the first one in `first`. In its own transaction. */
MUST_CHECK enum error document_draw_keys(const struct document_call *call, int64_t count,
                                         int64_t *first);

/* A segment and its documents. */
struct segment_row {
    const char *name;
    int64_t bytes;
    size_t count;      /* number of documents */
    int64_t *document; /* keys of the documents, by their index in the segment */
    bool *dead;
    const char *vectors; /* the embedding model, if every chunk has a vector; else NULL */
};

struct segment_rows {
    size_t count;
    struct segment_row *items;
};

/* The version of the tenant's knowledge base; 0 for an unknown tenant. */
MUST_CHECK enum error document_kb_version(const struct document_call *call, int64_t *version);

/* The current segments in the order of their names, and their knowledge base version. */
MUST_CHECK enum error document_segments(const struct document_call *call, int64_t *version,
                                        struct segment_rows *rows);

/* The keys of the documents that the call's reader may not read. */
MUST_CHECK enum error document_hidden_keys(const struct document_call *call,
                                           struct integer_list *keys);

/* The rows that one ingestion writes in place of the old ones. */
struct document_change {
    const struct document_row *row; /* with its new key and version */
    const struct chunk_list *chunks;
    const char *const *headers; /* of the chunks */
    int64_t first_chunk_key;
    const char *segment; /* name of the segment; NULL when the document has no text */
    int64_t segment_bytes;
    const char *chunk_config;
    int64_t duration_ms;
    int64_t contexts;         /* number of headers written by a model */
    double cost;              /* US dollars for them */
    int64_t expected_version; /* version of the replaced document; 0 = none */
};

/* Writes all rows in one transaction. ERROR_CONFLICT `document_changed` when the document's version
 * is no longer `expected_version`. */
MUST_CHECK enum error document_replace(const struct document_call *call,
                                       const struct document_change *change);

/* Deletes a document from the knowledge base. */
MUST_CHECK enum error document_delete(const struct document_call *call, const char *doc_id,
                                      bool *found);

/* Replaces segments (or one damaged segment), given by their names, by one new segment. `documents`
 * are the keys in the new one. ERROR_CONFLICT `segments_changed` when an old one is no longer
 * current. With `counts` the knowledge base gets a new version. */
MUST_CHECK enum error document_swap_segments(const struct document_call *call,
                                             const char *const *old, size_t old_count,
                                             const struct segment_row *fresh, bool counts);

/* One chunk as stored. */
struct chunk_row {
    int64_t key, document_key;
    int64_t chunk_index;
    struct optional_integer page;
    const char *header, *body;
    /* name of its document */
    const char *doc_id, *title, *source, *file_type, *language, *categories, *last_updated;
    int64_t version;
    bool parent_child;
};

/* The chunk with that key; `found` is false when a new version replaced it. */
MUST_CHECK enum error document_chunk(const struct document_call *call, int64_t key,
                                     struct chunk_row *row, bool *found);

/* The chunks of a document version within a range of indexes, in order: struct chunk_row. */
MUST_CHECK enum error document_chunks(const struct document_call *call, int64_t document_key,
                                      int64_t from, int64_t to, struct object_list *rows);

/* All tenants that have ever had a document, at most `most`. */
MUST_CHECK enum error document_tenants(struct db *db, struct arena *arena, size_t most,
                                       struct string_list *tenants, struct problem *problem);

/* The tenant after `after` that has, or ever had, a document; "" gives the first one. NULL at the
 * end. */
MUST_CHECK enum error document_next_tenant(struct db *db, struct arena *arena, const char *after,
                                           const char **tenant, struct problem *problem);

/* The same for tenants with at least `least` segments. */
MUST_CHECK enum error document_next_crowded(struct db *db, struct arena *arena, const char *after,
                                            size_t least, const char **tenant,
                                            struct problem *problem);

/* The number of segments of the tenant with the most segments. */
MUST_CHECK enum error document_most_segments(struct db *db, int64_t *count,
                                             struct problem *problem);

/* Number of uploaded documents of all tenants that are split for parent-child mode, or (false) are
 * not. */
MUST_CHECK enum error document_count_cut(struct db *db, bool parent_child, int64_t *count,
                                         struct problem *problem);

/* Number of chunks of all tenants, or of one (not NULL). */
MUST_CHECK enum error document_count_chunks(struct db *db, const char *tenant, int64_t *chunks,
                                            struct problem *problem);

/* A frequently cited document that was not checked for a long time. */
struct stale_document {
    const char *doc_id, *title, *source, *last_updated;
    int64_t citation_count;
    const char *last_cited_at; /* or NULL */
};
SCHEMA_OF(stale_document_schema, struct stale_document);

/* Those of the `most` most cited documents that are older than `days`: struct stale_document. */
MUST_CHECK enum error document_stale(const struct document_call *call, int64_t days, int64_t most,
                                     struct object_list *rows);

/* Total number of such documents of all tenants. */
MUST_CHECK enum error document_count_stale(struct db *db, int64_t days, int64_t most,
                                           int64_t *count, struct problem *problem);

/* Counts a citation for each document. */
MUST_CHECK enum error document_note_citations(const struct document_call *call,
                                              const char *const *doc_ids, size_t count);

#endif
