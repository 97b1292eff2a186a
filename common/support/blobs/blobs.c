/* Files for all hosts: one copy in the database or in an object store, and its row. */
#include "support/blobs/blobs.h"

#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "net/s3.h"
#include "support/blobs/blob_store.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEPT_SECONDS = 3600,            /* of a file that nothing refers to */
    UNFINISHED_SECONDS = 24 * 3600, /* of a copy that was begun */
    SWEPT_AT_ONCE = 1000,
    CHECK_SECONDS = 3,
    COPY_MEMORY = 64 * 1024 * 1024
};

#define FILES "files"
#define DATABASE "database"
#define S3 "s3"

/* -- where files are --------------------------------------------------------------------------- */

static bool is_address(const char *url)
{
    return url && strstr(url, "://");
}

static const char *place_of(const struct support_settings *settings)
{
    const char *url = settings->blob_url;

    if (is_address(url))
        return S3;
    return url ? url : settings->database_url ? DATABASE : FILES;
}

bool blobs_are_shared(const struct support_settings *settings)
{
    return strcmp(place_of(settings), FILES) != 0;
}

bool blobs_have_store(const struct support_settings *settings)
{
    return strcmp(place_of(settings), S3) == 0;
}

/* The object store of the settings, or the one where files were before. */
static enum error find_store(struct arena *arena, const struct support_settings *settings,
                             struct s3_store *store, struct problem *problem)
{
    const char *url =
        is_address(settings->blob_url) ? settings->blob_url : settings->blob_url_before;

    *store = (struct s3_store){
        .key = {settings->blob_access_key, settings->blob_secret_key, settings->blob_region},
        .seconds = settings->blob_seconds};
    if (!url || !store->key.access || !store->key.secret)
        return problem_set(problem, ERROR_UNAVAILABLE, "object_store_unknown",
                           "the file is in an object store, and SUPPORT_BLOB_URL names none");
    return s3_parse_url(arena, url, store, problem);
}

static bool knows_store(struct arena *arena, const struct support_settings *settings)
{
    struct problem problem;
    struct s3_store store;

    return find_store(arena, settings, &store, &problem) == ERROR_NONE;
}

/* A client cannot mend the key of the service: to him it is away. */
static enum error away(enum error error, struct problem *problem)
{
    if (error == ERROR_FORBIDDEN && problem)
        problem->error = ERROR_UNAVAILABLE;
    return error == ERROR_FORBIDDEN ? ERROR_UNAVAILABLE : error;
}

/* Nor a place that is not there. */
static enum error refused(enum error error, struct problem *problem)
{
    if (error != ERROR_NOT_FOUND)
        return away(error, problem);
    problem->reason = "object_store_refused";
    return problem->error = ERROR_UNAVAILABLE;
}

static const char *key_of(struct arena *arena, const struct blob_row *row)
{
    return arena_print(arena, "%s/%ss/%s/%s", row->tenant_id, row->kind, row->name, row->object);
}

/* -- storing ----------------------------------------------------------------------------------- */

static enum error put_in_database(const struct blob_call *call, struct blob_row *row, int file)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    row->ready = true;
    error = blob_insert(call, row);
    if (!error)
        error = blob_write_parts(call, row->object, file, row->size_bytes);
    return db_finish(call->db, error, call->problem);
}

/* The row comes first, so that an object without a user is found. */
static enum error put_in_store(const struct blob_call *call, const struct blob_row *row, int file)
{
    struct s3_store store;
    enum error error = find_store(call->arena, call->settings, &store, call->problem);

    if (!error)
        error = blob_insert(call, row);
    if (error)
        return error;
    db_release_before_wait(call->db);
    error = refused(
        s3_put(call->arena, &store, key_of(call->arena, row), file, row->size_bytes, call->problem),
        call->problem);
    return error ? error : blob_finish(call, row);
}

static enum error put_copy(const struct blob_call *call, const char *kind, const char *name,
                           int file)
{
    const char *place = place_of(call->settings);
    char object[TOKEN_UUID_TEXT], hash[DIGEST_SHA256_TEXT];
    struct blob_row row = {.tenant_id = call->tenant,
                           .kind = kind,
                           .name = name,
                           .object = object,
                           .place = place,
                           .sha256 = hash};
    struct stat about;

    token_uuid(object);
    if (fstat(file, &about) != 0 || !digest_file_sha256_hex(file, hash))
        return problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    row.size_bytes = about.st_size;
    return strcmp(place, S3) == 0 ? put_in_store(call, &row, file)
                                  : put_in_database(call, &row, file);
}

/* Whether the object of a row has not gone. A store that does not say so within a moment is asked
 * no longer. */
static enum error object_is_there(const struct blob_call *call, const struct blob_row *row,
                                  bool *there)
{
    struct s3_store store;
    enum error error;

    *there = true;
    if (strcmp(row->place, S3) != 0)
        return ERROR_NONE;
    error = find_store(call->arena, call->settings, &store, call->problem);
    if (error)
        return error;
    db_release_before_wait(call->db);
    store.seconds = CHECK_SECONDS;
    return away(s3_is_there(call->arena, &store, key_of(call->arena, row), there, call->problem),
                call->problem);
}

