/* The rows of shared files, and the bytes of those in the database. */
#include "support/blobs/blob_store.h"

#include "base/disk.h"
#include "db/query.h"

#include <unistd.h>

const char *const blob_kind_names[BLOB_KIND__MAX] = {
    [BLOB_ORIGINAL] = "original", [BLOB_SEGMENT] = "segment"};

#define OWNER struct blob_row
static const struct field blob_fields[] = {
    STRING(OWNER, tenant_id), STRING(OWNER, kind),   STRING(OWNER, name),
    STRING(OWNER, object),    STRING(OWNER, place),  INTEGER(OWNER, size_bytes),
    STRING(OWNER, sha256),    BOOLEAN(OWNER, ready),
};
#undef OWNER
static SCHEMA(blob_schema, struct blob_row, "SharedFile", blob_fields);

#define COLUMNS "tenant_id, kind, name, object, place, size_bytes, sha256, ready"

static const struct statement find_blob = {
    .name = "kb_blob_find",
    .sql = "SELECT " COLUMNS " FROM kb_blobs WHERE tenant_id = ? AND kind = ? AND name = ?"
           " AND ready = 1 ORDER BY stored_at DESC LIMIT 1",
};
static const struct statement find_blob_at = {
    .name = "kb_blob_find_at",
    .sql = "SELECT " COLUMNS " FROM kb_blobs WHERE tenant_id = ? AND kind = ? AND name = ?"
           " AND ready = 1 AND place = ? LIMIT 1",
};
static const struct statement renew_blob = {
    .name = "kb_blob_renew",
    .sql = "UPDATE kb_blobs SET stored_at = {now_microseconds} WHERE tenant_id = ? AND kind = ?"
           " AND name = ? AND ready = 1",
};
static const struct statement insert_blob = {
    .name = "kb_blob_insert",
    .sql = "INSERT INTO kb_blobs (" COLUMNS ", stored_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, {now_microseconds})",
};
static const struct statement finish_blob = {
    .name = "kb_blob_finish",
    .sql = "UPDATE kb_blobs SET ready = 1, stored_at = {now_microseconds} WHERE object = ?",
};
static const struct statement spoil_blob = {
    .name = "kb_blob_spoil",
    .sql = "UPDATE kb_blobs SET ready = 0, stored_at = {now_microseconds} WHERE object = ?",
};
static const struct statement release_blob = {
    .name = "kb_blob_release",
    .sql = "UPDATE kb_blobs SET ready = 0, stored_at = 0 WHERE tenant_id = ? AND kind = ?"
           " AND name = ? AND ready = 1 AND NOT EXISTS (SELECT 1 FROM tasks t"
           " WHERE t.finished_at IS NULL AND t.tenant_id = kb_blobs.tenant_id"
           " AND t.file_hash = kb_blobs.name)",
};
static const struct statement release_segments = {
    .name = "kb_segments_release",
    .sql = "UPDATE kb_blobs SET ready = 0, stored_at = 0 WHERE kind = 'segment' AND ready = 1",
};
static const struct statement remove_blob = {
    .name = "kb_blob_remove",
    .sql = "DELETE FROM kb_blobs WHERE object = ?",
};
static const struct statement remove_parts = {
    .name = "kb_blob_parts_remove",
    .sql = "DELETE FROM kb_blob_parts WHERE object = ?",
};
static const struct statement insert_part = {
    .name = "kb_blob_part_insert",
    .sql = "INSERT INTO kb_blob_parts (object, part, bytes) VALUES (?, ?, ?)",
};
static const struct statement read_part = {
    .name = "kb_blob_part_read",
    .sql = "SELECT bytes FROM kb_blob_parts WHERE object = ? AND part = ?",
};
#define RETIRE                                                                                     \
    "UPDATE kb_blobs SET ready = 0, stored_at = 0 WHERE ready = 1"                                 \
    " AND stored_at < {now_microseconds} - CAST(? AS BIGINT)"                                      \
    " AND object IN (SELECT b.object FROM kb_blobs b WHERE b.ready = 1"                            \
    " AND b.stored_at < {now_microseconds} - CAST(? AS BIGINT)"

static const struct statement retire_originals = {
    .name = "kb_originals_retire",
    .sql =
        RETIRE " AND b.kind = 'original' AND NOT EXISTS (SELECT 1 FROM kb_documents d"
               " WHERE d.tenant_id = b.tenant_id AND d.file_hash = b.name) AND NOT EXISTS (SELECT 1"
               " FROM tasks t WHERE t.finished_at IS NULL AND t.tenant_id = b.tenant_id"
               " AND t.file_hash = b.name) LIMIT ?)",
};
static const struct statement retire_segments = {
    .name = "kb_segments_retire",
    .sql = RETIRE " AND b.kind = 'segment' AND NOT EXISTS (SELECT 1 FROM kb_segments s"
                  " WHERE s.tenant_id = b.tenant_id AND s.name = b.name) LIMIT ?)",
};
static const struct statement next_retired = {
    .name = "kb_blob_retired",
    .sql = "SELECT " COLUMNS " FROM kb_blobs WHERE ready = 0"
           " AND stored_at < {now_microseconds} - CAST(? AS BIGINT)"
           " AND (place = 'database' OR CAST(? AS BIGINT) = 1) ORDER BY stored_at, object LIMIT 1",
};
static const struct statement next_elsewhere = {
    .name = "kb_blob_elsewhere",
    .sql = "SELECT " COLUMNS " FROM kb_blobs WHERE ready = 1 AND place <> ? AND object > ?"
           " ORDER BY object LIMIT 1",
};

