/* Opens the database of live data. */
#include "livedata/store.h"

void livedata_store_plan(struct arena *arena, const struct livedata_settings *settings,
                         struct store_plan *plan)
{
    *plan = (struct store_plan){
        .service = "livedata",
        .state_directory = settings->state_directory,
        .target = settings->database_url ? settings->database_url : settings->db_path,
        .options = DB_OPTIONS_DEFAULT,
        .schema = {.directory = arena_print(arena, "%s/livedata", settings->sql_directory)}};
    plan->options.busy_timeout_ms = (int)settings->sqlite_busy_timeout_ms;
    plan->options.synchronous = (enum db_synchronous)settings->sqlite_synchronous;
    plan->options.pool_size = (int)settings->db_pool_size;
    plan->options.application_name = "assay-livedata";
}

enum error livedata_store_open(struct arena *arena, const struct livedata_settings *settings,
                               const char *run_directory, struct store **store,
                               struct problem *problem)
{
    struct store_plan plan;

    livedata_store_plan(arena, settings, &plan);
    plan.options.pool_directory = run_directory;
    return store_open(arena, &plan, store, problem);
}
