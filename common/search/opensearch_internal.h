/* Private to common/search: the parts of the OpenSearch client. */
#ifndef ASSAY_SEARCH_OPENSEARCH_INTERNAL_H
#define ASSAY_SEARCH_OPENSEARCH_INTERNAL_H

#include "base/json.h"
#include "search/opensearch.h"

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

/* opensearch_call.c */

struct opensearch_call {
    const char *method; /* NULL = POST with a body, else GET */
    const char *path;   /* behind the name of the index, with its query; "" = none */
    const char *body;   /* NULL = none */
    bool lines;         /* the body is a JSON document per line */
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

#endif