/* Stores it unless it is there. A row whose object has gone is removed after that. */
static enum error put_once(const struct blob_call *call, const char *kind, const char *name,
                           int file)
{
    struct blob_row row;
    bool found = false, there = false;
    enum error error = blob_renew(call, kind, name, &found);

    if (!error && found)
        error = blob_find(call, kind, name, &row, &found);
    if (error)
        return error;
    if (found && (object_is_there(call, &row, &there) || there))
        return ERROR_NONE; /* a store that is away may have it */
    error = put_copy(call, kind, name, file);
    return error || !found ? error : blob_remove(call, &row);
}

enum error blob_put(const struct blob_call *call, enum blob_kind kind, const char *name, int file)
{
    struct blob_call copy = *call;
    enum error error;

    if (!blobs_are_shared(call->settings))
        return ERROR_NONE;
    copy.arena = arena_create_below(call->arena, COPY_MEMORY);
    error = put_once(&copy, blob_kind_names[kind], name, file);
    arena_destroy(copy.arena);
    return error;
}

static void close_file(void *file)
{
    close((int)(intptr_t)file);
}

enum error blob_put_path(const struct blob_call *call, enum blob_kind kind, const char *name,
                         const char *path)
{
    struct arena_guard *guard;
    enum error error;
    int file;

    if (!blobs_are_shared(call->settings))
        return ERROR_NONE;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read", path);
    guard = arena_guard(call->arena, close_file);
    guard->thing = (void *)(intptr_t)file;
    error = blob_put(call, kind, name, file);
    arena_guard_end(guard);
    return error;
}

/* -- fetching ---------------------------------------------------------------------------------- */

static enum error read_object(const struct blob_call *call, const struct blob_row *row, int file)
{
    struct s3_store store;
    enum error error = find_store(call->arena, call->settings, &store, call->problem);

    if (error)
        return error;
    db_release_before_wait(call->db);
    return away(
        s3_get(call->arena, &store, key_of(call->arena, row), file, row->size_bytes, call->problem),
        call->problem);
}

static enum error damaged(const struct blob_call *call, const struct blob_row *row)
{
    enum error error = blob_spoil(call, row);

    return error ? error
                 : problem_set(call->problem, ERROR_SYSTEM, "blob_damaged",
                               "a stored file is not what it was: %s %s", row->kind, row->name);
}

static enum error read_copy(const struct blob_call *call, const struct blob_row *row, int file)
{
    char hash[DIGEST_SHA256_TEXT];
    enum error error = strcmp(row->place, DATABASE) == 0 ? blob_read_parts(call, row->object, file)
                                                         : read_object(call, row, file);

    if (!error && !digest_file_sha256_hex(file, hash))
        error =
            problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    if (error)
        return error;
    if (strcmp(hash, row->sha256) != 0)
        return damaged(call, row);
    return fsync(file) == 0 ? ERROR_NONE
                            : problem_set(call->problem, ERROR_SYSTEM, "file_not_written",
                                          "the file cannot be written");
}

static enum error get_to(const struct blob_call *call, const struct blob_row *row, const char *path)
{
    char random[TOKEN_UUID_TEXT];
    struct arena_guard *guard = arena_guard(call->arena, close_file);
    const char *beside;
    enum error error;
    int file;

    token_uuid(random);
    beside = arena_print(call->arena, "%s.%.8s.fetched", path, random);
    file = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return problem_set(call->problem, ERROR_SYSTEM, "file_not_written",
                           "the file cannot be written");
    guard->thing = (void *)(intptr_t)file;
    error = read_copy(call, row, file);
    arena_guard_end(guard);
    if (!error && rename(beside, path) != 0)
        error = problem_set(call->problem, ERROR_SYSTEM, "file_not_written",
                            "the file cannot be written");
    if (error)
        unlink(beside);
    return error;
}

enum error blob_get(const struct blob_call *call, enum blob_kind kind, const char *name,
                    const char *path)
{
    struct blob_call copy = *call;
    struct blob_row row;
    bool found = false;
    enum error error = blob_find(call, blob_kind_names[kind], name, &row, &found);

    if (!error && !found)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "blob_missing",
                            "the file is not stored: %s %s", blob_kind_names[kind], name);
    if (error)
        return error;
    copy.arena = arena_create_below(call->arena, COPY_MEMORY);
    error = get_to(&copy, &row, path);
    arena_destroy(copy.arena);
    return error == ERROR_NOT_FOUND
               ? problem_set(call->problem, ERROR_SYSTEM, "blob_damaged",
                             "a stored file has gone: %s %s", row.kind, row.name)
               : error;
}

enum error blob_is_there(const struct blob_call *call, enum blob_kind kind, const char *name,
                         bool *there)
{
    struct blob_row row;
    enum error error = blob_find(call, blob_kind_names[kind], name, &row, there);

    return error || !*there ? error : object_is_there(call, &row, there);
}

