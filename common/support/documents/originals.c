/* Originals of documents, one after the other. */
#include "support/documents/originals.h"

#include "base/log.h"
#include "support/documents/host.h"

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

static enum error share(const struct pass *pass, const struct document_call *call,
                        const struct document_row *row, const char *path)
{
    const struct blob_call blob = ingest_blob_call(call, pass->settings);
    enum error error = blob_put_path(&blob, BLOB_ORIGINAL, row->file_hash, path);

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

/* Not stored; or its copy has gone, or is damaged. */
static bool is_lost(enum error error, const struct problem *problem)
{
    return error == ERROR_NOT_FOUND ||
           (error == ERROR_SYSTEM && strcmp(problem->reason, "blob_damaged") == 0);
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
    *missing = is_lost(error, call->problem);
    return *missing ? ERROR_NONE : error;
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
    *missing = is_lost(error, call->problem) || (!error && !is_original(path, row));
    unlink(path);
    return *missing ? ERROR_NONE : error;
}

/* Where files are not shared any longer, and all of them are here. */
static enum error release(const struct pass *pass, const struct document_call *call,
                          const struct document_row *row, bool *missing)
{
    const struct blob_call blob = ingest_blob_call(call, pass->settings);

    *missing = !is_original(file_of(pass, call, row), row);
    return *missing ? ERROR_NONE : blob_release(&blob, BLOB_ORIGINAL, row->file_hash);
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

/* Copies in the database or the bucket go when each file is here; the next run tries again. */
static enum error leave_copies(const struct pass *moved)
{
    struct originals_counts counts;
    struct pass pass = *moved;
    enum error error;

    if (moved->counts->failed || moved->counts->missing)
        return ERROR_NONE;
    pass.counts = &counts;
    pass.visit = release;
    error = visit_all(&pass);
    return error || counts.missing || counts.failed
               ? error
               : blobs_leave(pass.db, pass.arena, pass.settings, pass.problem);
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

    if (!error)
        error = shared ? blobs_move(db, arena, settings, &moves, problem) : leave_copies(&pass);
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
