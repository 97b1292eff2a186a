/* Brings the vectors in the search engine up to those in the database. */
#include "base/clock.h"
#include "base/log.h"
#include "support/documents/ingest.h"
#include "support/documents/search_engine_internal.h"
#include "support/documents/vector_store.h"

#include <stdio.h>
#include <string.h>

enum {
    PAGE = 32,              /* chunks whose vectors one call writes */
    REFUSED_SECONDS = 3600, /* until it is asked again whether it keeps vectors */
    DELETIONS_MAX = 100000  /* calls for one tenant: far more than it can need */
};

struct document_call search_round_call(const struct search_round *round, struct arena *arena,
                                       const char *tenant)
{
    return (struct document_call){round->db, arena, tenant, round->problem, NULL};
}

bool search_round_is_over(const struct search_round *round)
{
    return clock_monotonic_microseconds() >= round->until;
}

enum error search_engine_keeps_vectors(struct db *db, const struct support_settings *settings,
                                       bool *keeps, struct problem *problem)
{
    bool refused = false;
    enum error error = search_engine_is_used(settings)
                           ? search_vectors_refused(db, REFUSED_SECONDS, &refused, problem)
                           : ERROR_NONE;

    *keeps = !refused;
    return error;
}

enum error search_engine_vectors_used(struct db *db, struct arena *arena, bool *used, int64_t *lag,
                                      struct problem *problem)
{
    const char *name;
    enum error error = search_vectors_name(db, arena, &name, problem);

    *used = name != NULL;
    return error ? error : search_documents_lag(db, lag, problem);
}

/* The texts of a chunk come before its titles. */
static uint32_t count_texts(struct arena *arena, const struct chunk_row *row)
{
    size_t children =
        row->parent_child ? chunk_children(arena, row->body, strlen(row->body)).count : 0;

    return (uint32_t)(children ? children : 1);
}

/* False when a text of the chunk has no vector, or one of another dimension. `*at` goes on. */
static bool gather(struct arena *arena, const struct chunk_row *row,
                   const struct chunk_vectors *stored, size_t *at, uint32_t dimension,
                   struct opensearch_vectors *chunk)
{
    size_t bytes = search_vector_bytes(dimension), first;
    uint8_t *rows;

    while (*at < stored->count && stored->items[*at].chunk < row->key)
        ++*at;
    first = *at;
    while (*at < stored->count && stored->items[*at].chunk == row->key)
        ++*at;
    *chunk = (struct opensearch_vectors){row->key, count_texts(arena, row), (uint32_t)(*at - first),
                                         NULL};
    rows = ARENA_ARRAY(arena, uint8_t, bytes * (chunk->count + 1));
    for (size_t i = 0; i < chunk->count; i++) {
        const struct chunk_vector *vector = &stored->items[first + i];

        if (vector->dimension != dimension || (i < chunk->texts && vector->child != i))
            return false;
        memcpy(rows + i * bytes, vector->row, bytes);
    }
    chunk->rows = rows;
    return chunk->count >= chunk->texts;
}

/* Where the vectors of a document go. */
struct target {
    const char *model;
    const char *name; /* of the index */
    uint32_t dimension;
};

static enum error write_page(const struct search_round *round, const struct document_call *call,
                             const struct target *target, const struct object_list *page,
                             int64_t document, bool *whole)
{
    const struct opensearch server = opensearch_vectors_of(&round->server, target->name);
    const struct chunk_row *rows = page->items;
    struct opensearch_vectors *chunks =
        ARENA_ARRAY(call->arena, struct opensearch_vectors, page->count);
    struct chunk_vectors stored;
    size_t at = 0;
    enum error error =
        vectors_read(call, target->model, rows[0].key, rows[page->count - 1].key, &stored);

    for (size_t i = 0; !error && *whole && i < page->count; i++)
        *whole = gather(call->arena, &rows[i], &stored, &at, target->dimension, &chunks[i]);
    return error || !*whole ? error
                            : opensearch_vectors_put(&server, call->arena, call->tenant, document,
                                                     chunks, page->count, call->problem);
}

