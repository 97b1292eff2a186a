/*
 * Does what administrators of the support service have asked for over HTTP and takes long: building
 * the curated data, regression runs. One at a time.
 *
 *   support-improver                  what is due now
 *   support-improver --every SECONDS  stays
 *
 * Any number may run. Exit codes: 0 done, 1 failed, 2 the command line is wrong.
 */
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/program.h"
#include "support/curated/rebuild.h"
#include "support/figures.h"
#include "support/regression/engine.h"
#include "support/regression/run_store.h"
#include "support/store.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, MEMORY_MAX = 512 * 1024 * 1024 };

struct program {
    struct arena *arena, *job;
    struct support_settings settings;
    struct store *store;
    struct metrics *metrics; /* NULL where no stack is */
    struct problem problem;
    struct regression_tools tools;
    bool failed;
};

static enum error open_all(struct program *program)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    struct problem *problem = &program->problem;
    enum error error = crypto_start(problem);

    if (!error)
        error = support_settings_load(&program->settings, program->arena, NULL, problem);
    log_open("assay.support-improver", (enum log_level)program->settings.log_level,
             (enum log_format)program->settings.log_format);
    if (!error)
        error =
            support_store_open(program->arena, &program->settings, NULL, &program->store, problem);
    if (!error && run_directory && *run_directory)
        error = metrics_open(arena_print(program->arena, "%s/support-metrics.shm", run_directory),
                             support_figures, FIGURE__MAX, &program->metrics, problem);
    if (!error)
        error = engine_open(program->arena, &program->settings, &program->tools, problem);
    return error;
}

static bool run_round(void *context)
{
    struct program *program = context;
    const struct rebuild_runner rebuild = {&program->settings, program->metrics};
    struct job_tally tally = {0};
    struct db *db;
    enum error error = store_use(program->store, &db, &program->problem);

    if (!error)
        error = rebuild_run_due(db, program->job, &rebuild, &tally, &program->problem);
    if (!error) {
        program->tools.db = db;
        program->tools.arena = program->job;
        if (program->tools.models)
            models_refresh(program->tools.models);
        error = run_due(&program->tools, program->metrics, &tally);
    }
    if (error)
        log_event(LOG_ERROR, "improver_failed", program->problem.text);
    program->failed = error != ERROR_NONE;
    db_end_of_request(store_handle(program->store));
    arena_reset(program->job);
    return tally.claimed > 0 && !error;
}

static int run(struct program *program, double every)
{
    enum error error = open_all(program);

    if (!error && every > 0)
        program_rounds(every, run_round, program);
    else if (!error)
        while (run_round(program))
            continue;
    if (error || program->failed)
        fprintf(stderr, "support-improver: %s\n", program->problem.text);
    engine_close(&program->tools);
    if (program->store)
        store_close(program->store);
    metrics_close(program->metrics);
    return error || program->failed ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct program program = {.failed = false};
    double every = 0;
    int status = EXIT_FAILED;

    if (!program_arguments(argc, argv, "support-improver", &every))
        return EXIT_USAGE;
    program.arena = arena_create(MEMORY_MAX);
    program.job = arena_create(MEMORY_MAX);
    if (program.arena && program.job)
        status = run(&program, every);
    if (program.job)
        arena_destroy(program.job);
    if (program.arena)
        arena_destroy(program.arena);
    return status;
}
