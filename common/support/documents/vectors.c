/* Makes vectors of documents after they are indexed. The database gets them, document by document;
 * when all documents of a segment have theirs, a copy of the segment with vectors replaces it, as
 * merging does. */
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "embedding/embedder.h"
#include "search/vector.h"
#include "support/documents/ingest.h"
#include "support/documents/search_engine.h"
#include "support/documents/titles.h"
#include "support/documents/vector_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ROUND_MICROSECONDS = 5000000,
    BATCH_MEMORY = 1 << 28,
    PAGE = 32,           /* chunks of a document that are read at once */
    EMBEDDER_BATCH = 4,  /* passages between two writes: about a second */
    SEGMENT_BATCH = 1000 /* rows that are copied at once */
};

/* A round of embedding: one document, or one segment. */
struct round {
    const struct document_call *call; /* its arena is reset with every batch */
    const struct support_settings *settings;
    const char *model;
    int64_t ends;
    const char *failure; /* why there are no more vectors; NULL = none */
};

/* A text of a chunk, or of one of its children or titles, that has no vector yet. */
struct lacking {
    int64_t chunk;
    uint32_t child;
    const char *text;
};
struct lacking_list {
    struct lacking *items;
    size_t count;
};

struct llm_endpoint ingest_embed_endpoint(const struct support_settings *settings, double seconds)
{
    return llm_endpoint_local(settings->embedding_url, settings->embedding_model,
                              settings->embedding_api_key_env, settings->connect_seconds, seconds);
}

const char *ingest_vector_model(struct arena *arena, const struct support_settings *settings)
{
    char name[EMBEDDER_MODEL_MAX];

    if (settings->embedding_backend == EMBEDDING_REMOTE)
        return settings->embedding_model;
    if (settings->embedding_backend != EMBEDDING_LOCAL ||
        !embedder_model(getenv("ASSAY_RUN_DIR"), name))
        return NULL;
    return arena_print(arena, "%s", name);
}

static bool has_vector(const struct chunk_vectors *known, int64_t chunk, uint32_t child)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->items[i].chunk == chunk && known->items[i].child == child)
            return true;
    return false;
}

static void add_text(struct arena *arena, const struct chunk_vectors *known, int64_t chunk,
                     uint32_t child, const char *text, struct lacking_list *list)
{
    if (!has_vector(known, chunk, child))
        *LIST_ADD(arena, list) = (struct lacking){chunk, child, text};
}

/* What is embedded of a chunk: its context, and its text or a child's; then its titles. The index
 * has them in the same order. */
static void add_texts(struct arena *arena, const struct chunk_row *row,
                      const struct chunk_vectors *known, struct lacking_list *list)
{
    struct chunk_list children = {0};
    struct title_list titles;
    uint32_t count = 1;

    if (row->parent_child) {
        children = chunk_children(arena, row->body, strlen(row->body));
        count = (uint32_t)(children.count ? children.count : 1);
    }
    for (uint32_t child = 0; child < count; child++)
        add_text(arena, known, row->key, child,
                 arena_print(arena, "%s\n%s", row->header,
                             child < children.count ? children.items[child].body : row->body),
                 list);
    titles_of(arena, row->body, strlen(row->body), &titles);
    for (uint32_t i = 0; i < titles.count; i++)
        add_text(arena, known, row->key, count + i, titles.items[i], list);
}

static const uint8_t *none_of(struct arena *arena, uint32_t dimension)
{
    uint8_t *row = arena_alloc(arena, search_vector_bytes(dimension));

    search_vector_pack_none(dimension, row);
    return row;
}

static bool embed_here(const struct round *round, const char *const *texts, size_t count,
                       struct chunk_vector *vectors, const char **failure)
{
    struct embedder_vector *answers =
        ARENA_ARRAY(round->call->arena, struct embedder_vector, count);
    size_t done;

    *failure = embedder_passages(getenv("ASSAY_RUN_DIR"), texts, count, answers, &done);
    for (size_t i = 0; i < done; i++) {
        vectors[i].dimension = EMBEDDER_DIMENSION;
        vectors[i].row = answers[i].row;
        if (strcmp(answers[i].model, round->model) != 0) /* another one was installed */
            *failure = "model_changed";
    }
    return !*failure;
}

