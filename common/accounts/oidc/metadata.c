/* Reads the discovery document and the key set of an identity provider. */
#include "accounts/oidc/metadata.h"

#include "accounts/oidc/config.h"
#include "base/schema.h"
#include "base/string_list.h"

#include <string.h>

enum { DEPTH_MAX = 16, URL_MAX = 2000 };

#define OWNER struct oidc_metadata
static const struct field metadata_fields[] = {
    STRING(OWNER, issuer, .required = true),
    STRING(OWNER, authorization_endpoint, .required = true, .max_length = URL_MAX),
    STRING(OWNER, token_endpoint, .required = true, .max_length = URL_MAX),
    STRING(OWNER, jwks_uri, .required = true, .max_length = URL_MAX),
    STRING(OWNER, userinfo_endpoint, .nullable = true, .max_length = URL_MAX),
    STRING(OWNER, end_session_endpoint, .nullable = true, .max_length = URL_MAX),
    STRINGS(OWNER, token_endpoint_auth_methods_supported),
    STRINGS(OWNER, code_challenge_methods_supported),
    BOOLEAN(OWNER, authorization_response_iss_parameter_supported),
};
#undef OWNER
static SCHEMA(metadata_schema, struct oidc_metadata, "OidcMetadata", metadata_fields,
              .extra = EXTRA_IGNORE);

enum error oidc_json_read(struct arena *arena, const char *what, const char *bytes, size_t length,
                          json_t **document, struct problem *problem)
{
    struct json_fault fault;

    if (json_read(arena, bytes, length, DEPTH_MAX, document, &fault))
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer", "the %s is not JSON: %s", what,
                           fault.text);
    if (!json_is_object(*document))
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer", "the %s is no object", what);
    return ERROR_NONE;
}

static enum error refuse_member(struct problem *problem, const char *member, const char *what)
{
    return problem_set(problem, ERROR_FORBIDDEN, "oidc_metadata",
                       "the discovery document: %.100s %s", member, what);
}

static enum error decode(struct arena *arena, const json_t *document,
                         struct oidc_metadata *metadata, struct problem *problem)
{
    struct schema_errors errors = {0};

    if (!schema_decode(&metadata_schema, document, "document", metadata, &errors, arena))
        return ERROR_NONE;
    return refuse_member(problem, errors.items[0].field ? errors.items[0].field->name : "a member",
                         "is missing or of another type");
}

static enum error check_endpoints(const struct oidc_metadata *metadata, const char *issuer,
                                  struct problem *problem)
{
    const struct {
        const char *name, *url;
    } endpoints[] = {{"authorization_endpoint", metadata->authorization_endpoint},
                     {"token_endpoint", metadata->token_endpoint},
                     {"jwks_uri", metadata->jwks_uri},
                     {"userinfo_endpoint", metadata->userinfo_endpoint},
                     {"end_session_endpoint", metadata->end_session_endpoint}};

    for (size_t i = 0; i < COUNT_OF(endpoints); i++)
        if (endpoints[i].url && !oidc_may_call(issuer, endpoints[i].url))
            return refuse_member(problem, endpoints[i].name, "is not https");
    return ERROR_NONE;
}

enum error oidc_metadata_read(struct arena *arena, const char *issuer, const char *bytes,
                              size_t length, struct oidc_metadata *metadata,
                              struct problem *problem)
{
    json_t *document;
    enum error error =
        oidc_json_read(arena, "discovery document", bytes, length, &document, problem);

    *metadata = (struct oidc_metadata){0};
    if (!error)
        error = decode(arena, document, metadata, problem);
    if (error)
        return error;
    /* Byte by byte (Discovery 1.0 section 4.3): a trailing slash makes another issuer. */
    if (strcmp(metadata->issuer, issuer) != 0)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_metadata",
                           "the discovery document is that of issuer %.200s", metadata->issuer);
    if (metadata->code_challenge_methods_supported.count &&
        !string_list_has(&metadata->code_challenge_methods_supported, "S256"))
        return refuse_member(problem, "code_challenge_methods_supported", "has no S256");
    return check_endpoints(metadata, issuer, problem);
}

enum error oidc_keys_read(struct arena *arena, const char *bytes, size_t length,
                          const json_t **keys, struct problem *problem)
{
    json_t *document;
    enum error error = oidc_json_read(arena, "key set", bytes, length, &document, problem);

    *keys = error ? NULL : json_object_get(document, "keys");
    if (error || json_is_array(*keys))
        return error;
    return problem_set(problem, ERROR_FORBIDDEN, "oidc_keys", "the key set has no keys");
}
