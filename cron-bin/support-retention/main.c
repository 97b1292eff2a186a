/* Deletes rows older than the retention settings of the support service and flags answers with
 * stale citations. Prints the counts as JSON. Any number of copies may run; only one at a time
 * works. `--help` lists the options and exit codes. */
#include "base/schema.h"
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

struct retention {
    struct purge_tally counts;
    bool busy;
    int64_t analyzed_at; /* monotonic */
};

/* As a daemon it purges what is due; started manually it purges everything, or only counts. */
static enum error purge(struct daemon_program *program, struct db *db)
{
    struct retention *retention = program->context;
    const struct purge_call call = {.db = db,
                                    .arena = program->job,
                                    .settings = &program->settings,
                                    .metrics = program->metrics,
                                    .problem = &program->problem};

    if (program->stays)
        return purge_due(&call, &retention->counts);
    return program->mode ? purge_count(&call, &retention->counts)
                         : purge_now(&call, &retention->counts, &retention->busy);
}

static enum error check_clock(struct daemon_program *program)
{
    const struct support_settings *settings = &program->settings;

    if (program->mode) /* nothing is deleted */
        return ERROR_NONE;
    return clock_check(settings->state_directory, "support", &settings->clock, &program->problem);
}

static enum error run_due(struct daemon_program *program, struct db *db, bool *more)
{
    const struct trace_call call = {db, program->job, "all", &program->problem};
    struct retention *retention = program->context;
    struct stale_citation_counts counts;
    enum error error = check_clock(program);

    *more = false;
    if (program->stays &&
        db_maintain_is_due(program->settings.analyze_interval, &retention->analyzed_at) &&
        db_maintain(db, &program->problem))
        return program->problem.error;
    if (error) /* it is logged, and the daemon continues */
        return program->stays ? ERROR_NONE : error;
    error = purge(program, db);
    return error || program->mode ? error : stale_citations_check(&call, &counts);
}

struct output {
    const char *status;
    int64_t traces_deleted, steps_deleted, feedback_deleted, evaluations_deleted, audit_deleted,
        sessions_deleted, messages_deleted;
    bool dry_run;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status),
                                             INTEGER(OWNER, traces_deleted),
                                             INTEGER(OWNER, steps_deleted),
                                             INTEGER(OWNER, feedback_deleted),
                                             INTEGER(OWNER, evaluations_deleted),
                                             INTEGER(OWNER, audit_deleted),
                                             INTEGER(OWNER, sessions_deleted),
                                             INTEGER(OWNER, messages_deleted),
                                             BOOLEAN(OWNER, dry_run)};
#undef OWNER
static SCHEMA(output_schema, struct output, "RetentionDone", output_fields);

static void print_counts(const struct daemon_program *program)
{
    const struct retention *retention = program->context;
    const struct purge_tally *counts = &retention->counts;
    const struct output output = {.status = retention->busy ? "busy" : "ok",
                                  .traces_deleted = counts->traces,
                                  .steps_deleted = counts->steps,
                                  .feedback_deleted = counts->feedback,
                                  .evaluations_deleted = counts->evaluations,
                                  .audit_deleted = counts->audit,
                                  .sessions_deleted = counts->sessions,
                                  .messages_deleted = counts->messages,
                                  .dry_run = program->mode};

    puts(schema_json(program->arena, 4096, &output_schema, &output));
}

static int run(struct daemon_program *program)
{
    if (daemon_loop(program, run_due, "retention_failed"))
        return daemon_fail(program, EXIT_FAILED);
    if (!program->stays)
        print_counts(program);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct retention retention = {.busy = false};
    const struct daemon_plan plan = {.name = "support-retention",
                                     .help = help,
                                     .mode = "--dry-run",
                                     .counts = true,
                                     .memory = 128 << 20,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .run = run,
                                     .context = &retention};

    return daemon_main(argc, argv, &plan);
}
