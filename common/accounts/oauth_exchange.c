/* Codes and refresh tokens become tokens, once each; and tokens are revoked. */
#include "accounts/oauth_grants.h"
#include "accounts/oauth_internal.h"
#include "accounts/oauth_resource.h"

#include "base/clock.h"
#include "crypto/base64url.h"

#include <ctype.h>
#include <string.h>

/* A grant as an exchange finds it. */
struct held {
    const char *id; /* NULL = there is none */
    const char *client_id;
    const char *person_id;
    const char *resource;
    bool read_only;
    const char *redirect_uri;
    const char *challenge;
    int64_t code_ends_at;
    int64_t ends_at;
    int64_t exchanged_at; /* 0 = not yet */
    const char *refresh_digest;
    int64_t refresh_ends_at;
};

#define OWNER struct held
static const struct field held_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, client_id),
    STRING(OWNER, person_id),
    STRING(OWNER, resource),
    BOOLEAN(OWNER, read_only),
    STRING(OWNER, redirect_uri),
    STRING(OWNER, challenge),
    TIME(OWNER, code_ends_at),
    TIME(OWNER, ends_at),
    TIME_OR_NULL(OWNER, exchanged_at),
    STRING(OWNER, refresh_digest, .nullable = true),
    TIME_OR_NULL(OWNER, refresh_ends_at),
};
#undef OWNER
static SCHEMA(held_schema, struct held, "HeldGrant", held_fields);

#define HELD_COLUMNS                                                                               \
    "id, client_id, person_id, resource, read_only, redirect_uri, code_challenge AS challenge,"    \
    " code_ends_at, ends_at, exchanged_at, refresh_digest, refresh_ends_at"

static const struct statement find_by_code = {
    .name = "oauth_grant_by_code",
    .sql = "SELECT " HELD_COLUMNS " FROM oauth_grants WHERE code_digest = ? {for_update}",
};
static const struct statement find_by_family = {
    .name = "oauth_grant_by_family",
    .sql = "SELECT " HELD_COLUMNS " FROM oauth_grants WHERE family_digest = ? {for_update}",
};
static const struct statement find_by_access = {
    .name = "oauth_grant_by_access",
    .sql = "SELECT " HELD_COLUMNS " FROM oauth_grants WHERE access_digest = ? {for_update}",
};
static const struct statement store_tokens = {
    .name = "oauth_grant_store_tokens",
    .sql = "UPDATE oauth_grants SET exchanged_at = coalesce(exchanged_at, ?), access_digest = ?,"
           " access_read_only = ?, access_ends_at = ?, family_digest = coalesce(family_digest, ?),"
           " refresh_digest = ?, refresh_ends_at = ? WHERE id = ?",
};
static const struct statement delete_grant = {
    .name = "oauth_grant_end",
    .sql = "DELETE FROM oauth_grants WHERE id = ?",
};

static const char wrong_resource[] = "wrong resource";

static enum error find(const struct accounts_call *call, const struct statement *statement,
                       const char *secret, size_t length, struct held *held)
{
    char digest[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, statement);
    bool found;

    *held = (struct held){0};
    digest_sha256_hex(secret, length, digest);
    query_bind_text(query, digest);
    return query_read_one(query, &held_schema, held, call->arena, &found, call->problem);
}

/* The part of a refresh token that stays; the whole token when it has no such part. */
static size_t family_length(const char *refresh)
{
    return strcspn(refresh, ".");
}

static bool is_verifier(const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("-._~", text[i]))
            return false;
    return length >= OAUTH_CHALLENGE_TEXT && length <= OAUTH_VERIFIER_MAX;
}

static bool fits_challenge(const struct accounts_call *call, const char *verifier,
                           const char *challenge)
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    if (!verifier || !is_verifier(verifier))
        return false;
    digest_sha256(verifier, strlen(verifier), digest);
    return digest_equal_secret(base64url_write(call->arena, digest, sizeof digest), challenge);
}

static bool is_resource(const struct accounts_call *call, const char *shown, const char *resource)
{
    return !shown || oauth_resource_service(
                         call->arena, arena_print(call->arena, "resource=%s", resource), shown);
}

/* Why a code does not count; NULL = it does. */
static const char *refuse_code(const struct accounts_call *call, const struct held *held,
                               const struct oauth_exchange *exchange)
{
    int64_t now = clock_unix_microseconds();

    if (held->exchanged_at)
        return "code used twice";
    if (held->code_ends_at <= now || held->ends_at <= now)
        return "code expired";
    if (strcmp(held->client_id, exchange->client_id) != 0)
        return "code of another program";
    /* OAuth 2.1 sends it no more: the verifier says who asks. */
    if (exchange->redirect_uri && strcmp(held->redirect_uri, exchange->redirect_uri) != 0)
        return "wrong redirect_uri";
    return fits_challenge(call, exchange->verifier, held->challenge) ? NULL : "wrong verifier";
}

/* Why a refresh token does not count; NULL = it does. */
static const char *refuse_refresh(const struct held *held, const struct oauth_exchange *exchange)
{
    int64_t now = clock_unix_microseconds();
    char digest[DIGEST_SHA256_TEXT];

    digest_sha256_hex(exchange->refresh_token, strlen(exchange->refresh_token), digest);
    if (!digest_equal_secret(digest, held->refresh_digest))
        return "refresh token used twice";
    if (held->refresh_ends_at <= now || held->ends_at <= now)
        return "refresh token expired";
    return strcmp(held->client_id, exchange->client_id) == 0 ? NULL
                                                             : "refresh token of another program";
}

