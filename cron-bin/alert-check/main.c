/*
 * Looks whether the support service does well, and tells ALERT_WEBHOOK_URL when it does not.
 *
 *   alert-check                  looks now, prints what it found, sends what is to be sent
 *   alert-check --dry-run        prints what a look would come to; changes and sends nothing
 *   alert-check --every SECONDS  stays: looks every ALERT_CHECK_INTERVAL_SEC, and sends what waits
 *
 * Any number may run: one of them at a time looks. Exit codes: 0 done (also when somebody else is
 * looking), 1 a notice did not arrive, 2 the store cannot be read, the settings or the command line
 * are wrong.
 */
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/program.h"
#include "support/store.h"
#include "support/upkeep/alerts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DONE, EXIT_UNDELIVERED, EXIT_STORE, MEMORY_MAX = 64 * 1024 * 1024 };

struct program {
    struct arena *arena, *job, *kept;
    struct support_settings settings;
    struct store *store;
    struct problem problem;
    struct alert_report report;
    bool dry_run, stays;
};

static enum error open_store(struct program *program)
{
    enum error error = crypto_start(&program->problem);

    if (!error)
        error = support_settings_load(&program->settings, program->arena, NULL, &program->problem);
    log_open("assay.alert-check", (enum log_level)program->settings.log_level,
             (enum log_format)program->settings.log_format);
    return error ? error
                 : support_store_open(program->arena, &program->settings, NULL, &program->store,
                                      &program->problem);
}

/* What the responders of this host share. Opened anew for each look: they may have replaced it. */
static enum error meet(struct program *program, struct shm_region **region)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");

    return run_directory && *run_directory
               ? shm_region_open(arena_print(program->kept, "%s/support.shm", run_directory),
                                 SHM_SERVICE_VERSION, region, &program->problem)
               : ERROR_NONE;
}

static enum error check(struct program *program)
{
    struct alert_call call = {.arena = program->job,
                              .kept = program->kept,
                              .settings = &program->settings,
                              .problem = &program->problem};
    enum error error = store_use(program->store, &call.db, &program->problem);

    if (!error)
        error = meet(program, &call.region);
    if (!error)
        error = program->dry_run ? alerts_rehearse(&call, &program->report)
                                 : alerts_check(&call, !program->stays, &program->report);
    db_end_of_request(store_handle(program->store));
    if (call.region)
        shm_region_close(call.region);
    return error;
}

static bool run_round(void *context)
{
    struct program *program = context;

    if (check(program))
        log_event(LOG_ERROR, "alert_check_failed", program->problem.text);
    else if (program->report.undelivered)
        log_event(LOG_WARNING, "alert_not_delivered", "An alert could not be sent; it waits.");
    arena_reset(program->job);
    arena_reset(program->kept);
    return false;
}

static int run_once(struct program *program)
{
    if (check(program)) {
        fprintf(stderr, "alert-check: %s\n", program->problem.text);
        return EXIT_STORE;
    }
    printf("%s\n", program->report.text ? program->report.text : "{\"status\":\"busy\"}");
    if (program->report.undelivered)
        fputs("alert-check: the notice did not arrive; it is tried again\n", stderr);
    return program->report.undelivered ? EXIT_UNDELIVERED : EXIT_DONE;
}

static int run(struct program *program, double every)
{
    int status = EXIT_DONE;

    if (open_store(program)) {
        fprintf(stderr, "alert-check: %s\n", program->problem.text);
        return EXIT_STORE;
    }
    program->stays = every > 0;
    if (program->stays)
        program_rounds(every, run_round, program);
    else
        status = run_once(program);
    store_close(program->store);
    return status;
}

int main(int argc, char **argv)
{
    struct program program = {.dry_run = argc == 2 && strcmp(argv[1], "--dry-run") == 0};
    double every = 0;
    int status = EXIT_STORE;

    if (!program.dry_run && !program_arguments(argc, argv, "alert-check [--dry-run]", &every))
        return EXIT_STORE;
    program.arena = arena_create(MEMORY_MAX);
    program.job = arena_create(MEMORY_MAX);
    program.kept = arena_create(MEMORY_MAX);
    if (program.arena && program.job && program.kept)
        status = run(&program, every);
    if (program.kept)
        arena_destroy(program.kept);
    if (program.job)
        arena_destroy(program.job);
    if (program.arena)
        arena_destroy(program.arena);
    return status;
}
