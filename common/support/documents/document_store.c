/* Documents, chunks and segments in the database. */
#include "support/documents/document_store.h"
#include "base/list.h"
#include "db/query.h"
#include "db/store.h"
#include "support/documents/upload_name_store.h"
#include "text/fold.h"

#include <string.h>

enum { CHUNKS_MOST = 200000 /* read at once, when a document is indexed again */ };

#define OWNER struct document_row
static const struct field document_fields[] = {STRING(OWNER, doc_id),
                                               INTEGER(OWNER, key),
                                               INTEGER(OWNER, version),
                                               STRING(OWNER, title),
                                               STRING(OWNER, source),
                                               STRING(OWNER, file_type),
                                               STRING(OWNER, language),
                                               STRING(OWNER, content_hash),
                                               INTEGER(OWNER, size_bytes),
                                               WRITTEN_JSON_OBJECTS(OWNER, categories),
                                               INTEGER(OWNER, page_count),
                                               INTEGER(OWNER, chunk_count),
                                               BOOLEAN(OWNER, auto_generated),
                                               STRING(OWNER, last_updated),
                                               STRING(OWNER, created_at),
                                               BOOLEAN(OWNER, parent_child),
                                               STRING(OWNER, file_hash, .nullable = true)};
#undef OWNER
static SCHEMA(document_schema, struct document_row, "DocumentRow", document_fields);

#define OWNER struct chunk_row
static const struct field chunk_fields[] = {
    INTEGER(OWNER, key),         INTEGER(OWNER, document_key),
    INTEGER(OWNER, chunk_index), NULLABLE_INTEGER(OWNER, page),
    STRING(OWNER, header),       STRING(OWNER, body),
    STRING(OWNER, doc_id),       STRING(OWNER, title),
    STRING(OWNER, source),       STRING(OWNER, file_type),
    STRING(OWNER, language),     WRITTEN_JSON_OBJECTS(OWNER, categories),
    STRING(OWNER, last_updated), INTEGER(OWNER, version),
    BOOLEAN(OWNER, parent_child)};
#undef OWNER
static SCHEMA(chunk_schema, struct chunk_row, "ChunkRow", chunk_fields);

#define DOCUMENT_COLUMNS                                                                           \
    "doc_id, document_key AS key, version, title, source, file_type, language, content_hash, "     \
    "size_bytes,"                                                                                  \
    " categories, page_count, chunk_count, auto_generated, last_updated, created_at, "             \
    "parent_child,"                                                                                \
    " file_hash"
#define CHUNK_COLUMNS                                                                              \
    "c.chunk_key AS key, c.document_key, c.chunk_index, c.page, c.header, c.body, d.doc_id, "      \
    "d.title,"                                                                                     \
    " d.source, d.file_type, d.language, d.categories, d.last_updated, d.version, d.parent_child"
#define CHUNK_TABLES                                                                               \
    " FROM kb_chunks c JOIN kb_documents d ON d.tenant_id = c.tenant_id"                           \
    " AND d.document_key = c.document_key"

static const struct statement find_document = {
    .name = "document_find",
    .sql = "SELECT " DOCUMENT_COLUMNS " FROM kb_documents WHERE tenant_id = ? AND doc_id = ?",
};
#define DOCUMENT_FILTER                                                                            \
    " FROM kb_documents WHERE tenant_id = ? AND (? = '' OR title LIKE ? ESCAPE '\\'"               \
    " OR doc_id LIKE ? ESCAPE '\\' OR lower(title) LIKE ? ESCAPE '\\')"                            \
    " AND doc_id NOT IN (SELECT CAST(value AS TEXT) FROM {json_text_rows:?})"
