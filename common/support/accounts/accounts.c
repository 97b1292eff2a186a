/* Sign-in and revoked tokens. Contains all SQL about the latter. */
#include "support/accounts/accounts.h"
#include "accounts/people.h"
#include "crypto/digest.h"
#include "crypto/password.h"
#include "db/query.h"
#include "net/address.h"

#include <string.h>

const char *const support_role_names[SUPPORT_ROLE__MAX] = {NULL, "viewer", "agent", "reviewer",
                                                           "admin"};

static const struct statement forget_expired = {
    .name = "revoked_token_forget",
    .sql = "DELETE FROM revoked_tokens WHERE expires_at < ?",
};
static const struct statement insert_revoked = {
    .name = "revoked_token_insert",
    .sql = "INSERT INTO revoked_tokens (token_id, expires_at) VALUES (?, ?)"
           " ON CONFLICT (token_id) DO NOTHING",
};
static const struct statement forget_families = {
    .name = "token_family_forget",
    .sql = "DELETE FROM token_families WHERE expires_at < ?",
};
static const struct statement insert_family = {
    .name = "token_family_insert",
    .sql = "INSERT INTO token_families (family_id, refresh_id, expires_at) VALUES (?, ?, ?)",
};
static const struct statement renew_family = {
    .name = "token_family_renew",
    .sql = "UPDATE token_families SET refresh_id = ?, expires_at = ? WHERE family_id = ?"
           " AND refresh_id = ?",
};
static const struct statement end_family = {
    .name = "token_family_end",
    .sql = "DELETE FROM token_families WHERE family_id = ?",
};
static const struct statement find_family = {
    .name = "token_family_find",
    .sql = "SELECT 1 FROM token_families WHERE family_id = ?",
};
static const struct statement find_revoked = {
    .name = "revoked_token_find",
    .sql = "SELECT 1 FROM revoked_tokens WHERE token_id = ?",
};

enum support_role support_role_of(const char *name)
{
    for (int role = SUPPORT_VIEWER; name && role < SUPPORT_ROLE__MAX; role++)
        if (strcmp(name, support_role_names[role]) == 0)
            return (enum support_role)role;
    return SUPPORT_VIEWER;
}

bool support_is_tenant(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    return length >= 1 && length <= 50 &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
               length;
}

enum support_role support_role_of_person(const struct person *person)
{
    static const enum support_role roles[ACCOUNT_ROLE__MAX] = {
        [ACCOUNT_VIEWER] = SUPPORT_VIEWER,
        [ACCOUNT_AGENT] = SUPPORT_AGENT,
        [ACCOUNT_REVIEWER] = SUPPORT_REVIEWER,
        [ACCOUNT_ADMIN] = SUPPORT_ADMIN,
    };

    return roles[person_role(person, AREA_SUPPORT)];
}

bool account_is_administrator(const struct support_settings *settings, const char *username)
{
    return strcmp(username, settings->admin_password_hash ? settings->admin_username : "admin") ==
           0;
}

static struct accounts_administrator administrator_of(const struct support_settings *settings)
{
    bool is_set = settings->admin_password_hash != NULL;

    return (struct accounts_administrator){
        .username = is_set ? settings->admin_username : "admin",
        .password_hash = settings->admin_password_hash,
        .first_password = settings->first_password,
        .tenant = is_set ? settings->admin_default_tenant : "default",
        .may_develop = !is_set && settings->environment != SUPPORT_PRODUCTION &&
                       address_is_loopback(settings->host)};
}

/* Without the store nothing is counted: the limit of the route holds. */
static enum error sign_in_by_settings(const struct accounts_administrator *administrator,
                                      const struct sign_in_attempt *attempt,
                                      struct signed_in *signed_in, struct problem *problem)
{
    bool accepted;
    enum error error =
        password_matches(attempt->password, administrator->password_hash, &accepted, problem);

    if (!administrator->password_hash)
        accepted = sign_in_is_first_password(administrator, attempt);
    signed_in->outcome = accepted ? SIGN_IN_ACCEPTED : SIGN_IN_REFUSED;
    return error;
}