static struct query *ask(const struct blob_call *call, const struct statement *statement,
                         const char *kind, const char *name)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, kind);
    query_bind_text(query, name);
    return query;
}

enum error blob_find(const struct blob_call *call, const char *kind, const char *name,
                     struct blob_row *row, bool *found)
{
    return query_read_one(ask(call, &find_blob, kind, name), &blob_schema, row, call->arena, found,
                          call->problem);
}

enum error blob_find_at(const struct blob_call *call, const char *kind, const char *name,
                        const char *place, struct blob_row *row, bool *found)
{
    struct query *query = ask(call, &find_blob_at, kind, name);

    query_bind_text(query, place);
    return query_read_one(query, &blob_schema, row, call->arena, found, call->problem);
}

enum error blob_renew(const struct blob_call *call, const char *kind, const char *name, bool *found)
{
    struct query *query = ask(call, &renew_blob, kind, name);

    *found = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error blob_insert(const struct blob_call *call, const struct blob_row *row)
{
    struct query *query = ask(call, &insert_blob, row->kind, row->name);

    query_bind_text(query, row->object);
    query_bind_text(query, row->place);
    query_bind_integer(query, row->size_bytes);
    query_bind_text(query, row->sha256);
    query_bind_boolean(query, row->ready);
    return query_end(query, call->problem);
}

static enum error run_on(const struct blob_call *call, const struct statement *statement,
                         const char *object)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, object);
    return query_end(query, call->problem);
}

enum error blob_finish(const struct blob_call *call, const struct blob_row *row)
{
    return run_on(call, &finish_blob, row->object);
}

enum error blob_spoil(const struct blob_call *call, const struct blob_row *row)
{
    return run_on(call, &spoil_blob, row->object);
}

enum error blob_release(const struct blob_call *call, enum blob_kind kind, const char *name)
{
    return query_end(ask(call, &release_blob, blob_kind_names[kind], name), call->problem);
}

enum error blob_release_segments(struct db *db, struct problem *problem)
{
    return query_end(db_query(db, &release_segments), problem);
}

static enum error remove_both(const struct blob_call *call, const char *object)
{
    enum error error = run_on(call, &remove_parts, object);

    return error ? error : run_on(call, &remove_blob, object);
}

enum error blob_remove(const struct blob_call *call, const struct blob_row *row)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, remove_both(call, row->object), call->problem);
}

static enum error write_part(const struct blob_call *call, const char *object, int part,
                             const char *bytes, size_t length)
{
    struct query *query = db_query(call->db, &insert_part);

    query_bind_text(query, object);
    query_bind_integer(query, part);
    query_bind_blob(query, bytes, length);
    return query_end(query, call->problem);
}

enum error blob_write_parts(const struct blob_call *call, const char *object, int file,
                            int64_t size)
{
    char *bytes = arena_alloc(call->arena, BLOB_PART_BYTES);
    enum error error = ERROR_NONE;
    int part = 0;

    for (int64_t at = 0; at < size && !error; at += BLOB_PART_BYTES) {
        size_t length = size - at < BLOB_PART_BYTES ? (size_t)(size - at) : BLOB_PART_BYTES;

        if (!disk_read(file, at, bytes, length))
            return problem_set(call->problem, ERROR_SYSTEM, "file_not_read",
                               "the file cannot be read");
        error = write_part(call, object, part++, bytes, length);
    }
    return error;
}

/* `written` is false at the end. */
static enum error copy_part(const struct blob_call *call, const char *object, int part, int file,
                            bool *written)
{
    struct query *query = db_query(call->db, &read_part);
    bool failed = false;
    enum error error;

    query_bind_text(query, object);
    query_bind_integer(query, part);
    *written = query_next(query);
    if (*written) {
        struct query_bytes bytes = query_bytes(query, 0);

        failed = pwrite(file, bytes.bytes, bytes.length, (off_t)part * BLOB_PART_BYTES) !=
                 (ssize_t)bytes.length;
    }
    error = query_end(query, call->problem);
    if (!error && failed)
        error = problem_set(call->problem, ERROR_SYSTEM, "file_not_written",
                            "the file cannot be written");
    return error;
}

enum error blob_read_parts(const struct blob_call *call, const char *object, int file)
{
    bool written = true;
    enum error error = ERROR_NONE;

    for (int part = 0; written && !error; part++)
        error = copy_part(call, object, part, file, &written);
    return error;
}

enum error blob_retire(struct db *db, enum blob_kind kind, int64_t seconds, int64_t *marked,
                       struct problem *problem)
{
    struct query *query = db_query(db, kind == BLOB_SEGMENT ? &retire_segments : &retire_originals);

    query_bind_integer(query, seconds * 1000000);
    query_bind_integer(query, seconds * 1000000);
    query_bind_integer(query, BLOBS_RETIRED_AT_ONCE);
    *marked = query_changes(query);
    return query_end(query, problem);
}

enum error blob_next_retired(struct db *db, struct arena *arena, int64_t seconds, bool also_s3,
                             struct blob_row *row, bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &next_retired);

    query_bind_integer(query, seconds * 1000000);
    query_bind_integer(query, also_s3);
    return query_read_one(query, &blob_schema, row, arena, found, problem);
}

enum error blob_next_elsewhere(struct db *db, struct arena *arena, const char *place,
                               const char *after, struct blob_row *row, bool *found,
                               struct problem *problem)
{
    struct query *query = db_query(db, &next_elsewhere);

    query_bind_text(query, place);
    query_bind_text(query, after);
    return query_read_one(query, &blob_schema, row, arena, found, problem);
}
