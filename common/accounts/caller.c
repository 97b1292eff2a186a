/* Finds callers: in what the workers of this host share, else in the store. */
#include "accounts/caller.h"
#include "accounts/oauth_grants.h"
#include "accounts/oauth_resource.h"
#include "accounts/sessions.h"
#include "accounts/store_internal.h"
#include "accounts/tokens.h"

#include "base/clock.h"
#include "base/list.h"

#include <string.h>

enum { SECOND_US = 1000000, SESSION_TEXT_MAX = 100 };

/* What is shared: JSON of this. */
struct kept_caller {
    const struct person *person;
    const char *id;
    const char *bound_to;
    bool read_only;
    int64_t expires_at;
};

#define OWNER struct person
static const struct field person_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, username),
    STRING(OWNER, name, .nullable = true),
    STRING(OWNER, email, .nullable = true),
    STRING(OWNER, tenant),
    OBJECT(OWNER, roles, person_roles_schema),
    STRINGS(OWNER, groups),
    BOOLEAN(OWNER, is_active),
    BOOLEAN(OWNER, must_change_password),
    INTEGER(OWNER, created_at),
    INTEGER(OWNER, last_seen_at),
};
#undef OWNER
static SCHEMA(kept_person_schema, struct person, "KeptPerson", person_fields);

#define OWNER struct kept_caller
static const struct field kept_fields[] = {
    OBJECT(OWNER, person, kept_person_schema),
    STRING(OWNER, id),
    STRING(OWNER, bound_to, .nullable = true),
    BOOLEAN(OWNER, read_only),
    INTEGER(OWNER, expires_at),
};
#undef OWNER
static SCHEMA(kept_schema, struct kept_caller, "KeptCaller", kept_fields);

#define OWNER struct named_person
static const struct field named_fields[] = {
    OBJECT(OWNER, person, kept_person_schema, .nullable = true),
    INTEGER(OWNER, valid_from),
};
#undef OWNER
static SCHEMA(named_schema, struct named_person, "NamedPerson", named_fields);

static const char *const tags[] = {accounts_cache_tag};

struct search {
    struct accounts *accounts;
    struct arena *arena;
    const char *secret;
    bool is_token;
    char key[DIGEST_SHA256_TEXT];
    struct shm_cache_ticket ticket;
    struct account_caller *caller;
    struct problem *problem;
};

static void accept(struct search *search, const struct kept_caller *kept)
{
    *search->caller =
        (struct account_caller){.kind = search->is_token ? CALLER_TOKEN : CALLER_SESSION,
                                .person = kept->person,
                                .id = kept->id,
                                .bound_to = kept->bound_to,
                                .read_only = kept->read_only,
                                .expires_at = kept->expires_at};
}

static bool look_in_cache(struct search *search)
{
    struct shm_cache *cache = accounts_cache(search->accounts);
    struct kept_caller kept = {0};
    char *bytes;
    size_t length;

    if (!cache)
        return false;
    bytes = arena_alloc(search->arena, SHM_CACHE_ENTRY_MAX + 1);
    digest_sha256_hex(search->secret, strlen(search->secret), search->key);
    shm_cache_look(cache, tags, COUNT_OF(tags), &search->ticket);
    if (!shm_cache_get(cache, search->key, &search->ticket, bytes, &length))
        return false;
    bytes[length] = '\0';
    if (!schema_from_json(search->arena, &kept_schema, bytes, &kept) || !kept.person ||
        (kept.expires_at && kept.expires_at <= clock_unix_microseconds()))
        return false;
    accept(search, &kept);
    return true;
}

static void keep(const struct search *search, const struct kept_caller *kept)
{
    struct shm_cache *cache = accounts_cache(search->accounts);
    const char *json =
        cache ? schema_json(search->arena, SHM_CACHE_ENTRY_MAX, &kept_schema, kept) : NULL;

    if (json)
        shm_cache_put(cache, search->key, &search->ticket, CALLER_KEPT_SECONDS * SECOND_US, json,
                      strlen(json));
}

/* The person, if active: ERROR_NOT_FOUND otherwise. */
static enum error read_person(const struct accounts_call *call, const char *id,
                              struct kept_caller *kept)
{
    struct person *person = ARENA_NEW(call->arena, struct person);
    enum error error = person_read(call, id, person);

    kept->person = person;
    if (error || person->is_active)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "person_unknown", "switched off");
}

static enum error find_session(const struct accounts_call *call, const char *secret,
                               struct kept_caller *kept)
{
    struct person_session session;
    enum error error = session_find(call, secret, &session);

