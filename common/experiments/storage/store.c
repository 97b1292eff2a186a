/* The database of the experiments service, and the backfills that programs run on it. */
#include "experiments/storage/store.h"
#include "experiments/keys/key_store.h"
#include "experiments/projects/project_slug.h"
#include "experiments/projects/project_store.h"
#include "experiments/templates/template_store.h"
#include "experiments/webhooks/subscription_store.h"

#include <errno.h>

/* What the engines report as their version once every file of sql/experiments/ is applied. */
enum { SQLITE_SCHEMA_VERSION = 16, POSTGRES_SCHEMA_VERSION = 17 };

static const struct db_backfill backfills[] = {
    {.name = "fold_project_names", .run = project_fold_missing},
    {.name = "normalise_key_scopes", .run = key_normalise_scopes, .every_start = true},
    {.name = "project_slugs", .run = project_slugs_missing},
    {.name = "presets_1", .run = template_store_presets}, /* a new number when that changes */
    {0},
};

void experiments_store_plan(struct arena *arena, const struct experiments_settings *settings,
                            struct store_plan *plan)
{
    *plan = (struct store_plan){
        .service = "experiments",
        .state_directory = settings->state_directory,
        .target = settings->database_url ? settings->database_url : settings->db_path,
        .options = DB_OPTIONS_DEFAULT,
        .schema = {
            .directory = arena_print(arena, "%s/experiments", settings->sql_directory),
            .version =
                {[DB_SQLITE] = SQLITE_SCHEMA_VERSION, [DB_POSTGRES] = POSTGRES_SCHEMA_VERSION},
            .backfills = backfills}};

    plan->options.busy_timeout_ms = (int)settings->sqlite_busy_timeout_ms;
    plan->options.journal_mode = (enum db_journal_mode)settings->sqlite_journal_mode;
    plan->options.synchronous = (enum db_synchronous)settings->sqlite_synchronous;
    plan->options.pool_size = (int)settings->db_pool_size;
    plan->options.application_name = "assay-experiments";
}

enum error experiments_store_open(struct arena *arena, const struct experiments_settings *settings,
                                  const char *run_directory, struct store **store,
                                  struct problem *problem)
{
    struct store_plan plan;

    audit_listen(subscription_enqueue);
    experiments_store_plan(arena, settings, &plan);
    plan.options.pool_directory = run_directory;
    if (!run_directory) /* no worker, and none of those who share connections */
        plan.options.application_name = arena_print(arena, "%s %s", plan.options.application_name,
                                                    program_invocation_short_name);
    return store_open(arena, &plan, store, problem);
}
