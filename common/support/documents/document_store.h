/*
 * The knowledge base in the database: documents, their chunks, and which search segments are
 * current. All SQL about them is here; what a document says and how it is indexed stands elsewhere.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_DOCUMENT_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_DOCUMENT_STORE_H

#include "base/schema.h"
#include "db/db.h"
#include "support/documents/chunk.h"

/* Whose knowledge base, and by what means. */
struct document_call {
    struct db *db;
    struct arena *arena;
    const char *tenant;
    struct problem *problem;
};

struct document_row {
    const char *doc_id;
    int64_t key; /* of the version that is searched */
    int64_t version;
    const char *title, *source, *file_type, *language, *content_hash;
    int64_t size_bytes;
    const char *categories; /* JSON list of texts */
    int64_t page_count, chunk_count;
    bool auto_generated;
    bool parent_child; /* its chunks are parents, and their children are searched */
    const char *last_updated, *created_at;
    const char *file_hash; /* SHA-256 of its file; NULL = it has none, or it is not known */
};

MUST_CHECK enum error document_find(const struct document_call *call, const char *doc_id,
                                    struct document_row *row, bool *found);

/* Newest first, at most `limit` behind `offset`: a list of struct document_row. */
MUST_CHECK enum error document_list(const struct document_call *call, int64_t limit, int64_t offset,
                                    struct object_list *rows);

/* The document that follows `after` in the order of names; "" gives the first one. `found` is false
 * behind the last: whole knowledge bases are walked so, document by document. */
MUST_CHECK enum error document_next(const struct document_call *call, const char *after,
                                    struct document_row *row, bool *found);

MUST_CHECK enum error document_count(const struct document_call *call, int64_t *count);

/* Says that a document was looked at: last_updated is now. A file hash that is not NULL becomes its
 * own. `found` says whether there is one. */
MUST_CHECK enum error document_touch(const struct document_call *call, const char *doc_id,
                                     const char *file_hash, bool *found);

/* Draws `count` keys; the first one in `first`. In a transaction of its own. */
MUST_CHECK enum error document_draw_keys(const struct document_call *call, int64_t count,
                                         int64_t *first);

/* A segment and the documents in it. */
struct segment_row {
    const char *name;
    int64_t bytes;
    size_t count;      /* of documents */
    int64_t *document; /* their keys, by place */
    bool *dead;
    const char *vectors; /* the embedding model, when every chunk has a vector; else NULL */
};

struct segment_rows {
    size_t count;
    struct segment_row *items;
};

/* A segment that lacks vectors of that model, of any tenant; `tenant` is NULL when there is none.
 */
MUST_CHECK enum error document_lacking_vectors(struct db *db, struct arena *arena,
                                               const char *model, const char **tenant,
                                               const char **segment, struct problem *problem);

/* The version of the tenant's knowledge base; 0 when there is none. */
MUST_CHECK enum error document_kb_version(const struct document_call *call, int64_t *version);

/* The current segments in the order of their names, and the version they belong to. */
MUST_CHECK enum error document_segments(const struct document_call *call, int64_t *version,
                                        struct segment_rows *rows);

/* What one ingestion puts in place of what was there. */
struct document_change {
    const struct document_row *row; /* its key and version are the new ones */
    const struct chunk_list *chunks;
    const char *const *headers; /* of the chunks */
    int64_t first_chunk_key;
    const char *segment; /* its name; NULL when the document has no text */
    int64_t segment_bytes;
    const char *chunk_config;
    int64_t duration_ms;
    int64_t contexts;         /* headers that a model wrote */
    double cost;              /* dollars for them */
    int64_t expected_version; /* of the document before; 0 = there was none */
};

/* All of it or nothing, in one transaction. ERROR_CONFLICT `document_changed` when the document is
 * not at `expected_version` any more. */
MUST_CHECK enum error document_replace(const struct document_call *call,
                                       const struct document_change *change);

/* Takes a document out of the knowledge base. */
MUST_CHECK enum error document_delete(const struct document_call *call, const char *doc_id,
                                      bool *found);

/* Puts one segment in the place of others (of one, when it was damaged), whose names are given.
 * `documents` are the keys in the new one. ERROR_CONFLICT `segments_changed` when one of the old
 * ones is not current any more. With `counts` the knowledge base has a new version. */
MUST_CHECK enum error document_swap_segments(const struct document_call *call,
                                             const char *const *old, size_t old_count,
                                             const struct segment_row *fresh, bool counts);

/* One chunk as it is stored. */
struct chunk_row {
    int64_t key, document_key;
    int64_t chunk_index;
    struct optional_integer page;
    const char *header, *body;
    /* of its document */
    const char *doc_id, *title, *source, *file_type, *language, *categories, *last_updated;
    int64_t version;
    bool parent_child;
};

/* The chunk with that key; `found` is false when it was replaced. */
MUST_CHECK enum error document_chunk(const struct document_call *call, int64_t key,
                                     struct chunk_row *row, bool *found);

/* The chunks of a document version from one index to another, in order: struct chunk_row. */
MUST_CHECK enum error document_chunks(const struct document_call *call, int64_t document_key,
                                      int64_t from, int64_t to, struct object_list *rows);

/* Every tenant that has ever had a document, at most `most`. */
MUST_CHECK enum error document_tenants(struct db *db, struct arena *arena, size_t most,
                                       struct string_list *tenants, struct problem *problem);

/* The tenant with a document, now or once, that follows `after`; "" gives the first one. NULL
 * behind the last. */
MUST_CHECK enum error document_next_tenant(struct db *db, struct arena *arena, const char *after,
                                           const char **tenant, struct problem *problem);

/* The same of tenants that have `least` segments or more. */
MUST_CHECK enum error document_next_crowded(struct db *db, struct arena *arena, const char *after,
                                            size_t least, const char **tenant,
                                            struct problem *problem);

/* How many segments the tenant with the most of them has. */
MUST_CHECK enum error document_most_segments(struct db *db, int64_t *count,
                                             struct problem *problem);

/* How many uploaded documents of all tenants are cut for parent-child mode, or (false) are not. */
MUST_CHECK enum error document_count_cut(struct db *db, bool parent_child, int64_t *count,
                                         struct problem *problem);

/* How many chunks all tenants, or one (not NULL), have. */
MUST_CHECK enum error document_count_chunks(struct db *db, const char *tenant, int64_t *chunks,
                                            struct problem *problem);

/* One of the most cited documents that has not been looked at for long. */
struct stale_document {
    const char *doc_id, *title, *source, *last_updated;
    int64_t citation_count;
    const char *last_cited_at; /* or NULL */
};
SCHEMA_OF(stale_document_schema, struct stale_document);

/* Of the `most` most cited documents those older than `days`: struct stale_document. */
MUST_CHECK enum error document_stale(const struct document_call *call, int64_t days, int64_t most,
                                     struct object_list *rows);

/* How many such documents all tenants have together. */
MUST_CHECK enum error document_count_stale(struct db *db, int64_t days, int64_t most,
                                           int64_t *count, struct problem *problem);

/* Counts a citation of each document. */
MUST_CHECK enum error document_note_citations(const struct document_call *call,
                                              const char *const *doc_ids, size_t count);

#endif