static const struct statement list_documents = {
    .name = "document_list",
    .sql = "SELECT " DOCUMENT_COLUMNS DOCUMENT_FILTER
           " ORDER BY last_updated DESC, doc_id LIMIT ? OFFSET ?",
};
static const struct statement next_document = {
    .name = "document_next",
    .sql = "SELECT " DOCUMENT_COLUMNS " FROM kb_documents WHERE tenant_id = ? AND doc_id > ?"
           " ORDER BY doc_id LIMIT 1",
};
static const struct statement count_documents = {
    .name = "document_count",
    .sql = "SELECT count(*)" DOCUMENT_FILTER,
};
static const struct statement list_tenants = {
    .name = "kb_tenants",
    .sql = "SELECT tenant_id FROM kb_state ORDER BY tenant_id LIMIT ?",
};
static const struct statement next_tenant = {
    .name = "kb_next_tenant",
    .sql = "SELECT tenant_id FROM kb_state WHERE tenant_id > ? ORDER BY tenant_id LIMIT 1",
};
static const struct statement next_crowded = {
    .name = "kb_next_crowded_tenant",
    .sql = "SELECT tenant_id FROM kb_segments WHERE tenant_id > ? GROUP BY tenant_id"
           " HAVING count(*) >= ? ORDER BY tenant_id LIMIT 1",
};
static const struct statement most_segments = {
    .name = "kb_most_segments",
    .sql = "SELECT count(*) AS many FROM kb_segments GROUP BY tenant_id ORDER BY many DESC LIMIT 1",
};
static const struct statement touch_document = {
    .name = "document_touch",
    .sql = "UPDATE kb_documents SET last_updated = {now},"
           " file_hash = coalesce(CAST(? AS TEXT), file_hash) WHERE tenant_id = ? AND doc_id = ?",
};
static const struct statement draw_keys = {
    .name = "kb_draw_keys",
    .sql = "INSERT INTO kb_state (tenant_id, version, next_key) VALUES (?, 0, 1 + ?)"
           " ON CONFLICT (tenant_id) DO UPDATE SET next_key = kb_state.next_key + ?"
           " RETURNING next_key",
};
static const struct statement read_version = {
    .name = "kb_version",
    .sql = "SELECT version FROM kb_state WHERE tenant_id = ?",
};
static const struct statement raise_version = {
    .name = "kb_raise_version",
    .sql = "UPDATE kb_state SET version = version + 1 WHERE tenant_id = ?",
};
static const struct statement list_segments = {
    .name = "kb_segment_list",
    .sql = "SELECT s.name, s.bytes, d.document_key, d.dead, s.vectors FROM kb_segments s"
           " JOIN kb_segment_documents d ON d.tenant_id = s.tenant_id AND d.segment = s.name"
           " WHERE s.tenant_id = ? ORDER BY s.name, d.place",
    .streams = true,
};
static const struct statement put_document = {
    .name = "document_put",
    .sql = "INSERT INTO kb_documents (tenant_id, doc_id, document_key, version, title, source,"
           " file_type, language, content_hash, size_bytes, categories, page_count, chunk_count,"
           " auto_generated, last_updated, created_at, parent_child, file_hash)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now}, {now}, ?, ?)"
           " ON CONFLICT (tenant_id, doc_id) DO UPDATE SET document_key = excluded.document_key,"
           " version = excluded.version, title = excluded.title, source = excluded.source,"
           " file_type = excluded.file_type, language = excluded.language,"
           " content_hash = excluded.content_hash, size_bytes = excluded.size_bytes,"
           " categories = excluded.categories, page_count = excluded.page_count,"
           " chunk_count = excluded.chunk_count, auto_generated = excluded.auto_generated,"
           " last_updated = excluded.last_updated, parent_child = excluded.parent_child,"
           " file_hash = excluded.file_hash, vector_model = ''",
};
static const struct statement drop_document = {
    .name = "document_drop",
    .sql = "DELETE FROM kb_documents WHERE tenant_id = ? AND doc_id = ?",
};
static const struct statement lock_document = {
    .name = "document_lock",
    .sql = "SELECT document_key, version FROM kb_documents WHERE tenant_id = ? AND doc_id = ?"
           " {for_update}",
};
static const struct statement drop_chunks = {
    .name = "kb_chunks_drop",
    .sql = "DELETE FROM kb_chunks WHERE tenant_id = ? AND document_key = ?",
};
static const struct statement put_chunk = {
    .name = "kb_chunk_put",
    .sql = "INSERT INTO kb_chunks (tenant_id, chunk_key, document_key, chunk_index, page, header,"
           " body) VALUES (?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement put_tombstone = {
    .name = "kb_segment_tombstone",
    .sql = "UPDATE kb_segment_documents SET dead = 1 WHERE tenant_id = ? AND document_key = ?",
};
static const struct statement put_segment = {
    .name = "kb_segment_put",
    .sql = "INSERT INTO kb_segments (tenant_id, name, bytes, created_at, vectors)"
           " VALUES (?, ?, ?, {now}, ?)",
};
static const struct statement put_segment_document = {
    .name = "kb_segment_document_put",
    .sql = "INSERT INTO kb_segment_documents (tenant_id, segment, place, document_key, dead)"
           " SELECT ?, ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM kb_documents d WHERE"
           " d.tenant_id = ? AND d.document_key = ?) THEN 0 ELSE 1 END",
};
static const struct statement drop_segment = {
    .name = "kb_segment_drop",
    .sql = "DELETE FROM kb_segments WHERE tenant_id = ? AND name = ?",
};
static const struct statement drop_segment_documents = {
    .name = "kb_segment_documents_drop",
    .sql = "DELETE FROM kb_segment_documents WHERE tenant_id = ? AND segment = ?",
};
static const struct statement log_ingestion = {
    .name = "kb_ingest_log_add",
    .sql = "INSERT INTO kb_ingest_log (ts, tenant_id, doc_id, version, documents, chunks,"
           " chunk_config, duration_ms, contexts, cost_usd)"
           " VALUES ({now}, ?, ?, ?, 1, ?, ?, ?, ?, ?)",
};
static const struct statement read_chunk = {
    .name = "kb_chunk_read",
    .sql = "SELECT " CHUNK_COLUMNS CHUNK_TABLES " WHERE c.tenant_id = ? AND c.chunk_key = ?",
};
static const struct statement read_chunks = {
    .name = "kb_chunks_read",
    .sql = "SELECT " CHUNK_COLUMNS CHUNK_TABLES " WHERE c.tenant_id = ? AND c.document_key = ?"
           " AND c.chunk_index BETWEEN ? AND ? ORDER BY c.chunk_index",
    .streams = true,
};
static const struct statement list_hidden_keys = {
    .name = "document_hidden_keys",
    .sql = "SELECT document_key FROM kb_documents WHERE tenant_id = ? AND doc_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}) ORDER BY document_key",
};
static const struct statement count_chunks = {
    .name = "kb_chunks_count",
    .sql = "SELECT coalesce(sum(chunk_count), 0) FROM kb_documents WHERE ? = '' OR tenant_id = ?",
};
static const struct statement count_cut = {
    .name = "kb_documents_cut",
    .sql = "SELECT count(*) FROM kb_documents WHERE parent_child = ? AND auto_generated = 0",
};
struct document_call document_call_for_all(const struct document_call *call)
{
    struct document_call all = *call;

