/* Starts responders for fuzz targets, and takes their database back to its beginning. */
#include "family.h"
#include "../fuzz.h"

#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/service.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

enum { PROCESS_MEMORY_MAX = 1 << 26, REQUEST_MEMORY_MAX = 1 << 28 };

const char family_write_token[] = "write-token-of-the-fuzzer";
const char family_admin_token[] = "admin-token-of-the-fuzzer";
const char *const family_secrets[] = {family_write_token, family_admin_token, NULL};

static const struct http_family *const *const families[] = {
    &family_advice,   &family_analysis, &family_compute, &family_operations,
    &family_projects, &family_reports,  &family_system};
static const char *const vendors[] = {"AB_OPENAI_BASE_URL", "AB_ANTHROPIC_BASE_URL",
                                      "AB_MISTRAL_BASE_URL"};
enum { FAMILY_COUNT = COUNT_OF(families) };

static struct server servers[FAMILY_COUNT];
static struct arena *process_arena;
static sqlite3 *empty; /* what the database looks like at the start */
static char folder[] = "/tmp/assay-fuzz-XXXXXX";
static char file[sizeof folder + sizeof "/store.sqlite3"];

static void remove_folder(void)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (servers[i].region)
            server_stop(&servers[i]);
    sqlite3_close(empty);
    arena_destroy(process_arena);
    unlink(file);
    rmdir(folder);
}

static void prepare_process(void)
{
    struct problem problem;

    if (process_arena)
        return;
    process_arena = arena_create(PROCESS_MEMORY_MAX);
    PROMISE(process_arena && mkdtemp(folder) && !crypto_start(&problem), "the process can start");
    snprintf(file, sizeof file, "%s/store.sqlite3", folder);
    atexit(remove_folder);
    setenv("AB_API_TOKEN", family_write_token, 1);
    setenv("AB_ADMIN_TOKEN", family_admin_token, 1);
    setenv("AB_DB_PATH", file, 1);
    setenv("ASSAY_STATE_DIR", "", 1);
    setenv("AB_SQLITE_JOURNAL_MODE", "MEMORY", 1);
    setenv("AB_SQLITE_SYNCHRONOUS", "OFF", 1);
    setenv("AB_CORS_ORIGINS", "https://a.example", 1);
    setenv("AB_TRUSTED_PROXY_HOPS", "1", 1);
    setenv("AB_RATE_LIMIT_ENABLED", "false", 1);
    setenv("AB_LLM_BASE_URL", "", 1);
    setenv("AB_LLM_MAX_ATTEMPTS", "1", 1);
    for (size_t i = 0; i < COUNT_OF(vendors); i++)
        setenv(vendors[i], "http://127.0.0.1:9", 1); /* where nobody answers */
}

static struct store *store_of(struct server *server)
{
    struct request request = {.state = server->state};

    return service_store(&request);
}

/* Copies a whole database over another. */
static void copy_database(sqlite3 *from, sqlite3 *to)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");

    PROMISE(backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE, "the database is copied");
    sqlite3_backup_finish(backup);
}

static void with_file(void (*act)(sqlite3 *stored))
{
    sqlite3 *stored;

    PROMISE(sqlite3_open(file, &stored) == SQLITE_OK, "the database opens");
    act(stored);
    sqlite3_close(stored);
}

static void remember(sqlite3 *stored)
{
    PROMISE(sqlite3_open(":memory:", &empty) == SQLITE_OK, "a database opens");
    copy_database(stored, empty);
}

static void restore(sqlite3 *stored)
{
    copy_database(empty, stored);
}

void family_forget(void)
{
    if (empty)
        with_file(restore);
}

static struct server *open_server(size_t family)
{
    struct server *server = &servers[family];
    struct problem problem = {.text = ""};
    struct db *db;

    if (server->region)
        return server;
    prepare_process();
    server->family = *families[family];
    if (experiments_service.start(server, process_arena, &problem) ||
        server_start(server, process_arena, NULL, "locales", &problem) ||
        store_prepare(store_of(server), &db, &problem)) {
        fprintf(stderr, "%s\n", problem.text);
        abort();
    }
    log_open("fuzz", LOG_CRITICAL, LOG_JSON);
    server->policy.memory_limit = REQUEST_MEMORY_MAX;
    db_end_of_request(db);
    if (!empty)
        with_file(remember);
    return server;
}

struct server *family_of_path(const char *path)
{
    const char *arguments[REQUEST_PATH_ARGUMENTS_MAX];
    struct arena *arena = arena_create(1 << 20);
    size_t found = FAMILY_COUNT - 1; /* the system's */

    for (size_t i = 0; i < FAMILY_COUNT && strlen(path) < 1 << 16; i++) {
        const struct http_family *family = *families[i];

        if (route_find(family->routes, family->route_count, METHOD_GET, path, arena, arguments)
                .path_known)
            found = i;
    }
    arena_destroy(arena);
    return open_server(found);
}
