/* All SQL about identities. */
#include "accounts/oidc/identity_store.h"

#include "db/query.h"
#include "text/fold.h"

static const struct statement find_identity = {
    .name = "identity_find",
    .sql = "SELECT person_id FROM person_identities WHERE issuer = ? AND subject = ?",
};
static const struct statement insert_identity = {
    .name = "identity_insert",
    .sql = "INSERT INTO person_identities (issuer, subject, person_id, created_at)"
           " VALUES (?, ?, ?, {now_microseconds})",
};
static const struct statement touch_identity = {
    .name = "identity_touch",
    .sql = "UPDATE person_identities SET last_used_at = {now_microseconds}"
           " WHERE issuer = ? AND subject = ?",
};
static const struct statement find_prepared = {
    .name = "identity_find_prepared",
    .sql = "SELECT id FROM people p WHERE (username_key = ? OR lower(email) = ?)"
           " AND is_active = 1 AND password_hash IS NULL AND source = 'local'"
           " AND NOT EXISTS (SELECT 1 FROM person_identities i WHERE i.person_id = p.id)",
};

/* The only id that the query gives; NULL for none and for several. */
static enum error read_single_id(const struct accounts_call *call, struct query *query,
                                 const char **id)
{
    *id = query_next(query) ? query_text(query, 0, call->arena) : NULL;
    if (*id && query_next(query))
        *id = NULL;
    return query_end(query, call->problem);
}

enum error identity_find(const struct accounts_call *call, const char *issuer, const char *subject,
                         const char **person_id)
{
    struct query *query = db_query(call->db, &find_identity);

    query_bind_text(query, issuer);
    query_bind_text(query, subject);
    return read_single_id(call, query, person_id);
}

enum error identity_add(const struct accounts_call *call, const char *issuer, const char *subject,
                        const char *person_id)
{
    struct query *query = db_query(call->db, &insert_identity);

    query_bind_text(query, issuer);
    query_bind_text(query, subject);
    query_bind_text(query, person_id);
    return query_end(query, call->problem);
}

enum error identity_touch(const struct accounts_call *call, const char *issuer, const char *subject)
{
    struct query *query = db_query(call->db, &touch_identity);

    query_bind_text(query, issuer);
    query_bind_text(query, subject);
    return query_end(query, call->problem);
}

enum error identity_find_prepared(const struct accounts_call *call, const char *email,
                                  const char **person_id)
{
    struct query *query = db_query(call->db, &find_prepared);
    const char *folded = text_fold(call->arena, email);

    query_bind_text(query, folded);
    query_bind_text(query, folded);
    return read_single_id(call, query, person_id);
}
