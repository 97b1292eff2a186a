/* Groups of documents in the database, and what follows from them for a reader. */
#include "support/documents/document_access.h"
#include "base/json.h"
#include "base/list.h"
#include "base/string_list.h"
#include "crypto/digest.h"
#include "db/query.h"
#include "support/documents/document_store.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_MAX = 64 << 20, MARK_DIGITS = 16 };

static const struct statement list_hidden = {
    .name = "document_hidden",
    .sql = "SELECT DISTINCT g.doc_id FROM kb_document_groups g WHERE g.tenant_id = ?"
           " AND NOT EXISTS (SELECT 1 FROM kb_document_groups m WHERE m.tenant_id = g.tenant_id"
           " AND m.doc_id = g.doc_id AND m.group_name IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?})) ORDER BY g.doc_id",
};
static const struct statement drop_groups = {
    .name = "document_groups_drop",
    .sql = "DELETE FROM kb_document_groups WHERE tenant_id = ? AND doc_id = ?",
};
static const struct statement put_group = {
    .name = "document_group_put",
    .sql = "INSERT INTO kb_document_groups (tenant_id, doc_id, group_name) VALUES (?, ?, ?)"
           " ON CONFLICT (tenant_id, doc_id, group_name) DO NOTHING",
};
static const struct statement read_groups = {
    .name = "document_groups",
    .sql = "SELECT doc_id, group_name FROM kb_document_groups WHERE tenant_id = ? AND doc_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}) ORDER BY doc_id, group_name",
};
static const struct statement list_groups = {
    .name = "document_group_names",
    .sql = "SELECT DISTINCT group_name FROM kb_document_groups WHERE tenant_id = ?"
           " ORDER BY group_name",
};

static const struct statement find_present = {
    .name = "documents_present",
    .sql = "SELECT doc_id FROM kb_documents WHERE tenant_id = ? AND doc_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}) ORDER BY doc_id",
};

static const char *json_of(struct arena *arena, const struct string_list *list)
{
    return json_of_strings(arena, JSON_MAX, list->items, list->count);
}

static enum error read_list(const struct document_call *call, struct query *query,
                            struct string_list *list)
{
    *list = (struct string_list){0};
    while (query_next(query))
        *ARRAY_ADD(call->arena, list->items, list->count) = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error document_reader_find(const struct document_call *call, const struct string_list *groups,
                                const struct document_reader **reader)
{
    struct query *query = db_query(call->db, &list_hidden);
    struct document_reader *found;
    struct string_list hidden;
    char digest[DIGEST_SHA256_TEXT];
    enum error error;

    *reader = NULL;
    query_bind_text(query, call->tenant);
    query_bind_json(query, json_of(call->arena, groups));
    error = read_list(call, query, &hidden);
    if (error || !hidden.count)
        return error;
    found = ARENA_NEW(call->arena, struct document_reader);
    *found = (struct document_reader){hidden, json_of(call->arena, &hidden), NULL};
    digest_sha256_hex(found->hidden_json, strlen(found->hidden_json), digest);
    found->mark = arena_copy(call->arena, digest, MARK_DIGITS);
    *reader = found;
    return ERROR_NONE;
}

bool document_is_hidden(const struct document_reader *reader, const char *doc_id)
{
    return reader && bsearch(&doc_id, reader->hidden.items, reader->hidden.count,
                             sizeof *reader->hidden.items, string_list_order) != NULL;
}

const char *document_hidden_json(const struct document_reader *reader)
{
    return reader ? reader->hidden_json : "[]";
}

enum error document_find_present(const struct document_call *call,
                                 const struct string_list *doc_ids, struct string_list *present)
{
    struct query *query;

    *present = (struct string_list){0};
    if (!doc_ids->count)
        return ERROR_NONE;
    query = db_query(call->db, &find_present);
    query_bind_text(query, call->tenant);
    query_bind_json(query, json_of(call->arena, doc_ids));
    return read_list(call, query, present);
}

static enum error replace_groups(const struct document_call *call, const char *doc_id,
                                 const struct string_list *groups)
{
    struct query *query = db_query(call->db, &drop_groups);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, doc_id);
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < groups->count; i++) {
        query = db_query(call->db, &put_group);
        query_bind_text(query, call->tenant);
        query_bind_text(query, doc_id);
        query_bind_text(query, groups->items[i]);
        error = query_end(query, call->problem);
    }
    return error;
}

enum error document_set_groups(const struct document_call *call, const char *doc_id,
                               const struct string_list *groups)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (!error)
        error = db_finish(call->db, replace_groups(call, doc_id, groups), call->problem);
    return error;
}

enum error document_give_groups(const struct document_call *call, const char *doc_id,
                                const struct string_list *groups)
{
    const struct document_call all = document_call_for_all(call);
    struct document_row row;
    struct string_list left = {0};
    bool found = false;
    enum error error = document_find(&all, doc_id, &row, &found);

    if (!error && !found)
        error = document_read_groups(call, &doc_id, 1, &left);
    return error || found || left.count ? error : document_set_groups(call, doc_id, groups);
}

bool document_groups_equal(const struct string_list *stored, const struct string_list *groups)
{
    for (size_t i = 0; i < stored->count; i++)
        if (!string_list_has(groups, stored->items[i]))
            return false;
    for (size_t i = 0; i < groups->count; i++)
        if (!string_list_has(stored, groups->items[i]))
            return false;
    return true;
}

enum error document_read_groups(const struct document_call *call, const char *const *doc_ids,
                                size_t count, struct string_list *groups)
{
    struct query *query = db_query(call->db, &read_groups);

    query_bind_text(query, call->tenant);
    query_bind_json(query, json_of_strings(call->arena, JSON_MAX, doc_ids, count));
    memset(groups, 0, count * sizeof *groups);
    while (query_next(query)) {
        const char *doc_id = query_text(query, 0, call->arena);
        const char *name = query_text(query, 1, call->arena);

        for (size_t i = 0; i < count; i++)
            if (strcmp(doc_ids[i], doc_id) == 0)
                *ARRAY_ADD(call->arena, groups[i].items, groups[i].count) = name;
    }
    return query_end(query, call->problem);
}

enum error document_list_groups(const struct document_call *call, struct string_list *groups)
{
    struct query *query = db_query(call->db, &list_groups);

    query_bind_text(query, call->tenant);
    return read_list(call, query, groups);
}
