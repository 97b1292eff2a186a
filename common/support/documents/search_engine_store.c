/* The versions of documents in the search engine, in the database. */
#include "support/documents/search_engine_store.h"
#include "base/list.h"
#include "db/query.h"
#include "db/store.h"

#include <string.h>

enum { KEYS_TEXT_MAX = 1 << 20 };

#define IS_CURRENT                                                                                 \
    "EXISTS (SELECT 1 FROM kb_documents d WHERE d.tenant_id = s.tenant_id"                         \
    " AND d.document_key = s.document_key)"
#define NOT_INDEXED                                                                                \
    "d.chunk_count > 0 AND NOT EXISTS (SELECT 1 FROM kb_search_documents s"                        \
    " WHERE s.tenant_id = d.tenant_id AND s.document_key = d.document_key AND s.indexed = 1)"

static const struct statement begin_document = {
    .name = "search_document_begin",
    .sql = "INSERT INTO kb_search_documents (tenant_id, document_key, indexed, changed_at)"
           " VALUES (?, ?, 0, {now_microseconds}) ON CONFLICT (tenant_id, document_key) DO UPDATE"
           " SET indexed = 0, vectors = '', changed_at = excluded.changed_at, gone_at = NULL",
};
static const struct statement end_document = {
    .name = "search_document_end",
    .sql = "UPDATE kb_search_documents SET indexed = 1, changed_at = {now_microseconds},"
           " gone_at = NULL WHERE tenant_id = ? AND document_key = ?",
};
static const struct statement read_state = {
    .name = "search_documents_state",
    .sql = "SELECT k.version, k.next_key, (SELECT coalesce(sum(d.chunk_count), 0)"
           " FROM kb_documents d WHERE d.tenant_id = k.tenant_id), (SELECT count(*)"
           " FROM kb_documents d WHERE d.tenant_id = k.tenant_id AND " NOT_INDEXED ")"
           " FROM kb_state k WHERE k.tenant_id = ?",
};
static const struct statement read_vectors = {
    .name = "search_documents_vectors",
    .sql = "SELECT coalesce(min(s.vectors), ''), coalesce(max(s.vectors), '') FROM kb_documents d "
           "JOIN kb_search_documents s"
           " ON s.tenant_id = d.tenant_id AND s.document_key = d.document_key"
           " WHERE d.tenant_id = ? AND d.chunk_count > 0",
};
static const struct statement list_gone = {
    .name = "search_documents_gone",
    .sql = "SELECT s.document_key FROM kb_search_documents s WHERE s.tenant_id = ?"
           " AND (s.indexed = 0 OR NOT " IS_CURRENT ") ORDER BY s.document_key",
};
static const struct statement list_known = {
    .name = "search_documents_known",
    .sql = "SELECT document_key FROM kb_search_documents WHERE tenant_id = ?"
           " ORDER BY document_key",
};
static const struct statement list_current = {
    .name = "search_documents_current",
    .sql = "SELECT document_key, doc_id FROM kb_documents WHERE tenant_id = ? AND document_key IN"
           " (SELECT CAST(value AS BIGINT) FROM {json_text_rows:?})",
};
static const struct statement count_lag = {
    .name = "search_documents_lag",
    .sql = "SELECT count(*) FROM kb_documents d WHERE " NOT_INDEXED,
};
static const struct statement next_document = {
    .name = "search_documents_next",
    .sql = "SELECT d.tenant_id, d.document_key FROM kb_documents d WHERE"
           " (d.tenant_id > ? OR (d.tenant_id = ? AND d.document_key > ?)) AND " NOT_INDEXED
           " ORDER BY d.tenant_id, d.document_key LIMIT 1",
};
static const struct statement note_gone = {
    .name = "search_documents_note_gone",
    .sql = "UPDATE kb_search_documents AS s SET gone_at = {now_microseconds}"
           " WHERE s.gone_at IS NULL AND NOT " IS_CURRENT
           " AND (s.indexed = 1 OR s.changed_at < {now_microseconds} - CAST(? AS BIGINT))",
};
/* Noted between its last chunk and the moment at which it became its document's. */
static const struct statement note_current = {
    .name = "search_documents_note_current",
    .sql = "UPDATE kb_search_documents AS s SET gone_at = NULL"
           " WHERE s.gone_at IS NOT NULL AND " IS_CURRENT,
};
static const struct statement embedded_answers = {
    .name = "search_documents_embedded_answers",
    .sql = "SELECT count(*) FROM kb_state k WHERE k.tenant_id = ? AND NOT EXISTS (SELECT 1"
           " FROM kb_segments g WHERE g.tenant_id = k.tenant_id AND g.bytes = 0) AND EXISTS"
           " (SELECT 1 FROM kb_documents d WHERE d.tenant_id = k.tenant_id AND " NOT_INDEXED ")",
};
static const struct statement next_gone = {
    .name = "search_documents_next_gone",
    .sql = "SELECT s.tenant_id, s.document_key FROM kb_search_documents s WHERE"
           " s.gone_at < {now_microseconds} - CAST(? AS BIGINT) AND NOT " IS_CURRENT
           " ORDER BY s.gone_at LIMIT 1",
};
static const struct statement postpone_gone = {
    .name = "search_documents_postpone",
    .sql = "UPDATE kb_search_documents SET gone_at = {now_microseconds} WHERE tenant_id = ?"
           " AND document_key = ? AND gone_at IS NOT NULL",
};
static const struct statement drop_document = {
    .name = "search_documents_drop",
    .sql = "DELETE FROM kb_search_documents WHERE tenant_id = ? AND document_key = ?",
};
/* A segment that was never written holds the one document that it would be built of. */
static const struct statement drop_segment = {
    .name = "search_documents_drop_segment",
    .sql = "DELETE FROM kb_segments WHERE tenant_id = ? AND bytes = 0 AND name IN (SELECT segment"
           " FROM kb_segment_documents WHERE tenant_id = ? AND document_key = ?)",
};
static const struct statement drop_place = {
    .name = "search_documents_drop_place",
    .sql = "DELETE FROM kb_segment_documents WHERE tenant_id = ? AND document_key = ? AND NOT"
           " EXISTS (SELECT 1 FROM kb_segments g WHERE g.tenant_id = kb_segment_documents.tenant_id"
           " AND g.name = kb_segment_documents.segment)",
};
static const struct statement forget = {
    .name = "search_documents_forget",
    .sql = "DELETE FROM kb_search_documents WHERE ? = '' OR tenant_id = ?",
};
#define LACKS_VECTORS                                                                              \
    " FROM kb_documents d JOIN kb_search_documents s ON s.tenant_id = d.tenant_id"                 \
    " AND s.document_key = d.document_key WHERE d.vector_model = ? AND d.chunk_count > 0"          \
    " AND s.indexed = 1 AND s.vectors = ''"
