/* From an identity to a person. */
#include "accounts/oidc/person.h"

#include "accounts/oidc/identity_store.h"
#include "accounts/oidc/roles.h"
#include "accounts/people.h"
#include "base/log.h"
#include "crypto/digest.h"

#include <string.h>

static enum error refuse(const struct accounts_call *call, const char *text)
{
    return problem_set(call->problem, ERROR_FORBIDDEN, "oidc_no_access", "%s", text);
}

/* The address if the provider vouches for it, else the name that the person has there, else the
 * subject, or a digest of it. */
static const char *choose_username(struct arena *arena, const struct oidc_identity *identity)
{
    const char *const names[] = {identity->email, identity->preferred_username, identity->subject};
    const char *both = arena_print(arena, "%s %s", identity->issuer, identity->subject);
    char digest[DIGEST_SHA256_TEXT];

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (person_is_username(names[i]))
            return names[i];
    digest_sha256_hex(both, strlen(both), digest);
    return arena_print(arena, "person-%.16s", digest);
}

static const char *usable_name(const struct oidc_identity *identity)
{
    return identity->name && utf8_count(identity->name) <= PERSON_NAME_MAX ? identity->name : NULL;
}

static const char *usable_email(const struct oidc_identity *identity)
{
    return person_is_email(identity->email) ? identity->email : NULL;
}

static bool has_any_role(const struct person_roles *roles)
{
    for (enum account_area area = 0; area < AREA__MAX; area++)
        if (roles_get(roles, area) != ACCOUNT_NONE)
            return true;
    return false;
}

static enum error make_account(const struct accounts_call *call, const struct oidc_config *config,
                               const struct oidc_identity *identity, const char *tenant,
                               struct person *person)
{
    const struct new_person made = {.username = choose_username(call->arena, identity),
                                    .email = usable_email(identity),
                                    .name = usable_name(identity),
                                    .tenant = tenant,
                                    .roles = oidc_roles_of_new(config, &identity->groups),
                                    .source = "oidc"};
    enum error error;

    if (!config->creates_accounts)
        return refuse(call, "the person has no account");
    if (!has_any_role(&made.roles))
        return refuse(call, "no group of the person gives a role");
    error = person_add(call, &made, person);
    if (error == ERROR_CONFLICT)
        return problem_set(call->problem, ERROR_FORBIDDEN, "oidc_account_exists",
                           "somebody else has the username %.100s", made.username);
    return error ? error : identity_add(call, identity->issuer, identity->subject, person->id);
}

/* A new identity: that of a prepared account, or a new account. In one transaction. */
static enum error join_or_make(const struct accounts_call *call, const struct oidc_config *config,
                               const struct oidc_identity *identity, const char *tenant,
                               struct person *person, bool *is_new)
{
    const char *prepared = NULL;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    if (identity->email)
        error = identity_find_prepared(call, identity->email, &prepared);
    if (!error && prepared)
        error = identity_add(call, identity->issuer, identity->subject, prepared);
    if (!error && prepared)
        error = person_read(call, prepared, person);
    if (!error && !prepared)
        error = make_account(call, config, identity, tenant, person);
    error = db_finish(call->db, error, call->problem);
    *is_new = !error && !prepared;
    return error;
}

/* People of a table of support know Microsoft by its name alone; there is one such issuer here. */
static enum error find_identity(const struct accounts_call *call,
                                const struct oidc_identity *identity, const char **person_id)
{
    static const char microsoft[] = "https://login.microsoftonline.com/";
    enum error error = identity_find(call, identity->issuer, identity->subject, person_id);

    if (error || *person_id || strncmp(identity->issuer, microsoft, sizeof microsoft - 1) != 0)
        return error;
    return identity_find(call, "azure", identity->subject, person_id);
}

static enum error find_or_make(const struct accounts_call *call, const struct oidc_config *config,
                               const struct oidc_identity *identity, const char *tenant,
                               struct person *person, bool *is_new)
{
    struct problem refused;
    const char *id;
    enum error error = find_identity(call, identity, &id);

    if (!error && !id) {
        error = join_or_make(call, config, identity, tenant, person, is_new);
        if (error != ERROR_CONFLICT && error != ERROR_FORBIDDEN)
            return error;
        /* Another tab may have made the account at the same moment. */
        refused = *call->problem;
        if (find_identity(call, identity, &id) || !id) {
            *call->problem = refused;
            return error;
        }
        error = ERROR_NONE;
    }
    return error ? error : person_read(call, id, person);
}

struct role_renewal {
    const struct oidc_config *config;
    const struct oidc_identity *identity;
    struct person_roles roles; /* those of the person afterwards */
};

/* Whether the groups give the person other roles than it has. */
static bool renews(struct role_renewal *renewal, const struct person *person)
{
    renewal->roles = *person->roles;
    return oidc_roles_renew(renewal->config, &renewal->identity->groups, &renewal->roles);
}

static void renew(void *context, struct person *person)
{
    struct role_renewal *renewal = context;

    renews(renewal, person);
    person->roles = &renewal->roles;
}

/* Roles follow the groups, except that the last administrator of the suite stays one. */
static enum error renew_roles(const struct accounts_call *call, const struct oidc_config *config,
                              const struct oidc_identity *identity, struct person *person)
{
    struct role_renewal *renewal = ARENA_NEW(call->arena, struct role_renewal);
    struct person changed;
    enum error error;

    *renewal = (struct role_renewal){.config = config, .identity = identity};
    if (!renews(renewal, person))
        return ERROR_NONE;
    error = person_edit(call, person->id, renew, renewal, &changed);
    if (error == ERROR_CONFLICT) {
        log_event(LOG_WARNING, "oidc_roles_kept", call->problem->text);
        return ERROR_NONE;
    }
    if (!error)
        *person = changed;
    return error;
}

enum error oidc_person_of(const struct accounts_call *call, const struct oidc_config *config,
                          const struct oidc_identity *identity, struct person *person, bool *is_new)
{
    const char *tenant = oidc_tenant_of(call->arena, config, identity->email);
    enum error error;

    *is_new = false;
    if (!tenant)
        return refuse(call, "the domain of the person's address has no tenant");
    error = find_or_make(call, config, identity, tenant, person, is_new);
    if (!error && !person->is_active)
        error = refuse(call, "the account is switched off");
    if (!error && !*is_new)
        error = renew_roles(call, config, identity, person);
    if (!error && !has_any_role(person->roles))
        error = refuse(call, "the person has no role");
    return error ? error : identity_touch(call, identity->issuer, identity->subject);
}
