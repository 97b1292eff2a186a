/*
 * Publishable client keys: pages and apps show them to everybody who looks. Such a key evaluates
 * and tracks the flag of one project, for pages of listed origins, within its own rate limit, and
 * opens nothing else. So it is stored as it is and can be read again.
 */
#ifndef ASSAY_EXPERIMENTS_KEYS_CLIENT_KEY_STORE_H
#define ASSAY_EXPERIMENTS_KEYS_CLIENT_KEY_STORE_H

#include "base/schema.h"
#include "experiments/keys/key_store.h"

enum { CLIENT_KEYS_MAX = 20, CLIENT_KEY_ORIGINS_MAX = 20 };

struct client_key {
    const char *id;
    const char *experiment_id;
    const char *name;
    const char *client_key; /* what a client shows */
    struct string_list origins;
    struct optional_integer rate_limit_requests;
    struct optional_integer rate_limit_window_seconds;
    const char *created_by;
    const char *created_at;
};
SCHEMA_OF(client_key_request_schema, struct client_key);
SCHEMA_OF(client_key_schema, struct client_key);

/* Whether a token has the form of a client key. */
bool client_key_is(const char *token);

/* ERROR_NOT_FOUND `project_not_found`, ERROR_CONFLICT `client_key_limit_reached`. */
MUST_CHECK enum error client_key_create(const struct key_call *call, const char *experiment_id,
                                        const struct client_key *request, struct client_key *key);

/* The keys of a project, newest first: a list of struct client_key. ERROR_NOT_FOUND `not_found`. */
MUST_CHECK enum error client_key_list(const struct key_call *call, const char *experiment_id,
                                      struct object_list *keys);

/* The key opens nothing from now on. ERROR_NOT_FOUND `not_found`. */
MUST_CHECK enum error client_key_delete(const struct key_call *call, const char *experiment_id,
                                        const char *id);

/* The key that a client shows. */
MUST_CHECK enum error client_key_find(struct db *db, struct arena *arena, const char *token,
                                      struct client_key *key, bool *found, struct problem *problem);

/* Whether some key lists this origin: what a preflight asks, which shows no key. */
MUST_CHECK enum error client_key_origin_is_listed(struct db *db, const char *origin, bool *listed,
                                                  struct problem *problem);

#endif
