/* The areas of the suite with their roles, and the handle of the account store. */
#include "accounts/store_internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "crypto/token.h"
#include "db/query.h"

#include <errno.h>
#include <string.h>

enum { SECRET_BYTES = 32, ROLES_TEXT_MAX = 400, AREA_ROLES_MAX = 4 };

const char *const account_area_names[AREA__MAX + 1] = {"experiments", "support", "models",
                                                       "data",        "suite",   NULL};
const char *const account_role_names[ACCOUNT_ROLE__MAX] = {
    NULL, "viewer", "analyst", "operator", "agent", "reviewer", "admin"};

/* The roles that each area offers, from the least: as values, and as the choices of its field. */
static const enum account_role area_roles[AREA__MAX][AREA_ROLES_MAX] = {
    [AREA_EXPERIMENTS] = {ACCOUNT_VIEWER, ACCOUNT_ANALYST, ACCOUNT_ADMIN},
    [AREA_SUPPORT] = {ACCOUNT_VIEWER, ACCOUNT_AGENT, ACCOUNT_REVIEWER, ACCOUNT_ADMIN},
    [AREA_MODELS] = {ACCOUNT_VIEWER, ACCOUNT_ANALYST, ACCOUNT_ADMIN},
    [AREA_DATA] = {ACCOUNT_VIEWER, ACCOUNT_OPERATOR, ACCOUNT_ADMIN},
    [AREA_SUITE] = {ACCOUNT_ADMIN},
};
static const char *const experiments_choices[] = {"viewer", "analyst", "admin"};
static const char *const support_choices[] = {"viewer", "agent", "reviewer", "admin"};
static const char *const models_choices[] = {"viewer", "analyst", "admin"};
static const char *const data_choices[] = {"viewer", "operator", "admin"};
static const char *const suite_choices[] = {"admin"};

#define AREA_FIELD(area, title, names, text)                                                       \
    {                                                                                              \
        .name = (title), .type = FIELD_CHOICE, .nullable = true, .choices = (names),               \
        .choice_count = COUNT_OF(names),                                                           \
        .offset = offsetof(struct person_roles, of) + (area) * sizeof(int), .help = (text)         \
    }
static const struct field roles_fields[] = {
    AREA_FIELD(AREA_EXPERIMENTS, "experiments", experiments_choices,
               "Reads; changes; administers experiments."),
    AREA_FIELD(AREA_SUPPORT, "support", support_choices,
               "Asks; answers customers; reviews answers; administers support."),
    AREA_FIELD(AREA_MODELS, "models", models_choices,
               "Reads; sends prompts; administers the models."),
    AREA_FIELD(AREA_DATA, "data", data_choices,
               "Reads; changes events, alerts and webhooks; administers live data."),
    AREA_FIELD(AREA_SUITE, "suite", suite_choices, "Administers people and the whole suite."),
};
SCHEMA(person_roles_schema, struct person_roles, "PersonRoles", roles_fields,
       .help = "The role of a person in each area; null = no access.", .complete = true);

