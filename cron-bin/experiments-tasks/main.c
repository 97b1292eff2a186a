/* Runs the long computations of the experiments service that were ordered over HTTP. `--help` lists
 * the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/certificates/certificate.h"
#include "experiments/datafiles/data_spool.h"
#include "experiments/datafiles/data_task.h"
#include "experiments/error_rates/measurement_job.h"
#include "experiments/storage/store.h"
#include "jobs/host.h"
#include "jobs/inbox.h"
#include "jobs/main_loop.h"
#include "jobs/runner.h"
#include "telemetry/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: experiments-tasks [--every SECONDS]\n"
    "\n"
    "Runs the long computations of the experiments service that were ordered over\n"
    "HTTP: analyses of uploaded files, and measurements of error rates. A measurement\n"
    "that is interrupted goes on where it was, a file is read again. Prepares the\n"
    "certificates of decided experiments.\n"
    "\n"
    "  --every SECONDS  Keep running and look for work again after SECONDS (0.01 to\n"
    "                   86400). Without it the program does what is due and ends.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE };
enum { MEMORY_MAX = 16 * 1024 * 1024, FORGET_MOST = 1000, NICENESS = 10 };

static const double kept_seconds = 7 * 86400; /* of jobs that ended */

/* How often it is looked for certificates to prepare, and how many at a time; and how often for
 * tasks to forget. */
static const int64_t prepare_every_us = 30000000, forget_every_us = 30000000;
enum { PREPARED_MOST = 10 };

/* A file is there before its task is stored. */
enum { STORING_SECONDS = 5 };

struct tasks {
    const struct experiments_settings *settings;
    struct store *store;
    struct arena *arena, *job;
    const char *uploads; /* the folder of files that wait; NULL = not known yet, or none */
    const char *host;    /* its name, read once: a folder that is gone later is not made anew */
    struct certificates_place prepared;
    int64_t prepared_at, forgotten_at; /* monotonic */
    enum error error;                  /* of the last iteration */
};

/* Not fatal: a certificate that is not prepared takes longer. */
static void prepare_certificates(struct tasks *tasks, struct db *db)
{
    struct problem problem = {0};
    const struct live_call call = {.db = db,
                                   .arena = tasks->job,
                                   .spike_events = tasks->settings->live_spike_events,
                                   .problem = &problem};
    int64_t now = clock_monotonic_microseconds();

    if (tasks->prepared_at && now - tasks->prepared_at < prepare_every_us)
        return;
    tasks->prepared_at = now;
    arena_reset(tasks->job);
    if (certificates_prepare(&call, PREPARED_MOST, &tasks->prepared))
        log_event(LOG_WARNING, "certificates_not_prepared", problem.text);
}

/* Errors of forgetting do not matter: the next iteration does it. */
static void forget_old(struct db *db)
{
    struct problem problem = {0};
    int64_t count;

    for (int state = JOB_IS_DONE; state <= JOB_IS_DEAD; state++)
        if (job_forget(db, &error_rates_kind, (enum job_state)state, kept_seconds, FORGET_MOST,
                       &count, &problem))
            log_event(LOG_WARNING, "jobs_not_forgotten", problem.text);
}

/* The folder of a database that is there, and its name. */
static enum error find_uploads(struct tasks *tasks, struct problem *problem)
{
    const char *base, *folder, *host;
    enum error error;

    if (tasks->uploads)
        return ERROR_NONE;
    arena_reset(tasks->job);
    base = store_folder(tasks->store, tasks->job);
    folder = data_spool_folder(tasks->job, base ? base : tasks->settings->state_directory);
    if (!folder)
        return ERROR_NONE;
    error = job_host_name(tasks->job, folder, &host, problem);
    if (error)
        return error;
    tasks->host = arena_copy_string(tasks->arena, host);
    tasks->uploads = arena_copy_string(tasks->arena, folder);
    return ERROR_NONE;
}

