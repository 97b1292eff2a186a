/* Issued API keys: only the SHA-256 of a key is stored, so the key itself is shown once, in the
 * answer that creates it. */
#ifndef ASSAY_EXPERIMENTS_KEYS_KEY_STORE_H
#define ASSAY_EXPERIMENTS_KEYS_KEY_STORE_H

#include "base/schema.h"
#include "experiments/audit/audit_store.h"
#include "experiments/settings.h"

enum key_scope { KEY_READ, KEY_WRITE, KEY_SCOPE__MAX };

extern const char *const key_scope_names[KEY_SCOPE__MAX];

struct api_key {
    const char *id;
    const char *name;
    int scope; /* enum key_scope */
    const char *created_at;
    const char *last_used_at;
    const char *revoked_at;
    struct optional_integer rate_limit_requests;
    struct optional_integer rate_limit_window_seconds;
    const char *plaintext_key; /* the key itself: in the answer that creates it, else NULL */
};

struct key_request {
    const char *name;
    int scope; /* enum key_scope */
    struct optional_integer rate_limit_requests;
    struct optional_integer rate_limit_window_seconds;
};

SCHEMA_OF(key_request_schema, struct key_request);
SCHEMA_OF(key_schema, struct api_key);         /* without the key itself */
SCHEMA_OF(created_key_schema, struct api_key); /* with the key itself */

struct key_call {
    struct db *db;
    struct arena *arena;
    const struct actor *actor;
    struct problem *problem;
};

/* Creates a key; its plaintext_key is the only copy. */
MUST_CHECK enum error key_create(const struct key_call *call, const struct key_request *request,
                                 struct api_key *key);

/* All keys, newest first: a list of struct api_key. */
MUST_CHECK enum error key_list(const struct key_call *call, struct object_list *keys);

/* Keeps the time of the first revocation. ERROR_NOT_FOUND `not_found`. */
MUST_CHECK enum error key_revoke(const struct key_call *call, const char *id, struct api_key *key);

/* ERROR_CONFLICT `api_key_not_revoked` while it is active, ERROR_NOT_FOUND `not_found`. */
MUST_CHECK enum error key_delete(const struct key_call *call, const char *id);

/* The active key with this token; `found` false when there is none or it is revoked. */
MUST_CHECK enum error key_find(struct db *db, struct arena *arena, const char *token,
                               struct api_key *key, bool *found, struct problem *problem);

/* Whether any key is stored (revoked ones count), whether any is active, whether any active one may
 * write. */
struct key_census {
    bool any;
    bool any_active;
    bool any_active_write;
};
MUST_CHECK enum error key_census(struct db *db, struct key_census *census, struct problem *problem);

/* Whether a key was ever issued. False when the database cannot be read. */
bool key_is_issued(struct store *store);

/* In production only authenticated callers may write: without AB_API_TOKEN and AB_ADMIN_TOKEN there
 * must be an active key that may write. ERROR_INVALID when there is none, or the database cannot be
 * read; with AB_ALLOW_INSECURE_PRODUCTION this is only logged, as `insecure_production`. */
MUST_CHECK enum error key_check_production(struct store *store,
                                           const struct experiments_settings *settings,
                                           struct problem *problem);

/* Writes the audit row of a request by an issued key, and its last_used_at (at most once a
 * minute). */
MUST_CHECK enum error key_note_use(const struct key_call *call, const char *id);

/* Changes keys with a scope that no longer exists (admin) to write keys; writes one audit row for
 * each. */
MUST_CHECK enum error key_normalise_scopes(struct db *db, struct problem *problem);

#endif
