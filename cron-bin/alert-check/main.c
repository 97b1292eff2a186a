/* Checks the health of the support service and sends a notification to ALERT_WEBHOOK_URL when a
 * rule is violated. Any number of copies may run; only one at a time checks. `--help` lists the
 * options and exit codes. */
#include "base/log.h"
#include "support/programs/daemon.h"
#include "support/upkeep/alerts.h"

#include <stdio.h>

static const char help[] =
    "usage: alert-check [--dry-run | --due | --every SECONDS]\n"
    "\n"
    "Checks the health of the support service and sends a notice to ALERT_WEBHOOK_URL\n"
    "when a rule is broken. Any number of copies may run; one at a time checks.\n"
    "\n"
    "  --dry-run        Print the result; change and send nothing.\n"
    "  --due            Check if the last check is ALERT_CHECK_INTERVAL_SEC old, for a\n"
    "                   crontab; send waiting notices either way.\n"
    "  --every SECONDS  Keep running: check every ALERT_CHECK_INTERVAL_SEC and send\n"
    "                   waiting notices every SECONDS.\n"
    "\n"
    "Exit codes: 0 done, or another copy is checking; 1 a notice did not arrive;\n"
    "2 the store cannot be read, or the settings or the command line are wrong.\n";

enum { EXIT_DONE, EXIT_UNDELIVERED, EXIT_STORE, MEMORY_MAX = 64 * 1024 * 1024 };

struct watchman {
    struct arena *kept; /* of a check: its report */
    struct alert_report report;
};

/* Shared memory of this host's responders. Opened for each check, because they may have replaced
 * it. */
static enum error meet(struct daemon_program *program, struct shm_region **region)
{
    return program->run_directory ? shm_region_open(arena_print(program->job, "%s/support.shm",
                                                                program->run_directory),
                                                    SHM_SERVICE_VERSION, region, &program->problem)
                                  : ERROR_NONE;
}

static enum error check(struct daemon_program *program, struct db *db, bool *more)
{
    struct watchman *watchman = program->context;
    struct alert_call call = {.db = db,
                              .arena = program->job,
                              .kept = watchman->kept,
                              .settings = &program->settings,
                              .problem = &program->problem};
    enum error error;

    *more = false;
    arena_reset(watchman->kept);
    error = meet(program, &call.region);
    if (!error)
        error = program->mode
                    ? alerts_rehearse(&call, &watchman->report)
                    : alerts_check(&call, !program->stays && !program->due, &watchman->report);
    if (!error && program->stays && watchman->report.undelivered)
        log_event(LOG_WARNING, "alert_not_delivered", "An alert could not be sent; it waits.");
    if (call.region)
        shm_region_close(call.region);
    return error;
}

/* A crontab mails what its programs print: nothing where no check was due. */
static int print(const struct alert_report *report, bool due)
{
    if (report->text || !due)
        printf("%s\n", report->text ? report->text : "{\"status\":\"busy\"}");
    if (report->undelivered)
        fputs("alert-check: the notice did not arrive; it is tried again\n", stderr);
    return report->undelivered ? EXIT_UNDELIVERED : EXIT_DONE;
}

static int run(struct daemon_program *program)
{
    const struct watchman *watchman = program->context;
    double interval = (double)program->settings.alert_check_interval;
    enum error error;

    if (program->stays && program->every > interval)
        program->every = interval;
    error = daemon_loop(program, check, "alert_check_failed");
    if (program->stays)
        return EXIT_DONE;
    return error ? daemon_fail(program, EXIT_STORE) : print(&watchman->report, program->due);
}

int main(int argc, char **argv)
{
    struct watchman watchman = {.kept = arena_create(MEMORY_MAX)};
    const struct daemon_plan plan = {.name = "alert-check",
                                     .help = help,
                                     .mode = "--dry-run",
                                     .knows_due = true,
                                     .memory = MEMORY_MAX,
                                     .failed = EXIT_STORE,
                                     .usage = EXIT_STORE,
                                     .run = run,
                                     .context = &watchman};
    int status = watchman.kept ? daemon_main(argc, argv, &plan) : EXIT_STORE;

    if (watchman.kept)
        arena_destroy(watchman.kept);
    return status;
}
