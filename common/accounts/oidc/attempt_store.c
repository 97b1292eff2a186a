/* All SQL about sign-ins that have begun. */
#include "accounts/oidc/attempt_store.h"

#include "base/clock.h"
#include "crypto/digest.h"
#include "db/query.h"

#include <string.h>

static const struct statement insert_attempt = {
    .name = "oidc_attempt_insert",
    .sql = "INSERT INTO oidc_sign_ins (state_digest, browser_digest, issuer, nonce, verifier,"
           " redirect_uri, next_path, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement delete_expired = {
    .name = "oidc_attempts_expired",
    .sql = "DELETE FROM oidc_sign_ins WHERE expires_at <= ?",
};
static const struct statement take_attempt = {
    .name = "oidc_attempt_take",
    .sql = "DELETE FROM oidc_sign_ins WHERE state_digest = ?"
           " RETURNING browser_digest, issuer, nonce, verifier, redirect_uri, next_path,"
           " expires_at",
};

static const char *digest_of(struct arena *arena, const char *secret)
{
    char digest[DIGEST_SHA256_TEXT];

    digest_sha256_hex(secret, strlen(secret), digest);
    return arena_copy_string(arena, digest);
}

static enum error insert(const struct accounts_call *call, const struct oidc_pending *pending,
                         int64_t expires_at)
{
    struct query *query = db_query(call->db, &insert_attempt);

    query_bind_text(query, digest_of(call->arena, pending->attempt.state));
    query_bind_text(query, digest_of(call->arena, pending->browser));
    query_bind_text(query, pending->issuer);
    query_bind_text(query, pending->attempt.nonce);
    query_bind_text(query, pending->attempt.verifier);
    query_bind_text(query, pending->attempt.redirect_uri);
    query_bind_text(query, pending->next);
    query_bind_integer(query, expires_at);
    return query_end(query, call->problem);
}

enum error attempt_store(const struct accounts_call *call, const struct oidc_pending *pending,
                         int64_t seconds)
{
    int64_t now = clock_unix_seconds();
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    query = db_query(call->db, &delete_expired);
    query_bind_integer(query, now);
    error = query_end(query, call->problem);
    if (!error)
        error = insert(call, pending, now + seconds);
    return db_finish(call->db, error, call->problem);
}

/* The row is deleted also when it is not of this browser: the state is known to others then. */
static enum error take(const struct accounts_call *call, const char *state, const char *browser,
                       const char *issuer, struct oidc_pending *pending, bool *good)
{
    struct query *query = db_query(call->db, &take_attempt);

    query_bind_text(query, digest_of(call->arena, state));
    if (query_next(query)) {
        const char *digest = query_text(query, 0, call->arena);

        pending->issuer = query_text(query, 1, call->arena);
        pending->attempt.nonce = query_text(query, 2, call->arena);
        pending->attempt.verifier = query_text(query, 3, call->arena);
        pending->attempt.redirect_uri = query_text(query, 4, call->arena);
        pending->next = query_text(query, 5, call->arena);
        *good = query_integer(query, 6) > clock_unix_seconds() &&
                digest_equal_secret(digest_of(call->arena, browser), digest) &&
                strcmp(pending->issuer, issuer) == 0;
    }
    return query_end(query, call->problem);
}

enum error attempt_take(const struct accounts_call *call, const char *state, const char *browser,
                        const char *issuer, struct oidc_pending *pending)
{
    bool good = false;
    enum error error;

    *pending = (struct oidc_pending){.attempt = {.state = state}, .browser = browser};
    error = state && browser ? take(call, state, browser, issuer, pending, &good) : ERROR_NONE;
    if (error || good)
        return error;
    return problem_set(call->problem, ERROR_FORBIDDEN, "oidc_expired",
                       "no sign-in of this browser has that state");
}
