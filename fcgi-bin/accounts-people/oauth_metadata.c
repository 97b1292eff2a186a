/* What programs learn before they sign in: who issues tokens, and for which addresses. */
#include "accounts-people/oauth.h"

#include "accounts/oauth_resource.h"

struct oauth_server {
    const char *issuer, *authorization_endpoint, *token_endpoint, *registration_endpoint,
        *revocation_endpoint, *service_documentation;
    struct string_list scopes_supported, response_types_supported, response_modes_supported,
        grant_types_supported, code_challenge_methods_supported,
        token_endpoint_auth_methods_supported, revocation_endpoint_auth_methods_supported;
    bool authorization_response_iss_parameter_supported;
};

#define OWNER struct oauth_server
static const struct field server_fields[] = {
    STRING(OWNER, issuer),
    STRING(OWNER, authorization_endpoint),
    STRING(OWNER, token_endpoint),
    STRING(OWNER, registration_endpoint),
    STRING(OWNER, revocation_endpoint),
    STRING(OWNER, service_documentation),
    STRINGS(OWNER, scopes_supported),
    STRINGS(OWNER, response_types_supported),
    STRINGS(OWNER, response_modes_supported),
    STRINGS(OWNER, grant_types_supported),
    STRINGS(OWNER, code_challenge_methods_supported),
    STRINGS(OWNER, token_endpoint_auth_methods_supported),
    STRINGS(OWNER, revocation_endpoint_auth_methods_supported),
    BOOLEAN(OWNER, authorization_response_iss_parameter_supported),
};
#undef OWNER
SCHEMA(oauth_server_schema, struct oauth_server, "OauthServer", server_fields,
       .help = "Authorization server metadata (RFC 8414).");

struct oauth_resource {
    const char *resource;
    const char *resource_name;
    struct string_list authorization_servers, scopes_supported, bearer_methods_supported;
};

#define OWNER struct oauth_resource
static const struct field resource_fields[] = {
    STRING(OWNER, resource),
    STRING(OWNER, resource_name),
    STRINGS(OWNER, authorization_servers),
    STRINGS(OWNER, scopes_supported),
    STRINGS(OWNER, bearer_methods_supported),
};
#undef OWNER
SCHEMA(oauth_resource_schema, struct oauth_resource, "OauthResource", resource_fields,
       .help = "Protected resource metadata (RFC 9728).");

/* Set on the port of a service, where the portal is another address. */
static const char *service_origin(const struct request *request)
{
    return request_header(request, "SITE_RESOURCE_ORIGIN");
}

const char *oauth_issuer(const struct request *request)
{
    return service_origin(request) ? service_portal(request)
                                   : oauth_origin_as_asked(request->arena, service_portal(request),
                                                           request_header(request, "REQUEST_HOST"));
}

const char *oauth_resources(const struct request *request)
{
    const char *list = request_header(request, "SITE_RESOURCES");

    return list ? list : "";
}

enum error oauth_server_handle(struct request *request, struct reply *reply)
{
    static const char *scopes[] = {"read", "write"}, *code[] = {"code"}, *query[] = {"query"},
                      *grants[] = {"authorization_code", "refresh_token"}, *sha[] = {"S256"},
                      *none[] = {"none"};
    struct oauth_server *server = ARENA_NEW(request->arena, struct oauth_server);
    const char *issuer = oauth_issuer(request);
    struct arena *arena = request->arena;

    *server = (struct oauth_server){
        .issuer = issuer,
        .authorization_endpoint = arena_print(arena, "%s/oauth/authorize", issuer),
        .token_endpoint = arena_print(arena, "%s/accounts/api/oauth/token", issuer),
        .registration_endpoint = arena_print(arena, "%s/accounts/api/oauth/register", issuer),
        .revocation_endpoint = arena_print(arena, "%s/accounts/api/oauth/revoke", issuer),
        .service_documentation = arena_print(arena, "%s/docs/use/programs", issuer),
        .authorization_response_iss_parameter_supported = true};
    server->scopes_supported = (struct string_list){COUNT_OF(scopes), scopes};
    server->response_types_supported = (struct string_list){1, code};
    server->response_modes_supported = (struct string_list){1, query};
    server->grant_types_supported = (struct string_list){COUNT_OF(grants), grants};
    server->code_challenge_methods_supported = (struct string_list){1, sha};
    server->token_endpoint_auth_methods_supported = (struct string_list){1, none};
    server->revocation_endpoint_auth_methods_supported = (struct string_list){1, none};
    reply->object = server;
    return ERROR_NONE;
}

enum error oauth_resource_handle(struct request *request, struct reply *reply)
{
    struct oauth_resource *answer = ARENA_NEW(request->arena, struct oauth_resource);
    static const char *scopes[] = {"read", "write"}, *header[] = {"header"};
    const char **servers = ARENA_ARRAY(request->arena, const char *, 1);
    const char *origin = service_origin(request), *bound_to;

    servers[0] = oauth_issuer(request);
    origin = origin ? oauth_origin_as_asked(request->arena, origin,
                                            request_header(request, "REQUEST_HOST"))
                    : servers[0];
    *answer = (struct oauth_resource){
        .resource = arena_print(request->arena, "%s/%s", origin, request->arguments[0]),
        .authorization_servers = {1, servers},
        .scopes_supported = {COUNT_OF(scopes), scopes},
        .bearer_methods_supported = {1, header}};
    bound_to = oauth_resource_service(request->arena, oauth_resources(request), answer->resource);
    if (!bound_to)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "not_found", "Not Found");
    answer->resource_name = arena_print(request->arena, "Assay: %s", bound_to);
    reply->object = answer;
    return ERROR_NONE;
}
