/* Runs the long jobs that administrators of the support service start over HTTP: building the
 * golden set, regression runs. One job at a time. `--help` lists the options and exit codes. */
#include "support/curated/rebuild.h"
#include "support/programs/daemon.h"
#include "support/regression/engine.h"
#include "support/regression/run_store.h"

static const char help[] =
    "usage: support-improver [--every SECONDS]\n"
    "\n"
    "Runs the long jobs that administrators of the support service start over HTTP:\n"
    "building the golden set, regression runs. One job at a time.\n"
    "\n"
    "  --every SECONDS  Keep running and work again after SECONDS (0.01 to 86400).\n"
    "                   Without it the program works once and ends.\n"
    "\n"
    "Exit codes: 0 done; 1 failed; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

static enum error improve(struct daemon_program *program, struct db *db, bool *more)
{
    struct regression_tools *tools = program->context;
    const struct rebuild_runner rebuild = {&program->settings, program->metrics};
    struct job_counts tally = {0};
    enum error error = rebuild_run_due(db, program->job, &rebuild, &tally, &program->problem);

    if (!error) {
        tools->db = db;
        tools->arena = program->job;
        if (tools->models)
            models_refresh(tools->models);
        error = run_due(tools, program->metrics, &tally);
    }
    *more = tally.claimed > 0;
    return error;
}

static int run(struct daemon_program *program)
{
    struct regression_tools tools = {.db = NULL};
    enum error error = engine_open(program->arena, &program->settings, &tools, &program->problem);

    program->context = &tools;
    if (!error)
        error = daemon_loop(program, improve, "improver_failed");
    engine_close(&tools);
    return error ? daemon_fail(program, EXIT_FAILED) : EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct daemon_plan plan = {.name = "support-improver",
                                     .help = help,
                                     .counts = true,
                                     .memory = 512 << 20,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .run = run};

    return daemon_main(argc, argv, &plan);
}
