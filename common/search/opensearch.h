/*
 * Chunks of documents in OpenSearch (or Elasticsearch: only calls that both have are used), for
 * installations with more chunks than one host should map. Our own words stay ours: stems,
 * four-grams and codes are stored as tokens between blanks. All tenants share an index; a tenant is
 * the routing of its chunks, and every search filters by it. What is found is a list of candidates:
 * they are scored here by the formula of search/search.h with the tenant's own statistics, and the
 * caller says which of them his database still knows. docs/develop/search.md describes it.
 *
 * ERROR_UNAVAILABLE `search_unavailable`: OpenSearch does not answer, or not wholly. Part of an
 * answer is none. ERROR_NOT_FOUND `search_index_missing`: it answers, but has lost the index.
 */
#ifndef ASSAY_SEARCH_OPENSEARCH_H
#define ASSAY_SEARCH_OPENSEARCH_H

#include "base/optional.h"
#include "search/builder.h"
#include "search/search_backend.h"
#include "shm/region.h"

/* How to reach it. Everything is borrowed. */
struct opensearch {
    const char *url;           /* without a slash at its end; empty = not used */
    const char *authorization; /* value of the header; NULL = none */
    const char *index;         /* its name: lower case letters, digits, hyphens */
    double seconds;            /* for a call, repetitions included */
    int64_t bulk_bytes;        /* of one call that writes, about */
    int64_t candidates;        /* chunks that are fetched to be scored */
    struct shm_region *region; /* holds the breaker; NULL = none */
    uint32_t breaker_failures; /* in a row, until calls are refused */
    double breaker_seconds;    /* for so long */
};

/* Makes the index with so many shards and copies of each; one that exists is left as it is. */
MUST_CHECK enum error opensearch_create(const struct opensearch *server, struct arena *arena,
                                        int64_t shards, int64_t copies, struct problem *problem);

/* Whether it answers and has the index: ERROR_NONE, or one of the two errors above. */
MUST_CHECK enum error opensearch_check(const struct opensearch *server, struct arena *arena,
                                       struct problem *problem);

/* Everything that was written is found from now on. */
MUST_CHECK enum error opensearch_refresh(const struct opensearch *server, struct arena *arena,
                                         struct problem *problem);

/* Writes the chunks of one document in several calls. Writing a document twice changes nothing. */
struct opensearch_writer;

struct opensearch_document {
    const char *tenant;
    int64_t key;
    enum text_language language;
};

/* Errors are kept until opensearch_writer_finish(). From the arena, as is all it needs. */
struct opensearch_writer *opensearch_writer_start(const struct opensearch *server,
                                                  struct arena *arena,
                                                  const struct opensearch_document *document);

/* As index_builder_chunk(), without titles. `child` counts the chunks with that key, from 0. */
void opensearch_writer_chunk(struct opensearch_writer *writer, int64_t key, int child,
                             const char *head, const struct index_passage *passages, size_t count);

/* All of it is stored durably once this has succeeded; found after opensearch_refresh(). */
MUST_CHECK enum error opensearch_writer_finish(struct opensearch_writer *writer,
                                               struct problem *problem);

/* Deletes the chunks of a document; none is no error. */
MUST_CHECK enum error opensearch_remove(const struct opensearch *server, struct arena *arena,
                                        const char *tenant, int64_t document,
                                        struct problem *problem);

/* Deletes some chunks of the tenant that belong to none of these documents, which ascend; `*none`
 * when there are no more. */
MUST_CHECK enum error opensearch_remove_others(const struct opensearch *server, struct arena *arena,
                                               const char *tenant,
                                               const struct integer_list *documents, bool *none,
                                               struct problem *problem);

/* What a search may find. */
struct opensearch_scope {
    const char *tenant;
    int64_t newest;             /* the highest key of a document at the time of the question */
    struct integer_list gone;   /* documents that are not current: old, or not whole yet */
    struct integer_list hidden; /* documents that the reader may not read */
    const char *vectors;        /* the index with vectors of all chunks; NULL = not all have one */
};

/* Statistics of a tenant, to be kept until its documents change. */
struct opensearch_totals {
    struct search_totals totals; /* `documents` is not counted */
    int64_t parents;             /* current chunks, the children of one counted once */
    int64_t visible;             /* those of them that the reader may read */
};
MUST_CHECK enum error opensearch_read_totals(const struct opensearch *server, struct arena *arena,
                                             const struct opensearch_scope *scope,
                                             struct opensearch_totals *totals,
                                             struct problem *problem);

/* The caller's part in a search. */
struct opensearch_caller {
    /* Before each call: gives back what others wait for, as a connection. NULL = nothing. */
    void (*before_wait)(void *context);
    /* Sets for each of these documents whether it is current and may be read. NULL = all are. */
    enum error (*keep_current)(void *context, const int64_t *documents, size_t count, bool *current,
                               struct problem *problem);
    /* When a search found documents that are no longer current: what holds now. The search is then
     * repeated, a few times at most. NULL, or ERROR_UNAVAILABLE when the best hit is current: they
     * are left out. */
    enum error (*renew)(void *context, const struct opensearch_scope **scope,
                        const struct opensearch_totals **totals, struct problem *problem);
    void *context;
};

/* The searches of one question. Everything is borrowed until the arena is reset. */
struct opensearch_view;
struct opensearch_view *opensearch_view_open(struct arena *arena, const struct opensearch *server,
                                             const struct opensearch_scope *scope,
                                             const struct opensearch_totals *totals,
                                             const struct opensearch_caller *caller);

/* For the functions of search/search.h. */
struct search_index *opensearch_view_index(struct opensearch_view *view);

/* The first error of the searches so far: from it on they found nothing. */
MUST_CHECK enum error opensearch_view_error(const struct opensearch_view *view,
                                            struct problem *problem);

#endif