static bool embed_remotely(const struct round *round, const char *const *texts, size_t count,
                           struct chunk_vector *vectors, const char **failure)
{
    const struct llm_endpoint endpoint =
        ingest_embed_endpoint(round->settings, round->settings->embedding_timeout_sec);
    struct arena *arena = round->call->arena;
    struct embed_answer answer;

    embed_texts(arena, &endpoint, texts, count, NULL, &answer);
    *failure = answer.failure;
    for (size_t i = 0; i < count && !answer.failure; i++) {
        uint8_t *row = arena_alloc(arena, search_vector_bytes(answer.dimension));

        search_vector_pack(answer.vectors + i * answer.dimension, answer.dimension, row);
        vectors[i].dimension = answer.dimension;
        vectors[i].row = row;
    }
    return !answer.failure;
}

static bool embed(const struct round *round, const char *const *texts, size_t count,
                  struct chunk_vector *vectors, const char **failure)
{
    bool remote = round->settings->embedding_backend == EMBEDDING_REMOTE;

    return (remote ? embed_remotely : embed_here)(round, texts, count, vectors, failure);
}

static const char *const plain = "text"; /* that any model can embed */

/* After a failure: each text alone, while a plain word can be embedded. A text that fails twice
 * gets a vector that is near to nothing, so that it does not keep others from being found. */
static bool embed_singly(struct round *round, const char *const *texts, size_t count,
                         struct chunk_vector *vectors)
{
    struct chunk_vector probe = {0};
    const char *reason;

    for (size_t i = 0; i < count; i++) {
        if (embed(round, &texts[i], 1, &vectors[i], &reason))
            continue;
        if (!embed(round, &plain, 1, &probe, &round->failure))
            return false;
        if (embed(round, &texts[i], 1, &vectors[i], &reason))
            continue;
        log_event(LOG_WARNING, "text_not_embedded", reason);
        vectors[i].dimension = probe.dimension;
        vectors[i].row = none_of(round->call->arena, probe.dimension);
    }
    round->failure = NULL;
    return true;
}

/* False with round->failure. */
static bool embed_all(struct round *round, const char *const *texts, size_t count,
                      struct chunk_vector *vectors)
{
    struct chunk_vector probe = {0};
    const char *reason;

    if (embed(round, texts, count, vectors, &round->failure))
        return true;
    return embed(round, &plain, 1, &probe, &reason) && embed_singly(round, texts, count, vectors);
}

/* Embeds some texts and stores their vectors. */
static enum error embed_batch(struct round *round, const struct lacking *items, size_t count)
{
    struct arena *arena = round->call->arena;
    const char **texts = ARENA_ARRAY(arena, const char *, count);
    struct chunk_vector *vectors = ARENA_ARRAY(arena, struct chunk_vector, count);
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count; i++) {
        texts[i] = items[i].text;
        vectors[i].chunk = items[i].chunk;
        vectors[i].child = items[i].child;
    }
    db_release(round->call->db);
    if (!embed_all(round, texts, count, vectors))
        return ERROR_NONE;
    if (round->settings->embedding_backend == EMBEDDING_REMOTE)
        error = vectors_expect_dimension(round->call, round->model, vectors[0].dimension);
    return error ? error : vectors_write(round->call, round->model, vectors, count);
}

/* The chunks of a page that have no vector. */
static enum error list_lacking(const struct round *round, const struct object_list *rows,
                               struct lacking_list *list)
{
    const struct chunk_row *chunks = rows->items;
    struct chunk_vectors known;
    enum error error =
        vectors_read(round->call, round->model, chunks[0].key, chunks[rows->count - 1].key, &known);

    *list = (struct lacking_list){.items = NULL};
    for (size_t i = 0; i < rows->count && !error; i++)
        add_texts(round->call->arena, &chunks[i], &known, list);
    return error;
}

static bool is_over(const struct round *round)
{
    return round->failure || clock_monotonic_microseconds() >= round->ends;
}

