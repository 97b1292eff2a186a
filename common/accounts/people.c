/* People: all SQL about them. */
#include "accounts/people.h"
#include "accounts/groups.h"
#include "accounts/sessions.h"
#include "accounts/store_internal.h"
#include "accounts/tokens.h"

#include "base/clock.h"
#include "base/list.h"
#include "crypto/password.h"
#include "db/query.h"
#include "text/fold.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { ROLES_JSON_MAX = 1024 };

static const struct statement insert_person = {
    .name = "person_insert",
    .sql = "INSERT INTO people (id, username, username_key, email, name, tenant, roles, member_of,"
           " is_active, password_hash, must_change_password, source, created_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, {now_microseconds})",
};
static const struct statement count_key = {
    .name = "person_count_key",
    .sql = "SELECT count(*) FROM people WHERE username_key = ?",
};
static const struct statement read_person = {
    .name = "person_read",
    .sql = "SELECT " PERSON_COLUMNS " FROM people WHERE id = ?",
};
static const struct statement read_person_to_change = {
    .name = "person_read_to_change",
    .sql = "SELECT " PERSON_COLUMNS " FROM people WHERE id = ? {for_update}",
};
static const struct statement find_person = {
    .name = "person_find",
    .sql = "SELECT " PERSON_COLUMNS " FROM people WHERE username_key = ?",
};
static const struct statement read_valid_from = {
    .name = "person_valid_from",
    .sql = "SELECT coalesce(sessions_valid_from, 0) FROM people WHERE id = ?",
};
static const struct statement list_people = {
    .name = "people_list",
    .sql = "SELECT " PERSON_COLUMNS " FROM people ORDER BY username_key",
};
static const struct statement count_active = {
    .name = "people_count_active",
    .sql = "SELECT count(*) FROM people WHERE is_active = 1",
};
static const struct statement count_administrators = {
    .name = "people_count_administrators",
    .sql = "SELECT count(*) FROM people WHERE is_active = 1 AND roles ->> 'suite' = 'admin'",
};
static const struct statement update_person = {
    .name = "person_update",
    .sql = "UPDATE people SET name = ?, email = ?, tenant = ?, roles = ?, member_of = ?,"
           " is_active = ?, must_change_password = ? WHERE id = ?",
};
static const struct statement read_password = {
    .name = "person_read_password",
    .sql = "SELECT password_hash, source FROM people WHERE id = ?",
};
static const struct statement update_password = {
    .name = "person_update_password",
    .sql = "UPDATE people SET password_hash = ?, must_change_password = ? WHERE id = ?",
};