/* `*whole` is false when a vector is missing, which `ingest` then makes again. */
static enum error write_document(const struct search_round *round, struct arena *scratch,
                                 const struct target *target,
                                 const struct search_document *document, bool *whole)
{
    const struct document_call call = search_round_call(round, scratch, document->tenant);
    struct object_list page = {.count = PAGE};
    enum error error = ERROR_NONE;

    *whole = true;
    for (int64_t from = 0; !error && *whole && page.count == PAGE; from += PAGE) {
        arena_reset(scratch);
        error = document_chunks(&call, document->key, from, from + PAGE - 1, &page);
        if (!error && page.count)
            error = write_page(round, &call, target, &page, document->key, whole);
    }
    return error || *whole ? error : vectors_complete(&call, "", document->key);
}

/* An index that is new, or was lost, has nothing. `*keeps` is false when the engine refuses. */
static enum error make_index(const struct search_round *round, const char *name, bool *keeps)
{
    const struct opensearch server = opensearch_vectors_of(&round->server, name);
    enum error error = opensearch_check(&server, round->arena, round->problem);

    *keeps = true;
    if (error != ERROR_NOT_FOUND)
        return error;
    error = search_vectors_forget(round->db, NULL, NULL, round->problem);
    if (!error)
        error = opensearch_vectors_create(&server, round->arena, round->settings->search_shards,
                                          round->settings->search_copies, round->problem);
    *keeps = error != ERROR_INVALID;
    if (!*keeps)
        log_event(LOG_WARNING, "search_engine_without_vectors", round->problem->text);
    else if (!error)
        log_event(LOG_INFO, "search_engine_vectors_made", name);
    return error && *keeps ? error : search_vectors_note(round->db, !*keeps, round->problem);
}

/* The index for vectors of the tenant; it exists afterwards. */
static enum error choose_target(const struct search_round *round, struct search_engine_feed *feed,
                                const char *tenant, struct target *target, bool *keeps)
{
    const struct document_call call = search_round_call(round, round->arena, tenant);
    enum error error = vectors_dimension(&call, target->model, &target->dimension);

    *keeps = true;
    if (error || !target->dimension)
        return error;
    target->name = opensearch_vectors_name(round->arena, &round->server,
                                           search_vector_model(target->model), target->dimension);
    if (strcmp(target->name, feed->vectors) == 0)
        return ERROR_NONE;
    error = make_index(round, target->name, keeps);
    if (!error && *keeps)
        snprintf(feed->vectors, sizeof feed->vectors, "%s", target->name);
    return error;
}

static enum error mark_written(const struct search_round *round, const struct target *target,
                               const struct search_document *documents, size_t count)
{
    const struct opensearch server = opensearch_vectors_of(&round->server, target->name);
    enum error error =
        count ? opensearch_refresh(&server, round->arena, round->problem) : ERROR_NONE;

    for (size_t i = 0; i < count && !error; i++) {
        const struct document_call call =
            search_round_call(round, round->arena, documents[i].tenant);

        error = search_vectors_end(&call, documents[i].key, target->name);
        if (!error && i + 1 == count)
            error = search_documents_changed(&call);
    }
    return error;
}

/* Documents of one tenant, which have one dimension. */
static enum error write_batch(struct search_round *round, struct search_engine_feed *feed,
                              struct target *target, struct search_document *last, bool *more)
{
    struct search_document *batch =
        ARENA_ARRAY(round->arena, struct search_document, SEARCH_BATCH_DOCUMENTS);
    struct arena *scratch =
        arena_create_below(round->arena, (size_t)round->settings->index_memory_bytes);
    bool found = true, keeps = true, whole;
    size_t count = 0;
    enum error error = ERROR_NONE;

    while (!error && found && keeps && count < SEARCH_BATCH_DOCUMENTS &&
           !(count && search_round_is_over(round))) {
        struct search_document *next = &batch[count];

        error = search_vectors_next(round->db, round->arena, target->model, last, next, &found,
                                    round->problem);
        if (error || !found || (count && strcmp(next->tenant, batch[0].tenant) != 0))
            break;
        if (!count)
            error = choose_target(round, feed, next->tenant, target, &keeps);
        *last = *next;
        if (error || !keeps || !target->dimension)
            break;
        error = write_document(round, scratch, target, next, &whole);
        count += !error && whole;
    }
    arena_destroy(scratch);
    *more = found && keeps;
    return error ? error : mark_written(round, target, batch, count);
}

/* The index that was used before `ingest` was started is looked for once, and then with every
 * round: one that was lost is made again. */
