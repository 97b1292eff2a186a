/* Stores the tasks that the demonstration of the orchestrator shows of the last day. nginx/stack
 * runs it at the start when ORCH_DEMO_LANGUAGE is set. `--help` lists the options and exit
 * codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "orchestrator/demo/history.h"
#include "orchestrator/storage/store.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: orchestrator-demo\n"
    "\n"
    "Stores a day of tasks of the simulated models, in the language of\n"
    "ORCH_DEMO_LANGUAGE, unless there are tasks already.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, MEMORY_MAX = 256 * 1024 * 1024 };

static enum error load(struct arena *arena, struct orchestrator_settings *settings,
                       struct catalog *catalog, struct simulated_texts *texts,
                       struct problem *problem)
{
    const char *locales = getenv("ASSAY_LOCALES_DIR");
    struct demo_files files;
    enum error error = crypto_start(problem);

    if (!error)
        error = orchestrator_settings_load(settings, arena, NULL, problem);
    if (!error)
        error = locale_open_catalogues(locales ? locales : "locales", problem);
    if (error)
        return error;
    if (!settings->demo_language)
        return problem_set(problem, ERROR_INVALID, "demo_language",
                           "ORCH_DEMO_LANGUAGE is not set");
    files = (struct demo_files){settings->sql_directory, settings->demo_language};
    error = simulated_texts_read(arena, &files, texts, problem);
    if (error)
        return error;
    catalog_make_static(arena, false, catalog);
    return simulated_add_models(arena, settings->sql_directory, settings->demo_port, catalog,
                                problem);
}

static enum error make(struct arena *arena, const struct orchestrator_settings *settings,
                       const struct catalog *catalog, const struct simulated_texts *texts,
                       struct problem *problem)
{
    struct store *store;
    struct db *db;
    int64_t count = 0;
    enum error error =
        orchestrator_store_open(arena, settings, getenv("ASSAY_RUN_DIR"), &store, problem);

    if (error)
        return error;
    error = store_prepare(store, &db, problem);
    if (!error)
        error = history_make(db, arena, catalog, texts, &count, problem);
    store_close(store);
    if (!error)
        printf("made tasks=%lld\n", (long long)count);
    return error;
}

static int run(struct arena *arena)
{
    struct orchestrator_settings settings = {0};
    struct simulated_texts texts;
    struct catalog catalog;
    struct problem problem = {0};

    if (load(arena, &settings, &catalog, &texts, &problem)) {
        fprintf(stderr, "orchestrator-demo: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.orchestrator-demo", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    if (make(arena, &settings, &catalog, &texts, &problem)) {
        fprintf(stderr, "orchestrator-demo: %s\n", problem.text);
        return EXIT_DATABASE;
    }
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arena *arena;
    int status = EXIT_SETTINGS;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc > 1) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    arena = arena_create(MEMORY_MAX);
    if (arena)
        status = run(arena);
    arena_destroy(arena);
    return status;
}
