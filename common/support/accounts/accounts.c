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

/* `hash` stays NULL for people who are unknown, switched off or without a role in support. */
static enum error read_person(const struct accounts_call *people, const char *username,
                              struct account *account, const char **hash)
{
    struct person person;
    const char *source;
    enum error error = person_find(people, username, &person);

    *hash = NULL;
    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (error || !person.is_active || !support_role_of_person(&person))
        return error;
    *account = (struct account){person.username, support_role_of_person(&person), person.tenant};
    return person_password(people, person.id, hash, &source);
}

bool account_is_administrator(const struct support_settings *settings, const char *username)
{
    return strcmp(username, settings->admin_password_hash ? settings->admin_username : "admin") ==
           0;
}

/* Without ADMIN_PASSWORD_HASH the administrator has the password generated at the first start; in a
 * local environment also the well-known one. */
static bool is_first_password(const struct support_settings *settings,
                              const struct sign_in *sign_in)
{
    bool is_own_machine = sign_in->is_local && settings->environment != SUPPORT_PRODUCTION &&
                          address_is_loopback(settings->host);

    if (settings->admin_password_hash || strcmp(sign_in->username, "admin") != 0)
        return false;
    return (settings->first_password &&
            digest_equal_secret(sign_in->password, settings->first_password)) ||
           (is_own_machine && digest_equal_secret(sign_in->password, "admin"));
}

enum error account_sign_in(const struct accounts_call *people,
                           const struct support_settings *settings, const struct sign_in *sign_in,
                           struct account *account, bool *accepted, const char **reason,
                           struct problem *problem)
{
    const char *hash = NULL;
    enum error error = people ? read_person(people, sign_in->username, account, &hash) : ERROR_NONE;

    if (error)
        return error;
    if (settings->admin_password_hash && account_is_administrator(settings, sign_in->username)) {
        *account =
            (struct account){sign_in->username, SUPPORT_ADMIN, settings->admin_default_tenant};
        hash = settings->admin_password_hash;
    }
    /* Runs before all other checks, so that every sign-in takes the same time. */
    error = password_matches(sign_in->password, hash, accepted, problem);
    if (error)
        return error;
    if (!*accepted && is_first_password(settings, sign_in)) {
        *account = (struct account){"admin", SUPPORT_ADMIN, "default"};
        *accepted = true;
    }
    *reason = hash                             ? "bad_password"
              : !settings->admin_password_hash ? "bad_credentials_dev"
                                               : "unknown_user";
    return ERROR_NONE;
}

static enum error find_person(const struct accounts_call *people, const char *subject,
                              struct person *person)
{
    enum error error = person_find(people, subject, person);

    return error == ERROR_NOT_FOUND ? person_read(people, subject, person) : error;
}

enum error account_id(const struct accounts_call *people, const char *subject, const char **id)
{
    struct person person;
    enum error error = find_person(people, subject, &person);

    *id = error ? NULL : person.id;
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

enum error account_may_stay(const struct accounts_call *people, const char *subject, bool *may)
{
    struct person person;
    enum error error = find_person(people, subject, &person);

    *may = !error && person.is_active && support_role_of_person(&person);
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
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
