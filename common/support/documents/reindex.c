/* Reindexing and tidying. */
#include "support/documents/reindex.h"
#include "base/log.h"
#include "db/query.h"

#include <string.h>
#include <unistd.h>

enum { TENANTS_MAX = 10000, DOCUMENTS_MAX = 100000, ORPHAN_SECONDS = 3600 };

static const struct statement list_tenants = {
    .name = "kb_tenants",
    .sql = "SELECT tenant_id FROM kb_state ORDER BY tenant_id",
};

static enum error read_tenants(struct db *db, struct arena *arena, struct string_list *tenants,
                               struct problem *problem)
{
    struct query *query = db_query(db, &list_tenants);

    tenants->items = ARENA_ARRAY(arena, const char *, TENANTS_MAX);
    tenants->count = 0;
    while (tenants->count < TENANTS_MAX && query_next(query))
        tenants->items[tenants->count++] = query_text(query, 0, arena);
    return query_end(query, problem);
}

enum error reindex_sweep(struct db *db, struct arena *arena,
                         const struct support_settings *settings, struct problem *problem)
{
    struct string_list tenants;
    enum error error = read_tenants(db, arena, &tenants, problem);

    for (size_t i = 0; i < tenants.count && !error; i++) {
        struct document_call call = {db, arena, tenants.items[i], problem};

        ingest_sweep(&call, settings, ORPHAN_SECONDS);
    }
    return error;
}

static bool ingest_again(const struct document_call *call, const struct support_settings *settings,
                         const struct document_row *row)
{
    struct ingest_order order = {
        .path = arena_print(call->arena, "%s/%s",
                            ingest_upload_folder(call->arena, settings, call->tenant), row->doc_id),
        .doc_id = row->doc_id,
        .title = row->title,
        .auto_generated = row->auto_generated,
        .again = true};
    struct ingest_result result;

    if (access(order.path, R_OK) != 0) /* a published draft, or a file that is gone */
        return false;
    if (ingest_document(call, settings, &order, &result)) {
        log_event(LOG_WARNING, "document_not_indexed", call->problem->text);
        return false;
    }
    return true;
}

static enum error reindex_tenant(struct db *db, const struct support_settings *settings,
                                 const char *tenant, int64_t *documents, struct problem *problem)
{
    struct arena *list_arena = arena_create((size_t)1 << 28);
    struct arena *arena = arena_create((size_t)settings->index_memory_bytes);
    struct document_call listing = {db, list_arena, tenant, problem};
    struct document_call call = {db, arena, tenant, problem};
    struct object_list rows;
    enum error error = document_list(&listing, DOCUMENTS_MAX, 0, &rows);

    for (size_t i = 0; i < rows.count && !error; i++) {
        *documents += ingest_again(&call, settings, &((struct document_row *)rows.items)[i]);
        arena_reset(arena);
    }
    arena_destroy(arena);
    arena_destroy(list_arena);
    return error;
}

enum error reindex_all(struct db *db, const struct support_settings *settings, int64_t *documents,
                       struct problem *problem)
{
    struct arena *arena = arena_create((size_t)1 << 26);
    struct string_list tenants;
    enum error error = read_tenants(db, arena, &tenants, problem);

    for (size_t i = 0; i < tenants.count && !error; i++)
        error = reindex_tenant(db, settings, tenants.items[i], documents, problem);
    arena_destroy(arena);
    return error;
}

/* Whether a segment cannot be read and is named still, by a second look: others merge them. */
static enum error is_lost(const struct document_call *call, const char *folder,
                          const struct segment_row *row, bool *lost)
{
    const struct search_segment segment = ingest_as_segment(call->arena, row);
    struct segment_rows rows = {0};
    int64_t *keys, version;
    size_t count;
    enum error error =
        search_segment_documents(folder, &segment, call->arena, &keys, &count, call->problem);

    *lost = false;
    if (error != ERROR_NOT_FOUND)
        return error;
    error = document_segments(call, &version, &rows);
    for (size_t i = 0; i < rows.count && !error; i++)
        *lost |= strcmp(rows.items[i].name, row->name) == 0;
    return error;
}

static enum error mend_tenant(const struct document_call *listing,
                              const struct support_settings *settings, int64_t *rebuilt)
{
    const char *folder = ingest_index_folder(listing->arena, settings, listing->tenant);
    struct arena *arena = arena_create((size_t)settings->index_memory_bytes);
    const struct document_call call = {listing->db, arena, listing->tenant, listing->problem};
    struct segment_rows rows;
    int64_t version;
    enum error error = document_segments(listing, &version, &rows);

    for (size_t i = 0; i < rows.count && !error; i++) {
        bool lost;

        error = is_lost(&call, folder, &rows.items[i], &lost);
        if (!error && lost) {
            log_event(LOG_WARNING, "segment_rebuilt", rows.items[i].name);
            error = ingest_rebuild(&call, settings, &rows.items[i]);
            ++*rebuilt;
        }
        arena_reset(arena);
    }
    arena_destroy(arena);
    return error;
}

enum error reindex_mend(struct db *db, const struct support_settings *settings, int64_t *rebuilt,
                        struct problem *problem)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    struct string_list tenants;
    enum error error = read_tenants(db, arena, &tenants, problem);

    for (size_t i = 0; i < tenants.count && !error; i++) {
        const struct document_call call = {db, arena, tenants.items[i], problem};

        error = mend_tenant(&call, settings, rebuilt);
    }
    arena_destroy(arena);
    return error;
}