    if (!error)
        error = read_person(call, session.person_id, kept);
    if (error)
        return error;
    kept->id = session.id;
    kept->expires_at = session.expires_at;
    session_touch(call, &session);
    return ERROR_NONE;
}

static enum error find_token(const struct accounts_call *call, const char *secret,
                             struct kept_caller *kept)
{
    struct personal_token token;
    enum error error = personal_token_find(call, secret, &token);

    if (!error)
        error = read_person(call, token.person_id, kept);
    if (error)
        return error;
    kept->id = token.id;
    kept->expires_at = token.expires_at;
    kept->read_only = token.read_only;
    personal_token_touch(call, &token);
    return ERROR_NONE;
}

static enum error find_grant(const struct accounts_call *call, const char *secret,
                             struct kept_caller *kept)
{
    struct oauth_grant grant;
    enum error error = oauth_access_find(call, secret, &grant);

    if (!error)
        error = read_person(call, grant.person_id, kept);
    if (error)
        return error;
    kept->id = grant.id;
    kept->bound_to = grant.bound_to;
    kept->expires_at = grant.expires_at;
    kept->read_only = grant.read_only;
    oauth_grant_touch(call, &grant);
    return ERROR_NONE;
}

static enum error find_any(const struct search *search, const struct accounts_call *call,
                           struct kept_caller *kept)
{
    if (!search->is_token)
        return find_session(call, search->secret, kept);
    return oauth_access_is(search->secret) ? find_grant(call, search->secret, kept)
                                           : find_token(call, search->secret, kept);
}

static enum error look_in_store(struct search *search)
{
    struct accounts_call call;
    struct kept_caller kept = {0};
    enum error error = accounts_begin(search->accounts, search->arena, search->problem, &call);

    if (!error)
        error = find_any(search, &call, &kept);
    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (error)
        return error;
    accept(search, &kept);
    keep(search, &kept);
    return ERROR_NONE;
}

static bool is_given(const char *text)
{
    return text && *text;
}

enum error caller_find(struct accounts *accounts, struct arena *arena,
                       const struct presented *presented, struct account_caller *caller,
                       struct problem *problem)
{
    struct search search = {
        .accounts = accounts, .arena = arena, .caller = caller, .problem = problem};

    *caller = (struct account_caller){.kind = CALLER_NONE};
    if (is_given(presented->bearer) || is_given(presented->api_key)) {
        search.secret = is_given(presented->bearer) ? presented->bearer : presented->api_key;
        if (strncmp(search.secret, PERSONAL_TOKEN_PREFIX, strlen(PERSONAL_TOKEN_PREFIX)) != 0)
            return ERROR_NONE;
        search.is_token = true;
        caller->kind = CALLER_BAD_TOKEN;
        if (!personal_token_is(search.secret) && !oauth_access_is(search.secret))
            return ERROR_NONE;
    } else {
        search.secret = presented->session;
        if (!is_given(search.secret) || strlen(search.secret) > SESSION_TEXT_MAX)
            return ERROR_NONE;
    }
    return look_in_cache(&search) ? ERROR_NONE : look_in_store(&search);
}

void caller_check_service(struct account_caller *caller, const char *service)
{
    if (caller->bound_to && !oauth_bound_admits(caller->bound_to, service))
        *caller = (struct account_caller){.kind = CALLER_BAD_TOKEN};
}

/* The key is no digest, as those of secrets are: nobody shows a name in place of a secret. */
enum error caller_named(struct accounts *accounts, struct arena *arena, const char *subject,
                        struct named_person *named, struct problem *problem)
{
    struct shm_cache *cache = accounts_cache(accounts);
    const char *key = arena_print(arena, "person:%s", subject), *json;
    char *bytes = arena_alloc(arena, SHM_CACHE_ENTRY_MAX + 1);
    struct shm_cache_ticket ticket;
    struct accounts_call call;
    size_t length;
    enum error error;

    if (cache) {
        shm_cache_look(cache, tags, COUNT_OF(tags), &ticket);
        if (shm_cache_get(cache, key, &ticket, bytes, &length)) {
            bytes[length] = '\0';
            if (schema_from_json(arena, &named_schema, bytes, named))
                return ERROR_NONE;
        }
    }
    error = accounts_begin(accounts, arena, problem, &call);
    if (!error)
        error = person_named(&call, subject, named);
    json = cache && !error ? schema_json(arena, SHM_CACHE_ENTRY_MAX, &named_schema, named) : NULL;
    if (json)
        shm_cache_put(cache, key, &ticket, CALLER_KEPT_SECONDS * SECOND_US, json, strlen(json));
    return error;
}