static enum error store(const struct accounts_call *call, const struct oauth_config *config,
                        const struct held *held, const struct oauth_exchange *exchange,
                        struct oauth_tokens *tokens)
{
    int64_t now = clock_unix_microseconds();
    char access[DIGEST_SHA256_TEXT], family[DIGEST_SHA256_TEXT], refresh[DIGEST_SHA256_TEXT];
    const char *stays = exchange->refresh_token
                            ? arena_copy(call->arena, exchange->refresh_token,
                                         family_length(exchange->refresh_token))
                            : accounts_new_secret(call->arena, OAUTH_REFRESH_PREFIX, family);
    struct query *query = db_query(call->db, &store_tokens);

    tokens->access = accounts_new_secret(call->arena, OAUTH_ACCESS_PREFIX, access);
    tokens->refresh =
        accounts_new_secret(call->arena, arena_print(call->arena, "%s.", stays), refresh);
    tokens->access_seconds = config->access_seconds;
    tokens->person_id = held->person_id;
    digest_sha256_hex(stays, strlen(stays), family);
    query_bind_integer(query, now);
    query_bind_text(query, access);
    query_bind_boolean(query, tokens->read_only);
    query_bind_integer(query, now + config->access_seconds * OAUTH_SECOND_US);
    query_bind_text(query, family);
    query_bind_text(query, refresh);
    query_bind_integer(query, now + config->refresh_seconds * OAUTH_SECOND_US);
    query_bind_text(query, held->id);
    return query_end(query, call->problem);
}

/* The last part of both exchanges: either new tokens, or the end of the grant, which is kept
 * although the answer is an error. */
static enum error settle(const struct accounts_call *call, const struct oauth_config *config,
                         const struct held *held, const struct oauth_exchange *exchange,
                         const char *refusal, struct oauth_tokens *tokens)
{
    *tokens = (struct oauth_tokens){.person_id = held->person_id, .read_only = held->read_only};
    if (held->id && refusal) {
        tokens->ended = refusal;
        return accounts_run(call, &delete_grant, held->id, NULL, NULL);
    }
    if (!held->id)
        return problem_set(call->problem, ERROR_INVALID, "invalid_grant",
                           "the code or refresh token is unknown, was used, or has expired");
    if (exchange->scope && !oauth_scope_has(exchange->scope, "write"))
        tokens->read_only = true;
    else if (exchange->scope && held->read_only)
        return problem_set(call->problem, ERROR_INVALID, "invalid_scope",
                           "the person has let this program read only");
    return store(call, config, held, exchange, tokens);
}

static enum error finish(const struct accounts_call *call, int64_t change, enum error error,
                         const struct oauth_tokens *tokens)
{
    error = accounts_change_finish(call, change, error);
    if (error || !tokens->ended)
        return error;
    if (tokens->ended == wrong_resource)
        return problem_set(call->problem, ERROR_INVALID, "invalid_target",
                           "the token is for another resource");
    return problem_set(call->problem, ERROR_INVALID, "invalid_grant",
                       "the code or refresh token is unknown, was used, or has expired");
}

static const char *refuse_resource(const struct accounts_call *call, const struct held *held,
                                   const struct oauth_exchange *exchange)
{
    return is_resource(call, exchange->resource, held->resource) ? NULL : wrong_resource;
}

enum error oauth_grant_exchange(const struct accounts_call *call, const struct oauth_config *config,
                                const struct oauth_exchange *exchange, struct oauth_tokens *tokens)
{
    const char *refusal = NULL;
    struct held held;
    int64_t change;
    enum error error = accounts_change_begin(call, &change);

    *tokens = (struct oauth_tokens){0};
    if (error)
        return error;
    error = find(call, &find_by_code, exchange->code, strlen(exchange->code), &held);
    if (!error && held.id)
        refusal = refuse_code(call, &held, exchange);
    if (!error && held.id && !refusal)
        refusal = refuse_resource(call, &held, exchange);
    if (!error)
        error = settle(call, config, &held, exchange, refusal, tokens);
    return finish(call, change, error, tokens);
}

enum error oauth_grant_refresh(const struct accounts_call *call, const struct oauth_config *config,
                               const struct oauth_exchange *exchange, struct oauth_tokens *tokens)
{
    const char *refusal = NULL;
    struct held held;
    int64_t change;
    enum error error = accounts_change_begin(call, &change);

    *tokens = (struct oauth_tokens){0};
    if (error)
        return error;
    error = find(call, &find_by_family, exchange->refresh_token,
                 family_length(exchange->refresh_token), &held);
    if (!error && held.id)
        refusal = refuse_refresh(&held, exchange);
    if (!error && held.id && !refusal)
        refusal = refuse_resource(call, &held, exchange);
    if (!error)
        error = settle(call, config, &held, exchange, refusal, tokens);
    return finish(call, change, error, tokens);
}

enum error oauth_grant_revoke(const struct accounts_call *call, const char *client_id,
                              const char *token, const char **person_id)
{
    bool is_access = oauth_access_is(token);
    struct held held;
    int64_t change;
    enum error error = accounts_change_begin(call, &change);

    *person_id = NULL;
    if (error)
        return error;
    error = is_access ? find(call, &find_by_access, token, strlen(token), &held)
                      : find(call, &find_by_family, token, family_length(token), &held);
    if (!error && held.id && strcmp(held.client_id, client_id) == 0) {
        *person_id = held.person_id;
        error = accounts_run(call, &delete_grant, held.id, NULL, NULL);
    }
    return accounts_change_finish(call, change, error);
}
