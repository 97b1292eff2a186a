/* One handle per worker, and its schema. */
#include "db/store.h"

#include "base/log.h"
#include "base/timestamp.h"
#include "crypto/token.h"
#include "db/identity.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct store {
    struct db *db;
    struct db_schema schema;
    char *file; /* of SQLite, its folder still to be made; NULL on a server or when it is there */
    bool prepared;
    bool reported;          /* in the log, that it is not */
    struct problem problem; /* why it is not */
};

/* Makes the folders that the database file is to lie in. `path` is the same again afterwards. */
static enum error make_folders(char *path, struct problem *problem)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        bool failed;

        *p = '\0';
        failed = mkdir(path, 0750) != 0 && errno != EEXIST;
        *p = '/';
        if (failed)
            return problem_set(problem, ERROR_UNAVAILABLE, "data_directory", "%s: %s", path,
                               strerror(errno));
    }
    return ERROR_NONE;
}

static bool is_plain_path(const char *target)
{
    return *target && !strstr(target, "://") && strcmp(target, ":memory:") != 0;
}

enum error store_open(struct arena *arena, const struct store_plan *plan, struct store **store,
                      struct problem *problem)
{
    struct db_options options = plan->options;

    options.identity_file = db_identity_path(arena, plan);
    *store = ARENA_NEW(arena, struct store);
    (*store)->schema = plan->schema;
    problem_set(&(*store)->problem, ERROR_UNAVAILABLE, "database_unavailable",
                "the database has not been opened");
    (*store)->schema.directory = arena_copy_string(arena, plan->schema.directory);
    if (is_plain_path(plan->target) && !options.identity_file)
        (*store)->file = arena_copy_string(arena, plan->target);
    return db_open(plan->target, &options, &(*store)->db, problem);
}

void store_close(struct store *store)
{
    db_close(store->db);
}

const char *store_folder(const struct store *store, struct arena *arena)
{
    char path[PATH_MAX];

    if (db_engine(store->db) != DB_SQLITE)
        return NULL;
    if (!realpath(db_shown_target(store->db), path))
        return db_location(store->db);
    return arena_copy_string(arena, dirname(path));
}

struct db *store_handle(struct store *store)
{
    return store->db;
}

const struct db_schema *store_schema(const struct store *store)
{
    return &store->schema;
}

enum error store_prepare(struct store *store, struct db **db, struct problem *problem)
{
    enum error error;

    *db = store->db;
    if (store->prepared)
        return ERROR_NONE;
    error = store->file ? make_folders(store->file, problem) : ERROR_NONE;
    if (!error)
        error = db_migrate(store->db, &store->schema, problem);
    store->prepared = error == ERROR_NONE;
    return error;
}

void store_attach(struct store *store)
{
    const char *known = store->problem.reason;
    struct problem problem;
    struct db *db;

    if (store->prepared)
        return;
    if (store_prepare(store, &db, &problem)) {
        if (strcmp(problem.reason, known) != 0 || !store->reported)
            log_event(LOG_WARNING, "database_unavailable", problem.text);
        store->problem = problem;
        store->reported = true;
    } else if (store->reported) {
        log_event(LOG_INFO, "database_opened", db_shown_target(db));
    }
    db_end_of_request(store->db);
    db_release(store->db);
}

enum error store_database(struct store *store, struct db **db, struct problem *problem)
{
    *db = store->db;
    if (store->prepared)
        return ERROR_NONE;
    *problem = store->problem;
    return problem->error;
}

const char *store_now(struct arena *arena)
{
    char *now = arena_alloc(arena, CLOCK_TEXT_MAX);

    clock_format(clock_unix_microseconds(), now);
    return now;
}

const char *store_later(struct arena *arena, const char *than)
{
    char *now = arena_alloc(arena, CLOCK_TEXT_MAX);
    int64_t before;

    clock_format(clock_unix_microseconds(), now);
    if (than && strcmp(now, than) <= 0 && timestamp_from_text(than, &before))
        clock_format(before + 1, now);
    return now;
}

bool store_is_id(const char *text)
{
    return strlen(text) == TOKEN_UUID_TEXT - 1 &&
           strspn(text, "0123456789abcdef-") == TOKEN_UUID_TEXT - 1;
}

int64_t store_shard(const struct db *db)
{
    return db_engine(db) == DB_SQLITE ? 0 : getpid() % STORE_SHARDS;
}
