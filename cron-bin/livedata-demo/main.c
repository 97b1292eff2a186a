/* Applies the events of the demonstration's shop and factory. nginx/stack runs it at the start and
 * then beside the service when LIVE_DEMO_LANGUAGE is set. `--help` lists the options and exit
 * codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "livedata/cache/live_cache.h"
#include "livedata/demo/demo.h"
#include "livedata/maintenance/own_rebuild.h"
#include "livedata/store.h"
#include "livedata/tables/tables.h"
#include "livedata/webhooks/outbound.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: livedata-demo [--every SECONDS]\n"
    "\n"
    "Applies the events of a simulated shop if LIVE_CONFIG_DIR has its entities, and of a\n"
    "factory if it has the domain `machines`, in the language of LIVE_DEMO_LANGUAGE. A new\n"
    "store begins with the last day; later runs continue where the last one ended.\n"
    "\n"
    "  --every SECONDS  Keep running, and apply what has happened since so often.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE };
enum { MEMORY_MAX = 512 * 1024 * 1024, SCRATCH_MAX = 256 * 1024 * 1024 };

struct demo {
    struct livedata_settings settings;
    struct catalog catalog;
    struct demo_shop shop;
    struct demo_factory factory;
    struct live_cache cache;
    struct arena *arena;         /* lives as long as the program */
    struct arena *run, *scratch; /* of one run */
    struct store *store;
    int64_t applied;
    bool failed, tables_made;
};

/* The factory is left alone where its domain is not among those of LIVE_CONFIG_DIR, or the database
 * has other contracts of it. */
static enum error follow_factory(struct demo *demo, struct apply_call *call)
{
    const struct domain *domain = catalog_domain(&demo->catalog, "machines");
    const struct catalog *catalog = &demo->catalog;
    struct table_plan plan;
    enum error error = ERROR_NONE;

    if (domain && !demo->tables_made)
        error = tables_apply(&call->storage, catalog, PLAN_FORWARD, own_fill_columns, &plan);
    demo->tables_made = !error;
    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        if (catalog->entities[i].domain == domain &&
            table_served(catalog->entities[i].table, &(struct problem){0}))
            domain = NULL;
    return domain && !error
               ? demo_factory_follow(call, &demo->factory, demo->scratch, &demo->applied)
               : error;
}

static enum error follow(struct demo *demo, struct db *db, struct problem *problem)
{
    struct apply_call call = {.storage = {.db = db,
                                          .arena = demo->run,
                                          .problem = problem,
                                          .tenant = "default",
                                          .now = clock_unix_microseconds()},
                              .catalog = &demo->catalog,
                              .cache = demo->cache.shared ? &demo->cache : NULL,
                              .way_in = "http",
                              .ahead_seconds = demo->settings.max_clock_ahead_seconds,
                              .outbound = outbound_row};
    bool shop = demo->catalog.shop;
    enum error error =
        shop ? demo_shop_follow(&call, &demo->shop, demo->scratch, &demo->applied) : ERROR_NONE;

    if (!error)
        error = follow_factory(demo, &call);
    call.storage.now = clock_unix_microseconds();
    if (!error && shop)
        error = demo_shop_add_alerts(&call.storage, &demo->settings, &demo->shop);
    return error;
}

static bool run_cycle(void *context)
{
    struct demo *demo = context;
    struct problem problem = {0};
    struct db *db;
    enum error error = store_prepare(demo->store, &db, &problem);

    if (!error)
        error = follow(demo, db, &problem);
    db_end_of_request(store_handle(demo->store));
    arena_reset(demo->run);
    demo->failed = error != ERROR_NONE;
    if (error)
        log_event(LOG_ERROR, "demo_failed", problem.text);
    return false;
}

/* The cache of the responders, so that they do not answer from before an event. */
static void open_cache(struct demo *demo)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    struct problem problem = {0};

    if (!run_directory)
        return;
    if (shm_cache_open(arena_print(demo->arena, "%s/livedata-cache.shm", run_directory),
                       &demo->cache.shared, &problem))
        log_event(LOG_WARNING, "cache_not_opened", problem.text);
}

static enum error load(struct demo *demo, struct problem *problem)
{
    struct demo_files files;
    enum error error;

    demo->arena = arena_create(MEMORY_MAX);
    demo->run = arena_create(MEMORY_MAX);
    demo->scratch = arena_create(SCRATCH_MAX);
    if (!demo->arena || !demo->run || !demo->scratch)
        return problem_set(problem, ERROR_SYSTEM, "memory", "no memory");
    error = crypto_start(problem);
    if (!error)
        error = livedata_settings_load(&demo->settings, demo->arena, NULL, problem);
    if (error)
        return error;
    if (!demo->settings.demo_language)
        return problem_set(problem, ERROR_INVALID, "demo_language",
                           "LIVE_DEMO_LANGUAGE is not set");
    files = (struct demo_files){demo->settings.sql_directory, demo->settings.demo_language};
    error = catalog_load(demo->arena, &demo->settings, &demo->catalog, problem);
    if (!error)
        error = demo_shop_read(demo->arena, &files, &demo->shop, problem);
    if (!error)
        error = demo_factory_read(demo->arena, &files, &demo->factory, problem);
    return error ? error
                 : livedata_store_open(demo->arena, &demo->settings, NULL, &demo->store, problem);
}

int main(int argc, char **argv)
{
    static struct demo demo;
    struct problem problem = {0};
    double every;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &every))
        return EXIT_USAGE;
    if (load(&demo, &problem)) {
        fprintf(stderr, "livedata-demo: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.livedata-demo", (enum log_level)demo.settings.log_level,
             (enum log_format)demo.settings.log_format);
    if (every > 0)
        open_cache(&demo);
    main_loop_run(every, run_cycle, &demo);
    store_close(demo.store);
    if (every <= 0 && !demo.failed)
        printf("applied events=%lld\n", (long long)demo.applied);
    return every <= 0 && demo.failed ? EXIT_DATABASE : EXIT_DONE;
}