static const struct statement next_vectors = {
    .name = "search_vectors_next",
    .sql = "SELECT d.tenant_id, d.document_key" LACKS_VECTORS
           " AND (d.tenant_id > ? OR (d.tenant_id = ? AND d.document_key > ?))"
           " ORDER BY d.tenant_id, d.document_key LIMIT 1",
};
static const struct statement read_name = {
    .name = "search_vectors_name",
    .sql = "SELECT vectors FROM kb_search_documents WHERE vectors <> '' LIMIT 1",
};
static const struct statement count_vectors = {
    .name = "search_vectors_lag",
    .sql = "SELECT count(*)" LACKS_VECTORS,
};
static const struct statement end_vectors = {
    .name = "search_vectors_end",
    .sql = "UPDATE kb_search_documents SET vectors = ? WHERE tenant_id = ? AND document_key = ?"
           " AND indexed = 1",
};
static const struct statement forget_vectors = {
    .name = "search_vectors_forget",
    .sql = "UPDATE kb_search_documents SET vectors = '' WHERE vectors <> ''"
           " AND (? = '' OR tenant_id = ?)"
           " AND (? = '' OR substr(vectors, 1, length(?)) <> ?)",
};
static const struct statement read_refusal = {
    .name = "search_vectors_refused",
    .sql = "SELECT count(*) FROM kb_search_refusals WHERE name = 'vectors'"
           " AND refused_at > {now_microseconds} - CAST(? AS BIGINT)",
};
static const struct statement put_refusal = {
    .name = "search_vectors_refuse",
    .sql =
        "INSERT INTO kb_search_refusals (name, refused_at) VALUES ('vectors', {now_microseconds})"
        " ON CONFLICT (name) DO UPDATE SET refused_at = excluded.refused_at",
};
static const struct statement drop_refusal = {
    .name = "search_vectors_take",
    .sql = "DELETE FROM kb_search_refusals WHERE name = 'vectors'",
};
static const struct statement raise_versions = {
    .name = "search_documents_raise",
    .sql = "UPDATE kb_state SET version = version + 1 WHERE ? = '' OR tenant_id = ?",
};

