/* Upkeep of the orchestrator: ends tasks of dead workers, sends notices of budgets, exports and
 * deletes old tasks. Any number of copies may run. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "base/schema.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "jobs/runner.h"
#include "orchestrator/keys/budget_store.h"
#include "orchestrator/storage/store.h"
#include "orchestrator/storage/task_store.h"
#include "orchestrator/upkeep/retention.h"
#include "telemetry/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: orch-upkeep [--dry-run | --every SECONDS]\n"
    "\n"
    "Upkeep of the orchestrator: ends tasks whose worker is gone and books what they\n"
    "held, sends notices of budgets to ORCH_ALERT_WEBHOOK_URL, and deletes tasks older\n"
    "than ORCH_RETENTION_DAYS, after exporting them into ORCH_RETENTION_EXPORT_DIR.\n"
    "Prints the counts as JSON. Any number of copies may run.\n"
    "\n"
    "  --dry-run        Only count the tasks that would be deleted.\n"
    "  --every SECONDS  Keep running; old tasks are deleted once an hour.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database, a notice or an export failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_FAILED };
enum { SETTINGS_MEMORY = 4 << 20, ROUND_MEMORY = 1 << 30, OUTPUT_MAX = 4096 };

static const int64_t retention_every_us = INT64_C(3600000000);

struct counts {
    int64_t tasks_ended, tasks_deleted;
    bool dry_run;
};

#define OWNER struct counts
static const struct field counts_fields[] = {
    INTEGER(OWNER, tasks_ended), INTEGER(OWNER, tasks_deleted), BOOLEAN(OWNER, dry_run)};
#undef OWNER
static SCHEMA(counts_schema, struct counts, "UpkeepDone", counts_fields);

struct program {
    struct orchestrator_settings settings;
    struct store *store;
    struct arena *arena; /* of an iteration */
    bool stays;
    bool more;          /* the last iteration has left old tasks */
    int64_t cleaned_at; /* monotonic microseconds */
    struct counts counts;
    struct problem problem;
    enum error error; /* of the last iteration */
};

static enum error send_notices(const struct upkeep_call *call)
{
    enum error error = budget_alerts_find(call);

    if (!error)
        error = runner_reclaim_leases(call->db, call->problem);
    return error ? error : budget_alerts_send(call);
}

static enum error clean(struct program *program, const struct upkeep_call *call, bool *more)
{
    int64_t now = clock_monotonic_microseconds(), deleted;
    enum error error;

    *more = false;
    if (program->stays && program->cleaned_at && now - program->cleaned_at < retention_every_us)
        return ERROR_NONE;
    error =
        retention_run(call, store_schema(program->store), program->counts.dry_run, &deleted, more);
    program->counts.tasks_deleted += deleted;
    if (error || *more)
        return error;
    program->cleaned_at = now;
    if (program->counts.dry_run)
        return ERROR_NONE;
    error = budget_parts_forget(call->db, call->arena, call->problem);
    return error ? error : budget_alerts_forget(call);
}

static enum error work(struct program *program, struct db *db, bool *more)
{
    const struct upkeep_call call = {.db = db,
                                     .arena = program->arena,
                                     .settings = &program->settings,
                                     .problem = &program->problem};
    int64_t ended = 0;
    enum error error = ERROR_NONE;

    if (!program->counts.dry_run) {
        error = task_sweep(db, program->arena, &ended, &program->problem);
        program->counts.tasks_ended += ended;
        if (!error)
            error = send_notices(&call);
    }
    return error ? error : clean(program, &call, more);
}

/* The program holds no connection between two iterations. */
static bool serve_next(void *context)
{
    struct program *program = context;
    struct db *db;

    program->more = false;
    arena_reset(program->arena);
    program->error = store_prepare(program->store, &db, &program->problem);
    if (!program->error)
        program->error = work(program, db, &program->more);
    db_end_of_request(store_handle(program->store));
    if (!program->more)
        db_release(store_handle(program->store));
    if (program->error)
        log_event(LOG_WARNING, "upkeep_failed", program->problem.text);
    return program->more;
}

static int run(struct program *program, struct arena *arena, double every)
{
    struct orchestrator_settings *settings = &program->settings;

    if (crypto_start(&program->problem) ||
        orchestrator_settings_load(settings, arena, NULL, &program->problem) ||
        orchestrator_store_open(arena, settings, getenv("ASSAY_RUN_DIR"), &program->store,
                                &program->problem)) {
        fprintf(stderr, "orch-upkeep: %s\n", program->problem.text);
        return EXIT_SETTINGS;
    }
    tracer_open_program("orchestrator");
    log_open("assay.orch-upkeep", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    runner_start(settings->state_directory, "orch-upkeep");
    program->stays = every > 0;
    main_loop_run(every, serve_next, program);
    while (!program->stays && program->more && !program->error)
        (void)serve_next(program);
    if (!program->stays && !program->error)
        puts(schema_json(program->arena, OUTPUT_MAX, &counts_schema, &program->counts));
    store_close(program->store);
    return program->error && !program->stays ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct program program = {0};
    struct arena *arena;
    double every = 0;
    int status = EXIT_SETTINGS;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    program.counts.dry_run = argc == 2 && strcmp(argv[1], "--dry-run") == 0;
    if (!program.counts.dry_run && !main_loop_arguments(argc, argv, help, &every))
        return EXIT_USAGE;
    arena = arena_create(SETTINGS_MEMORY);
    program.arena = arena_create(ROUND_MEMORY);
    if (arena && program.arena)
        status = run(&program, arena, every);
    arena_destroy(program.arena);
    arena_destroy(arena);
    return status;
}
