/* The main loop of a daemon. */
#include "support/programs/daemon.h"
#include "base/help.h"
#include "base/log.h"
#include "jobs/main_loop.h"
#include "jobs/runner.h"
#include "support/programs/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURE_MAX = 512 };

/* The rounds of a program; for main_loop_run(), which knows nothing of databases. */
struct rounds {
    struct daemon_program *program;
    daemon_iteration *round;
    const char *event;
    enum error error;          /* of the last one */
    char failure[FAILURE_MAX]; /* the text of the last one */
};

static enum error run_one(struct daemon_program *program, daemon_iteration *round, bool *more)
{
    struct db *db = NULL;
    enum error error = store_prepare(program->store, &db, &program->problem);

    *more = false;
    if (!error)
        error = runner_reclaim_leases(db, &program->problem);
    if (!error)
        error = round(program, db, more);
    db_end_of_request(store_handle(program->store));
    return error;
}

static bool run_round(void *context)
{
    struct rounds *rounds = context;
    struct daemon_program *program = rounds->program;
    bool more;
    const char *text;

    if (!program->has_duty)
        return false;
    rounds->error = run_one(program, rounds->round, &more);
    text = rounds->error ? program->problem.text : "";
    if (rounds->error && strcmp(text, rounds->failure) != 0)
        log_event(LOG_ERROR, rounds->event, text);
    (void)!snprintf(rounds->failure, sizeof rounds->failure, "%s", text);
    arena_reset(program->job);
    return more && !rounds->error;
}

enum error daemon_loop(struct daemon_program *program, daemon_iteration *round, const char *event)
{
    struct rounds rounds = {.program = program, .round = round, .event = event};

    if (program->stays)
        main_loop_run(program->every, run_round, &rounds);
    else
        while (run_round(&rounds))
            continue;
    return rounds.error;
}

int daemon_fail(const struct daemon_program *program, int code)
{
    fprintf(stderr, "%s: %s\n", program->name, program->problem.text);
    return code;
}

static int run(struct daemon_program *program, const struct daemon_plan *plan)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    int status;

    program->run_directory = run_directory && *run_directory ? run_directory : NULL;
    if (program_open(plan->name, plan->counts ? program->run_directory : NULL, program->arena,
                     &program->settings, &program->store, &program->metrics, &program->problem)) {
        status = daemon_fail(program, plan->failed);
    } else {
        program->has_duty = !plan->has_duty || plan->has_duty(program);
        if (!plan->forks)
            runner_start(program->settings.state_directory, plan->name);
        status = plan->run(program);
    }
    if (program->store)
        store_close(program->store);
    metrics_close(program->metrics);
    return status;
}

/* False when `status` is the program's already. */
static bool read_arguments(int argc, char **argv, const struct daemon_plan *plan,
                           struct daemon_program *program, int *status)
{
    *status = EXIT_SUCCESS;
    if (help_given(argc, argv, plan->help))
        return false;
    *status = plan->usage;
    program->mode = plan->mode && argc == 2 && strcmp(argv[1], plan->mode) == 0;
    program->due = plan->knows_due && argc == 2 && strcmp(argv[1], "--due") == 0;
    if (!program->mode && !program->due &&
        !main_loop_arguments(argc, argv, plan->help, &program->every))
        return false;
    program->stays = program->every > 0;
    return true;
}

int daemon_main(int argc, char **argv, const struct daemon_plan *plan)
{
    struct daemon_program program = {.name = plan->name, .context = plan->context};
    int status;

    if (!read_arguments(argc, argv, plan, &program, &status))
        return status;
    program.arena = arena_create(plan->memory);
    program.job = arena_create(plan->memory);
    status = program.arena && program.job ? run(&program, plan) : plan->failed;
    if (program.job)
        arena_destroy(program.job);
    if (program.arena)
        arena_destroy(program.arena);
    return fflush(stdout) == 0 ? status : plan->failed;
}
