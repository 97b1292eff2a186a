/* Computes vectors for documents indexed without them: requests them segment by segment, and
 * replaces the segment as merging does. */
#include "base/clock.h"
#include "support/documents/ingest.h"

#include <string.h>
#include <unistd.h>

enum { ROUND_MICROSECONDS = 5000000, BATCH_MEMORY = 1 << 28 };

/* A segment that gets its vectors. */
struct embedding {
    const struct document_call *call; /* its arena is reset with every batch */
    struct llm_endpoint endpoint;
    int64_t ends; /* of this call */
    size_t chunks;
    const char *failure;
};

struct llm_endpoint ingest_embed_endpoint(const struct support_settings *settings, double seconds)
{
    return llm_endpoint_local(settings->embedding_url, settings->embedding_model,
                              settings->embedding_api_key_env, settings->connect_seconds, seconds);
}

/* The embedded text of a chunk: its context, and its text. */
static enum error text_of(const struct document_call *call, const struct search_wanted *wanted,
                          const char **text)
{
    struct chunk_row row;
    struct chunk_list children = {0};
    bool found;
    enum error error = document_chunk(call, wanted->chunk, &row, &found);

    *text = "-";
    if (error || !found)
        return error;
    if (row.parent_child)
        children = chunk_children(call->arena, row.body, strlen(row.body));
    *text =
        arena_print(call->arena, "%s\n%s", row.header,
                    wanted->child < children.count ? children.items[wanted->child].body : row.body);
    return ERROR_NONE;
}

static const uint8_t *pack(struct arena *arena, const struct embed_answer *answer, size_t count)
{
    size_t bytes = search_vector_bytes(answer->dimension);
    uint8_t *rows = arena_alloc(arena, count * bytes);

    for (size_t i = 0; i < count; i++)
        search_vector_pack(answer->vectors + i * answer->dimension, answer->dimension,
                           rows + i * bytes);
    return rows;
}

static bool embed_chunks(void *context, const struct search_wanted *wanted, size_t count,
                         const uint8_t **rows, uint32_t *dimension)
{
    struct embedding *embedding = context;
    struct arena *arena = embedding->call->arena;
    struct embed_answer answer;
    const char **texts;

    if (clock_monotonic_microseconds() >= embedding->ends)
        return false;
    arena_reset(arena);
    texts = ARENA_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        if (text_of(embedding->call, &wanted[i], &texts[i])) {
            embedding->failure = "the chunks cannot be read";
            return false;
        }
    db_release(embedding->call->db);
    embed_texts(arena, &embedding->endpoint, texts, count, NULL, &answer);
    embedding->failure = answer.failure;
    embedding->chunks += answer.failure ? 0 : count;
    *dimension = answer.dimension;
    *rows = answer.failure ? NULL : pack(arena, &answer, count);
    return !answer.failure;
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
static enum error fill(const struct document_call *call, const struct support_settings *settings,
                       const struct segment_row *old, struct arena *batch)
{
    const char *folder = ingest_index_folder(call->arena, settings, call->tenant);
    const struct search_segment from = ingest_as_segment(call->arena, old);
    const struct document_call reading = {call->db, batch, call->tenant, call->problem};
    struct embedding embedding = {
        .call = &reading,
        .endpoint = ingest_embed_endpoint(settings, settings->embedding_timeout_sec),
        .ends = clock_monotonic_microseconds() + ROUND_MICROSECONDS};
    const struct search_embedder embedder = {search_vector_model(settings->embedding_model),
                                             (size_t)settings->embedding_batch, embed_chunks,
                                             &embedding};
    struct segment_row fresh = *old;
    bool whole;
    enum error error;

    fresh.name = ingest_segment_name(call->arena);
    error = search_fill_vectors(folder, &from, &embedder, fresh.name, &fresh.bytes, &whole,
                                call->problem);
    if (error == ERROR_NOT_FOUND)
        return ingest_rebuild(call, settings, old);
    if (error)
        return error;
    fresh.vectors = whole ? settings->embedding_model : NULL;
    if (embedding.chunks || whole)
        error = exchange(call, folder, old, &fresh);
    else
        unlink(arena_print(call->arena, "%s/%s", folder, fresh.name));
    if (!error && embedding.failure)
        error = problem_set(call->problem, ERROR_UNAVAILABLE, "embeddings_unavailable",
                            "no vectors from RAG_EMBEDDING_REMOTE_URL: %s", embedding.failure);
    return error;
}

enum error ingest_vectors(struct db *db, struct arena *arena,
                          const struct support_settings *settings, bool *worked,
                          struct problem *problem)
{
    struct document_call call = {.db = db, .arena = arena, .problem = problem};
    const char *segment;
    struct segment_rows rows;
    struct arena *batch;
    int64_t version;
    enum error error = ERROR_NONE;

    *worked = false;
    if (settings->embedding_backend != EMBEDDING_REMOTE)
        return ERROR_NONE;
    error = document_lacking_vectors(db, arena, settings->embedding_model, &call.tenant, &segment,
                                     problem);
    if (error || !call.tenant)
        return error;
    *worked = true;
    batch = arena_create(BATCH_MEMORY);
    error = batch ? document_segments(&call, &version, &rows)
                  : problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for vectors");
    for (size_t i = 0; !error && i < rows.count; i++)
        if (strcmp(rows.items[i].name, segment) == 0) {
            error = fill(&call, settings, &rows.items[i], batch);
            break;
        }
    if (batch)
        arena_destroy(batch);
    return error;
}
