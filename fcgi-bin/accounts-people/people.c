/* People, for administrators of the suite. */
#include "accounts-people/people.h"

#include "accounts/groups.h"
#include "accounts/people.h"
#include "accounts/tokens.h"
#include "base/list.h"

#include <string.h>

struct people {
    OBJECT_LIST(struct person, people);
};

#define OWNER struct people
static const struct field people_fields[] = {OBJECTS(OWNER, people, person_schema)};
#undef OWNER
SCHEMA(people_schema, struct people, "People", people_fields);

struct administrator {
    const char *username;
    const char *name, *email;
};

#define OWNER struct administrator
static const struct field administrator_fields[] = {
    STRING(OWNER, username),
    STRING(OWNER, name, .nullable = true),
    STRING(OWNER, email, .nullable = true),
};
#undef OWNER
static SCHEMA(administrator_schema, struct administrator, "Administrator", administrator_fields);

struct administrators {
    OBJECT_LIST(struct administrator, administrators);
};

#define OWNER struct administrators
static const struct field administrators_fields[] = {
    OBJECTS(OWNER, administrators, administrator_schema)};
#undef OWNER
SCHEMA(administrators_schema, struct administrators, "Administrators", administrators_fields);

struct person_request {
    const char *username;
    const char *email, *name, *tenant;
    const struct person_roles *roles;
    struct string_list groups;
    const char *password;
};

#define OWNER struct person_request
static const struct field request_fields[] = {
    STRING(OWNER, username, .required = true, .min_length = 1, .max_length = USERNAME_MAX,
           .help = "Letters, digits and . _ @ + -; unique in any case."),
    STRING(OWNER, email, .nullable = true, .max_length = EMAIL_MAX),
    STRING(OWNER, name, .nullable = true, .min_length = 1, .max_length = PERSON_NAME_MAX),
    STRING(OWNER, tenant, .nullable = true, .min_length = 1, .max_length = TENANT_MAX,
           .help = "`default` when null."),
    OBJECT(OWNER, roles, person_roles_schema, .required = true),
    STRINGS(OWNER, groups, .max_length = GROUPS_MAX,
            .help = "Names without commas; documents of support may be for some of them."),
    STRING(OWNER, password, .nullable = true, .min_length = PASSWORD_MIN,
           .max_length = PASSWORD_MAX, .secret = true,
           .help = "To be changed by the person; null = the person signs in with a provider."),
};
#undef OWNER
SCHEMA(person_request_schema, struct person_request, "PersonRequest", request_fields,
       .example = "{\"username\":\"maria\",\"email\":\"maria@example.com\",\"name\":\"Maria\","
                  "\"roles\":{\"support\":\"agent\"},\"password\":\"a first password\"}");

struct person_patch {
    const json_t *document;
    const char *email, *name, *tenant;
    const struct person_roles *roles;
    struct string_list groups;
    struct optional_boolean is_active;
};

#define OWNER struct person_patch
static const struct field patch_fields[] = {
    STRING(OWNER, email, .nullable = true, .max_length = EMAIL_MAX),
    STRING(OWNER, name, .nullable = true, .min_length = 1, .max_length = PERSON_NAME_MAX),
    STRING(OWNER, tenant, .nullable = true, .min_length = 1, .max_length = TENANT_MAX),
    OBJECT(OWNER, roles, person_roles_schema, .nullable = true,
           .help = "Areas that are not named keep their role."),
    STRINGS(OWNER, groups, .max_length = GROUPS_MAX,
            .help = "All of the person; left out = as before."),
    NULLABLE_BOOLEAN(OWNER, is_active,
                     .help = "False ends all sessions, and no token counts any more."),
};
#undef OWNER
SCHEMA(person_patch_schema, struct person_patch, "PersonPatch", patch_fields,
       .keeps_document = true, .document = offsetof(struct person_patch, document),
       .example = "{\"roles\":{\"support\":\"reviewer\",\"data\":null}}");

struct new_password {
    const char *wanted;
};

#define OWNER struct new_password
static const struct field password_fields[] = {
    {.name = "new",
     .type = FIELD_STRING,
     .offset = FIELD_OFFSET(OWNER, wanted, const char *),
     .required = true,
     .min_length = PASSWORD_MIN,
     .max_length = PASSWORD_MAX,
     .secret = true},
};
#undef OWNER
SCHEMA(new_password_schema, struct new_password, "NewPassword", password_fields,
       .example = "{\"new\":\"a temporary one\"}");

static const char *resource_of(const struct request *request, const struct person *person)
{
    return arena_print(request->arena, "person:%s", person->username);
}

enum error people_handle(struct request *request, struct reply *reply)
{
    struct people *answer = ARENA_NEW(request->arena, struct people);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = people_list(&call, &answer->people);
    reply->object = answer;
    return error;
}

