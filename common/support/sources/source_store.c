/* Files of folders and pages of web sites in the database. */
#include "support/sources/source_store.h"
#include "base/list.h"
#include "db/query.h"
#include "support/documents/upload_name_store.h"

#include <stdlib.h>
#include <string.h>

#define OWNER struct source_row
static const struct field source_fields[] = {STRING(OWNER, name),
                                             STRING(OWNER, doc_id, .nullable = true),
                                             INTEGER(OWNER, size_bytes),
                                             INTEGER(OWNER, modified_at),
                                             STRING(OWNER, problem, .nullable = true),
                                             STRING(OWNER, mount, .nullable = true),
                                             STRING(OWNER, etag, .nullable = true),
                                             STRING(OWNER, last_modified, .nullable = true)};
#undef OWNER
static SCHEMA(source_schema, struct source_row, "SourceRow", source_fields);

/* In bytewise order "/" is followed by "0": names between them are those below the folder. */
static const struct statement list_sources = {
    .name = "source_list",
    .sql = "SELECT name, doc_id, size_bytes, modified_at, problem, mount, etag, last_modified"
           " FROM kb_sources"
           " WHERE tenant_id = ? AND origin = ? AND name >= ? AND name < ? ORDER BY name",
};
static const struct statement put_source = {
    .name = "source_put",
    .sql = "INSERT INTO kb_sources (tenant_id, origin, name, doc_id, size_bytes, modified_at,"
           " problem, mount, etag, last_modified) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, origin, name)"
           " DO UPDATE SET doc_id = excluded.doc_id, size_bytes = excluded.size_bytes,"
           " modified_at = excluded.modified_at, problem = excluded.problem,"
           " mount = excluded.mount, etag = excluded.etag, last_modified = excluded.last_modified",
};
static const struct statement drop_source = {
    .name = "source_drop",
    .sql = "DELETE FROM kb_sources WHERE tenant_id = ? AND origin = ? AND name = ?",
};

enum error source_list(const struct document_call *call, const char *origin, const char *folder,
                       struct object_list *rows)
{
    struct query *query = db_query(call->db, &list_sources);
    struct source_row *items = NULL;
    size_t count = 0;

    query_bind_text(query, call->tenant);
    query_bind_text(query, origin);
    query_bind_text(query, arena_print(call->arena, "%s/", folder));
    query_bind_text(query, arena_print(call->arena, "%s0", folder));
    while (query_next(query))
        query_read(query, &source_schema, ARRAY_ADD(call->arena, items, count), call->arena);
    *rows = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct source_row *)row)->name);
}

const struct source_row *source_find(const struct object_list *rows, const char *name)
{
    return rows->count ? bsearch(name, rows->items, rows->count, sizeof(struct source_row), by_name)
                       : NULL;
}

bool source_may_pass(enum error error)
{
    return error == ERROR_UNAVAILABLE || error == ERROR_BUSY || error == ERROR_SYSTEM ||
           error == ERROR_CONFLICT;
}

enum error source_put(const struct document_call *call, const char *origin,
                      const struct source_row *row)
{
    struct query *query = db_query(call->db, &put_source);

    query_bind_text(query, call->tenant);
    query_bind_text(query, origin);
    query_bind_text(query, row->name);
    query_bind_text(query, row->doc_id);
    query_bind_integer(query, row->size_bytes);
    query_bind_integer(query, row->modified_at);
    query_bind_text(query, row->problem);
    query_bind_text(query, row->mount);
    query_bind_text(query, row->etag);
    query_bind_text(query, row->last_modified);
    return query_end(query, call->problem);
}

static enum error drop(const struct document_call *call, const char *origin, const char *name)
{
    struct query *query = db_query(call->db, &drop_source);

    query_bind_text(query, call->tenant);
    query_bind_text(query, origin);
    query_bind_text(query, name);
    return query_end(query, call->problem);
}

/* Files of one name in two folders are two documents. */
static const char *upload_name(struct arena *arena, const char *origin, const char *name)
{
    return arena_print(arena, "%s:%s", origin, name);
}

enum error source_claim(const struct document_call *call, const char *origin, const char *name,
                        const char *clean, const struct source_row *before,
                        const struct string_list *groups, const char **doc_id)
{
    const struct upload_name_own own = {.name = upload_name(call->arena, origin, name),
                                        .clean = clean,
                                        .last = before ? before->doc_id : NULL,
                                        .groups = groups};
    enum error error = upload_name_claim_own(call, &own, doc_id);

    return error || !groups->count ? error : document_give_groups(call, *doc_id, groups);
}

static enum error delete_document(const struct document_call *call, const char *doc_id,
                                  const char *name, const struct string_list *groups)
{
    struct string_list left;
    bool found;
    enum error error = document_read_groups(call, &doc_id, 1, &left);

    if (!error)
        error = document_delete(call, doc_id, &found);
    return error || !found || !left.count || document_groups_equal(&left, groups)
               ? error
               : upload_name_keep(call, name, doc_id);
}

/* Somebody may have deleted the document, and another have uploaded one of the same name. */
static enum error delete_own(const struct document_call *call, const char *origin,
                             const struct source_row *row, const struct string_list *groups)
{
    const char *name = upload_name(call->arena, origin, row->name), *doc_id = NULL;
    enum error error = upload_name_lock(call);

    if (!error)
        error = upload_name_find(call, name, &doc_id);
    return error || !doc_id || strcmp(doc_id, row->doc_id) != 0
               ? error
               : delete_document(call, doc_id, name, groups);
}

enum error source_remove(const struct document_call *call, const char *origin,
                         const struct source_row *row, const struct string_list *groups)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = drop(call, origin, row->name);
    if (!error && row->doc_id)
        error = delete_own(call, origin, row, groups);
    return db_finish(call->db, error, call->problem);
}
