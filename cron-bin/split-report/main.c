/* Sends the outcomes of live traffic splits to the experiments service and reads its decisions.
 * Does nothing without AB_BASE_URL and AB_API_KEY. Only one copy at a time runs on a host. `--help`
 * lists the options and exit codes. */
#include "support/candidates/split_report.h"
#include "support/programs/daemon.h"
#include "support/programs/data_files.h"

#include <stdio.h>

static const char help[] =
    "usage: split-report [--every SECONDS]\n"
    "\n"
    "Sends the outcomes of live traffic splits to the experiments service and reads\n"
    "its decisions. Does nothing without AB_BASE_URL and AB_API_KEY. One copy at a\n"
    "time works on a host.\n"
    "\n"
    "  --every SECONDS  Keep running and work again after SECONDS (0.01 to 86400).\n"
    "                   Without it the program works once and ends.\n"
    "\n"
    "Exit codes: 0 done, or another copy works; 1 failed; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct reporter {
    struct split_tally tally;
    bool busy;
};

static void add(struct split_tally *sum, const struct split_tally *round)
{
    sum->splits = round->splits;
    sum->exposures += round->exposures;
    sum->outcomes += round->outcomes;
    sum->decisions = round->decisions;
}

static enum error report(struct daemon_program *program, struct db *db, bool *more)
{
    struct reporter *reporter = program->context;
    struct split_tally round = {0};
    const struct candidate_call call = {.db = db,
                                        .arena = program->job,
                                        .settings = &program->settings,
                                        .problem = &program->problem};
    struct arena_guard *lock = NULL;
    enum error error = data_file_lock(program->job, &program->settings, program->name, 0, &lock,
                                      &program->problem);

    reporter->busy = error == ERROR_BUSY;
    if (error)
        return reporter->busy ? ERROR_NONE : error;
    error = split_report(&call, !program->stays, &round);
    data_file_unlock(lock);
    add(&reporter->tally, &round);
    *more = round.more;
    return error;
}

struct output {
    const char *status;
    int64_t splits, exposures, outcomes, decisions;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, splits),
                                             INTEGER(OWNER, exposures), INTEGER(OWNER, outcomes),
                                             INTEGER(OWNER, decisions)};
#undef OWNER
static SCHEMA(output_schema, struct output, "SplitsReported", output_fields);

static void print(const struct daemon_program *program)
{
    const struct reporter *reporter = program->context;
    const struct split_tally *tally = &reporter->tally;
    const struct output output = {.status = reporter->busy ? "busy" : "ok",
                                  .splits = tally->splits,
                                  .exposures = tally->exposures,
                                  .outcomes = tally->outcomes,
                                  .decisions = tally->decisions};

    puts(schema_json(program->arena, 4096, &output_schema, &output));
}

static bool has_duty(const struct daemon_program *program)
{
    return split_is_reported(&program->settings);
}

static int run(struct daemon_program *program)
{
    if (daemon_loop(program, report, "split_not_reported"))
        return daemon_fail(program, EXIT_FAILED);
    if (!program->stays)
        print(program);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct reporter reporter = {.busy = false};
    const struct daemon_plan plan = {.name = "split-report",
                                     .help = help,
                                     .memory = 128 << 20,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .has_duty = has_duty,
                                     .run = run,
                                     .context = &reporter};

    return daemon_main(argc, argv, &plan);
}
