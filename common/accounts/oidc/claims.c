/* Judges the claims of ID tokens. */
#include "accounts/oidc/claims.h"

#include "accounts/oidc/config.h"
#include "crypto/base64url.h"
#include "crypto/digest.h"
#include "crypto/jwt.h"

#include <string.h>

enum { TEXT_MAX = 300 };

static enum error refuse(struct problem *problem, const char *reason, const char *text)
{
    return problem_set(problem, ERROR_FORBIDDEN, reason, "the ID token %s", text);
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static bool is_for(const json_t *token_audience, const char *client_id)
{
    if (!json_is_array(token_audience))
        return is_text(token_audience, client_id);
    for (size_t i = 0; i < json_array_size(token_audience); i++)
        if (is_text(json_array_get(token_audience, i), client_id))
            return true;
    return false;
}

static enum error check_parties(const json_t *claims, const struct oidc_expectation *expected,
                                struct problem *problem)
{
    const json_t *token_audience = json_object_get(claims, "aud");
    const json_t *authorized = json_object_get(claims, "azp");
    const char *subject = jwt_text(claims, "sub");

    if (!is_text(json_object_get(claims, "iss"), expected->issuer))
        return refuse(problem, "claim_iss", "is of another issuer");
    if (!subject || !*subject || strlen(subject) > OIDC_SUBJECT_MAX)
        return refuse(problem, "claim_sub", "names nobody");
    if (!is_for(token_audience, expected->client_id))
        return refuse(problem, "claim_aud", "is for another client");
    if (authorized ? !is_text(authorized, expected->client_id)
                   : json_array_size(token_audience) > 1)
        return refuse(problem, "claim_azp", "was issued to another client");
    return ERROR_NONE;
}

static enum error check_times(const json_t *claims, const struct oidc_expectation *expected,
                              struct problem *problem)
{
    const json_t *expires = json_object_get(claims, "exp");
    const json_t *issued = json_object_get(claims, "iat");
    const json_t *begins = json_object_get(claims, "nbf");
    double earliest = (double)(expected->now - expected->tolerance);
    double latest = (double)(expected->now + expected->tolerance);

    if (!json_is_number(expires) || json_number_value(expires) <= earliest)
        return refuse(problem, "claim_exp", "has expired");
    if (!json_is_number(issued) || json_number_value(issued) > latest)
        return refuse(problem, "claim_iat", "was issued in the future");
    if (begins && (!json_is_number(begins) || json_number_value(begins) > latest))
        return refuse(problem, "claim_nbf", "is not valid yet");
    return ERROR_NONE;
}

/* The left half of the digest of the access token (Core 1.0 section 3.1.3.6); optional here. */
static bool is_hash_of(struct arena *arena, const json_t *hash, const char *token)
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    digest_sha256(token, strlen(token), digest);
    return is_text(hash, base64url_write(arena, digest, sizeof digest / 2));
}

enum error oidc_claims_check(struct arena *arena, const json_t *claims,
                             const struct oidc_expectation *expected, struct problem *problem)
{
    const json_t *hash = json_object_get(claims, "at_hash");
    enum error error = check_parties(claims, expected, problem);

    if (!error)
        error = check_times(claims, expected, problem);
    if (error)
        return error;
    if (!digest_equal_secret(jwt_text(claims, "nonce"), expected->nonce))
        return refuse(problem, "claim_nonce", "belongs to another sign-in");
    if (hash && expected->access_token && !is_hash_of(arena, hash, expected->access_token))
        return refuse(problem, "claim_at_hash", "belongs to another access token");
    return ERROR_NONE;
}

const json_t *oidc_claim(const json_t *claims, const char *name)
{
    const json_t *found = json_object_get(claims, name);
    const char *dot = strchr(name, '.');

    while (!found && dot && claims) {
        claims = json_object_getn(claims, name, (size_t)(dot - name));
        name = dot + 1;
        dot = strchr(name, '.');
        found = json_object_get(claims, name);
    }
    return found;
}

/* NULL for a text that is empty or too long to be what it should be. */
static const char *short_text(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && *text && strlen(text) <= TEXT_MAX ? text : NULL;
}

static const json_t *either(const json_t *claims, const json_t *userinfo, const char *name)
{
    const json_t *found = oidc_claim(claims, name);

    return found ? found : oidc_claim(userinfo, name);
}

/* Some providers write a truth value as text. */
static bool is_true(const json_t *value)
{
    return json_is_true(value) || is_text(value, "true");
}

static struct string_list read_groups(struct arena *arena, const json_t *value)
{
    struct string_list groups = {0};

    if (json_is_array(value))
        groups = json_strings(arena, value);
    else if (json_is_string(value)) {
        groups.items = ARENA_ARRAY(arena, const char *, 1);
        groups.items[groups.count++] = json_string_value(value);
    }
    if (groups.count > OIDC_GROUPS_MAX)
        groups.count = OIDC_GROUPS_MAX;
    return groups;
}

/* An address and the word for it have to come from the same document. */
static const char *vouched_email(const json_t *claims, const json_t *userinfo, bool trusted)
{
    const json_t *source = json_object_get(claims, "email") ? claims : userinfo;
    const char *email = short_text(json_object_get(source, "email"));

    trusted = trusted || is_true(json_object_get(source, "email_verified"));
    return email && strchr(email, '@') && trusted ? email : NULL;
}

void oidc_identity_read(struct arena *arena, const struct oidc_config *config, const json_t *claims,
                        const json_t *userinfo, struct oidc_identity *identity)
{
    *identity = (struct oidc_identity){
        .issuer = jwt_text(claims, "iss"),
        .subject = jwt_text(claims, "sub"),
        .email = vouched_email(claims, userinfo, config->trusts_email),
        .name = short_text(either(claims, userinfo, "name")),
        .preferred_username = short_text(either(claims, userinfo, "preferred_username")),
        .groups = read_groups(arena, either(claims, userinfo, config->groups_claim))};
}
