/*
 * Files that every host of the support service needs: originals of documents and segments of the
 * search index. They are in the database or in an object store when SUPPORT_BLOB_URL says so (on
 * PostgreSQL by default the database); on one host with SQLite they stay files in DATA_DIR, and
 * nothing is stored here. Files are copied in pieces, so that memory has a bound.
 */
#ifndef ASSAY_SUPPORT_BLOBS_BLOBS_H
#define ASSAY_SUPPORT_BLOBS_BLOBS_H

#include "db/db.h"
#include "support/settings.h"

enum blob_kind { BLOB_ORIGINAL, BLOB_SEGMENT, BLOB_KIND__MAX };

struct blob_call {
    struct db *db;
    struct arena *arena;
    const struct support_settings *settings;
    const char *tenant;
    struct problem *problem;
};

/* Whether files are kept for all hosts; whether that is in an object store. */
bool blobs_are_shared(const struct support_settings *settings);
bool blobs_have_store(const struct support_settings *settings);

/*
 * Stores an open file under a name. Originals are named by their SHA-256, segments are never
 * changed: what is there already is not stored again, but counts as new for blobs_sweep(). A copy
 * whose object has gone is replaced.
 * Outside transactions; a connection that others want is given up meanwhile. Errors of the database
 * and of net/s3.h; a store that refuses the key is ERROR_UNAVAILABLE.
 */
MUST_CHECK enum error blob_put(const struct blob_call *call, enum blob_kind kind, const char *name,
                               int file);

/* The same for the file at `path`; nothing where files are not shared. ERROR_SYSTEM
 * `file_not_read`. */
MUST_CHECK enum error blob_put_path(const struct blob_call *call, enum blob_kind kind,
                                    const char *name, const char *path);

/* Writes the file to `path`, which appears whole or not at all. ERROR_NOT_FOUND `blob_missing`;
 * ERROR_SYSTEM `blob_damaged` when the object has gone, or its bytes are not those that were
 * stored; the latter is not found again, so that it can be stored anew. */
MUST_CHECK enum error blob_get(const struct blob_call *call, enum blob_kind kind, const char *name,
                               const char *path);

/* Whether it is stored, and its object has not gone. */
MUST_CHECK enum error blob_is_there(const struct blob_call *call, enum blob_kind kind,
                                    const char *name, bool *there);

/* Deletes files that no document, no waiting task and no segment refers to, and copies that were
 * never finished. A file stays for an hour, a copy for a day. At most some: `more` says whether it
 * should be called again at once. */
MUST_CHECK enum error blobs_sweep(struct db *db, struct arena *arena,
                                  const struct support_settings *settings, bool *more,
                                  struct problem *problem);

/* This host has the file, and files are not shared any longer: frees the copy, unless a task waits
 * for it. blobs_leave() does so for all segments, and deletes what has been freed. */
MUST_CHECK enum error blob_release(const struct blob_call *call, enum blob_kind kind,
                                   const char *name);
MUST_CHECK enum error blobs_leave(struct db *db, struct arena *arena,
                                  const struct support_settings *settings, struct problem *problem);

/*
 * Moves files that are in another place (the database, or the object store that `blob_url_before`
 * of the settings names) to the one of SUPPORT_BLOB_URL. Each is there before it is deleted where
 * it was, so a run that was interrupted is continued by the next. Returns how many were moved, and
 * how many could not be; `problem` tells of the last of these.
 */
struct blob_moves {
    int64_t moved, failed;
};
MUST_CHECK enum error blobs_move(struct db *db, struct arena *arena,
                                 const struct support_settings *settings, struct blob_moves *moves,
                                 struct problem *problem);

/* For readiness: whether the object store answers. ERROR_NONE without one. */
MUST_CHECK enum error blobs_check(struct arena *arena, const struct support_settings *settings,
                                  struct problem *problem);

#endif
