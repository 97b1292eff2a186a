/* Invitations: made by administrators, accepted by whoever has the link. */
#include "accounts-people/invitations.h"

#include "accounts-people/session.h"
#include "accounts/invitations.h"
#include "accounts/people.h"
#include "base/clock.h"

enum { SECRET_MAX = 100 };

struct invitations {
    OBJECT_LIST(struct invitation, invitations);
};

#define OWNER struct invitations
static const struct field invitations_fields[] = {OBJECTS(OWNER, invitations, invitation_schema)};
#undef OWNER
SCHEMA(invitations_schema, struct invitations, "Invitations", invitations_fields);

struct invitation_request {
    const char *email, *name, *tenant;
    const struct person_roles *roles;
};

#define OWNER struct invitation_request
static const struct field request_fields[] = {
    STRING(OWNER, email, .required = true, .min_length = 3, .max_length = EMAIL_MAX),
    STRING(OWNER, name, .nullable = true, .min_length = 1, .max_length = PERSON_NAME_MAX),
    STRING(OWNER, tenant, .nullable = true, .min_length = 1, .max_length = TENANT_MAX,
           .help = "`default` when null."),
    OBJECT(OWNER, roles, person_roles_schema, .required = true),
};
#undef OWNER
SCHEMA(invitation_request_schema, struct invitation_request, "InvitationRequest", request_fields,
       .example = "{\"email\":\"maria@example.com\",\"roles\":{\"support\":\"agent\"}}");

struct created_invitation {
    const char *id, *link;
    int64_t expires_at;
};

#define OWNER struct created_invitation
static const struct field created_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, link, .help = "Shown here and never again: give it to the person."),
    TIME(OWNER, expires_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(created_invitation_schema, struct created_invitation, "CreatedInvitation", created_fields);

struct acceptance_request {
    const char *token, *username, *password, *name;
};

#define OWNER struct acceptance_request
static const struct field acceptance_fields[] = {
    STRING(OWNER, token, .required = true, .min_length = 1, .max_length = SECRET_MAX,
           .secret = true, .help = "Of the link."),
    STRING(OWNER, username, .required = true, .min_length = 1, .max_length = USERNAME_MAX),
    STRING(OWNER, password, .required = true, .min_length = PASSWORD_MIN,
           .max_length = PASSWORD_MAX, .secret = true),
    STRING(OWNER, name, .nullable = true, .min_length = 1, .max_length = PERSON_NAME_MAX),
};
#undef OWNER
SCHEMA(acceptance_schema, struct acceptance_request, "InvitationAcceptance", acceptance_fields,
       .example = "{\"token\":\"of the link\",\"username\":\"maria\","
                  "\"password\":\"a long password\"}");

struct invitation_query {
    const char *token;
};

#define OWNER struct invitation_query
static const struct field query_fields[] = {
    STRING(OWNER, token, .required = true, .min_length = 1, .max_length = SECRET_MAX,
           .secret = true),
};
#undef OWNER
SCHEMA(invitation_query_schema, struct invitation_query, "InvitationQuery", query_fields);

/* What the page shows to whoever has the link. */
struct invited {
    const char *email, *name, *invited_by;
    int64_t expires_at;
};

#define OWNER struct invited
static const struct field invited_fields[] = {
    STRING(OWNER, email),
    STRING(OWNER, name, .nullable = true),
    STRING(OWNER, invited_by),
    TIME(OWNER, expires_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(invited_schema, struct invited, "Invited", invited_fields);

enum error invitations_handle(struct request *request, struct reply *reply)
{
    struct invitations *answer = ARENA_NEW(request->arena, struct invitations);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = invitation_list(&call, &answer->invitations);
    reply->object = answer;
    return error;
}

enum error invitation_add_handle(struct request *request, struct reply *reply)
{
    const struct invitation_request *wanted = request->body;
    struct created_invitation *answer = ARENA_NEW(request->arena, struct created_invitation);
    struct invitation invitation = {.email = wanted->email,
                                    .name = wanted->name,
                                    .tenant = wanted->tenant ? wanted->tenant : "default",
                                    .roles = wanted->roles,
                                    .invited_by = request->who.subject,
                                    .expires_at = clock_unix_microseconds() +
                                                  service_settings(request)->invitation_hours *
                                                      3600 * INT64_C(1000000)};
    struct accounts_call call;
    const char *secret;
    enum error error = service_call(request, &call);

    if (!error)
        error = invitation_add(&call, &invitation, &secret);
    if (error)
        return error;
    *answer = (struct created_invitation){
        invitation.id,
        arena_print(request->arena, "%s/sign-in?invitation=%s", service_portal(request), secret),
        invitation.expires_at};
    service_audit(request, NULL, "person_invited",
                  arena_print(request->arena, "invitation:%s", invitation.email),
                  roles_text(request->arena, invitation.roles));
    reply->object = answer;
    reply->status = 201;
    return ERROR_NONE;
}

enum error invitation_delete_handle(struct request *request, struct reply *reply)
{
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = invitation_delete(&call, request->arguments[0]);
    if (error)
        return error;
    service_audit(request, NULL, "invitation_withdrawn",
                  arena_print(request->arena, "invitation:%s", request->arguments[0]), NULL);
    reply->status = 204;
    return ERROR_NONE;
}

enum error invitation_look_handle(struct request *request, struct reply *reply)
{
    const struct invitation_query *query = request->query;
    struct invited *answer = ARENA_NEW(request->arena, struct invited);
    struct invitation invitation;
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = invitation_find(&call, query->token, &invitation);
    if (error)
        return error;
    *answer = (struct invited){invitation.email, invitation.name, invitation.invited_by,
                               invitation.expires_at};
    reply->object = answer;
    return ERROR_NONE;
}

enum error invitation_accept_handle(struct request *request, struct reply *reply)
{
    const struct acceptance_request *wanted = request->body;
    const struct acceptance acceptance = {wanted->token, wanted->username, wanted->password,
                                          wanted->name};
    struct person *person = ARENA_NEW(request->arena, struct person);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = invitation_accept(&call, &acceptance, person);
    if (error)
        return error;
    service_audit(request, person->username, "invitation_accepted",
                  arena_print(request->arena, "person:%s", person->username),
                  roles_text(request->arena, person->roles));
    return session_answer(request, reply, person, "invitation");
}