static enum error analyze_files(struct tasks *tasks, struct db *db, struct job_counts *counts,
                                struct problem *problem)
{
    const struct data_task_call call = {.db = db,
                                        .arena = tasks->job,
                                        .settings = tasks->settings,
                                        .folder = tasks->uploads,
                                        .host = tasks->host,
                                        .problem = problem};
    int64_t claimed = counts->claimed, now = clock_monotonic_microseconds();
    enum error error = data_task_run_next(&call, main_loop_must_stop, counts);

    if (error || (counts->claimed == claimed && tasks->forgotten_at &&
                  now - tasks->forgotten_at < forget_every_us))
        return error;
    tasks->forgotten_at = now;
    arena_reset(tasks->job);
    return data_task_forget(&call);
}

/* A measurement goes on later when somebody waits for a file: it takes minutes, a file seconds.
 * What was there when nothing was due does not count: it is tried again later, or never. */
static const char *uploads_waited_for;
static int64_t waited_since; /* seconds since 1970 */

static bool measuring_must_stop(void)
{
    return main_loop_must_stop() ||
           (uploads_waited_for && data_spool_waits(uploads_waited_for, waited_since));
}

static bool work(void *context)
{
    struct tasks *tasks = context;
    struct error_rates_runner runner = {.spike_events = tasks->settings->live_spike_events,
                                        .mixture_users = tasks->settings->live_mixture_users,
                                        .seconds = tasks->settings->error_rate_seconds,
                                        .stop = measuring_must_stop};
    struct job_counts counts = {0};
    struct problem problem = {0};
    int64_t started = time(NULL);
    struct db *db;

    tasks->error = store_prepare(tasks->store, &db, &problem);
    if (!tasks->error)
        tasks->error = runner_reclaim_leases(db, &problem);
    if (!tasks->error)
        tasks->error = find_uploads(tasks, &problem);
    if (!tasks->error) {
        uploads_waited_for = tasks->uploads;
        tasks->error = analyze_files(tasks, db, &counts, &problem);
        waited_since = counts.claimed ? 0 : started - STORING_SECONDS;
    }
    if (!tasks->error)
        tasks->error =
            job_run_due(db, tasks->job, &error_rates_kind, &runner, 1, &counts, &problem);
    if (!tasks->error && counts.claimed)
        forget_old(db);
    if (!tasks->error)
        prepare_certificates(tasks, db);
    db_end_of_request(store_handle(tasks->store));
    if (tasks->error)
        log_event(LOG_ERROR, "round_failed", problem.text);
    return counts.claimed > 0;
}

static int run(struct arena *arena, double every)
{
    struct experiments_settings settings = {0};
    struct tasks tasks = {.settings = &settings, .arena = arena};
    struct problem problem = {0};
    const char *locales = getenv("ASSAY_LOCALES_DIR");

    if (crypto_start(&problem) || experiments_settings_load(&settings, arena, NULL, &problem) ||
        locale_open_catalogues(locales ? locales : "locales", &problem) ||
        experiments_store_open(arena, &settings, NULL, &tasks.store, &problem)) {
        fprintf(stderr, "experiments-tasks: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    tracer_open_program("experiments");
    log_open("assay.experiments-tasks", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    tasks.job = arena_create((size_t)settings.max_request_memory_bytes);
    if (!tasks.job)
        return EXIT_DATABASE;
    runner_start(settings.state_directory, "experiments-tasks");
    main_loop_run(every, work, &tasks);
    store_close(tasks.store);
    arena_destroy(tasks.job);
    locale_close_catalogues();
    return tasks.error ? EXIT_DATABASE : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arena *arena;
    double every;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &every))
        return EXIT_USAGE;
    arena = arena_create(MEMORY_MAX);
    if (!arena)
        return EXIT_DATABASE;
    if (nice(NICENESS) == -1)
        log_event(LOG_WARNING, "not_nicer", "the requests of people have no priority");
    status = run(arena, every);
    arena_destroy(arena);
    return status;
}
