/* Originals of documents, one after the other. */
#include "support/documents/originals.h"

#include "base/log.h"
#include "support/documents/host.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MEMORY = 96 * 1024 * 1024, NAME_MAX_BYTES = 1024 };

/* A pass over all documents. The arena of a document is reset after it. */
struct pass {
    struct db *db;
    struct arena *arena, *document;
    const struct support_settings *settings;
    struct originals_counts *counts;
    struct problem *problem;
    enum error (*visit)(const struct pass *pass, const struct document_call *call,
                        const struct document_row *row, bool *missing);
};

static const char *file_of(const struct pass *pass, const struct document_call *call,
                           const struct document_row *row)
{
    return arena_print(call->arena, "%s/%s",
                       ingest_upload_folder(call->arena, pass->settings, call->tenant),
                       row->doc_id);
}

static bool is_original(const char *path, const struct document_row *row)
{
    char hash[DIGEST_SHA256_TEXT];

    host_file_hash(path, hash);
    return strcmp(hash, row->file_hash) == 0;
}

static void close_file(void *file)
{
    close((int)(intptr_t)file);
}

static enum error share(const struct pass *pass, const struct document_call *call,
                        const struct document_row *row, const char *path)
{
    const struct blob_call blob = ingest_blob_call(call, pass->settings);
    struct arena_guard *guard = arena_guard(call->arena, close_file);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    enum error error;

    if (file < 0)
        return problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read", path);
    guard->thing = (void *)(intptr_t)file;
    error = blob_put(&blob, BLOB_ORIGINAL, row->file_hash, file);
    arena_guard_end(guard);
    pass->counts->moved += !error;
    return error;
}

/* The file stays: folders and sites compare with it, and the operator may want to turn back. */
static enum error move_in(const struct pass *pass, const struct document_call *call,
                          const struct document_row *row, bool *missing)
{
    const struct blob_call blob = ingest_blob_call(call, pass->settings);
    const char *path = file_of(pass, call, row);
    bool there = false;
    enum error error = blob_is_there(&blob, BLOB_ORIGINAL, row->file_hash, &there);

    *missing = !there && !is_original(path, row);
    return error || there || *missing ? error : share(pass, call, row, path);
}

static enum error move_out(const struct pass *pass, const struct document_call *call,
                           const struct document_row *row, bool *missing)
{
    const struct blob_call blob = ingest_blob_call(call, pass->settings);
    const char *path = file_of(pass, call, row);
    bool there = false;
    enum error error;

    if (is_original(path, row))
        return ERROR_NONE;
    error = blob_is_there(&blob, BLOB_ORIGINAL, row->file_hash, &there);
    *missing = !error && !there;
    if (error || *missing)
        return error;
    error = blob_get(&blob, BLOB_ORIGINAL, row->file_hash, path);
    pass->counts->moved += !error;
    return error;
}

static enum error check(const struct pass *pass, const struct document_call *call,
                        const struct document_row *row, bool *missing)
{
    const struct blob_call blob = ingest_blob_call(call, pass->settings);
    const char *path;
    enum error error;

    if (!blobs_are_shared(pass->settings)) {
        *missing = !is_original(file_of(pass, call, row), row);
        return ERROR_NONE;
    }
    path = ingest_passing_path(call->arena, pass->settings);
    error = blob_get(&blob, BLOB_ORIGINAL, row->file_hash, path);
    *missing = error == ERROR_NOT_FOUND || (!error && !is_original(path, row));
    unlink(path);
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

static void visit(const struct pass *pass, const struct document_call *call,
                  const struct document_row *row)
{
    bool missing = false;
    enum error error;

    if (!row->file_hash) /* a draft, or from before hashes were kept */
        return;
    pass->counts->documents++;
    error = pass->visit(pass, call, row, &missing);
    pass->counts->missing += missing;
    pass->counts->failed += error != ERROR_NONE;
    if (missing)
        log_event(LOG_WARNING, "original_missing",
                  arena_print(call->arena, "%s/%s", call->tenant, row->doc_id));
    if (error)
        log_event(LOG_WARNING, "original_not_moved", call->problem->text);
}

static enum error visit_tenant(const struct pass *pass, const char *tenant)
{
    const struct document_call call = {pass->db, pass->document, tenant, pass->problem, NULL};
    char doc_id[NAME_MAX_BYTES] = "";
    bool found = true;
    enum error error = ERROR_NONE;

    while (found && !error) {
        struct document_row row;

        error = document_next(&call, doc_id, &row, &found);
        if (error || !found)
            break;
        (void)!snprintf(doc_id, sizeof doc_id, "%s", row.doc_id);
        visit(pass, &call, &row);
        arena_reset(pass->document);
    }
    return error;
}

static enum error visit_all(struct pass *pass)
{
    const char *tenant = "";
    enum error error;

    *pass->counts = (struct originals_counts){0};
    pass->document = arena_create_below(pass->arena, DOCUMENT_MEMORY);
    while (!(error = document_next_tenant(pass->db, pass->arena, tenant, &tenant, pass->problem)) &&
           tenant) {
        error = visit_tenant(pass, tenant);
        if (error)
            break;
    }
    arena_destroy(pass->document);
    return error;
}

enum error originals_move(struct db *db, struct arena *arena,
                          const struct support_settings *settings, struct originals_counts *counts,
                          struct problem *problem)
{
    bool shared = blobs_are_shared(settings);
    struct pass pass = {.db = db,
                        .arena = arena,
                        .settings = settings,
                        .counts = counts,
                        .problem = problem,
                        .visit = shared ? move_in : move_out};
    struct blob_moves moves = {0};
    enum error error = visit_all(&pass);

    if (!error && shared)
        error = blobs_move(db, arena, settings, &moves, problem);
    counts->moved += moves.moved;
    counts->failed += moves.failed;
    return error;
}

enum error originals_check(struct db *db, struct arena *arena,
                           const struct support_settings *settings, struct originals_counts *counts,
                           struct problem *problem)
{
    struct pass pass = {.db = db,
                        .arena = arena,
                        .settings = settings,
                        .counts = counts,
                        .problem = problem,
                        .visit = check};

    return visit_all(&pass);
}
