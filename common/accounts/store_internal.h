/* Private to common/accounts: what callers found is kept for all workers of the host, and is
 * forgotten when a person, a session or a token changes. */
#ifndef ASSAY_ACCOUNTS_STORE_INTERNAL_H
#define ASSAY_ACCOUNTS_STORE_INTERNAL_H

#include "accounts/store.h"
#include "crypto/digest.h"
#include "db/query.h"
#include "shm/cache.h"

#define PERSON_COLUMNS                                                                             \
    "id, username, name, email, tenant, roles, member_of AS \"groups\", is_active,"                \
    " must_change_password, created_at, last_seen_at"

/* NULL while there is none. */
struct shm_cache *accounts_cache(struct accounts *accounts);
extern const char accounts_cache_tag[];

/* A transaction that changes who may do what: begin, change, finish. */
MUST_CHECK enum error accounts_change_begin(const struct accounts_call *call, int64_t *change);
MUST_CHECK enum error accounts_change_finish(const struct accounts_call *call, int64_t change,
                                             enum error error);

/* A new secret of 32 random bytes after `prefix`, from the arena, and the digest to store. */
const char *accounts_new_secret(struct arena *arena, const char *prefix,
                                char digest[DIGEST_SHA256_TEXT]);
const char *accounts_new_id(struct arena *arena);

/* Runs a statement whose only parameters are texts; `changes` (or NULL) = rows changed. */
MUST_CHECK enum error accounts_run(const struct accounts_call *call,
                                   const struct statement *statement, const char *first,
                                   const char *second, int64_t *changes);

#endif
