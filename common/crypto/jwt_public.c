/* JSON Web Tokens that an identity provider has signed. */
#include "crypto/jwt_internal.h"

#include "crypto/base64url.h"
#include "crypto/public_key.h"

#include <string.h>
#include <strings.h>

static enum error refuse(struct problem *problem, const char *reason, const char *text)
{
    return problem_set(problem, ERROR_FORBIDDEN, reason, "%s", text);
}

/* The key for a token. Several keys of one name and kind would be a mistake of the provider; the
 * first is used. */
static const json_t *find_key(const json_t *keys, const char *name,
                              enum signature_algorithm algorithm)
{
    const json_t *found = NULL;
    size_t fitting = 0;

    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *key = json_array_get(keys, i);
        const char *its_name = jwt_text(key, "kid");

        if (!public_key_fits(key, algorithm) ||
            (name && (!its_name || strcmp(name, its_name) != 0)))
            continue;
        found = found ? found : key;
        fitting++;
    }
    return name || fitting == 1 ? found : NULL;
}

/* Access tokens and sign-out tokens of the same issuer have a `typ` of their own. Extensions that
 * `crit` names must be understood (RFC 7515 section 4.1.11); none is. */
static bool is_plain(const json_t *head)
{
    const json_t *type = json_object_get(head, "typ");

    return !json_object_get(head, "crit") &&
           (!type || (json_is_string(type) && strcasecmp(json_string_value(type), "JWT") == 0));
}

enum error jwt_verify_public(struct arena *arena, const char *token, const json_t *keys,
                             json_t **claims, struct problem *problem)
{
    struct jwt_parts parts;
    struct signature signature;
    const json_t *key, *name;
    enum error error;

    if (!jwt_split(token, JWT_PUBLIC_TEXT_MAX, &parts))
        return refuse(problem, "token_malformed", "The token is malformed");
    *claims = jwt_read_part(arena, token, parts.head);
    if (!*claims || !is_plain(*claims))
        return refuse(problem, "token_malformed", "The token's header is not that of a token");
    signature.algorithm = signature_algorithm_of(jwt_text(*claims, "alg"));
    if (signature.algorithm == SIGNATURE__MAX)
        return refuse(problem, "token_algorithm", "The token's algorithm is not allowed");
    name = json_object_get(*claims, "kid");
    key = find_key(keys, json_string_value(name), signature.algorithm);
    if (!key || (name && !json_is_string(name)))
        return refuse(problem, "token_key", "The provider has no such key");
    signature.bytes = base64url_read(arena, token + parts.signed_part + 1,
                                     strlen(token + parts.signed_part + 1), &signature.size);
    error = signature.bytes
                ? public_key_verify(arena, key, &signature, token, parts.signed_part, problem)
                : ERROR_FORBIDDEN;
    if (error == ERROR_FORBIDDEN)
        return refuse(problem, "token_signature", "The token's signature is not valid");
    *claims =
        error ? NULL
              : jwt_read_part(arena, token + parts.head + 1, parts.signed_part - parts.head - 1);
    return error || *claims
               ? error
               : refuse(problem, "token_malformed", "The token's claims are malformed");
}
