/*
 * Files in an object store that speaks the S3 protocol, such as Amazon S3, MinIO, Ceph or Garage:
 * addresses in path style, requests with Signature Version 4. A file is sent and fetched in pieces
 * of S3_PIECE_BYTES, so that memory has a bound and a piece that fails is tried again alone. Keys
 * may hold any characters. Logs nothing; no error text holds a credential.
 */
#ifndef ASSAY_NET_S3_H
#define ASSAY_NET_S3_H

#include "base/arena.h"
#include "base/error.h"
#include "net/sigv4.h"

#include <stdbool.h>

enum { S3_PIECE_BYTES = 8 * 1024 * 1024, S3_KEY_MAX = 1024 /* bytes of a key */ };

struct s3_store {
    const char *origin; /* "https://host:port" */
    const char *host;   /* "host:port", as it is signed */
    const char *bucket;
    const char *prefix; /* of every key; "" = none */
    struct sigv4_key key;
    double seconds; /* for one piece, retries included; half of it for one attempt */
};

/* Fills in the first four members from "https://host[:port]/bucket[/prefix]", from the arena.
 * ERROR_INVALID `object_store_url`. */
MUST_CHECK enum error s3_parse_url(struct arena *arena, const char *url, struct s3_store *store,
                                   struct problem *problem);

/*
 * Errors of the functions below:
 *   ERROR_UNAVAILABLE  object_store_away: no answer, or one of 5xx, after all attempts
 *   ERROR_FORBIDDEN    object_store_refused: the key, its rights or the clock (401, 403)
 *   ERROR_UNAVAILABLE  object_store_bucket: no such bucket
 *   ERROR_NOT_FOUND    object_missing: no such key
 *   ERROR_SYSTEM       the file cannot be read or written; another answer of the store
 */

/* Stores `size` bytes of an open file, from its beginning. The object is there whole or not at all.
 */
MUST_CHECK enum error s3_put(struct arena *arena, const struct s3_store *store, const char *key,
                             int file, int64_t size, struct problem *problem);

/* Writes an object of `size` bytes to an open file, from its beginning. */
MUST_CHECK enum error s3_get(struct arena *arena, const struct s3_store *store, const char *key,
                             int file, int64_t size, struct problem *problem);

/* Whether there is an object of this key, whatever its bytes. */
MUST_CHECK enum error s3_is_there(struct arena *arena, const struct s3_store *store,
                                  const char *key, bool *there, struct problem *problem);

/* ERROR_NONE also when it does not exist. */
MUST_CHECK enum error s3_delete(struct arena *arena, const struct s3_store *store, const char *key,
                                struct problem *problem);

/* Whether the bucket is there and the key may use it. */
MUST_CHECK enum error s3_check(struct arena *arena, const struct s3_store *store,
                               struct problem *problem);

#endif