/* How logs name callers who are no people. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"anonymous", "api-key-user", "visitor"};

    for (size_t i = 0; i < COUNT_OF(reserved); i++)
        if (strcasecmp(name, reserved[i]) == 0)
            return true;
    return false;
}

bool person_is_username(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (length == 0 || is_reserved(text) || text_has_invisible(text) ||
        utf8_valid_prefix(text, length) != length || utf8_count(text) > USERNAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];

        if (byte < 0x80 && !isalnum(byte) && !strchr("._@+-", byte))
            return false;
    }
    return true;
}

bool person_is_tenant(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return false;
    return length >= 1 && length <= TENANT_MAX;
}

bool person_is_email(const char *text)
{
    const char *at = text ? strchr(text, '@') : NULL;
    size_t length = text ? strlen(text) : 0;

    if (!at || at == text || strchr(at + 1, '@') || length > EMAIL_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
            return false;
    return strcmp(at, "@localhost") == 0 ||
           (at[1] != '.' && strchr(at, '.') && text[length - 1] != '.');
}

enum error person_check(const struct accounts_call *call, const char *name, const char *email,
                        const char *tenant)
{
    const char *wrong = NULL;

    if (email && !person_is_email(email))
        wrong = "email is no e-mail address";
    else if (!person_is_tenant(tenant))
        wrong = "tenant may hold 1 to 50 letters, digits, _ and -";
    else if (name && (!*name || utf8_count(name) > PERSON_NAME_MAX))
        wrong = "name is blank or too long";
    if (!wrong)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "person_invalid", "%s", wrong);
}

static const char *json_of(const struct accounts_call *call, const struct person_roles *roles)
{
    return schema_json(call->arena, ROLES_JSON_MAX, &person_roles_schema, roles);
}

static enum error insert(const struct accounts_call *call, const struct new_person *person,
                         const char *id, const char *tenant)
{
    struct query *query = db_query(call->db, &insert_person);

    query_bind_text(query, id);
    query_bind_text(query, person->username);
    query_bind_text(query, text_fold(call->arena, person->username));
    query_bind_text(query, person->email);
    query_bind_text(query, person->name);
    query_bind_text(query, tenant);
    query_bind_json(query, json_of(call, &person->roles));
    query_bind_json(query, groups_json(call->arena, &person->groups));
    query_bind_text(query, person->password_hash);
    query_bind_boolean(query, person->must_change_password);
    query_bind_text(query, person->source);
    return query_end(query, call->problem);
}

static enum error refuse_taken(const struct accounts_call *call, const char *username)
{
    struct query *query = db_query(call->db, &count_key);
    int64_t count = 0;
    enum error error;

    query_bind_text(query, text_fold(call->arena, username));
    if (query_next(query))
        count = query_integer(query, 0);
    error = query_end(query, call->problem);
    if (error || count == 0)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "username_taken",
                       "there is a person of this username already");
}

enum error person_add(const struct accounts_call *call, const struct new_person *person,
                      struct person *added)
{
    const char *id = person->id ? person->id : accounts_new_id(call->arena);
    const char *tenant = person->tenant ? person->tenant : "default";
    int64_t change;
    enum error error = person_check(call, person->name, person->email, tenant);

    if (error)
        return error;
    if (!person_is_username(person->username) ||
        is_reserved(text_fold(call->arena, person->username)))
        return problem_set(call->problem, ERROR_INVALID, "person_invalid",
                           "username may hold letters, digits and . _ @ + -, and is not "
                           "anonymous, api-key-user or visitor");
    error = accounts_change_begin(call, &change);
    if (error)
        return error;
    error = refuse_taken(call, person->username);
    if (!error)
        error = insert(call, person, id, tenant);
    if (error == ERROR_CONFLICT)
        error = problem_set(call->problem, ERROR_CONFLICT, "username_taken",
                            "there is a person of this username already");
    if (!error)
        error = person_read(call, id, added);
    return accounts_change_finish(call, change, error);
}

static enum error read_found(const struct accounts_call *call, struct query *query,
                             struct person *person)
{
    bool found;
    enum error error =
        query_read_one(query, &person_schema, person, call->arena, &found, call->problem);

    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "person_unknown", "there is no such person");
}

enum error person_read(const struct accounts_call *call, const char *id, struct person *person)
{
    struct query *query = db_query(call->db, &read_person);

    *person = (struct person){0};
    query_bind_text(query, id);
    return read_found(call, query, person);
}

enum error person_find(const struct accounts_call *call, const char *username,
                       struct person *person)
{
    struct query *query = db_query(call->db, &find_person);

    *person = (struct person){0};
    query_bind_text(query, text_fold(call->arena, username));
    return read_found(call, query, person);
}

enum error person_named(const struct accounts_call *call, const char *subject,
                        struct named_person *named)
{
    struct person *person = ARENA_NEW(call->arena, struct person);
    struct query *query;
    enum error error = person_find(call, subject, person);

    *named = (struct named_person){0};
    if (error == ERROR_NOT_FOUND)
        error = person_read(call, subject, person);
    if (error)
        return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
    named->person = person;
    query = db_query(call->db, &read_valid_from);
    query_bind_text(query, person->id);
    if (query_next(query))
        named->valid_from = query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error people_list(const struct accounts_call *call, struct object_list *people)
{
    struct query *query = db_query(call->db, &list_people);
    struct person *items = NULL;
    size_t count = 0;

    while (query_next(query))
        query_read(query, &person_schema, ARRAY_ADD(call->arena, items, count), call->arena);
    *people = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}

static enum error count_by(const struct accounts_call *call, const struct statement *statement,
                           int64_t *count)
{
    struct query *query = db_query(call->db, statement);

    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error people_count(const struct accounts_call *call, int64_t *active)
{
    return count_by(call, &count_active, active);
}

/* Within the change, so that two administrators cannot remove each other at the same time. */
static enum error check_administrators(const struct accounts_call *call, int64_t before)
{
    int64_t after = 0;
    enum error error = before ? count_by(call, &count_administrators, &after) : ERROR_NONE;

