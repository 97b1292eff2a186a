/* Creates the missing example projects of the experiments service. nginx/stack runs it at the start
 * when AB_SEED_DEMO_ON_STARTUP or AB_DEMO_LANGUAGE is set. `--help` lists the options and exit
 * codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/demo/shop.h"
#include "experiments/storage/store.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: experiments-demo\n"
    "\n"
    "Creates the example projects of the experiments service where they are missing.\n"
    "nginx/stack runs it at the start when AB_SEED_DEMO_ON_STARTUP or AB_DEMO_LANGUAGE\n"
    "is set. With AB_DEMO_LANGUAGE the examples are three tests with the events of the\n"
    "last four weeks, in that language.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, MEMORY_MAX = 1024 * 1024 * 1024 };

/* Without any of the two settings somebody has called the program by hand. */
static enum error make_examples(const struct live_call *call,
                                const struct experiments_settings *settings, struct demo_made *made)
{
    const struct demo_files files = {settings->sql_directory, settings->demo_language};
    struct demo_made tests = {0};
    enum error error = ERROR_NONE;

    if (settings->seed_demo_on_startup || !settings->demo_language)
        error = demo_make(call, locale_get(LANGUAGE_EN), made);
    if (!error && settings->demo_language)
        error = shop_make(call, &files, &tests);
    made->projects += tests.projects;
    made->analyses += tests.analyses;
    made->runs += tests.runs;
    return error;
}

static enum error make(struct arena *arena, const struct experiments_settings *settings,
                       struct demo_made *made, struct problem *problem)
{
    struct live_call call = {.arena = arena,
                             .spike_events = settings->live_spike_events,
                             .clusters_max = settings->live_clusters_max,
                             .problem = problem};
    struct store *store;
    enum error error = experiments_store_open(arena, settings, NULL, &store, problem);

    if (error)
        return error;
    error = store_prepare(store, &call.db, problem);
    if (!error)
        error = make_examples(&call, settings, made);
    store_close(store);
    return error;
}

static int run(struct arena *arena)
{
    struct experiments_settings settings = {0};
    const char *locales = getenv("ASSAY_LOCALES_DIR");
    struct demo_made made = {0};
    struct problem problem = {0};
    enum error error;

    if (crypto_start(&problem) || experiments_settings_load(&settings, arena, NULL, &problem) ||
        locale_open_catalogues(locales ? locales : "locales", &problem)) {
        fprintf(stderr, "experiments-demo: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.experiments-demo", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    error = make(arena, &settings, &made, &problem);
    locale_close_catalogues();
    if (error) {
        fprintf(stderr, "experiments-demo: %s\n", problem.text);
        return EXIT_DATABASE;
    }
    printf("made projects=%lld analyses=%lld exports=%lld runs=%lld\n", (long long)made.projects,
           (long long)made.analyses, (long long)made.exports, (long long)made.runs);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc > 1) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    arena = arena_create(MEMORY_MAX);
    if (!arena)
        return EXIT_DATABASE;
    status = run(arena);
    arena_destroy(arena);
    return status;
}