/* -- upkeep ------------------------------------------------------------------------------------ */

static enum error remove_copy(const struct blob_call *call, const struct blob_row *row)
{
    struct s3_store store;
    enum error error = ERROR_NONE;

    if (strcmp(row->place, S3) == 0) {
        error = find_store(call->arena, call->settings, &store, call->problem);
        if (!error)
            error = away(s3_delete(call->arena, &store, key_of(call->arena, row), call->problem),
                         call->problem);
    }
    return error ? error : blob_remove(call, row);
}

static enum error remove_retired(struct blob_call *call, bool *more)
{
    bool also_s3 = knows_store(call->arena, call->settings), found = true;
    struct arena *arena = call->arena;
    enum error error = ERROR_NONE;

    call->arena = arena_create_below(arena, COPY_MEMORY);
    for (int i = 0; i < SWEPT_AT_ONCE && found && !error; i++) {
        struct blob_row row;

        error = blob_next_retired(call->db, call->arena, UNFINISHED_SECONDS, also_s3, &row, &found,
                                  call->problem);
        if (!error && found)
            error = remove_copy(call, &row);
        arena_reset(call->arena);
    }
    *more = found && !error;
    arena_destroy(call->arena);
    call->arena = arena;
    return error;
}

/* Also after a change to files of one host, while there are others. */
static enum error has_any(const struct blob_call *call, bool *any)
{
    struct blob_row row;

    *any = blobs_are_shared(call->settings);
    return *any ? ERROR_NONE
                : blob_next_elsewhere(call->db, call->arena, FILES, "", &row, any, call->problem);
}

enum error blobs_sweep(struct db *db, struct arena *arena, const struct support_settings *settings,
                       bool *more, struct problem *problem)
{
    struct blob_call call = {db, arena, settings, "", problem};
    bool any = false, many = false;
    enum error error = has_any(&call, &any);

    *more = false;
    for (int kind = 0; any && kind < BLOB_KIND__MAX && !error; kind++) {
        int64_t marked = 0;

        error = blob_retire(db, (enum blob_kind)kind, KEPT_SECONDS, &marked, problem);
        many |= marked == BLOBS_RETIRED_AT_ONCE;
    }
    if (!error)
        error = remove_retired(&call, more);
    *more |= many && !error;
    return error;
}

enum error blobs_leave(struct db *db, struct arena *arena, const struct support_settings *settings,
                       struct problem *problem)
{
    struct blob_call call = {db, arena, settings, "", problem};
    bool more = true;
    enum error error = blob_release_segments(db, problem);

    while (more && !error)
        error = remove_retired(&call, &more);
    return error;
}

static enum error copy_over(const struct blob_call *call, const struct blob_row *row,
                            const char *path)
{
    enum error error = get_to(call, row, path);
    int file = error ? -1 : open(path, O_RDONLY | O_CLOEXEC);

    if (!error && file < 0)
        error =
            problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    if (!error)
        error = put_copy(call, row->kind, row->name, file);
    if (file >= 0)
        close(file);
    unlink(path);
    return error;
}

/* A copy in the place of the settings, unless a run that was interrupted has left one; then the old
 * one goes. */
static enum error move(const struct blob_call *call, const struct blob_row *row, const char *path)
{
    struct blob_row other;
    bool there = false;
    enum error error =
        blob_find_at(call, row->kind, row->name, place_of(call->settings), &other, &there);

    if (!error && there)
        error = object_is_there(call, &other, &there);
    if (!error && !there)
        error = copy_over(call, row, path);
    return error ? error : remove_copy(call, row);
}

enum error blobs_move(struct db *db, struct arena *arena, const struct support_settings *settings,
                      struct blob_moves *moves, struct problem *problem)
{
    struct blob_call call = {db, arena_create_below(arena, COPY_MEMORY), settings, "", problem};
    const char *path =
        arena_print(arena, "%s/.moved-%ld", settings->data_directory, (long)getpid());
    char after[TOKEN_UUID_TEXT] = "";
    bool found = true;
    enum error error = ERROR_NONE;

    *moves = (struct blob_moves){0};
    while (found && !error) {
        struct blob_row row;

        error =
            blob_next_elsewhere(db, call.arena, place_of(settings), after, &row, &found, problem);
        if (error || !found)
            break;
        snprintf(after, sizeof after, "%s", row.object);
        call.tenant = row.tenant_id;
        if (!move(&call, &row, path)) {
            moves->moved++;
        } else {
            moves->failed++;
            log_event(LOG_WARNING, "file_not_moved", problem->text);
        }
        arena_reset(call.arena);
    }
    arena_destroy(call.arena);
    return error;
}

enum error blobs_check(struct arena *arena, const struct support_settings *settings,
                       struct problem *problem)
{
    struct s3_store store;
    enum error error;

    if (!blobs_have_store(settings))
        return ERROR_NONE;
    error = find_store(arena, settings, &store, problem);
    store.seconds = CHECK_SECONDS;
    return error ? error : s3_check(arena, &store, problem);
}
