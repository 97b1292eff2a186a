/* A program registers itself (RFC 7591), and the list of programs that a person has let in. */
#include "accounts-people/oauth.h"

#include "accounts/oauth_clients.h"
#include "accounts/oauth_grants.h"
#include "accounts/oauth_redirect.h"
#include "base/log.h"

struct oauth_registration {
    const char *client_name;
    struct string_list redirect_uris;
};

#define OWNER struct oauth_registration
static const struct field registration_fields[] = {
    STRING(OWNER, client_name, .nullable = true,
           .help = "What people are shown; at most 100 visible characters."),
    STRINGS(OWNER, redirect_uris, .required = true, .min_length = 1,
            .max_length = OAUTH_REDIRECTS_MAX,
            .help = "https, http at this computer (any port), or a scheme of the program's own."),
};
#undef OWNER
SCHEMA(oauth_registration_schema, struct oauth_registration, "OauthRegistration",
       registration_fields, .extra = EXTRA_IGNORE,
       .example = "{\"client_name\":\"An editor\","
                  "\"redirect_uris\":[\"http://127.0.0.1/callback\"]}");

struct oauth_registered {
    const char *client_id;
    int64_t client_id_issued_at;
    const char *client_name;
    struct string_list redirect_uris, grant_types, response_types;
    const char *token_endpoint_auth_method;
    const char *scope;
};

#define OWNER struct oauth_registered
static const struct field registered_fields[] = {
    STRING(OWNER, client_id),
    INTEGER(OWNER, client_id_issued_at, .help = "Unix seconds."),
    STRING(OWNER, client_name),
    STRINGS(OWNER, redirect_uris),
    STRINGS(OWNER, grant_types),
    STRINGS(OWNER, response_types),
    STRING(OWNER, token_endpoint_auth_method, .help = "Always none: there is no secret."),
    STRING(OWNER, scope),
};
#undef OWNER
SCHEMA(oauth_registered_schema, struct oauth_registered, "OauthRegistered", registered_fields);

struct oauth_grants {
    OBJECT_LIST(struct oauth_grant, grants);
};

#define OWNER struct oauth_grants
static const struct field grants_fields[] = {OBJECTS(OWNER, grants, oauth_grant_schema)};
#undef OWNER
SCHEMA(oauth_grants_schema, struct oauth_grants, "OauthGrants", grants_fields);

enum error oauth_register_handle(struct request *request, struct reply *reply)
{
    static const char *grants[] = {"authorization_code", "refresh_token"}, *code[] = {"code"};
    const struct oauth_registration *wanted = request->body;
    const struct new_oauth_client new_client = {wanted->client_name, wanted->redirect_uris,
                                                request->client.network};
    struct oauth_registered *answer = ARENA_NEW(request->arena, struct oauth_registered);
    struct oauth_client client;
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = oauth_client_add(&call, &service_settings(request)->oauth, &new_client, &client);
    if (error)
        return error;
    *answer = (struct oauth_registered){.client_id = client.id,
                                        .client_id_issued_at = client.created_at / 1000000,
                                        .client_name = client.name,
                                        .redirect_uris = client.redirect_uris,
                                        .grant_types = {COUNT_OF(grants), grants},
                                        .response_types = {1, code},
                                        .token_endpoint_auth_method = "none",
                                        .scope = "read write"};
    reply->status = 201;
    reply->object = answer;
    return ERROR_NONE;
}

enum error oauth_grants_handle(struct request *request, struct reply *reply)
{
    struct oauth_grants *answer = ARENA_NEW(request->arena, struct oauth_grants);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = oauth_grant_list(&call, service_person(request)->id, &answer->grants);
    reply->object = answer;
    return error;
}

enum error oauth_grant_delete_handle(struct request *request, struct reply *reply)
{
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = oauth_grant_delete(&call, service_person(request)->id, request->arguments[0]);
    if (error)
        return error;
    service_audit(request, NULL, "program_removed",
                  arena_print(request->arena, "person:%s", service_person(request)->username),
                  request->arguments[0]);
    reply->status = 204;
    return ERROR_NONE;
}
