/* Passwords and the lock-out: all SQL about failed sign-ins. */
#include "accounts/sign_in.h"
#include "accounts/people.h"
#include "accounts/store_internal.h"

#include "base/clock.h"
#include "crypto/password.h"
#include "db/query.h"
#include "text/fold.h"

#include <string.h>

enum { ALL_NETWORKS_FACTOR = 5, SECOND_US = 1000000 };

/* The hash of no password, of the kind that is made here. */
static const char unknown_hash[] =
    "$y$j9T$HwIGNzKVD3vl1NtBuvnVE0$gQgv4qzAoydseRFcGEEgL4R3Uy0YQIO.t92ACCxXTK8";

static const struct statement count_failure = {
    .name = "sign_in_count_failure",
    .sql = "INSERT INTO sign_in_failures (failure_key, failures, ends_at) VALUES (?, 1, ?)"
           " ON CONFLICT (failure_key) DO UPDATE SET"
           " failures = CASE WHEN sign_in_failures.ends_at <= {now_microseconds} THEN 1"
           " ELSE sign_in_failures.failures + 1 END,"
           " ends_at = CASE WHEN sign_in_failures.ends_at <= {now_microseconds}"
           " THEN excluded.ends_at ELSE sign_in_failures.ends_at END"
           " RETURNING failures, ends_at",
};
static const struct statement forget_failure = {
    .name = "sign_in_forget_failure",
    .sql = "UPDATE sign_in_failures SET failures = failures - 1 WHERE failure_key = ?"
           " AND failures > 0",
};
static const struct statement forget_failures = {
    .name = "sign_in_forget_failures",
    .sql = "DELETE FROM sign_in_failures WHERE failure_key = ?",
};
static const struct statement purge_failures = {
    .name = "sign_in_purge_failures",
    .sql = "DELETE FROM sign_in_failures WHERE ends_at <= {now_microseconds}",
};
static const struct statement count_others = {
    .name = "people_count_others",
    .sql = "SELECT count(*) FROM people WHERE username_key <> ? OR password_hash IS NOT NULL",
};

/* Names are not stored: people type passwords into the wrong field. */
struct failure_keys {
    char here[DIGEST_SHA256_TEXT];  /* the name from this network */
    char where[DIGEST_SHA256_TEXT]; /* the name from anywhere */
};

static void make_keys(const struct accounts_call *call, const struct sign_in_attempt *attempt,
                      struct failure_keys *keys)
{
    const char *name = text_fold(call->arena, attempt->username);
    const char *here = arena_print(call->arena, "%s %s", attempt->network, name);

    digest_sha256_hex(here, strlen(here), keys->here);
    digest_sha256_hex(name, strlen(name), keys->where);
}

/* Counts the attempt before it is known to fail, so that attempts side by side are no more than
 * those one after the other. */
static enum error count_one(const struct accounts_call *call, const char *key, int64_t most,
                            int64_t seconds, int64_t *retry_after)
{
    int64_t now = clock_unix_microseconds(), ends_at = 0, failures = 0;
    struct query *query = db_query(call->db, &count_failure);

    query_bind_text(query, key);
    query_bind_integer(query, now + seconds * SECOND_US);
    if (query_next(query)) {
        failures = query_integer(query, 0);
        ends_at = query_integer(query, 1);
    }
    if (failures > most && (ends_at - now) / SECOND_US + 1 > *retry_after)
        *retry_after = (ends_at - now) / SECOND_US + 1;
    return query_end(query, call->problem);
}

static enum error count_attempt(const struct accounts_call *call, const struct sign_in_rules *rules,
                                const struct failure_keys *keys, int64_t *retry_after)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *retry_after = 0;
    if (error)
        return error;
    error = query_end(db_query(call->db, &purge_failures), call->problem);
    if (!error)
        error = count_one(call, keys->here, rules->failures, rules->failure_seconds, retry_after);
    if (!error)
        error = count_one(call, keys->where, rules->failures * ALL_NETWORKS_FACTOR,
                          rules->failure_seconds, retry_after);
    return db_finish(call->db, error, call->problem);
}

static enum error forget_attempt(const struct accounts_call *call, const struct failure_keys *keys)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = accounts_run(call, &forget_failures, keys->here, NULL, NULL);
    if (!error)
        error = accounts_run(call, &forget_failure, keys->where, NULL, NULL);
    return db_finish(call->db, error, call->problem);
}

/* Hashes of both kinds are computed each time, so that the time reveals neither whether there is a
 * person nor where the hash comes from. */
static enum error compare(const struct accounts_call *call, const char *password, const char *hash,
                          bool *matches)
{
    bool is_own_kind = hash && strncmp(hash, "$y$", 3) == 0, other;
    enum error error = password_matches(password, hash, matches, call->problem);

    if (error)
        return error;
    return password_matches(password, is_own_kind ? NULL : unknown_hash, &other, call->problem);
}

