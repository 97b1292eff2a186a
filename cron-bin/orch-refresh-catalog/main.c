/* Reads the model list of the web provider through orch-browserd and stores it for the workers of
 * all hosts. When that fails, the stored list is kept. Without a browser in the settings it does
 * nothing. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/model_list_refresh.h"
#include "orchestrator/storage/model_list_store.h"
#include "orchestrator/storage/store.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: orch-refresh-catalog [--every SECONDS]\n"
    "\n"
    "Reads the model list of the web provider through orch-browserd and stores it for\n"
    "the workers of all hosts. The stored list stays when the new one cannot be read.\n"
    "Without a browser in the settings it does nothing.\n"
    "\n"
    "  --every SECONDS  Keep running: read the list when the stored one is older than\n"
    "                   ORCH_MODEL_CATALOG_REFRESH_INTERVAL_HOURS.\n"
    "\n"
    "Exit codes: 0 done, or stopped by a signal; 1 the settings are wrong; 2 the\n"
    "command line is wrong; 3 the list could not be read or stored.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_NOT_READ };
enum {
    SETTINGS_MEMORY = 4 << 20,
    ROUND_MEMORY = 16 << 20,
    RETRY_SECONDS = 600,
    TIMEOUT_SECONDS = 1
};

struct program {
    struct orchestrator_settings settings;
    struct store *store;
    struct arena *arena; /* of an iteration */
    bool stays;
    int64_t rests_until; /* after a failure, monotonic microseconds */
    int64_t analyzed_at; /* monotonic microseconds */
    struct problem problem;
    enum error error; /* of the last iteration */
};

/* True when the list was never read, or longer ago than the setting says; 0 hours turns this off.
 */
static bool is_due(const struct program *program, const struct stored_model_list *list)
{
    double hours = program->settings.catalog_refresh_hours;

    if (!program->stays)
        return true;
    if (hours <= 0)
        return false;
    return !list->checked_at ||
           (double)(clock_unix_microseconds() - list->checked_at) > hours * 3600e6;
}

static enum error refresh_if_due(struct program *program, struct db *db)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    struct stored_model_list list;
    enum error error = model_list_load(db, program->arena, &list, &program->problem);

    if (error || !is_due(program, &list))
        return error;
    if (program->stays && !browser_ask_health(program->arena, run_directory, TIMEOUT_SECONDS))
        return ERROR_NONE; /* it is still starting */
    return model_list_refresh(&program->settings, run_directory, db, program->arena,
                              &program->problem);
}

/* The orchestrator has no other daemon with a connection to its database. */
static void analyze(struct program *program)
{
    struct problem problem;
    struct db *db;

    if (!program->stays ||
        !db_maintain_is_due(program->settings.analyze_seconds, &program->analyzed_at))
        return;
    if (store_prepare(program->store, &db, &problem) || db_maintain(db, &problem))
        log_event(LOG_WARNING, "upkeep_failed", problem.text);
    db_disconnect(store_handle(program->store));
}

/* The program holds no connection between two iterations. */
static bool serve_next(void *context)
{
    struct program *program = context;
    int64_t now = clock_monotonic_microseconds();
    struct db *db;

    analyze(program);
    if (!orchestrator_uses_chromium(&program->settings) || now < program->rests_until)
        return false;
    arena_reset(program->arena);
    program->error = store_prepare(program->store, &db, &program->problem);
    if (!program->error) {
        program->error = refresh_if_due(program, db);
        db_disconnect(db);
    }
    if (program->error) {
        log_event(LOG_WARNING, "menu_not_refreshed", program->problem.text);
        program->rests_until = now + RETRY_SECONDS * INT64_C(1000000);
    }
    return false;
}

static int run(struct program *program, struct arena *arena, double every)
{
    struct orchestrator_settings *settings = &program->settings;

    if (crypto_start(&program->problem) ||
        orchestrator_settings_load(settings, arena, NULL, &program->problem) ||
        orchestrator_store_open(arena, settings, getenv("ASSAY_RUN_DIR"), &program->store,
                                &program->problem)) {
        fprintf(stderr, "orch-refresh-catalog: %s\n", program->problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.orch-refresh-catalog", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    program->stays = every > 0;
    main_loop_run(every, serve_next, program);
    store_close(program->store);
    return program->error && !program->stays ? EXIT_NOT_READ : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct program program = {0};
    struct arena *arena;
    double every;
    int status = EXIT_SETTINGS;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &every))
        return EXIT_USAGE;
    arena = arena_create(SETTINGS_MEMORY);
    program.arena = arena_create(ROUND_MEMORY);
    if (arena && program.arena)
        status = run(&program, arena, every);
    arena_destroy(program.arena);
    arena_destroy(arena);
    return status;
}
