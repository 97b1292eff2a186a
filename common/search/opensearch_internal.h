/* Private to common/search: the parts of the OpenSearch client. */
#ifndef ASSAY_SEARCH_OPENSEARCH_INTERNAL_H
#define ASSAY_SEARCH_OPENSEARCH_INTERNAL_H

#include "base/json.h"
#include "search/opensearch.h"
#include "search/opensearch_vectors.h"

/* Where tokens of a kind are stored. A code is a word with a digit. */
enum opensearch_field {
    OPENSEARCH_STEMS,
    OPENSEARCH_GRAMS,
    OPENSEARCH_CODES,
    OPENSEARCH_FIELD__MAX
};
extern const char *const opensearch_fields[OPENSEARCH_FIELD__MAX];

/* A term as it is stored: without the mark of four-grams. The bytes are the term's. */
struct opensearch_token {
    enum opensearch_field field;
    const char *bytes;
    size_t length;
};
struct opensearch_token opensearch_token_of(const char *name, size_t length);

/* opensearch_bodies.c: the bodies of calls, from the arena. */

const char *opensearch_index_body(struct arena *arena, const char *alias, int64_t shards,
                                  int64_t copies);
const char *opensearch_totals_body(struct arena *arena, const struct opensearch_scope *scope);

/* The `size` best chunks by OpenSearch's own scores. */
const char *opensearch_best_body(struct arena *arena, const struct opensearch_scope *scope,
                                 const struct search_term *terms, size_t count, int64_t size);

/* A search for each term that counts its chunks, and one more that counts its passages, but for
 * four-grams. */
const char *opensearch_frequencies_body(struct arena *arena, const struct opensearch_scope *scope,
                                        const struct search_term *terms, size_t count);

/* Ids of what is stored of a document. */
const char *opensearch_ids_body(struct arena *arena, const char *tenant, int64_t document,
                                int64_t size);

/* Ids of what is stored of a tenant, but not of these documents. */
const char *opensearch_others_body(struct arena *arena, const char *tenant,
                                   const struct integer_list *documents, int64_t size);

/* {"NAME":{ and [: the caller writes members and closes what it opened. */
void opensearch_open_member(struct json_writer *writer, const char *name);

/* Opens a bool query with the filters that every search has; the caller adds members and closes
 * it. Without what is gone, or hidden, if so. `further` (or NULL) is a token that must be there, in
 * that field. */
void opensearch_open_query(struct json_writer *writer, const struct opensearch_scope *scope,
                           bool gone, bool hidden, const char *field,
                           const struct opensearch_token *further);
void opensearch_close_query(struct json_writer *writer);

/* opensearch_vector_bodies.c */

const char *opensearch_vector_index_body(struct arena *arena, const struct opensearch *server,
                                         uint32_t dimension, int64_t shards, int64_t copies);

/* Two searches: for the `size` chunks that are nearest to a packed vector, and for a sample. */
const char *opensearch_nearest_body(struct arena *arena, const struct opensearch_scope *scope,
                                    const uint8_t *vector, uint32_t dimension, int64_t size,
                                    int64_t chunks);

/* The rows of those chunks. */
const char *opensearch_rows_body(struct arena *arena, const struct opensearch_scope *scope,
                                 const int64_t *chunks, size_t count);

/* Lines that store them. */
const char *opensearch_put_body(struct arena *arena, const char *tenant, int64_t document,
                                uint32_t dimension, const struct opensearch_vectors *chunks,
                                size_t count);

/* opensearch_write.c: sends lines that write; one that failed is an error. */
MUST_CHECK enum error opensearch_send_lines(const struct opensearch *server, struct arena *arena,
                                            const char *lines, struct problem *problem);

/* opensearch_call.c */

struct opensearch_call {
    const char *method; /* NULL = POST with a body, else GET */
    const char *path;   /* behind the name of the index, with its query; "" = none */
    const char *body;   /* NULL = none */
    bool lines;         /* the body is a JSON document per line */
    bool may_refuse;    /* status 400 is ERROR_INVALID `search_vectors_refused` */
};

/* `*answer` is an object; an answer that says it is not complete is an error. */
MUST_CHECK enum error opensearch_ask(const struct opensearch *server, struct arena *arena,
                                     const struct opensearch_call *call, json_t **answer,
                                     struct problem *problem);

/* A search's answer, alone or among several: an error unless all shards have answered in time. */
MUST_CHECK enum error opensearch_is_whole(const json_t *answer, struct problem *problem);

/* "/PATH?routing=TENANT&MORE". */
const char *opensearch_path(struct arena *arena, const char *path, const char *tenant,
                            const char *more);

/* opensearch_search.c: the searches of one question. */

struct opensearch_known_term {
    const char *name;
    size_t length;
    struct search_frequency frequency;
};

/* A chunk whose vectors were read. */
struct opensearch_known_chunk {
    int64_t document;
    struct opensearch_vectors vectors;
};

struct opensearch_view {
    struct arena *arena;
    const struct opensearch *server;
    const struct opensearch_scope *scope;
    const struct opensearch_totals *totals;
    const struct opensearch_caller *caller;
    struct search_index *index;
    struct {
        size_t count;
        struct opensearch_known_term *items;
    } known;
    struct {
        size_t count;
        struct opensearch_known_chunk *items;
    } near;
    const char *vectors; /* as the scope at the beginning: NULL = none */
    uint64_t model;
    uint32_t dimension;
    double mean; /* of the last spread: how near a chunk is of which there is no vector yet */
    enum error error;
    struct problem problem;
};

/* Keeps the first error of a view. */
void opensearch_view_fail(struct opensearch_view *view, enum error error,
                          const struct problem *problem);

/* Before each call. */
void opensearch_view_waits(const struct opensearch_view *view);

/* Of the hits those that are current and may be read; the database has the last word. */
size_t opensearch_keep_current(struct opensearch_view *view, struct search_hit *hits, size_t count);

/* For qsort(): best first, equal scores by key. */
int opensearch_best_first(const void *left, const void *right);

/* opensearch_nearest.c: as the functions of search/search_backend.h. */
uint64_t opensearch_vector_model(void *engine, uint32_t *dimension);
size_t opensearch_nearest(void *engine, struct arena *arena, const uint8_t *vector,
                          struct search_hit *hits, size_t most, struct search_spread *spread);
void opensearch_nearness(void *engine, const uint8_t *vector, const int64_t *keys, size_t count,
                         struct search_nearness *nearness);

#endif
