/* Vectors of chunks in the database. */
#include "support/documents/vector_store.h"
#include "base/list.h"
#include "base/log.h"
#include "db/query.h"
#include "search/vector.h"
#include "support/documents/search_engine_store.h"

#include <string.h>

enum { VECTORS_MOST = 400000 /* read at once, of one document */ };

static const struct statement put_vector = {
    .name = "kb_vector_put",
    .sql = "INSERT INTO kb_chunk_vectors (tenant_id, chunk_key, child, model, scale, vector)"
           " SELECT tenant_id, chunk_key, CAST(? AS BIGINT), CAST(? AS TEXT),"
           " CAST(? AS DOUBLE PRECISION), CAST(? AS {blob})"
           " FROM kb_chunks WHERE tenant_id = ? AND chunk_key = ?"
           " ON CONFLICT (tenant_id, chunk_key, child) DO UPDATE SET model = excluded.model,"
           " scale = excluded.scale, vector = excluded.vector",
};
static const struct statement read_vectors = {
    .name = "kb_vectors_read",
    .sql = "SELECT chunk_key, child, scale, vector FROM kb_chunk_vectors WHERE tenant_id = ?"
           " AND chunk_key BETWEEN ? AND ? AND model = ? ORDER BY chunk_key, child",
    .streams = true,
};
static const struct statement mark_complete = {
    .name = "kb_document_vectors",
    .sql = "UPDATE kb_documents SET vector_model = ? WHERE tenant_id = ? AND document_key = ?",
};
static const struct statement next_lacking = {
    .name = "kb_document_lacking_vectors",
    .sql = "SELECT tenant_id, document_key FROM kb_documents"
           " WHERE (vector_model < ? OR vector_model > ?) AND chunk_count > 0"
           " ORDER BY last_updated DESC, doc_id LIMIT 1",
};
static const struct statement one_length = {
    .name = "kb_vector_length",
    .sql = "SELECT length(vector) FROM kb_chunk_vectors WHERE tenant_id = ? AND model = ? LIMIT 1",
};
static const struct statement drop_vectors = {
    .name = "kb_vectors_drop",
    .sql = "DELETE FROM kb_chunk_vectors WHERE tenant_id = ? AND model = ?",
};
static const struct statement unmark_documents = {
    .name = "kb_documents_without_vectors",
    .sql = "UPDATE kb_documents SET vector_model = '' WHERE tenant_id = ? AND vector_model = ?",
};
static const struct statement unmark_segments = {
    .name = "kb_segments_without_vectors",
    .sql = "UPDATE kb_segments SET vectors = NULL WHERE tenant_id = ? AND vectors = ?",
};
static const struct statement next_segment = {
    .name = "kb_segment_to_fill",
    .sql =
        "SELECT s.tenant_id, s.name FROM kb_segments s WHERE (s.vectors IS NULL OR s.vectors <> ?)"
        " AND NOT EXISTS (SELECT 1 FROM kb_segment_documents d JOIN kb_documents k"
        " ON k.tenant_id = d.tenant_id AND k.document_key = d.document_key"
        " WHERE d.tenant_id = s.tenant_id AND d.segment = s.name AND d.dead = 0"
        " AND k.vector_model <> ?) ORDER BY s.created_at, s.name LIMIT 1",
};
static const struct statement count_progress = {
    .name = "kb_vectors_progress",
    .sql = "SELECT coalesce(sum(chunk_count), 0),"
           " coalesce(sum(CASE WHEN vector_model = ? THEN chunk_count ELSE 0 END), 0)"
           " FROM kb_documents WHERE ? = '' OR tenant_id = ?",
};

/* The database stores the scale as a number, and the values without the zeros after them. */
static double scale_of(const uint8_t *row)
{
    float scale;

    memcpy(&scale, row, sizeof scale);
    return (double)scale;
}

enum error vectors_write(const struct document_call *call, const char *model,
                         const struct chunk_vector *vectors, size_t count)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &put_vector);
    for (size_t i = 0; i < count; i++) {
        const struct chunk_vector *row = &vectors[i];

        query_bind_integer(query, row->child);
        query_bind_text(query, model);
        query_bind_number(query, scale_of(row->row));
        query_bind_blob(query, row->row + sizeof(float), row->dimension);
        query_bind_text(query, call->tenant);
        query_bind_integer(query, row->chunk);
        query_repeat(query, NULL);
    }
    return db_finish(call->db, query_end(query, call->problem), call->problem);
}