static enum error run_key(const struct document_call *call, const struct statement *statement,
                          int64_t key)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, key);
    return query_end(query, call->problem);
}

enum error search_documents_begin(const struct document_call *call, int64_t key)
{
    return run_key(call, &begin_document, key);
}

enum error search_documents_end(const struct document_call *call, int64_t key)
{
    return run_key(call, &end_document, key);
}

static enum error read_counts(const struct document_call *call, struct search_documents *documents)
{
    struct query *query = db_query(call->db, &read_state);

    query_bind_text(query, call->tenant);
    if (query_next(query)) {
        documents->version = query_integer(query, 0);
        documents->newest = query_integer(query, 1);
        documents->chunks = query_integer(query, 2);
        documents->missing = query_integer(query, 3);
    }
    return query_end(query, call->problem);
}

static enum error read_vectors_of(const struct document_call *call, const char **name)
{
    struct query *query = db_query(call->db, &read_vectors);

    query_bind_text(query, call->tenant);
    if (query_next(query)) {
        const char *first = query_text(query, 0, call->arena);
        const char *last = query_text(query, 1, call->arena);

        *name = *first && strcmp(first, last) == 0 ? first : NULL;
    }
    return query_end(query, call->problem);
}

static enum error read_keys(const struct document_call *call, const struct statement *statement,
                            struct integer_list *keys)
{
    struct query *query = db_query(call->db, statement);

    *keys = (struct integer_list){0};
    query_bind_text(query, call->tenant);
    while (query_next(query))
        *ARRAY_ADD(call->arena, keys->items, keys->count) = query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error search_documents_known(const struct document_call *call, struct integer_list *keys)
{
    return read_keys(call, &list_known, keys);
}

enum error search_documents_read(const struct document_call *call,
                                 struct search_documents *documents, struct integer_list *hidden)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    *documents = (struct search_documents){.version = 0};
    *hidden = (struct integer_list){0};
    if (error)
        return error;
    error = read_counts(call, documents);
    if (!error)
        error = read_vectors_of(call, &documents->vectors);
    if (!error)
        error = read_keys(call, &list_gone, &documents->gone);
    if (!error)
        error = document_hidden_keys(call, hidden);
    return db_finish(call->db, error, call->problem);
}

static const char *list_of(struct arena *arena, const int64_t *keys, size_t count)
{
    struct text text;

    text_start(&text, arena, KEYS_TEXT_MAX);
    text_append_byte(&text, '[');
    for (size_t i = 0; i < count; i++)
        text_append_format(&text, "%s%lld", i ? "," : "", (long long)keys[i]);
    text_append_byte(&text, ']');
    return text.bytes;
}

enum error search_documents_current(const struct document_call *call, const int64_t *keys,
                                    size_t count, bool *current)
{
    struct query *query = db_query(call->db, &list_current);

    for (size_t i = 0; i < count; i++)
        current[i] = false;
    query_bind_text(query, call->tenant);
    query_bind_json(query, list_of(call->arena, keys, count));
    while (query_next(query)) {
        int64_t key = query_integer(query, 0);
        bool may_read = !document_is_hidden(call->reader, query_text(query, 1, call->arena));

        for (size_t i = 0; i < count; i++)
            current[i] |= may_read && keys[i] == key;
    }
    return query_end(query, call->problem);
}

enum error search_documents_lag(struct db *db, int64_t *documents, struct problem *problem)
{
    struct query *query = db_query(db, &count_lag);

    *documents = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

static enum error read_one(struct query *query, struct arena *arena, struct search_document *next,
                           bool *found, struct problem *problem)
{
    *found = query_next(query);
    if (*found)
        *next = (struct search_document){query_text(query, 0, arena), query_integer(query, 1)};
    return query_end(query, problem);
}

enum error search_documents_next(struct db *db, struct arena *arena,
                                 const struct search_document *after, struct search_document *next,
                                 bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &next_document);