    all.reader = NULL;
    return all;
}

/* Runs a statement of the tenant and one more text. */
static enum error run(const struct document_call *call, const struct statement *statement,
                      const char *text, int64_t *changes)
{
    struct query *query = db_query(call->db, statement);
    int64_t changed;

    query_bind_text(query, call->tenant);
    if (text)
        query_bind_text(query, text);
    changed = query_changes(query);
    if (changes)
        *changes = changed;
    return query_end(query, call->problem);
}

static enum error run_key(const struct document_call *call, const struct statement *statement,
                          int64_t key)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, key);
    return query_end(query, call->problem);
}

static enum error read_document(const struct document_call *call, const struct statement *statement,
                                const char *doc_id, struct document_row *row, bool *found)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, doc_id);
    return query_read_one(query, &document_schema, row, call->arena, found, call->problem);
}

enum error document_find(const struct document_call *call, const char *doc_id,
                         struct document_row *row, bool *found)
{
    *found = false;
    return document_is_hidden(call->reader, doc_id)
               ? ERROR_NONE
               : read_document(call, &find_document, doc_id, row, found);
}

enum error document_next(const struct document_call *call, const char *after,
                         struct document_row *row, bool *found)
{
    return read_document(call, &next_document, after, row, found);
}

static void bind_filter(struct query *query, const struct document_call *call,
                        const struct document_filter *filter)
{
    const char *words = db_like_contains(call->arena, filter->words);

    query_bind_text(query, call->tenant);
    query_bind_text(query, filter->words);
    query_bind_text(query, words);
    query_bind_text(query, words);
    query_bind_text(query, db_like_contains(call->arena, text_lower(call->arena, filter->words)));
    query_bind_json(query, document_hidden_json(call->reader));
}

