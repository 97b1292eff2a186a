/*
 * Search over entity rows, fields of the catalog and metrics. The transaction that changes a row
 * also updates its index entry, so the index is always complete. Words common to all rows of a type
 * (its description, the names of its fields) are not stored with each row.
 *
 * Score: sum over the query's words of count(1 + ln tf) idf, idf = ln((1+N)/(1+df)) + 1 over all
 * visible documents, times (0.65 + 0.35 share of distinct words found), times the boost of the
 * kind; divided by the largest.
 */
#ifndef ASSAY_LIVEDATA_SEARCH_SEARCH_H
#define ASSAY_LIVEDATA_SEARCH_SEARCH_H

#include "livedata/catalog/catalog.h"
#include "livedata/entities/rows.h"

/* Words of a text, in order: lower-case runs of letters and digits, singular forms, without stop
 * words. */
struct string_list search_tokens(struct arena *arena, const char *text);

/* Updates the row's document; part of the caller's transaction. */
MUST_CHECK enum error search_index_row(const struct storage_call *call,
                                       const struct entity_type *type,
                                       const struct entity_row *row);

/* Deletes the document of a deleted row. */
MUST_CHECK enum error search_forget_row(const struct storage_call *call,
                                        const struct entity_type *type, const char *id);

/* A document that is not stored: a field or a metric. */
struct search_document {
    const char *kind; /* "metric", "catalog_field" */
    const char *id;
    const char *entity_type; /* or NULL */
    const char *snippet;
    const char *endpoint;
    const char *text;
    double boost;
};

struct search_hit {
    const char *kind;
    const char *id;
    const char *entity_type;
    const char *snippet;
    const char *endpoint;
    double raw;
    double score; /* of the best */
};

struct search_request {
    const char *text;
    int64_t limit;
    struct string_list types; /* entity types whose rows and fields may be returned */
    const struct search_document *documents;
    size_t document_count;
};

struct search_answer {
    size_t count;
    struct search_hit *hits;
    int64_t documents; /* searchable documents */
};

MUST_CHECK enum error search_find(const struct storage_call *call, const struct catalog *catalog,
                                  const struct search_request *request,
                                  struct search_answer *answer);

/* The plural of a type's name: "categories", "orders". */
const char *search_plural(struct arena *arena, const char *word);

#endif