static enum error find_index(const struct search_round *round, struct search_engine_feed *feed)
{
    struct opensearch server;
    const char *name;
    enum error error;

    if (!*feed->vectors) {
        error = search_vectors_name(round->db, round->arena, &name, round->problem);
        if (error || !name)
            return error;
        snprintf(feed->vectors, sizeof feed->vectors, "%s", name);
    }
    server = opensearch_vectors_of(&round->server, feed->vectors);
    error = opensearch_check(&server, round->arena, round->problem);
    if (error != ERROR_NOT_FOUND)
        return error;
    *feed->vectors = 0;
    return search_vectors_forget(round->db, NULL, NULL, round->problem);
}

/* Another model was installed: what is there of the former one is of no use. */
static enum error expect_model(const struct search_round *round, struct search_engine_feed *feed,
                               const char *model)
{
    uint64_t number = search_vector_model(model);
    enum error error = ERROR_NONE;

    if (feed->model != number)
        error = search_vectors_forget(
            round->db, NULL, opensearch_vectors_prefix(round->arena, &round->server, number),
            round->problem);
    if (!error)
        feed->model = number;
    return error;
}

enum error search_round_write_vectors(struct search_round *round, struct search_engine_feed *feed)
{
    struct target target = {.model = ingest_vector_model(round->arena, round->settings)};
    struct search_document last = {"", 0};
    bool more, any = false;
    enum error error =
        search_engine_keeps_vectors(round->db, round->settings, &more, round->problem);

    if (!error)
        error = find_index(round, feed);
    if (error || !more || !target.model)
        return error;
    error = expect_model(round, feed, target.model);
    while (!error && more && !search_round_is_over(round)) {
        error = write_batch(round, feed, &target, &last, &more);
        any |= more && *last.tenant;
    }
    round->worked |= any;
    return error;
}

/* An index that is not there has nothing to delete. */
static enum error unless_lost(enum error error)
{
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

enum error search_round_remove_vectors(const struct search_round *round,
                                       const struct search_engine_feed *feed,
                                       const struct search_document *gone)
{
    const struct opensearch server = opensearch_vectors_of(&round->server, feed->vectors);

    return *feed->vectors ? unless_lost(opensearch_remove(&server, round->arena, gone->tenant,
                                                          gone->key, round->problem))
                          : ERROR_NONE;
}

enum error search_round_remove_unknown_vectors(const struct search_round *round,
                                               const struct search_engine_feed *feed,
                                               const char *tenant)
{
    const struct opensearch server = opensearch_vectors_of(&round->server, feed->vectors);
    struct arena *scratch =
        arena_create_below(round->arena, (size_t)round->settings->index_memory_bytes);
    const struct document_call call = search_round_call(round, scratch, tenant);
    enum error error = ERROR_NONE;
    bool none = !*feed->vectors;

    for (int i = 0; i < DELETIONS_MAX && !error && !none; i++) {
        struct integer_list known;

        error = search_documents_known(&call, &known);
        if (!error)
            error =
                opensearch_remove_others(&server, scratch, tenant, &known, &none, round->problem);
        arena_reset(scratch);
    }
    arena_destroy(scratch);
    return unless_lost(error);
}

enum error search_round_compare_vectors(struct search_round *round,
                                        const struct search_engine_feed *feed, const char *tenant)
{
    const struct document_call call = search_round_call(round, round->arena, tenant);
    struct opensearch_scope scope = {.tenant = tenant};
    struct search_documents documents;
    struct opensearch server;
    int64_t chunks = 0;
    enum error error = search_documents_read(&call, &documents, &scope.hidden);

    if (error || documents.missing || !documents.vectors)
        return error;
    scope.newest = documents.newest;
    scope.gone = documents.gone;
    server = opensearch_vectors_of(&round->server, documents.vectors);
    error = opensearch_vectors_count(&server, round->arena, &scope, &chunks, round->problem);
    if (error || chunks == documents.chunks)
        return unless_lost(error); /* the next round notices what was lost */
    round->worked = true;
    log_event(LOG_WARNING, "search_engine_vectors_incomplete", tenant);
    error = search_vectors_forget(round->db, tenant, NULL, round->problem);
    return error ? error : search_round_remove_unknown_vectors(round, feed, tenant);
}