enum error document_list(const struct document_call *call, const struct document_filter *filter,
                         struct object_list *rows, int64_t *total)
{
    struct document_row *items =
        ARENA_ARRAY(call->arena, struct document_row, (size_t)filter->limit + 1);
    struct query *query = db_query(call->db, &list_documents);
    enum error error;

    bind_filter(query, call, filter);
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)filter->limit && query_next(query))
        query_read(query, &document_schema, &items[rows->count++], call->arena);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &count_documents);
    bind_filter(query, call, filter);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error document_tenants(struct db *db, struct arena *arena, size_t most,
                            struct string_list *tenants, struct problem *problem)
{
    const char **items = ARENA_ARRAY(arena, const char *, most + 1);
    struct query *query = db_query(db, &list_tenants);

    *tenants = (struct string_list){0, items};
    query_bind_integer(query, (int64_t)most);
    while (tenants->count < most && query_next(query))
        items[tenants->count++] = query_text(query, 0, arena);
    return query_end(query, problem);
}

enum error document_next_tenant(struct db *db, struct arena *arena, const char *after,
                                const char **tenant, struct problem *problem)
{
    struct query *query = db_query(db, &next_tenant);

    query_bind_text(query, after);
    *tenant = query_next(query) ? query_text(query, 0, arena) : NULL;
    return query_end(query, problem);
}

enum error document_next_crowded(struct db *db, struct arena *arena, const char *after,
                                 size_t least, const char **tenant, struct problem *problem)
{
    struct query *query = db_query(db, &next_crowded);

    query_bind_text(query, after);
    query_bind_integer(query, (int64_t)least);
    *tenant = query_next(query) ? query_text(query, 0, arena) : NULL;
    return query_end(query, problem);
}

enum error document_most_segments(struct db *db, int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, &most_segments);

    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error document_touch(const struct document_call *call, const char *doc_id,
                          const char *file_hash, bool *found)
{
    struct query *query = db_query(call->db, &touch_document);

    query_bind_text(query, file_hash);
    query_bind_text(query, call->tenant);
    query_bind_text(query, doc_id);
    *found = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error document_draw_keys(const struct document_call *call, int64_t count, int64_t *first)
{
    struct query *query = db_query(call->db, &draw_keys);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, count);
    query_bind_integer(query, count);
    *first = query_next(query) ? query_integer(query, 0) - count : 0;
    return query_end(query, call->problem);
}

enum error document_hidden_keys(const struct document_call *call, struct integer_list *keys)
{
    struct query *query;

    *keys = (struct integer_list){0};
    if (!call->reader)
        return ERROR_NONE;
    query = db_query(call->db, &list_hidden_keys);
    query_bind_text(query, call->tenant);
    query_bind_json(query, document_hidden_json(call->reader));
    while (query_next(query))
        *ARRAY_ADD(call->arena, keys->items, keys->count) = query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error document_kb_version(const struct document_call *call, int64_t *version)
{
    struct query *query = db_query(call->db, &read_version);

    query_bind_text(query, call->tenant);
    *version = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

/* Rows come by segment and position. The two lists of a segment have one count. */
static void add_document(struct arena *arena, struct segment_row *row, int64_t key, bool dead)
{
    size_t count = row->count;

    *ARRAY_ADD(arena, row->dead, count) = dead;
    *ARRAY_ADD(arena, row->document, row->count) = key;
}

static struct segment_row *add_segment(struct arena *arena, struct segment_rows *rows,
                                       const char *name, int64_t bytes)
{
    struct segment_row *row = LIST_ADD(arena, rows);

    *row = (struct segment_row){.name = name, .bytes = bytes};
    return row;
}

static enum error read_segments(const struct document_call *call, struct segment_rows *rows)
{
    struct query *query = db_query(call->db, &list_segments);
    struct segment_row *row = NULL;

    *rows = (struct segment_rows){0, NULL};
    query_bind_text(query, call->tenant);
    while (query_next(query)) {
        struct query_bytes name = query_bytes(query, 0);

        if (!row || strlen(row->name) != name.length ||
            memcmp(row->name, name.bytes, name.length) != 0) {
            row = add_segment(call->arena, rows, query_text(query, 0, call->arena),
                              query_integer(query, 1));
            row->vectors = query_text_or_null(query, 4, call->arena);
        }
        add_document(call->arena, row, query_integer(query, 2), query_boolean(query, 3));
    }
    return query_end(query, call->problem);
}

enum error document_segments(const struct document_call *call, int64_t *version,
                             struct segment_rows *rows)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = document_kb_version(call, version);
    if (!error)
        error = read_segments(call, rows);
    return db_finish(call->db, error, call->problem);
}

static enum error put_row(const struct document_call *call, const struct document_row *row)
{
    struct query *query = db_query(call->db, &put_document);