    if (error || before == 0 || after > 0)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "last_administrator",
                       "nobody else administers the suite: give another person that role first");
}

static enum error update(const struct accounts_call *call, const struct person *person)
{
    struct query *query = db_query(call->db, &update_person);
    int64_t changes;
    enum error error;

    query_bind_text(query, person->name);
    query_bind_text(query, person->email);
    query_bind_text(query, person->tenant);
    query_bind_json(query, json_of(call, person->roles));
    query_bind_json(query, groups_json(call->arena, &person->groups));
    query_bind_boolean(query, person->is_active);
    query_bind_boolean(query, person->must_change_password);
    query_bind_text(query, person->id);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (!error && changes == 0)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "person_unknown",
                            "there is no such person");
    if (!error && !person->is_active)
        error = session_end_all(call, person->id, NULL);
    return error;
}

/* What an edit finds: the person as nobody else changes it until the end of the change. */
static enum error read_to_change(const struct accounts_call *call, const char *id,
                                 struct person *person)
{
    struct query *query = db_query(call->db, &read_person_to_change);

    *person = (struct person){0};
    query_bind_text(query, id);
    return read_found(call, query, person);
}

enum error person_edit(const struct accounts_call *call, const char *id, person_editor *edit,
                       void *context, struct person *person)
{
    int64_t change, before;
    enum error error = accounts_change_begin(call, &change);

    if (error)
        return error;
    error = db_lock(call->db, "accounts_administrators", call->problem);
    if (!error)
        error = count_by(call, &count_administrators, &before);
    if (!error)
        error = read_to_change(call, id, person);
    if (!error) {
        edit(context, person);
        error = person_check(call, person->name, person->email, person->tenant);
    }
    if (!error)
        error = groups_read(call->arena, &person->groups, &person->groups, call->problem);
    if (!error)
        error = update(call, person);
    if (!error)
        error = check_administrators(call, before);
    return accounts_change_finish(call, change, error);
}

enum error person_password(const struct accounts_call *call, const char *id, const char **hash,
                           const char **source)
{
    struct query *query = db_query(call->db, &read_password);

    *hash = *source = NULL;
    query_bind_text(query, id);
    if (query_next(query)) {
        *hash = query_text_or_null(query, 0, call->arena);
        *source = query_text(query, 1, call->arena);
    }
    return query_end(query, call->problem);
}

static enum error store_password(const struct accounts_call *call, const char *id, const char *hash,
                                 bool must_change)
{
    struct query *query = db_query(call->db, &update_password);
    int64_t changes;
    enum error error;

    query_bind_text(query, hash);
    query_bind_boolean(query, must_change);
    query_bind_text(query, id);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (error || changes)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "person_unknown", "there is no such person");
}

enum error person_set_password(const struct accounts_call *call,
                               const struct password_setting *setting, int64_t *tokens_ended)
{
    const char *hash, *id = setting->person_id;
    int64_t change;
    enum error error = person_hash_password(call, setting->password, &hash);

    *tokens_ended = 0;
    if (!error)
        error = accounts_change_begin(call, &change);
    if (error)
        return error;
    error = store_password(call, id, hash, setting->must_change);
    if (!error)
        error = session_end_all(call, id, setting->kept_session);
    if (!error && setting->ends_tokens)
        error = personal_token_delete_all(call, id, tokens_ended);
    return accounts_change_finish(call, change, error);
}

enum error person_hash_password(const struct accounts_call *call, const char *password,
                                const char **hash)
{
    if (utf8_count(password) < PASSWORD_MIN || strlen(password) > PASSWORD_BYTES_MAX)
        return problem_set(call->problem, ERROR_INVALID, "password_too_short",
                           "a password has at least %d characters", PASSWORD_MIN);
    return password_hash(call->arena, password, hash, call->problem);
}
