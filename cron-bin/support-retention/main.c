/* Deletes what is older than the retention settings of the support service and flags answers
 * whose citations have left their documents. Prints the counts as JSON. Any number of copies may
 * run; one at a time works. `--help` lists the options and exit codes. */
#include "base/json.h"
#include "support/programs/daemon.h"
#include "support/trends/stale_citations.h"
#include "support/upkeep/purge.h"

#include <stdio.h>

static const char help[] =
    "usage: support-retention [--dry-run | --every SECONDS]\n"
    "\n"
    "Deletes what is older than the retention settings of the support service and\n"
    "flags answers whose citations have left their documents. Prints the counts as\n"
    "JSON. Any number of copies may run; one at a time works.\n"
    "\n"
    "  --dry-run        Count, and delete nothing.\n"
    "  --every SECONDS  Keep running: delete once per interval of the settings, check\n"
    "                   citations every SECONDS.\n"
    "\n"
    "Exit codes: 0 done, or another copy works; 1 failed; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct keeper {
    struct purge_tally counts;
    bool busy;
    int64_t analyzed_at; /* monotonic */
};

/* Staying it does what is due; started by hand, all of it, or counts what that would be. */
static enum error purge(struct daemon_program *program, struct db *db)
{
    struct keeper *keeper = program->context;
    const struct purge_call call = {.db = db,
                                    .arena = program->job,
                                    .settings = &program->settings,
                                    .metrics = program->metrics,
                                    .problem = &program->problem};

    if (program->stays)
        return purge_due(&call, &keeper->counts);
    return program->mode ? purge_count(&call, &keeper->counts)
                         : purge_now(&call, &keeper->counts, &keeper->busy);
}

static enum error check_clock(struct daemon_program *program)
{
    const struct support_settings *settings = &program->settings;

    if (program->mode) /* nothing is deleted */
        return ERROR_NONE;
    return clock_check(settings->state_directory, "support", &settings->clock, &program->problem);
}

static enum error keep(struct daemon_program *program, struct db *db, bool *more)
{
    const struct trace_call call = {db, program->job, "all", &program->problem};
    struct keeper *keeper = program->context;
    struct stale_citation_counts counts;
    enum error error = check_clock(program);

    *more = false;
    if (program->stays &&
        db_maintain_is_due(program->settings.analyze_interval, &keeper->analyzed_at) &&
        db_maintain(db, &program->problem))
        return program->problem.error;
    if (error) /* it is logged, and no reason for a program that stays to end */
        return program->stays ? ERROR_NONE : error;
    error = purge(program, db);
    return error || program->mode ? error : stale_citations_check(&call, &counts);
}

static void print_counts(const struct daemon_program *program)
{
    const struct keeper *keeper = program->context;
    const struct purge_tally *counts = &keeper->counts;
    const struct {
        const char *name;
        int64_t count;
    } rows[] = {
        {"traces_deleted", counts->traces},     {"steps_deleted", counts->steps},
        {"feedback_deleted", counts->feedback}, {"evaluations_deleted", counts->evaluations},
        {"audit_deleted", counts->audit},       {"sessions_deleted", counts->sessions},
        {"messages_deleted", counts->messages}};
    struct text text;
    struct json_writer writer;

    text_start(&text, program->arena, 4096);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", keeper->busy ? "busy" : "ok");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        writer_key_integer(&writer, rows[i].name, rows[i].count);
    writer_key_boolean(&writer, "dry_run", program->mode);
    writer_close_object(&writer);
    printf("%s\n", text.bytes);
}

static int run(struct daemon_program *program)
{
    if (daemon_loop(program, keep, "retention_failed"))
        return daemon_fail(program, EXIT_FAILED);
    if (!program->stays)
        print_counts(program);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct keeper keeper = {.busy = false};
    const struct daemon_plan plan = {.name = "support-retention",
                                     .help = help,
                                     .mode = "--dry-run",
                                     .counts = true,
                                     .memory = 128 << 20,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .run = run,
                                     .context = &keeper};

    return daemon_main(argc, argv, &plan);
}