static enum error embed_page(struct round *round, const struct object_list *rows)
{
    size_t batch = round->settings->embedding_backend == EMBEDDING_REMOTE
                       ? (size_t)round->settings->embedding_batch
                       : EMBEDDER_BATCH;
    struct lacking_list list;
    enum error error = list_lacking(round, rows, &list);

    for (size_t i = 0; !error && i < list.count && !round->failure; i += batch) {
        if (is_over(round))
            round->failure = "";
        else
            error =
                embed_batch(round, &list.items[i], list.count - i < batch ? list.count - i : batch);
    }
    return error;
}

/* As many chunks as the round has time for; the next round goes on behind them. */
static enum error embed_document(struct round *round, int64_t document)
{
    struct object_list rows;
    enum error error = ERROR_NONE;

    for (int64_t from = 0; !error && !round->failure; from += PAGE) {
        arena_reset(round->call->arena);
        error = document_chunks(round->call, document, from, from + PAGE - 1, &rows);
        if (!error && !rows.count)
            return vectors_complete(round->call, round->model, document);
        if (!error)
            error = embed_page(round, &rows);
    }
    if (!error && round->failure && *round->failure)
        error = problem_set(round->call->problem, ERROR_UNAVAILABLE, "embeddings_unavailable",
                            "no vectors of documents: %s", round->failure);
    return error;
}

/* How many of `wanted` follow each other in keys. */
static size_t run_of(const struct search_wanted *wanted, size_t count)
{
    size_t length = 1;

    while (length < count && wanted[length].chunk >= wanted[length - 1].chunk &&
           wanted[length].chunk - wanted[length - 1].chunk <= 1)
        length++;
    return length;
}

static const struct chunk_vector *find(const struct chunk_vectors *vectors, size_t *at,
                                       const struct search_wanted *wanted)
{
    while (*at < vectors->count && (vectors->items[*at].chunk < wanted->chunk ||
                                    (vectors->items[*at].chunk == wanted->chunk &&
                                     vectors->items[*at].child < wanted->child)))
        ++*at;
    return *at < vectors->count && vectors->items[*at].chunk == wanted->chunk &&
                   vectors->items[*at].child == wanted->child
               ? &vectors->items[*at]
               : NULL;
}

/* Copies the rows of a run to `rows`, in their order. False when one is missing or has another
 * dimension than `*dimension`, which the first one sets. */
static bool copy_run(struct round *round, const struct search_wanted *wanted, size_t count,
                     struct text *rows, uint32_t *dimension)
{
    struct chunk_vectors vectors;
    size_t at = 0;

    if (vectors_read(round->call, round->model, wanted[0].chunk, wanted[count - 1].chunk,
                     &vectors)) {
        round->failure = "the database cannot be read";
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct chunk_vector *found = find(&vectors, &at, &wanted[i]);

        if (found && !*dimension)
            *dimension = found->dimension;
        if (found && found->dimension != *dimension)
            round->failure = "vectors of several dimensions";
        if (!found || round->failure) /* a document may have been replaced meanwhile */
            return false;
        text_append(rows, (const char *)found->row, search_vector_bytes(found->dimension));
    }
    return true;
}

static bool rows_of_chunks(void *context, const struct search_wanted *wanted, size_t count,
                           const uint8_t **rows, uint32_t *dimension)
{
    struct round *round = context;
    struct text bytes;
    size_t done = 0;

    arena_reset(round->call->arena);
    text_start(&bytes, round->call->arena, BATCH_MEMORY / 4);
    *dimension = 0;
    while (done < count) {
        size_t length = run_of(wanted + done, count - done);

        if (!copy_run(round, wanted + done, length, &bytes, dimension))
            return false;
        done += length;
    }
    *rows = (const uint8_t *)bytes.bytes;
    return true;
}

static enum error exchange(const struct document_call *call, const char *folder,
                           const struct segment_row *old, const struct segment_row *fresh)
{
    enum error error = document_swap_segments(call, &old->name, 1, fresh, true);

    unlink(arena_print(call->arena, "%s/%s", folder, error ? fresh->name : old->name));
    return error == ERROR_CONFLICT ? ERROR_NONE : error;
}

