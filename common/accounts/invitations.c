/* Invitations: all SQL about them. */
#include "accounts/invitations.h"
#include "accounts/people.h"
#include "accounts/store_internal.h"

#include "base/clock.h"
#include "base/list.h"

#include <string.h>

enum { ROLES_JSON_MAX = 1024, SECRET_TEXT_MAX = 100 };

#define OWNER struct invitation
static const struct field invitation_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, email),
    STRING(OWNER, name, .nullable = true),
    STRING(OWNER, tenant),
    OBJECT(OWNER, roles, person_roles_schema),
    STRING(OWNER, invited_by),
    TIME(OWNER, created_at, .time = TIME_Z),
    TIME(OWNER, expires_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(invitation_schema, struct invitation, "Invitation", invitation_fields);

#define INVITATION_COLUMNS "id, email, name, tenant, roles, invited_by, created_at, expires_at"

static const struct statement insert_invitation = {
    .name = "invitation_insert",
    .sql = "INSERT INTO invitations (id, digest, email, name, tenant, roles, invited_by,"
           " created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement list_invitations = {
    .name = "invitation_list",
    .sql = "SELECT " INVITATION_COLUMNS " FROM invitations WHERE expires_at > {now_microseconds}"
           " ORDER BY created_at DESC, id",
};
static const struct statement find_invitation = {
    .name = "invitation_find",
    .sql = "SELECT " INVITATION_COLUMNS " FROM invitations WHERE digest = ?"
           " AND expires_at > {now_microseconds}",
};
static const struct statement delete_invitation = {
    .name = "invitation_delete",
    .sql = "DELETE FROM invitations WHERE id = ?",
};
static const struct statement purge_invitations = {
    .name = "invitation_purge",
    .sql = "DELETE FROM invitations WHERE expires_at <= {now_microseconds}",
};

static enum error insert(const struct accounts_call *call, const struct invitation *invitation,
                         const char *digest)
{
    struct query *query = db_query(call->db, &insert_invitation);

    query_bind_text(query, invitation->id);
    query_bind_text(query, digest);
    query_bind_text(query, invitation->email);
    query_bind_text(query, invitation->name);
    query_bind_text(query, invitation->tenant);
    query_bind_json(
        query, schema_json(call->arena, ROLES_JSON_MAX, &person_roles_schema, invitation->roles));
    query_bind_text(query, invitation->invited_by);
    query_bind_integer(query, invitation->created_at);
    query_bind_integer(query, invitation->expires_at);
    return query_end(query, call->problem);
}

enum error invitation_add(const struct accounts_call *call, struct invitation *invitation,
                          const char **secret)
{
    char digest[DIGEST_SHA256_TEXT];
    enum error error = person_check(call, invitation->name, invitation->email, invitation->tenant);

    if (error)
        return error;
    *secret = accounts_new_secret(call->arena, "", digest);
    invitation->id = accounts_new_id(call->arena);
    invitation->created_at = clock_unix_microseconds();
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = query_end(db_query(call->db, &purge_invitations), call->problem);
    if (!error)
        error = insert(call, invitation, digest);
    return db_finish(call->db, error, call->problem);
}

enum error invitation_list(const struct accounts_call *call, struct object_list *invitations)
{
    struct query *query = db_query(call->db, &list_invitations);
    struct invitation *items = NULL;
    size_t count = 0;

    while (query_next(query))
        query_read(query, &invitation_schema, ARRAY_ADD(call->arena, items, count), call->arena);
    *invitations = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}

static enum error unknown(const struct accounts_call *call)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "invitation_unknown",
                       "there is no such invitation: it was used, withdrawn, or has expired");
}

enum error invitation_delete(const struct accounts_call *call, const char *id)
{
    int64_t deleted = 0;
    enum error error = accounts_run(call, &delete_invitation, id, NULL, &deleted);

    return error || deleted ? error : unknown(call);
}

enum error invitation_find(const struct accounts_call *call, const char *secret,
                           struct invitation *invitation)
{
    char digest[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, &find_invitation);
    bool found;
    enum error error;

    *invitation = (struct invitation){0};
    digest_sha256_hex(secret, strlen(secret), digest);
    query_bind_text(query, digest);
    error =
        query_read_one(query, &invitation_schema, invitation, call->arena, &found, call->problem);
    return error || found ? error : unknown(call);
}

static enum error use(const struct accounts_call *call, const struct acceptance *acceptance,
                      const char *hash, struct person *person)
{
    struct invitation invitation;
    enum error error = invitation_find(call, acceptance->secret, &invitation);

    if (!error)
        error = invitation_delete(call, invitation.id); /* one of two at a time finds it */
    if (error)
        return error;
    return person_add(
        call,
        &(struct new_person){.username = acceptance->username,
                             .email = invitation.email,
                             .name = acceptance->name ? acceptance->name : invitation.name,
                             .password_hash = hash,
                             .tenant = invitation.tenant,
                             .roles = *invitation.roles,
                             .source = "invitation"},
        person);
}

enum error invitation_accept(const struct accounts_call *call, const struct acceptance *acceptance,
                             struct person *person)
{
    struct invitation invitation;
    const char *hash;
    enum error error = invitation_find(call, acceptance->secret, &invitation);

    if (!error)
        error = person_hash_password(call, acceptance->password, &hash);
    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    return db_finish(call->db, use(call, acceptance, hash, person), call->problem);
}