    query_bind_text(query, call->tenant);
    query_bind_text(query, row->doc_id);
    query_bind_integer(query, row->key);
    query_bind_integer(query, row->version);
    query_bind_text(query, row->title);
    query_bind_text(query, row->source);
    query_bind_text(query, row->file_type);
    query_bind_text(query, row->language);
    query_bind_text(query, row->content_hash);
    query_bind_integer(query, row->size_bytes);
    query_bind_json(query, row->categories);
    query_bind_integer(query, row->page_count);
    query_bind_integer(query, row->chunk_count);
    query_bind_boolean(query, row->auto_generated);
    query_bind_boolean(query, row->parent_child);
    query_bind_text(query, row->file_hash);
    return query_end(query, call->problem);
}

static enum error put_chunks(const struct document_call *call, const struct document_change *change)
{
    struct query *query = db_query(call->db, &put_chunk);

    for (size_t i = 0; i < change->chunks->count; i++) {
        const struct chunk *chunk = &change->chunks->items[i];

        query_bind_text(query, call->tenant);
        query_bind_integer(query, change->first_chunk_key + (int64_t)i);
        query_bind_integer(query, change->row->key);
        query_bind_integer(query, (int64_t)i);
        query_bind_optional_integer(
            query, (struct optional_integer){.given = chunk->page > 0, .value = chunk->page});
        query_bind_text(query, change->headers[i]);
        query_bind_bytes(query, chunk->body, chunk->length);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

static enum error put_segment_documents(const struct document_call *call, const char *name,
                                        const int64_t *documents, size_t count)
{
    struct query *query = db_query(call->db, &put_segment_document);

    for (size_t i = 0; i < count; i++) {
        query_bind_text(query, call->tenant);
        query_bind_text(query, name);
        query_bind_integer(query, (int64_t)i);
        query_bind_integer(query, documents[i]);
        query_bind_text(query, call->tenant);
        query_bind_integer(query, documents[i]);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

static enum error put_segment_row(const struct document_call *call, const char *name, int64_t bytes,
                                  const int64_t *documents, size_t count, const char *vectors)
{
    struct query *query = db_query(call->db, &put_segment);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, name);
    query_bind_integer(query, bytes);
    query_bind_text(query, vectors);
    error = query_end(query, call->problem);
    return error || !count ? error : put_segment_documents(call, name, documents, count);
}

/* Drops the chunks of the old version, and marks it as deleted in its segment. */
static enum error drop_version(const struct document_call *call, int64_t key)
{
    enum error error = run_key(call, &drop_chunks, key);

    return error ? error : run_key(call, &put_tombstone, key);
}

static enum error lock_version(const struct document_call *call, const char *doc_id, int64_t *key,
                               int64_t *version)
{
    struct query *query = db_query(call->db, &lock_document);

    query_bind_text(query, call->tenant);
    query_bind_text(query, doc_id);
    *key = *version = 0;
    if (query_next(query)) {
        *key = query_integer(query, 0);
        *version = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

static enum error log_change(const struct document_call *call, const struct document_change *change)
{
    struct query *query = db_query(call->db, &log_ingestion);

    query_bind_text(query, call->tenant);
    query_bind_text(query, change->row->doc_id);
    query_bind_integer(query, change->row->version);
    query_bind_integer(query, (int64_t)change->chunks->count);
    query_bind_text(query, change->chunk_config);
    query_bind_integer(query, change->duration_ms);
    query_bind_integer(query, change->contexts);
    query_bind_number(query, change->cost);
    return query_end(query, call->problem);
}

static enum error replace(const struct document_call *call, const struct document_change *change)
{
    int64_t old_key, old_version;
    enum error error = db_lock(call->db, "kb_documents", call->problem);

    if (!error)
        error = lock_version(call, change->row->doc_id, &old_key, &old_version);
    if (error)
        return error;
    if (old_version != change->expected_version)
        return problem_set(call->problem, ERROR_CONFLICT, "document_changed",
                           "the document was changed by somebody else meanwhile");
    error = old_key ? drop_version(call, old_key) : ERROR_NONE;
    if (!error)
        error = put_row(call, change->row);
    if (!error && change->chunks->count)
        error = put_chunks(call, change);
    if (!error && change->segment)
        error = put_segment_row(call, change->segment, change->segment_bytes, &change->row->key, 1,
                                NULL);
    if (!error)
        error = run(call, &raise_version, NULL, NULL);
    return error ? error : log_change(call, change);
}

enum error document_replace(const struct document_call *call, const struct document_change *change)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, replace(call, change), call->problem);
}

static enum error delete_document(const struct document_call *call, const char *doc_id, bool *found)
{
    int64_t key, version;
    enum error error = lock_version(call, doc_id, &key, &version);

    *found = !error && key != 0;
    if (error || !*found)
        return error;
    error = drop_version(call, key);
    if (!error)
        error = run(call, &drop_document, doc_id, NULL);
    if (!error)
        error = upload_name_release(call, doc_id);
    return error ? error : run(call, &raise_version, NULL, NULL);
}

enum error document_delete(const struct document_call *call, const char *doc_id, bool *found)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, delete_document(call, doc_id, found), call->problem);
}

static enum error swap(const struct document_call *call, const char *const *old, size_t old_count,
                       const struct segment_row *fresh, bool counts)
{
    enum error error = db_lock(call->db, "kb_documents", call->problem);

    for (size_t i = 0; i < old_count && !error; i++) {
        int64_t dropped = 0;

        error = run(call, &drop_segment, old[i], &dropped);
        if (!error && !dropped)
            error = problem_set(call->problem, ERROR_CONFLICT, "segments_changed",
                                "the index was changed by somebody else meanwhile");
        if (!error)
            error = run(call, &drop_segment_documents, old[i], NULL);
    }
    if (!error && fresh->count)
        error = put_segment_row(call, fresh->name, fresh->bytes, fresh->document, fresh->count,
                                fresh->vectors);
    return error || !counts ? error : run(call, &raise_version, NULL, NULL);
}

enum error document_swap_segments(const struct document_call *call, const char *const *old,
                                  size_t old_count, const struct segment_row *fresh, bool counts)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, swap(call, old, old_count, fresh, counts), call->problem);
}

