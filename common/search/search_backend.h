/*
 * The place where another engine stands in for the embedded index: the functions of search/search.h
 * ask it instead of segments. Nothing changes for callers, and the embedded index pays
 * one comparison. An engine answers over a network: what it could not answer it keeps as its own
 * error, gives zeros, and the caller asks for that error before it uses an answer.
 */
#ifndef ASSAY_SEARCH_SEARCH_BACKEND_H
#define ASSAY_SEARCH_SEARCH_BACKEND_H

#include "search/search.h"

/* Each function gives what the one of that name in search/search.h gives. */
struct search_backend {
    struct search_totals (*totals)(void *engine);
    int (*count)(void *engine, int most);
    void (*expect)(void *engine, const struct search_term *terms, size_t count);
    struct search_frequency (*frequency)(void *engine, const char *name, size_t length);
    size_t (*best)(void *engine, struct arena *arena, const struct search_term *terms, size_t count,
                   struct search_hit *hits, size_t most);
    uint64_t (*vector_model)(void *engine, uint32_t *dimension);
    size_t (*nearest)(void *engine, struct arena *arena, const uint8_t *vector,
                      struct search_hit *hits, size_t most, struct search_spread *spread);
    void (*nearness)(void *engine, const uint8_t *vector, const int64_t *keys, size_t count,
                     struct search_nearness *nearness);
};

/* An index without segments that asks `engine`. It is the arena's. */
struct search_index *search_index_over(struct arena *arena, const struct search_backend *backend,
                                       void *engine);

#endif