/* The copy contains all documents of the old segment, tombstoned ones included, at their
 * indexes. */
static enum error fill_segment(struct round *round, const struct document_call *call,
                               const struct segment_row *old)
{
    const char *folder = ingest_index_folder(call->arena, round->settings, call->tenant);
    const struct search_segment from = ingest_as_segment(call->arena, old);
    struct search_embedder embedder = {search_vector_model(round->model), 0, SEGMENT_BATCH,
                                       rows_of_chunks, round};
    struct segment_row fresh = *old;
    bool whole;
    enum error error = vectors_dimension(call, round->model, &embedder.dimension);

    if (error)
        return error;
    fresh.name = ingest_segment_name(call->arena);
    error = search_fill_vectors(folder, &from, &embedder, fresh.name, &fresh.bytes, &whole,
                                call->problem);
    if (error == ERROR_NOT_FOUND)
        return ingest_rebuild(call, round->settings, old);
    if (error)
        return error;
    fresh.vectors = round->model;
    if (whole) {
        error = ingest_share_segment(call, round->settings, fresh.name);
        return error ? error : exchange(call, folder, old, &fresh);
    }
    unlink(arena_print(call->arena, "%s/%s", folder, fresh.name));
    for (size_t i = 0; i < old->count && !error; i++) /* look for what is missing */
        error = old->dead[i] ? ERROR_NONE : vectors_complete(call, "", old->document[i]);
    if (!error && round->failure)
        error = problem_set(call->problem, ERROR_UNAVAILABLE, "embeddings_unavailable",
                            "no vectors of a segment: %s", round->failure);
    return error;
}

static enum error fill_next_segment(struct round *round, const struct document_call *call,
                                    const char *segment)
{
    struct segment_rows rows;
    int64_t version;
    enum error error = document_segments(call, &version, &rows);

    for (size_t i = 0; !error && i < rows.count; i++)
        if (strcmp(rows.items[i].name, segment) == 0)
            return fill_segment(round, call, &rows.items[i]);
    return error;
}

/* A search engine gets vectors from the database, and has no segments. */
static enum error next_segment(struct round *round, struct document_call *call,
                               const char **segment)
{
    call->tenant = NULL;
    return search_engine_is_used(round->settings)
               ? ERROR_NONE
               : vectors_next_segment(call->db, call->arena, round->model, &call->tenant, segment,
                                      call->problem);
}

/* A segment that can be filled comes before the next document: its vectors are searched at once. */
static enum error work(struct round *round, struct document_call *call,
                       struct document_call *reading, bool *worked)
{
    const char *segment;
    int64_t document;
    enum error error = next_segment(round, call, &segment);

    if (!error && call->tenant) {
        *worked = true;
        reading->tenant = call->tenant;
        return fill_next_segment(round, call, segment);
    }
    if (!error)
        error = vectors_next_document(call->db, call->arena, round->model, &call->tenant, &document,
                                      call->problem);
    if (error || !call->tenant)
        return error;
    *worked = true;
    reading->tenant = call->tenant;
    return embed_document(round, document);
}

enum error ingest_vectors(struct db *db, struct arena *arena,
                          const struct support_settings *settings, bool *worked,
                          struct problem *problem)
{
    struct document_call call = {.db = db, .arena = arena, .problem = problem};
    struct document_call reading = {.db = db, .problem = problem};
    struct round round = {.call = &reading,
                          .settings = settings,
                          .ends = clock_monotonic_microseconds() + ROUND_MICROSECONDS};
    bool keeps;
    enum error error;

    *worked = false;
    round.model = ingest_vector_model(arena, settings);
    error = search_engine_keeps_vectors(db, settings, &keeps, problem);
    if (error || !round.model || !keeps)
        return error;
    reading.arena = arena_create(BATCH_MEMORY);
    if (!reading.arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for vectors");
    error = work(&round, &call, &reading, worked);
    arena_destroy(reading.arena);
    return error;
}