enum error document_chunk(const struct document_call *call, int64_t key, struct chunk_row *row,
                          bool *found)
{
    struct query *query = db_query(call->db, &read_chunk);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_integer(query, key);
    error = query_read_one(query, &chunk_schema, row, call->arena, found, call->problem);
    *found = !error && *found && !document_is_hidden(call->reader, row->doc_id);
    return error;
}

enum error document_chunks(const struct document_call *call, int64_t document_key, int64_t from,
                           int64_t to, struct object_list *rows)
{
    struct query *query = db_query(call->db, &read_chunks);

    *rows = (struct object_list){0};
    query_bind_text(query, call->tenant);
    query_bind_integer(query, document_key);
    query_bind_integer(query, from);
    query_bind_integer(query, to);
    while (rows->count < CHUNKS_MOST && query_next(query))
        query_read(query, &chunk_schema,
                   list_add(call->arena, &rows->items, &rows->count, sizeof(struct chunk_row)),
                   call->arena);
    return query_end(query, call->problem);
}

enum error document_count_chunks(struct db *db, const char *tenant, int64_t *chunks,
                                 struct problem *problem)
{
    struct query *query = db_query(db, &count_chunks);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    *chunks = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error document_count_cut(struct db *db, bool parent_child, int64_t *count,
                              struct problem *problem)
{
    struct query *query = db_query(db, &count_cut);

    query_bind_boolean(query, parent_child);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}