enum error administrators_handle(struct request *request, struct reply *reply)
{
    struct administrators *answer = ARENA_NEW(request->arena, struct administrators);
    struct administrator *items = NULL;
    struct object_list people;
    size_t count = 0;
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = people_list(&call, &people);
    if (error)
        return error;
    for (size_t i = 0; i < people.count; i++) {
        const struct person *person = (const struct person *)people.items + i;

        if (person->is_active && person_role(person, AREA_SUITE) == ACCOUNT_ADMIN)
            *ARRAY_ADD(request->arena, items, count) =
                (struct administrator){person->username, person->name, person->email};
    }
    answer->administrators = (struct object_list){.items = items, .count = count};
    reply->object = answer;
    return ERROR_NONE;
}

enum error person_add_handle(struct request *request, struct reply *reply)
{
    const struct person_request *wanted = request->body;
    struct person *person = ARENA_NEW(request->arena, struct person);
    struct new_person new_person = {.username = wanted->username,
                                    .email = wanted->email,
                                    .name = wanted->name,
                                    .tenant = wanted->tenant,
                                    .roles = *wanted->roles,
                                    .must_change_password = wanted->password != NULL,
                                    .source = "local"};
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = groups_read(request->arena, &wanted->groups, &new_person.groups, &request->problem);
    if (!error && wanted->password)
        error = person_hash_password(&call, wanted->password, &new_person.password_hash);
    if (!error)
        error = person_add(&call, &new_person, person);
    if (error)
        return error;
    service_audit(request, NULL, "person_added", resource_of(request, person),
                  roles_text(request->arena, person->roles));
    reply->object = person;
    reply->status = 201;
    return ERROR_NONE;
}

enum error person_handle(struct request *request, struct reply *reply)
{
    struct person *person = ARENA_NEW(request->arena, struct person);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = person_read(&call, request->arguments[0], person);
    reply->object = person;
    return error;
}

struct patching {
    const struct request *request;
    bool was_active; /* before it */
};

/* Takes what the document names; the rest stays. */
static void apply(void *context, struct person *person)
{
    struct patching *patching = context;
    const struct request *request = patching->request;
    const struct person_patch *patch = request->body;
    struct person_roles *roles = ARENA_NEW(request->arena, struct person_roles);
    const json_t *named = json_object_get(patch->document, "roles");

    patching->was_active = person->is_active;
    if (json_object_get(patch->document, "email"))
        person->email = patch->email;
    if (json_object_get(patch->document, "name"))
        person->name = patch->name;
    if (patch->tenant)
        person->tenant = patch->tenant;
    if (json_object_get(patch->document, "groups"))
        person->groups = patch->groups;
    if (patch->is_active.given)
        person->is_active = patch->is_active.value;
    *roles = *person->roles;
    for (int area = 0; patch->roles && area < AREA__MAX; area++)
        if (json_object_get(named, account_area_names[area]))
            roles->of[area] = patch->roles->of[area];
    person->roles = roles;
}

static const char *change_text(const struct request *request, const struct person *person,
                               bool was_active)
{
    const char *roles = roles_text(request->arena, person->roles);

    if (person->groups.count)
        roles = arena_print(request->arena, "%s; groups: %s", roles,
                            groups_text(request->arena, &person->groups));
    if (person->is_active == was_active)
        return roles;
    return arena_print(request->arena, "%s; %s", person->is_active ? "switched on" : "switched off",
                       roles);
}

enum error person_patch_handle(struct request *request, struct reply *reply)
{
    struct person *person = ARENA_NEW(request->arena, struct person);
    struct patching patching = {.request = request};
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = person_edit(&call, request->arguments[0], apply, &patching, person);
    if (error)
        return error;
    service_audit(request, NULL, "person_changed", resource_of(request, person),
                  change_text(request, person, patching.was_active));
    reply->object = person;
    return ERROR_NONE;
}

enum error person_password_handle(struct request *request, struct reply *reply)
{
    const struct new_password *password = request->body;
    const struct accounts_administrator *administrator = &service_settings(request)->administrator;
    struct password_setting setting = {
        .password = password->wanted, .must_change = true, .ends_tokens = true};
    struct accounts_call call;
    struct person person;
    int64_t tokens_ended;
    enum error error = service_call(request, &call);

    if (!error)
        error = person_read(&call, request->arguments[0], &person);
    if (error)
        return error;
    if (sign_in_is_by_settings(administrator, &person, request->arena))
        return problem_set(&request->problem, ERROR_CONFLICT, "password_in_settings",
                           "This password is ADMIN_PASSWORD_HASH of the settings; change it there");
    setting.person_id = person.id;
    error = person_set_password(&call, &setting, &tokens_ended);
    if (error)
        return error;
    service_audit(request, NULL, "password_set", resource_of(request, &person),
                  personal_tokens_deleted_text(request->arena, tokens_ended));
    reply->status = 204;
    return ERROR_NONE;
}
