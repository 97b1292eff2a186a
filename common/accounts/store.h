/*
 * The accounts of the suite: areas, roles, and a process's handle of the account store, which all
 * services share. people.h, sessions.h and tokens.h store; caller.h finds who sent a request. Does
 * not know HTTP.
 */
#ifndef ASSAY_ACCOUNTS_STORE_H
#define ASSAY_ACCOUNTS_STORE_H

#include "base/schema.h"
#include "base/settings.h"
#include "db/store.h"

enum account_area {
    AREA_EXPERIMENTS,
    AREA_SUPPORT,
    AREA_MODELS, /* the orchestrator */
    AREA_DATA,   /* live data */
    AREA_SUITE,  /* people, and administration of everything */
    AREA__MAX
};
extern const char *const account_area_names[AREA__MAX + 1]; /* NULL-terminated */

/* Each area offers some of them (roles_offer); a role that an area does not offer is no role. */
enum account_role {
    ACCOUNT_NONE, /* no access to the area */
    ACCOUNT_VIEWER,
    ACCOUNT_ANALYST,
    ACCOUNT_OPERATOR,
    ACCOUNT_AGENT,
    ACCOUNT_REVIEWER,
    ACCOUNT_ADMIN,
    ACCOUNT_ROLE__MAX
};
extern const char *const account_role_names[ACCOUNT_ROLE__MAX]; /* [ACCOUNT_NONE] is NULL */

/* Of a person in each area, as positions in the area's choices; -1 = none. Use roles_get() and
 * roles_set(). In JSON an object with a member per area. */
struct person_roles {
    int of[AREA__MAX];
};
SCHEMA_OF(person_roles_schema, struct person_roles);

#define PERSON_ROLES_NONE                                                                          \
    {                                                                                              \
        .of = { -1, -1, -1, -1, -1 }                                                               \
    }

bool roles_offer(enum account_area area, enum account_role role);
enum account_role roles_get(const struct person_roles *roles, enum account_area area);
/* False, and nothing is changed, when the area does not offer the role. ACCOUNT_NONE takes the role
 * away. */
bool roles_set(struct person_roles *roles, enum account_area area, enum account_role role);

/* By their names in JSON; false for others. "none" is ACCOUNT_NONE. */
bool area_of_name(const char *name, enum account_area *area);
bool role_of_name(const char *name, enum account_role *role);

/* Reads "support=agent,data=viewer" into `roles`, keeping areas that are not named. ERROR_INVALID
 * role_unknown. */
MUST_CHECK enum error roles_read(const char *text, struct person_roles *roles,
                                 struct problem *problem);

/* "experiments=analyst,support=agent" of the areas with a role; "none" without any. From the
 * arena. */
const char *roles_text(struct arena *arena, const struct person_roles *roles);

struct person {
    const char *id; /* a UUID */
    const char *username;
    const char *name;  /* NULL = none */
    const char *email; /* NULL = none */
    const char *tenant;
    const struct person_roles *roles;
    struct string_list groups; /* of the tenant; groups.h */
    bool is_active;
    bool must_change_password;
    int64_t created_at;   /* Unix microseconds, as the next */
    int64_t last_seen_at; /* 0 = never */
};
SCHEMA_OF(person_schema, struct person);

enum account_role person_role(const struct person *person, enum account_area area);

/* Where the accounts are stored: members of each service's settings, rows of its table. */
struct accounts_settings {
    const char *database_url;
    int64_t db_pool_size;
    int64_t busy_timeout_ms; /* SQLite; 0 = as it comes */
};

/* AT() of the including file gives the place in its struct, whose member is `accounts`. */
#define ACCOUNTS_SETTINGS                                                                          \
    {"ASSAY_ACCOUNTS_DATABASE_URL",                                                                \
     SETTING_TEXT,                                                                                 \
     AT(accounts.database_url),                                                                    \
     "data/accounts/accounts.db",                                                                  \
     .secret = true,                                                                               \
     .required = true,                                                                             \
     .help = "Where people, their sessions and their tokens are stored, for all services: "        \
             "`postgresql://user:password@host/name`, or the path of an SQLite file; "             \
             "`nginx/stack` puts it below the stack's directory."},                                \
    {                                                                                              \
        "ASSAY_ACCOUNTS_DB_POOL_SIZE", SETTING_INTEGER, AT(accounts.db_pool_size), "10", 1, 1000,  \
            .help = "PostgreSQL connections to it that all workers of this host may hold "         \
                    "together."                                                                    \
    }

/* The location of the store, also for programs that create and maintain databases. */
void accounts_store_plan(struct arena *arena, const struct accounts_settings *settings,
                         const char *sql_directory, const char *state_directory,
                         struct store_plan *plan);

struct accounts;

/* A handle, next to the service's own store; connects to nothing. `run_directory` counts
 * connections and shares what was found with the workers of all services; NULL = neither. Memory
 * from `arena`. */
MUST_CHECK enum error accounts_open(struct arena *arena, const struct accounts_settings *settings,
                                    const char *sql_directory, const char *state_directory,
                                    const char *run_directory, struct accounts **accounts,
                                    struct problem *problem);
void accounts_close(struct accounts *accounts);

/* For workers: before the first request and then once a second, as store_attach(). */
void accounts_attach(struct accounts *accounts);
/* For programs: as store_prepare(). */
MUST_CHECK enum error accounts_prepare(struct accounts *accounts, struct problem *problem);
/* After each request, and when no request comes. */
void accounts_end_of_request(struct accounts *accounts);
void accounts_idle(struct accounts *accounts);

/* The folder that a worker must be able to write to, NULL on a server. */
const char *accounts_folder(const struct accounts *accounts, struct arena *arena);

struct store *accounts_store(struct accounts *accounts);

/* What a call of the store needs. The memory of what it returns is the arena's. */
struct accounts_call {
    struct accounts *accounts;
    struct db *db;
    struct arena *arena;
    struct problem *problem;
};
/* ERROR_UNAVAILABLE and the other errors of store_database(): then answer 503. */
MUST_CHECK enum error accounts_begin(struct accounts *accounts, struct arena *arena,
                                     struct problem *problem, struct accounts_call *call);

#endif
