/* Private to common/support/blobs: the rows of files, and the bytes of those in the database. */
#ifndef ASSAY_SUPPORT_BLOBS_BLOB_STORE_H
#define ASSAY_SUPPORT_BLOBS_BLOB_STORE_H

#include "crypto/digest.h"
#include "support/blobs/blobs.h"

enum { BLOB_PART_BYTES = 512 * 1024, BLOBS_RETIRED_AT_ONCE = 500 };

extern const char *const blob_kind_names[BLOB_KIND__MAX];

struct blob_row {
    const char *tenant_id, *kind, *name;
    const char *object;
    const char *place; /* database or s3 */
    int64_t size_bytes;
    const char *sha256;
    bool ready;
};

/* A ready copy of a file. */
MUST_CHECK enum error blob_find(const struct blob_call *call, const char *kind, const char *name,
                                struct blob_row *row, bool *found);

/* The same, of one place. */
MUST_CHECK enum error blob_find_at(const struct blob_call *call, const char *kind, const char *name,
                                   const char *place, struct blob_row *row, bool *found);

/* Makes a ready copy count as new; `found` says whether there is one. */
MUST_CHECK enum error blob_renew(const struct blob_call *call, const char *kind, const char *name,
                                 bool *found);

MUST_CHECK enum error blob_insert(const struct blob_call *call, const struct blob_row *row);
MUST_CHECK enum error blob_finish(const struct blob_call *call, const struct blob_row *row);
MUST_CHECK enum error blob_remove(const struct blob_call *call, const struct blob_row *row);

/* The copy is damaged: it is no longer ready. */
MUST_CHECK enum error blob_spoil(const struct blob_call *call, const struct blob_row *row);

/* All segments are free: each host keeps its own. */
MUST_CHECK enum error blob_release_segments(struct db *db, struct problem *problem);

/* The bytes of a file, in parts, in the caller's transaction. */
MUST_CHECK enum error blob_write_parts(const struct blob_call *call, const char *object, int file,
                                       int64_t size);
MUST_CHECK enum error blob_read_parts(const struct blob_call *call, const char *object, int file);

/* Marks files that nothing refers to as not ready, at most some of them; `marked` says how many. */
MUST_CHECK enum error blob_retire(struct db *db, enum blob_kind kind, int64_t seconds,
                                  int64_t *marked, struct problem *problem);

/* A copy that is not ready, and has not been for so many seconds. */
MUST_CHECK enum error blob_next_retired(struct db *db, struct arena *arena, int64_t seconds,
                                        bool also_s3, struct blob_row *row, bool *found,
                                        struct problem *problem);

/* The ready file after the object `after` that is in another place than `place`. */
MUST_CHECK enum error blob_next_elsewhere(struct db *db, struct arena *arena, const char *place,
                                          const char *after, struct blob_row *row, bool *found,
                                          struct problem *problem);

#endif
