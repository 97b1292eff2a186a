/* Reads support's users and adds those that are not in the store. */
#include "accounts/copy_users.h"
#include "accounts/people.h"
#include "accounts/store_internal.h"

#include "base/list.h"
#include "base/timestamp.h"
#include "text/fold.h"

#include <string.h>

enum { ROLES_JSON_MAX = 1024 };

static const struct statement has_table = {
    .name = "users_table",
    .sqlite = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'users'",
    .postgres = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
                " AND tablename = 'users'",
};
static const struct statement read_users = {
    .name = "users_read",
    .sql = "SELECT id, username, password_hash, role, is_active, tenant_id, sso_provider,"
           " sso_subject_id, created_at FROM users ORDER BY created_at, id",
};
static const struct statement has_person = {
    .name = "person_has_id",
    .sql = "SELECT count(*) FROM people WHERE id = ?",
};
static const struct statement insert_person = {
    .name = "person_copy",
    .sql = "INSERT INTO people (id, username, username_key, tenant, roles, is_active,"
           " password_hash, must_change_password, source, created_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, 0, 'support', ?)"
           " ON CONFLICT DO NOTHING",
};
static const struct statement insert_identity = {
    .name = "person_copy_identity",
    .sql = "INSERT INTO person_identities (issuer, subject, person_id, created_at)"
           " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
};

struct user {
    const char *id, *username, *password_hash, *role, *tenant, *provider, *subject;
    bool is_active;
    int64_t created_at;
};

struct users {
    size_t count;
    struct user *items;
};

static enum error read_count(struct db *db, const struct statement *statement, const char *bound,
                             int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, statement);

    if (bound)
        query_bind_text(query, bound);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

static enum error read_all(const struct accounts_call *call, struct db *support,
                           struct users *users)
{
    struct query *query = db_query(support, &read_users);

    while (query_next(query)) {
        struct user *user = LIST_ADD(call->arena, users);

        *user = (struct user){.id = query_text(query, 0, call->arena),
                              .username = query_text(query, 1, call->arena),
                              .password_hash = query_text(query, 2, call->arena),
                              .role = query_text(query, 3, call->arena),
                              .is_active = query_boolean(query, 4),
                              .tenant = query_text(query, 5, call->arena),
                              .provider = query_text_or_null(query, 6, call->arena),
                              .subject = query_text_or_null(query, 7, call->arena)};
        if (!timestamp_from_text(query_text(query, 8, call->arena), &user->created_at))
            user->created_at = 0;
    }
    return query_end(query, call->problem);
}

/* Unknown roles are viewers, as in support. */
static const char *roles_of(const struct accounts_call *call, const struct user *user)
{
    struct person_roles roles = PERSON_ROLES_NONE;
    enum account_role role;

    if (!role_of_name(user->role, &role) || role == ACCOUNT_NONE ||
        !roles_set(&roles, AREA_SUPPORT, role))
        (void)roles_set(&roles, AREA_SUPPORT, ACCOUNT_VIEWER);
    return schema_json(call->arena, ROLES_JSON_MAX, &person_roles_schema, &roles);
}

/* The issuer of the names that support gave to providers. */
static const char *issuer_of(const struct user *user)
{
    return strcmp(user->provider, "google") == 0 ? "https://accounts.google.com" : user->provider;
}

static enum error copy_identity(const struct accounts_call *call, const struct user *user)
{
    struct query *query;

    if (!user->provider || !user->subject)
        return ERROR_NONE;
    query = db_query(call->db, &insert_identity);
    query_bind_text(query, issuer_of(user));
    query_bind_text(query, user->subject);
    query_bind_text(query, user->id);
    query_bind_integer(query, user->created_at);
    return query_end(query, call->problem);
}

static enum error copy_user(const struct accounts_call *call, const struct user *user,
                            int64_t *copied, int64_t *skipped)
{
    int64_t there = 0, added;
    struct query *query;
    enum error error = read_count(call->db, &has_person, user->id, &there, call->problem);

    if (error || there)
        return error;
    query = db_query(call->db, &insert_person);
    query_bind_text(query, user->id);
    query_bind_text(query, user->username);
    query_bind_text(query, text_fold(call->arena, user->username));
    query_bind_text(query, user->tenant);
    query_bind_json(query, roles_of(call, user));
    query_bind_boolean(query, user->is_active);
    query_bind_text(query, user->password_hash);
    query_bind_integer(query, user->created_at);
    added = query_changes(query);
    error = query_end(query, call->problem);
    *copied += added;
    *skipped += !error && added == 0;
    return error || added == 0 ? error : copy_identity(call, user);
}

enum error accounts_copy_users(const struct accounts_call *call, struct db *support,
                               int64_t *copied, int64_t *skipped)
{
    struct users users = {0};
    int64_t tables = 0;
    enum error error = read_count(support, &has_table, NULL, &tables, call->problem);

    *copied = *skipped = 0;
    if (!error && tables)
        error = read_all(call, support, &users);
    if (error || users.count == 0)
        return error;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    for (size_t i = 0; !error && i < users.count; i++)
        error = copy_user(call, &users.items[i], copied, skipped);
    return db_finish(call->db, error, call->problem);
}
