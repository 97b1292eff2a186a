/* Reindexing and tidying. */
#include "support/documents/reindex.h"
#include "base/log.h"
#include "db/query.h"
#include "support/documents/host.h"
#include "support/documents/search_engine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ORPHAN_SECONDS = 3600 };
#define LISTING_MEMORY ((size_t)1 << 28)

/* The arguments for each tenant. */
struct means {
    const struct support_settings *settings;
    struct models *models;
};

typedef enum error tenant_visit(const struct document_call *call, const struct means *means,
                                int64_t *count);

/* Two arenas in turn: a name stays in one of them until the next name was read into the other, so
 * that the iteration needs constant memory. */
struct turns {
    struct arena *now, *next;
};

static struct turns turns_make(size_t memory)
{
    return (struct turns){arena_create(memory), arena_create(memory)};
}

static void turns_take(struct turns *turns)
{
    struct arena *before = turns->now;

    turns->now = turns->next;
    turns->next = before;
    arena_reset(before);
}

static void turns_end(struct turns *turns)
{
    arena_destroy(turns->now);
    arena_destroy(turns->next);
}

static enum error visit_tenants(struct db *db, const struct means *means, tenant_visit *visit,
                                int64_t *count, struct problem *problem)
{
    struct turns turns = turns_make(LISTING_MEMORY);
    const char *tenant = "";
    enum error error;

    while (!(error = document_next_tenant(db, turns.next, tenant, &tenant, problem)) && tenant) {
        turns_take(&turns);
        error = visit(&(struct document_call){db, turns.now, tenant, problem}, means, count);
        if (error)
            break;
    }
    turns_end(&turns);
    return error;
}

static enum error sweep_tenant(const struct document_call *call, const struct means *means,
                               int64_t *count)
{
    ingest_sweep(call, means->settings, ORPHAN_SECONDS);
    ++*count;
    return ERROR_NONE;
}

enum error reindex_sweep(struct db *db, const struct support_settings *settings,
                         struct problem *problem)
{
    int64_t swept = 0;

    return visit_tenants(db, &(struct means){settings, NULL}, sweep_tenant, &swept, problem);
}

/* Whether the file is that of the indexed version: another host may have a newer one. Documents of
 * older versions of the program have no hash and are compared by size. */
static bool is_its_file(const char *path, const struct document_row *row)
{
    char hash[DIGEST_SHA256_TEXT];
    struct stat about;

    if (row->file_hash) {
        host_file_hash(path, hash);
        return strcmp(hash, row->file_hash) == 0;
    }
    return stat(path, &about) == 0 && about.st_size == row->size_bytes;
}

/* The file of the indexed version: this host's, or a copy of the shared one, which `passing` then
 * names. NULL = there is none. */
static const char *find_file(const struct document_call *call, const struct means *means,
                             const struct document_row *row, const char **passing)
{
    const struct blob_call blob = ingest_blob_call(call, means->settings);
    const char *path =
        arena_print(call->arena, "%s/%s",
                    ingest_upload_folder(call->arena, means->settings, call->tenant), row->doc_id);
    bool there = access(path, R_OK) == 0;

    *passing = NULL;
    if (there && is_its_file(path, row))
        return path;
    if (row->file_hash && blobs_are_shared(means->settings)) {
        *passing = ingest_passing_path(call->arena, means->settings);
        if (!blob_get(&blob, BLOB_ORIGINAL, row->file_hash, *passing))
            return *passing;
        log_event(LOG_WARNING, "original_not_read", call->problem->text);
    } else if (there) {
        log_event(LOG_WARNING, "file_of_another_version",
                  arena_print(call->arena, "%s/%s", call->tenant, row->doc_id));
    }
    return NULL; /* also of a published draft */
}

static bool ingest_again(const struct document_call *call, const struct means *means,
                         const struct document_row *row)
{
    const struct support_settings *settings = means->settings;
    const char *passing;
    struct ingest_request request = {.path = find_file(call, means, row, &passing),
                                     .doc_id = row->doc_id,
                                     .title = row->title,
                                     .auto_generated = row->auto_generated,
                                     .again = true,
                                     .models = means->models};
    struct ingest_result result;
    enum error error;

    if (!request.path)
        return false;
    error = ingest_document(call, settings, &request, &result);
    if (error)
        log_event(LOG_WARNING, "document_not_indexed", call->problem->text);
    if (passing)
        unlink(passing);
    return !error;
}

static enum error reindex_tenant(const struct document_call *tenant, const struct means *means,
                                 int64_t *documents)
{
    struct turns turns = turns_make((size_t)means->settings->index_memory_bytes);
    struct document_call call = *tenant;
    struct document_row row = {.doc_id = ""};
    bool found = true;
    enum error error;

    call.arena = turns.next;
    while (!(error = document_next(&call, row.doc_id, &row, &found)) && found) {
        turns_take(&turns);
        call.arena = turns.now;
        *documents += ingest_again(&call, means, &row);
        call.arena = turns.next;
    }
    turns_end(&turns);
    return error;
}

enum error reindex_all(struct db *db, const struct support_settings *settings,
                       struct models *models, int64_t *documents, struct problem *problem)
{
    const struct means means = {settings, models};

    return visit_tenants(db, &means, reindex_tenant, documents, problem);
}

/* Whether a segment is unreadable and still current, checked twice: other processes merge
 * segments. */
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

static enum error mend_tenant(const struct document_call *listing, const struct means *means,
                              int64_t *rebuilt)
{
    const struct support_settings *settings = means->settings;
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

static enum error merge_tenant(const struct document_call *listing, const struct means *means)
{
    const struct support_settings *settings = means->settings;
    struct arena *arena = arena_create((size_t)settings->index_memory_bytes);
    const struct document_call call = {listing->db, arena, listing->tenant, listing->problem};
    int64_t rebuilt = 0;
    enum error error = ingest_merge(&call, settings, 0);

    if (error == ERROR_NOT_FOUND)
        error = mend_tenant(listing, means, &rebuilt);
    arena_destroy(arena);
    return error;
}

enum error reindex_merge(struct db *db, const struct support_settings *settings,
                         struct problem *problem)
{
    struct turns turns;
    const char *tenant = "";
    enum error error;

    if (search_engine_is_used(settings)) /* segments are not read, and some were never written */
        return ERROR_NONE;
    turns = turns_make(LISTING_MEMORY);
    while (!(error = document_next_crowded(db, turns.next, tenant, INGEST_SEGMENTS_FEW, &tenant,
                                           problem)) &&
           tenant) {
        turns_take(&turns);
        error = merge_tenant(&(struct document_call){db, turns.now, tenant, problem},
                             &(struct means){settings, NULL});
        if (error)
            break;
    }
    turns_end(&turns);
    return error;
}

enum error reindex_warn_mixed(struct db *db, const struct support_settings *settings,
                              struct problem *problem)
{
    char text[160];
    int64_t count;
    enum error error = document_count_cut(db, !settings->parent_child, &count, problem);

    if (error || !count)
        return error;
    snprintf(text, sizeof text,
             "%lld documents are not cut as RAG_PARENT_CHILD says: ingest --reindex does it",
             (long long)count);
    log_event(LOG_WARNING, "documents_cut_otherwise", text);
    return ERROR_NONE;
}

enum error reindex_mend(struct db *db, const struct support_settings *settings, int64_t *rebuilt,
                        struct problem *problem)
{
    if (search_engine_is_used(settings))
        return ERROR_NONE;
    return visit_tenants(db, &(struct means){settings, NULL}, mend_tenant, rebuilt, problem);
}
