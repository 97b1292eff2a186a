/* Opens the database of the support service. */
#include "support/store.h"

void support_store_plan(struct arena *arena, const struct support_settings *settings,
                        struct store_plan *plan)
{
    *plan = (struct store_plan){
        .service = "support",
        .state_directory = settings->state_directory,
        .target = settings->database_url
                      ? settings->database_url
                      : arena_print(arena, "%s/support.sqlite3", settings->data_directory),
        .files = arena_print(arena, "%s/uploads", settings->data_directory),
        .options = DB_OPTIONS_DEFAULT,
        .schema = {.directory = arena_print(arena, "%s/support", settings->sql_directory)}};

    plan->options.busy_timeout_ms = (int)settings->sqlite_busy_timeout_ms;
    plan->options.pool_size = (int)settings->db_pool_size;
    plan->options.application_name = "assay-support";
}

enum error support_store_open(struct arena *arena, const struct support_settings *settings,
                              const char *run_directory, struct store **store,
                              struct problem *problem)
{
    struct store_plan plan;

    support_store_plan(arena, settings, &plan);
    plan.options.pool_directory = run_directory;
    return store_open(arena, &plan, store, problem);
}