static void read_vector(struct query *query, struct arena *arena, struct chunk_vector *row)
{
    struct query_bytes bytes;
    float scale;
    uint8_t *packed;

    row->chunk = query_integer(query, 0);
    row->child = (uint32_t)query_integer(query, 1);
    scale = (float)query_number(query, 2);
    bytes = query_bytes(query, 3);
    row->dimension = (uint32_t)bytes.length;
    packed = ARENA_ARRAY(arena, uint8_t, search_vector_bytes(row->dimension));
    memcpy(packed, &scale, sizeof scale);
    if (bytes.length)
        memcpy(packed + sizeof scale, bytes.bytes, bytes.length);
    row->row = packed;
}

enum error vectors_read(const struct document_call *call, const char *model, int64_t first,
                        int64_t last, struct chunk_vectors *vectors)
{
    struct query *query = db_query(call->db, &read_vectors);

    *vectors = (struct chunk_vectors){.items = NULL};
    query_bind_text(query, call->tenant);
    query_bind_integer(query, first);
    query_bind_integer(query, last);
    query_bind_text(query, model);
    while (vectors->count < VECTORS_MOST && query_next(query))
        read_vector(query, call->arena, LIST_ADD(call->arena, vectors));
    return query_end(query, call->problem);
}

enum error vectors_complete(const struct document_call *call, const char *model,
                            int64_t document_key)
{
    struct query *query = db_query(call->db, &mark_complete);

    query_bind_text(query, model);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, document_key);
    return query_end(query, call->problem);
}

enum error vectors_next_document(struct db *db, struct arena *arena, const char *model,
                                 const char **tenant, int64_t *document_key,
                                 struct problem *problem)
{
    struct query *query = db_query(db, &next_lacking);
    bool found;

    query_bind_text(query, model);
    query_bind_text(query, model);
    found = query_next(query);
    *tenant = found ? query_text(query, 0, arena) : NULL;
    *document_key = found ? query_integer(query, 1) : 0;
    return query_end(query, problem);
}

enum error vectors_dimension(const struct document_call *call, const char *model,
                             uint32_t *dimension)
{
    struct query *query = db_query(call->db, &one_length);

    query_bind_text(query, call->tenant);
    query_bind_text(query, model);
    *dimension = query_next(query) ? (uint32_t)query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error run_for_model(const struct document_call *call, const struct statement *statement,
                                const char *model)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, model);
    return query_end(query, call->problem);
}

static enum error drop_all(const struct document_call *call, const char *model)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = run_for_model(call, &drop_vectors, model);
    if (!error)
        error = run_for_model(call, &unmark_documents, model);
    if (!error)
        error = run_for_model(call, &unmark_segments, model);
    return db_finish(call->db, error, call->problem);
}

enum error vectors_expect_dimension(const struct document_call *call, const char *model,
                                    uint32_t dimension)
{
    uint32_t before;
    enum error error = vectors_dimension(call, model, &before);

    if (error || !before || before == dimension)
        return error;
    log_event(LOG_WARNING, "vector_dimension_changed", model);
    error = search_vectors_forget(call->db, call->tenant, NULL, call->problem);
    return error ? error : drop_all(call, model);
}

enum error vectors_next_segment(struct db *db, struct arena *arena, const char *model,
                                const char **tenant, const char **segment, struct problem *problem)
{
    struct query *query = db_query(db, &next_segment);
    bool found;

    query_bind_text(query, model);
    query_bind_text(query, model);
    found = query_next(query);
    *tenant = found ? query_text(query, 0, arena) : NULL;
    *segment = found ? query_text(query, 1, arena) : NULL;
    return query_end(query, problem);
}

enum error vectors_progress(struct db *db, const char *tenant, const char *model,
                            struct vector_progress *progress, struct problem *problem)
{
    struct query *query = db_query(db, &count_progress);

    *progress = (struct vector_progress){0, 0};
    query_bind_text(query, model);
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    if (query_next(query)) {
        progress->chunks = query_integer(query, 0);
        progress->embedded = query_integer(query, 1);
    }
    return query_end(query, problem);
}
