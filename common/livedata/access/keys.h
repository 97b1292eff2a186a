/*
 * API keys: those of settings and files, kept in memory, and those issued by administrators, in the
 * database. Only digests of keys are stored: HMAC-SHA-256 with the pepper.
 */
#ifndef ASSAY_LIVEDATA_ACCESS_KEYS_H
#define ASSAY_LIVEDATA_ACCESS_KEYS_H

#include "db/db.h"
#include "livedata/access/tenants.h"
#include "livedata/settings.h"

enum { KEY_LOOKUP_TEXT = 65 };

struct live_key {
    const char *key_id;
    const char *name;
    const char *tenant;
    const char *lookup; /* digest */
    int64_t rate_limit_rpm;
    const struct string_list *types; /* NULL = all */
    bool can_ingest;
    int64_t created_at;
    const char *previous_lookup; /* or NULL */
    int64_t previous_until;
    bool by_previous; /* it was matched by its old key */
};

struct live_keys {
    size_t count;
    struct live_key *items;
};

/* Loads the keys of settings and of the file. ERROR_INVALID names the setting. */
MUST_CHECK enum error keys_load(struct arena *arena, const struct livedata_settings *settings,
                                struct live_keys *keys, struct problem *problem);

void key_lookup_of(const struct livedata_settings *settings, const char *key,
                   char lookup[KEY_LOOKUP_TEXT]);

struct keys_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
    const struct livedata_settings *settings;
    const struct tenants *tenants;
    int64_t now;
};

/* Finds an issued key by digest, also by its old one while that is valid. */
MUST_CHECK enum error live_key_find(const struct keys_call *call, const char *lookup,
                                    struct live_key *key, bool *found);
/* Whether any key was ever issued. */
MUST_CHECK enum error live_key_any(const struct keys_call *call, bool *any);

struct key_request {
    const char *name;
    const char *tenant;
    int64_t rate_limit_rpm;
    const struct string_list *types; /* NULL = all */
};
/* ERROR_CONFLICT key_quota when the tenant has reached its limit. */
MUST_CHECK enum error live_key_issue(const struct keys_call *call, const struct key_request *order,
                                     struct live_key *key, const char **plaintext);
MUST_CHECK enum error live_key_list(const struct keys_call *call, struct live_keys *keys);
/* ERROR_NOT_FOUND key_not_found, like the next ones. */
MUST_CHECK enum error live_key_read(const struct keys_call *call, const char *key_id,
                                    struct live_key *key);
/* ERROR_CONFLICT rotation_in_progress. */
MUST_CHECK enum error live_key_rotate(const struct keys_call *call, const char *key_id,
                                      const char **plaintext, int64_t *expires_at);
/* ERROR_CONFLICT no_old_key. */
MUST_CHECK enum error live_key_revoke_old(const struct keys_call *call, const char *key_id);
/* Finds by id, or by the key itself. */
MUST_CHECK enum error live_key_delete(const struct keys_call *call, const char *key_id);

#endif