/* Why it was refused. */
static enum error find_reason(const struct accounts_call *people,
                              const struct support_settings *settings, const char *username,
                              const char **reason)
{
    struct person person;
    const char *hash = NULL, *source;
    enum error error = people ? person_find(people, username, &person) : ERROR_NOT_FOUND;

    if (!error)
        error = person_password(people, person.id, &hash, &source);
    if (settings->admin_password_hash && account_is_administrator(settings, username))
        hash = settings->admin_password_hash;
    *reason = hash                             ? "bad_password"
              : !settings->admin_password_hash ? "bad_credentials_dev"
                                               : "unknown_user";
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

enum error account_sign_in(const struct accounts_call *people,
                           const struct support_settings *settings,
                           const struct sign_in_attempt *attempt, struct signed_in *signed_in,
                           struct problem *problem)
{
    const struct accounts_administrator administrator = administrator_of(settings);
    const struct sign_in_rules rules = {&administrator, settings->sign_in_failures,
                                        settings->sign_in_failure_seconds};
    bool by_settings = account_is_administrator(settings, attempt->username);
    struct person person;
    enum error error = people ? sign_in_check(people, &rules, attempt, &signed_in->outcome, &person,
                                              &signed_in->retry_after)
                              : sign_in_by_settings(&administrator, attempt, signed_in, problem);

    if (error)
        return error;
    if (signed_in->outcome == SIGN_IN_ACCEPTED && by_settings)
        signed_in->account =
            (struct account){administrator.username, SUPPORT_ADMIN, administrator.tenant};
    else if (signed_in->outcome == SIGN_IN_ACCEPTED)
        signed_in->account =
            (struct account){person.username, support_role_of_person(&person), person.tenant};
    if (signed_in->outcome == SIGN_IN_ACCEPTED && !signed_in->account.role)
        signed_in->outcome = SIGN_IN_REFUSED;
    return signed_in->outcome == SIGN_IN_REFUSED
               ? find_reason(people, settings, attempt->username, &signed_in->reason)
               : ERROR_NONE;
}

enum error account_id(const struct accounts_call *people, const char *subject, const char **id)
{
    struct named_person named;
    enum error error = person_named(people, subject, &named);

    *id = !error && named.person ? named.person->id : NULL;
    return error;
}

bool account_update(const struct support_settings *settings, const struct named_person *named,
                    double issued_at, struct account *account)
{
    const struct person *person = named->person;

    if (!person)
        return true;
    if (!person->is_active || issued_at * 1e6 < (double)named->valid_from)
        return false;
    if (account_is_administrator(settings, account->subject))
        return true;
    account->role = support_role_of_person(person);
    account->tenant = person->tenant;
    account->groups = person->groups;
    return true;
}

static enum error forget_before(struct db *db, const struct statement *statement, int64_t now,
                                struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_integer(query, now);
    return query_end(query, problem);
}

enum error token_revoke(struct db *db, const char *token_id, int64_t expires_at, int64_t now,
                        bool *first, struct problem *problem)
{
    enum error error = forget_before(db, &forget_expired, now, problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(db, &insert_revoked);
    query_bind_text(query, token_id);
    query_bind_integer(query, expires_at);
    *first = query_changes(query) > 0;
    return query_end(query, problem);
}

enum error family_start(struct db *db, const struct token_family *family, int64_t now,
                        struct problem *problem)
{
    enum error error = forget_before(db, &forget_families, now, problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(db, &insert_family);
    query_bind_text(query, family->id);
    query_bind_text(query, family->refresh_id);
    query_bind_integer(query, family->expires_at);
    return query_end(query, problem);
}

enum error family_renew(struct db *db, const struct token_family *family, const char *used_id,
                        bool *renewed, struct problem *problem)
{
    struct query *query = db_query(db, &renew_family);
    enum error error;

    query_bind_text(query, family->refresh_id);
    query_bind_integer(query, family->expires_at);
    query_bind_text(query, family->id);
    query_bind_text(query, used_id);
    *renewed = query_changes(query) > 0;
    error = query_end(query, problem);
    return error || *renewed ? error : family_end(db, family->id, problem);
}

enum error family_end(struct db *db, const char *id, struct problem *problem)
{
    struct query *query = db_query(db, &end_family);

    query_bind_text(query, id);
    return query_end(query, problem);
}

enum error family_is_alive(struct db *db, const char *id, bool *alive, struct problem *problem)
{
    struct query *query = db_query(db, &find_family);

    query_bind_text(query, id);
    *alive = query_next(query);
    return query_end(query, problem);
}

enum error token_is_revoked(struct db *db, const char *token_id, bool *revoked,
                            struct problem *problem)
{
    struct query *query = db_query(db, &find_revoked);

    query_bind_text(query, token_id);
    *revoked = query_next(query);
    return query_end(query, problem);
}
