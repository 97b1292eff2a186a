/* The SQL of the signing key. Hosts that make one at the same moment agree on the first. */
#include "experiments/certificates/signing_key.h"

#include "crypto/base64url.h"
#include "crypto/token.h"
#include "db/query.h"
#include "experiments/storage/store.h"

#include <string.h>

static const struct statement read_key = {
    .name = "certificate_key_read",
    .sql = "SELECT seed, created_at FROM certificate_keys WHERE purpose = 'verdicts'",
};
static const struct statement insert_key = {
    .name = "certificate_key_insert",
    .sql = "INSERT INTO certificate_keys (purpose, seed, created_at) VALUES ('verdicts', ?, ?)"
           " ON CONFLICT (purpose) DO NOTHING",
};

static enum error find(const struct live_call *call, const char **seed, const char **created_at)
{
    struct query *query = db_query(call->db, &read_key);

    *seed = NULL;
    if (query_next(query)) {
        *seed = query_text(query, 0, call->arena);
        *created_at = query_text(query, 1, call->arena);
    }
    return query_end(query, call->problem);
}

static enum error make(const struct live_call *call)
{
    unsigned char seed[ED25519_KEY_BYTES];
    struct query *query = db_query(call->db, &insert_key);

    token_random_bytes(seed, sizeof seed);
    query_bind_text(query, base64url_write(call->arena, seed, sizeof seed));
    query_bind_text(query, store_now(call->arena));
    token_wipe(seed, sizeof seed);
    return query_end(query, call->problem);
}

enum error signing_key_load(const struct live_call *call, struct signing_key *key)
{
    const char *text;
    unsigned char *seed;
    size_t size = 0;
    enum error error = find(call, &text, &key->created_at);

    if (!error && !text) {
        error = make(call);
        if (!error)
            error = find(call, &text, &key->created_at);
    }
    if (error)
        return error;
    seed = text ? base64url_read(call->arena, text, strlen(text), &size) : NULL;
    if (!seed || size != ED25519_KEY_BYTES)
        return problem_set(call->problem, ERROR_SYSTEM, "signing_key_malformed",
                           "the key of table certificate_keys is not one");
    memcpy(key->seed, seed, sizeof key->seed);
    token_wipe(seed, size);
    error = ed25519_public_key(key->seed, key->public_key, call->problem);
    digest_sha256_hex(key->public_key, sizeof key->public_key, key->fingerprint);
    return error;
}
