/* Virtual keys, and the teams and customers that they belong to. Only the SHA-256 of a key is
 * stored, so the key itself is shown once, in the answer that creates it. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_KEY_STORE_H
#define ASSAY_ORCHESTRATOR_KEYS_KEY_STORE_H

#include "base/schema.h"
#include "db/db.h"

#define VIRTUAL_KEY_PREFIX "sk-assay-"

enum { KEY_NAME_MAX = 100, KEY_MODELS_MAX = 200, KEY_PER_MINUTE_MAX = 100000000 };

struct customer {
    const char *id;
    const char *name;
    bool active;
    int64_t created_at;
};
SCHEMA_OF(customer_schema, struct customer);

struct team {
    const char *id;
    const char *name;
    const char *customer_id, *customer_name; /* NULL = none */
    bool active;
    int64_t created_at;
};
SCHEMA_OF(team_schema, struct team);

struct virtual_key {
    const char *id;
    const char *name;
    const char *prefix;              /* how the key begins */
    const char *team_id, *team_name; /* NULL = none, as the next two */
    const char *customer_id, *customer_name;
    struct string_list allowed_models; /* ids; none = all */
    struct optional_integer requests_per_minute, tokens_per_minute;
    bool stores_prompts;
    bool redacts_prompts; /* personal data is replaced before models get it */
    bool active;
    struct optional_integer expires_at; /* microseconds since 1970, as all times */
    int64_t created_at;
    const char *created_by; /* NULL = unknown */
    struct optional_integer last_used_at;
    bool team_active, customer_active;
    int64_t read_at; /* the database's clock */
    const char *key; /* the key itself: in the answer that creates it */
};
SCHEMA_OF(virtual_key_schema, struct virtual_key);         /* without the key itself */
SCHEMA_OF(created_virtual_key_schema, struct virtual_key); /* with the key itself */

struct key_store_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
};

/* Adding sets the id. ERROR_CONFLICT name_taken; ERROR_INVALID owner_unknown for a team or a
 * customer that does not exist; ERROR_NOT_FOUND key_not_found, team_not_found, customer_not_found;
 * ERROR_CONFLICT owner_in_use for what others belong to. Lists are of the structs, by name. */
MUST_CHECK enum error customer_add(const struct key_store_call *call, struct customer *customer);
MUST_CHECK enum error customer_update(const struct key_store_call *call,
                                      const struct customer *customer);
MUST_CHECK enum error customer_delete(const struct key_store_call *call, const char *id);
MUST_CHECK enum error customer_list(const struct key_store_call *call, struct object_list *list);

MUST_CHECK enum error team_add(const struct key_store_call *call, struct team *team);
MUST_CHECK enum error team_update(const struct key_store_call *call, const struct team *team);
MUST_CHECK enum error team_delete(const struct key_store_call *call, const char *id);
MUST_CHECK enum error team_list(const struct key_store_call *call, struct object_list *list);

/* Makes the key: key->key is its only copy. */
MUST_CHECK enum error virtual_key_add(const struct key_store_call *call, struct virtual_key *key);
MUST_CHECK enum error virtual_key_update(const struct key_store_call *call,
                                         const struct virtual_key *key);
MUST_CHECK enum error virtual_key_delete(const struct key_store_call *call, const char *id);
MUST_CHECK enum error virtual_key_list(const struct key_store_call *call, struct object_list *list);
MUST_CHECK enum error virtual_key_read(const struct key_store_call *call, const char *id,
                                       struct virtual_key *key);

/* Whether a credential has the form of a virtual key, so that others need not be looked up. */
bool virtual_key_is(const char *credential);

/* The key with this secret, usable or not; `found` false when there is none. */
MUST_CHECK enum error virtual_key_find(const struct key_store_call *call, const char *secret,
                                       struct virtual_key *key, bool *found);

/* Why a key cannot be used now; NULL when it can. */
const char *virtual_key_fault(const struct virtual_key *key);

/* Writes that it was used, at most once a minute. */
MUST_CHECK enum error virtual_key_touch(const struct key_store_call *call, const char *id);

#endif
