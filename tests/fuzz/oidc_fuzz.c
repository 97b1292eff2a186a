/* What an identity provider sends, any bytes of it: its documents, its keys, its tokens, the claims
 * of one that was signed; and the address to go to after sign-in. The first byte says which. */
#include "fuzz.h"

#include "accounts/oidc/claims.h"
#include "accounts/oidc/config.h"
#include "accounts/oidc/metadata.h"
#include "accounts/oidc/sign_in.h"
#include "crypto/jwt.h"

#include <string.h>

#define ISSUER "https://id.example.com"
#define KEYS                                                                                       \
    "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"e\","                                  \
    "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","                                       \
    "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}"

static void read_metadata(struct arena *arena, const char *text, size_t size)
{
    struct oidc_metadata metadata;

    if (oidc_metadata_read(arena, ISSUER, text, size, &metadata, NULL))
        return;
    PROMISE(strcmp(metadata.issuer, ISSUER) == 0, "the document is that of the issuer");
    PROMISE(strncasecmp(metadata.token_endpoint, "https://", 8) == 0 &&
                strncasecmp(metadata.jwks_uri, "https://", 8) == 0 &&
                strncasecmp(metadata.authorization_endpoint, "https://", 8) == 0,
            "endpoints are secure");
}

/* Nobody here has the private key: whatever comes, it is refused. */
static void read_token(struct arena *arena, const char *text)
{
    const json_t *keys;
    json_t *claims;

    if (oidc_keys_read(arena, KEYS, strlen(KEYS), &keys, NULL))
        return;
    PROMISE(jwt_verify_public(arena, text, keys, &claims, NULL) != ERROR_NONE,
            "a token that the provider has not signed is refused");
}

/* Keys and a token in one: a line each. */
static void read_keys(struct arena *arena, const char *text, size_t size)
{
    const char *line = memchr(text, '\n', size);
    const json_t *keys;
    json_t *claims;
    size_t length = line ? (size_t)(line - text) : size;

    if (!oidc_keys_read(arena, text, length, &keys, NULL) && line)
        (void)!jwt_verify_public(arena, line + 1, keys, &claims, NULL);
}

static void read_claims(struct arena *arena, const char *text, size_t size)
{
    const struct oidc_config config = {.groups_claim = "realm_access.roles"};
    const struct oidc_expectation expected = {
        .issuer = ISSUER, .client_id = "c", .nonce = "n", .now = 1000, .tolerance = 60};
    struct oidc_identity identity;
    json_t *claims;

    if (oidc_json_read(arena, "ID token", text, size, &claims, NULL) ||
        oidc_claims_check(arena, claims, &expected, NULL))
        return;
    oidc_identity_read(arena, &config, claims, NULL, &identity);
    PROMISE(strcmp(identity.issuer, ISSUER) == 0 && *identity.subject,
            "a person has an issuer and a subject");
    PROMISE(!identity.email || strchr(identity.email, '@'), "an address has an @");
    PROMISE(identity.groups.count <= OIDC_GROUPS_MAX, "groups have an end");
}

static void read_next(const char *text)
{
    const char *path = oidc_next_path(text);

    PROMISE(path[0] == '/' && path[1] != '/' && !strpbrk(path, "\\\r\n\t "),
            "the browser stays on this site");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(1 << 28);
    size_t length = size ? size - 1 : 0;
    const char *text = arena_copy(arena, (const char *)data + (size ? 1 : 0), length);

    switch (size ? data[0] : 0) {
    case 'm':
        read_metadata(arena, text, length);
        break;
    case 't':
        read_token(arena, text);
        break;
    case 'k':
        read_keys(arena, text, length);
        break;
    case 'c':
        read_claims(arena, text, length);
        break;
    default:
        read_next(text);
    }
    arena_destroy(arena);
    return 0;
}