    query_bind_text(query, after->tenant);
    query_bind_text(query, after->tenant);
    query_bind_integer(query, after->key);
    return read_one(query, arena, next, found, problem);
}

enum error search_documents_note_gone(struct db *db, int64_t stale_seconds, struct problem *problem)
{
    struct query *query = db_query(db, &note_gone);
    enum error error;

    query_bind_integer(query, stale_seconds * 1000000);
    error = query_end(query, problem);
    return error ? error : query_end(db_query(db, &note_current), problem);
}

enum error search_documents_embedded_answers(const struct document_call *call, bool *answers)
{
    struct query *query = db_query(call->db, &embedded_answers);

    query_bind_text(query, call->tenant);
    *answers = query_next(query) && query_integer(query, 0) > 0;
    return query_end(query, call->problem);
}

enum error search_documents_next_gone(struct db *db, struct arena *arena, int64_t seconds,
                                      struct search_document *next, bool *found,
                                      struct problem *problem)
{
    struct query *query = db_query(db, &next_gone);

    query_bind_integer(query, seconds * 1000000);
    return read_one(query, arena, next, found, problem);
}

enum error search_documents_postpone(const struct document_call *call, int64_t key)
{
    return run_key(call, &postpone_gone, key);
}

static enum error drop(const struct document_call *call, int64_t key)
{
    struct query *query = db_query(call->db, &drop_segment);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, key);
    error = query_end(query, call->problem);
    if (!error)
        error = run_key(call, &drop_place, key);
    return error ? error : run_key(call, &drop_document, key);
}

enum error search_documents_drop(const struct document_call *call, int64_t key)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, drop(call, key), call->problem);
}

static enum error run_tenant(struct db *db, const struct statement *statement, const char *tenant,
                             struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    return query_end(query, problem);
}

enum error search_documents_forget(struct db *db, const char *tenant, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = run_tenant(db, &forget, tenant, problem);
    if (!error)
        error = run_tenant(db, &raise_versions, tenant, problem);
    return db_finish(db, error, problem);
}

enum error search_documents_changed(const struct document_call *call)
{
    return run_tenant(call->db, &raise_versions, call->tenant, call->problem);
}

enum error search_vectors_next(struct db *db, struct arena *arena, const char *model,
                               const struct search_document *after, struct search_document *next,
                               bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &next_vectors);

    query_bind_text(query, model);
    query_bind_text(query, after->tenant);
    query_bind_text(query, after->tenant);
    query_bind_integer(query, after->key);
    return read_one(query, arena, next, found, problem);
}

enum error search_vectors_end(const struct document_call *call, int64_t key, const char *name)
{
    struct query *query = db_query(call->db, &end_vectors);

    query_bind_text(query, name);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, key);
    return query_end(query, call->problem);
}

enum error search_vectors_name(struct db *db, struct arena *arena, const char **name,
                               struct problem *problem)
{
    struct query *query = db_query(db, &read_name);

    *name = query_next(query) ? query_text(query, 0, arena) : NULL;
    return query_end(query, problem);
}

enum error search_vectors_lag(struct db *db, const char *model, int64_t *documents,
                              struct problem *problem)
{
    struct query *query = db_query(db, &count_vectors);

    query_bind_text(query, model);
    *documents = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

static enum error forget_some(struct db *db, const char *tenant, const char *prefix,
                              struct problem *problem)
{
    struct query *query = db_query(db, &forget_vectors);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    for (int i = 0; i < 3; i++)
        query_bind_text(query, prefix ? prefix : "");
    return query_end(query, problem);
}

enum error search_vectors_forget(struct db *db, const char *tenant, const char *prefix,
                                 struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = forget_some(db, tenant, prefix, problem);
    if (!error)
        error = run_tenant(db, &raise_versions, tenant, problem);
    return db_finish(db, error, problem);
}

enum error search_vectors_refused(struct db *db, int64_t seconds, bool *refused,
                                  struct problem *problem)
{
    struct query *query = db_query(db, &read_refusal);

    query_bind_integer(query, seconds * 1000000);
    *refused = query_next(query) && query_integer(query, 0) > 0;
    return query_end(query, problem);
}

enum error search_vectors_note(struct db *db, bool refused, struct problem *problem)
{
    return query_end(db_query(db, refused ? &put_refusal : &drop_refusal), problem);
}