#define OWNER struct person
static const struct field person_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, username),
    STRING(OWNER, name, .nullable = true),
    STRING(OWNER, email, .nullable = true),
    STRING(OWNER, tenant, .help = "Whose data the person sees in support and live data."),
    OBJECT(OWNER, roles, person_roles_schema),
    STRINGS(OWNER, groups, .help = "Documents of support may be for some groups only."),
    BOOLEAN(OWNER, is_active),
    BOOLEAN(OWNER, must_change_password),
    TIME(OWNER, created_at, .time = TIME_Z),
    TIME_OR_NULL(OWNER, last_seen_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(person_schema, struct person, "Person", person_fields);

bool roles_offer(enum account_area area, enum account_role role)
{
    for (size_t i = 0; role != ACCOUNT_NONE && i < AREA_ROLES_MAX; i++)
        if (area_roles[area][i] == role)
            return true;
    return false;
}

enum account_role roles_get(const struct person_roles *roles, enum account_area area)
{
    int position = roles ? roles->of[area] : -1;

    return position < 0 || position >= AREA_ROLES_MAX ? ACCOUNT_NONE : area_roles[area][position];
}

bool roles_set(struct person_roles *roles, enum account_area area, enum account_role role)
{
    if (role == ACCOUNT_NONE) {
        roles->of[area] = -1;
        return true;
    }
    for (int i = 0; i < AREA_ROLES_MAX; i++)
        if (area_roles[area][i] == role) {
            roles->of[area] = i;
            return true;
        }
    return false;
}

enum account_role person_role(const struct person *person, enum account_area area)
{
    return person && person->is_active ? roles_get(person->roles, area) : ACCOUNT_NONE;
}

bool area_of_name(const char *name, enum account_area *area)
{
    for (int i = 0; i < AREA__MAX; i++)
        if (strcmp(name, account_area_names[i]) == 0) {
            *area = (enum account_area)i;
            return true;
        }
    return false;
}

bool role_of_name(const char *name, enum account_role *role)
{
    *role = ACCOUNT_NONE;
    if (strcmp(name, "none") == 0)
        return true;
    for (int i = ACCOUNT_VIEWER; i < ACCOUNT_ROLE__MAX; i++)
        if (strcmp(name, account_role_names[i]) == 0) {
            *role = (enum account_role)i;
            return true;
        }
    return false;
}

/* One "area=role"; false when there is no such role there. */
static bool read_one_role(const char *text, size_t length, struct person_roles *roles)
{
    char pair[64];
    char *equals;
    enum account_area area;
    enum account_role role;

    if (length >= sizeof pair)
        return false;
    memcpy(pair, text, length);
    pair[length] = '\0';
    equals = strchr(pair, '=');
    if (!equals)
        return false;
    *equals = '\0';
    return area_of_name(pair, &area) && role_of_name(equals + 1, &role) &&
           roles_set(roles, area, role);
}

enum error roles_read(const char *text, struct person_roles *roles, struct problem *problem)
{
    if (strlen(text) > ROLES_TEXT_MAX)
        return problem_set(problem, ERROR_INVALID, "role_unknown", "the list of roles is too long");
    while (*text) {
        size_t length = strcspn(text, ",");

        if (!read_one_role(text, length, roles))
            return problem_set(problem, ERROR_INVALID, "role_unknown",
                               "\"%.*s\" is no role of an area (area=role, such as support=agent)",
                               (int)length, text);
        text += length + (text[length] == ',');
    }
    return ERROR_NONE;
}

const char *roles_text(struct arena *arena, const struct person_roles *roles)
{
    const char *text = "";

    for (int area = 0; area < AREA__MAX; area++) {
        enum account_role role = roles_get(roles, (enum account_area)area);

        if (role != ACCOUNT_NONE)
            text = arena_print(arena, "%s%s%s=%s", text, *text ? "," : "", account_area_names[area],
                               account_role_names[role]);
    }
    return *text ? text : "none";
}

struct accounts {
    struct store *store;
    const char *cache_path; /* NULL = nothing is shared */
    struct shm_cache *cache;
    bool cache_tried;
};

const char accounts_cache_tag[] = "people";

void accounts_store_plan(struct arena *arena, const struct accounts_settings *settings,
                         const char *sql_directory, const char *state_directory,
                         struct store_plan *plan)
{
    *plan = (struct store_plan){
        .service = "accounts",
        .state_directory = state_directory,
        .target = settings->database_url,
        .options = DB_OPTIONS_DEFAULT,
        .schema = {.directory = arena_print(arena, "%s/accounts", sql_directory)}};
    plan->options.pool_size = (int)settings->db_pool_size;
    if (settings->busy_timeout_ms)
        plan->options.busy_timeout_ms = (int)settings->busy_timeout_ms;
    plan->options.application_name = "assay-accounts";
}

enum error accounts_open(struct arena *arena, const struct accounts_settings *settings,
                         const char *sql_directory, const char *state_directory,
                         const char *run_directory, struct accounts **accounts,
                         struct problem *problem)
{
    struct store_plan plan;

    *accounts = ARENA_NEW(arena, struct accounts);
    if (run_directory)
        (*accounts)->cache_path = arena_print(arena, "%s/accounts-cache.shm", run_directory);
    accounts_store_plan(arena, settings, sql_directory, state_directory, &plan);
    plan.options.pool_directory = run_directory;
    return store_open(arena, &plan, &(*accounts)->store, problem);
}

void accounts_close(struct accounts *accounts)
{
    store_close(accounts->store);
    if (accounts->cache)
        shm_cache_close(accounts->cache);
    accounts->cache = NULL;
}

/* Without it every request asks the store. */
static void open_cache(struct accounts *accounts)
{
    struct problem problem;

    if (accounts->cache_tried || !accounts->cache_path)
        return;
    accounts->cache_tried = true;
    if (shm_cache_open(accounts->cache_path, &accounts->cache, &problem)) {
        accounts->cache = NULL;
        log_event(LOG_WARNING, "accounts_not_shared", problem.text);
    }
}

void accounts_attach(struct accounts *accounts)
{
    open_cache(accounts);
    store_attach(accounts->store);
}

enum error accounts_prepare(struct accounts *accounts, struct problem *problem)
{
    struct db *db;

    open_cache(accounts);
    return store_prepare(accounts->store, &db, problem);
}

void accounts_end_of_request(struct accounts *accounts)
{
    db_end_of_request(store_handle(accounts->store));
}

void accounts_idle(struct accounts *accounts)
{
    db_release(store_handle(accounts->store));
}

const char *accounts_folder(const struct accounts *accounts, struct arena *arena)
{
    return store_folder(accounts->store, arena);
}

struct store *accounts_store(struct accounts *accounts)
{
    return accounts->store;
}

struct shm_cache *accounts_cache(struct accounts *accounts)
{
    return accounts->cache;
}

enum error accounts_begin(struct accounts *accounts, struct arena *arena, struct problem *problem,
                          struct accounts_call *call)
{
    *call = (struct accounts_call){.accounts = accounts, .arena = arena, .problem = problem};
    return store_database(accounts->store, &call->db, problem);
}

enum error accounts_change_begin(const struct accounts_call *call, int64_t *change)
{
    struct shm_cache *cache = call->accounts->cache;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *change = !error && cache ? shm_cache_changing(cache, accounts_cache_tag) : 0;
    return error;
}

enum error accounts_change_finish(const struct accounts_call *call, int64_t change,
                                  enum error error)
{
    struct shm_cache *cache = call->accounts->cache;

    error = db_finish(call->db, error, call->problem);
    if (cache)
        shm_cache_changed(cache, accounts_cache_tag, change);
    return error;
}

const char *accounts_new_secret(struct arena *arena, const char *prefix,
                                char digest[DIGEST_SHA256_TEXT])
{
    char text[TOKEN_TEXT_MAX];
    const char *secret;

    token_random_text(SECRET_BYTES, text, sizeof text);
    secret = arena_print(arena, "%s%s", prefix, text);
    digest_sha256_hex(secret, strlen(secret), digest);
    return secret;
}

const char *accounts_new_id(struct arena *arena)
{
    char id[TOKEN_UUID_TEXT];

    token_uuid(id);
    return arena_copy_string(arena, id);
}

enum error accounts_run(const struct accounts_call *call, const struct statement *statement,
                        const char *first, const char *second, int64_t *changes)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, first);
    if (second)
        query_bind_text(query, second);
    if (changes)
        *changes = query_changes(query);
    return query_end(query, call->problem);
}