static bool is_administrator(const struct accounts_administrator *administrator,
                             const char *username, struct arena *arena)
{
    return strcmp(text_fold(arena, username), text_fold(arena, administrator->username)) == 0;
}

bool sign_in_is_by_settings(const struct accounts_administrator *administrator,
                            const struct person *person, struct arena *arena)
{
    return administrator->password_hash && is_administrator(administrator, person->username, arena);
}

/* What a name may sign in with. */
struct known_name {
    struct person person; /* its id is NULL when there is none */
    const char *hash;
    bool by_settings; /* the administrator's, and not a password of his own */
};

static enum error look_up(const struct accounts_call *call,
                          const struct accounts_administrator *administrator, const char *username,
                          struct known_name *known)
{
    const char *source = NULL;
    enum error error = person_find(call, username, &known->person);

    *known = (struct known_name){.person = known->person};
    if (!error)
        error = person_password(call, known->person.id, &known->hash, &source);
    if (error == ERROR_NOT_FOUND) {
        known->person = (struct person){0};
        error = ERROR_NONE;
    }
    if (!error && is_administrator(administrator, username, call->arena)) {
        known->by_settings = administrator->password_hash || !known->hash;
        if (administrator->password_hash)
            known->hash = administrator->password_hash;
    }
    return error;
}

bool sign_in_is_first_password(const struct accounts_administrator *administrator,
                               const struct sign_in_attempt *attempt)
{
    bool is_first = administrator->first_password &&
                    digest_equal_secret(attempt->password, administrator->first_password);
    bool is_pair = administrator->may_develop && attempt->is_local &&
                   digest_equal_secret(attempt->password, "admin");

    return is_first || is_pair;
}

static void make_administrator(void *context, struct person *person)
{
    person->roles = context;
}

/* The administrator of the settings as a person who may do everything. */
static enum error add_administrator(const struct accounts_call *call,
                                    const struct accounts_administrator *administrator,
                                    struct person *person)
{
    struct person_roles *roles = ARENA_NEW(call->arena, struct person_roles);
    struct new_person wanted = {
        .username = administrator->username, .tenant = administrator->tenant, .source = "settings"};
    bool complete = true;

    for (int area = 0; area < AREA__MAX; area++) {
        (void)roles_set(roles, (enum account_area)area, ACCOUNT_ADMIN);
        complete = complete && person_role(person, (enum account_area)area) == ACCOUNT_ADMIN;
    }
    wanted.roles = *roles;
    if (!person->id) {
        enum error error = person_add(call, &wanted, person);

        /* Somebody else has signed in for the first time at the same moment. */
        return error == ERROR_CONFLICT ? person_find(call, wanted.username, person) : error;
    }
    return complete ? ERROR_NONE : person_edit(call, person->id, make_administrator, roles, person);
}

static enum error accept(const struct accounts_call *call, const struct sign_in_rules *rules,
                         const struct failure_keys *keys, struct known_name *known,
                         struct person *person)
{
    enum error error = known->by_settings
                           ? add_administrator(call, rules->administrator, &known->person)
                           : ERROR_NONE;

    *person = known->person;
    return error ? error : forget_attempt(call, keys);
}

enum error sign_in_check(const struct accounts_call *call, const struct sign_in_rules *rules,
                         const struct sign_in_attempt *attempt, enum sign_in_outcome *outcome,
                         struct person *person, int64_t *retry_after)
{
    struct failure_keys keys;
    struct known_name known;
    bool matches = false;
    enum error error;

    make_keys(call, attempt, &keys);
    *outcome = SIGN_IN_LOCKED;
    error = count_attempt(call, rules, &keys, retry_after);
    if (error || *retry_after)
        return error;
    *outcome = SIGN_IN_REFUSED;
    error = look_up(call, rules->administrator, attempt->username, &known);
    if (!error)
        error = compare(call, attempt->password, known.hash, &matches);
    if (error)
        return error;
    if (known.by_settings && !known.hash)
        matches = sign_in_is_first_password(rules->administrator, attempt);
    if (!matches || (known.person.id && !known.person.is_active))
        return ERROR_NONE;
    *outcome = SIGN_IN_ACCEPTED;
    return accept(call, rules, &keys, &known, person);
}

enum error sign_in_confirm(const struct accounts_call *call, const struct sign_in_rules *rules,
                           const struct person *person, const struct sign_in_attempt *attempt,
                           enum sign_in_outcome *outcome, int64_t *retry_after)
{
    struct sign_in_attempt own = *attempt;
    struct person same;

    own.username = person->username;
    return sign_in_check(call, rules, &own, outcome, &same, retry_after);
}

enum error sign_in_is_first_run(const struct accounts_call *call,
                                const struct accounts_administrator *administrator, bool *first_run)
{
    struct query *query = db_query(call->db, &count_others);

    query_bind_text(query, text_fold(call->arena, administrator->username));
    *first_run = query_next(query) && query_integer(query, 0) == 0;
    return query_end(query, call->problem);
}
