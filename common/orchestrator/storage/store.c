/* Opens the database of the orchestrator. */
#include "orchestrator/storage/store.h"

/* A call changes one or two rows on about 25 pages, most of them at the end of a table or an index.
 * SQLite writes whole pages to the log, and the next worker reads them. */
enum { PAGE_BYTES = 1024 };

static const char *target_of(struct arena *arena, const struct orchestrator_settings *settings,
                             const char *run_directory)
{
    switch (settings->storage) {
    case STORAGE_POSTGRES:
        return settings->db_dsn;
    case STORAGE_MEMORY:
        return run_directory ? arena_print(arena, "%s/orchestrator-memory.sqlite3", run_directory)
                             : ":memory:";
    default:
        return settings->db_path;
    }
}

void orchestrator_store_plan(struct arena *arena, const struct orchestrator_settings *settings,
                             const char *run_directory, struct store_plan *plan)
{
    bool kept = settings->storage != STORAGE_MEMORY;

    *plan = (struct store_plan){
        .service = "orchestrator",
        .state_directory = kept ? settings->state_directory : NULL,
        .target = target_of(arena, settings, run_directory),
        .options = DB_OPTIONS_DEFAULT,
        .schema = {.directory = arena_print(arena, "%s/orchestrator", settings->sql_directory)}};

    plan->options.busy_timeout_ms = (int)settings->sqlite_busy_timeout_ms;
    plan->options.connect_timeout_ms = (int)(settings->db_connect_timeout_seconds * 1000);
    plan->options.synchronous =
        kept ? (enum db_synchronous)settings->sqlite_synchronous : DB_SYNCHRONOUS_OFF;
    plan->options.page_bytes = PAGE_BYTES;
    plan->options.pool_size = (int)settings->db_pool_max_size;
    plan->options.pool_directory = settings->db_pool_enabled ? run_directory : NULL;
    plan->options.application_name = "assay-orchestrator";
}

enum error orchestrator_store_open(struct arena *arena,
                                   const struct orchestrator_settings *settings,
                                   const char *run_directory, struct store **store,
                                   struct problem *problem)
{
    struct store_plan plan;

    orchestrator_store_plan(arena, settings, run_directory, &plan);
    return store_open(arena, &plan, store, problem);
}
