/* Copies large tables of live data to ClickHouse. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "livedata/columnar/blocks.h"
#include "livedata/freshness/clock.h"
#include "livedata/store.h"
#include "livedata/tables/tables.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: livedata-columnar [--every SECONDS | --rebuild ENTITY... | --verify [ENTITY...]\n"
    "                         | --forget]\n"
    "\n"
    "Sends changes of large tables to ClickHouse (CLICKHOUSE_HOST), and fills copies that\n"
    "are new or were lost. Without an option, until nothing is left to be sent.\n"
    "\n"
    "  --every SECONDS  Keep running.\n"
    "  --rebuild        Make the copies of these entities anew; the program that keeps\n"
    "                   running fills them. Until then they do not answer.\n"
    "  --verify         Compare the copies of these entities, or of all, with the tables:\n"
    "                   numbers of rows and values, and a checksum of each column. Waits\n"
    "                   up to a minute for a moment in which nothing is on its way.\n"
    "  --forget         Forget the copies that the settings do not choose, so that changes\n"
    "                   are not queued for them any more; without CLICKHOUSE_HOST, all.\n"
    "\n"
    "Exit codes: 0 done, or they agree; 1 the settings are wrong; 2 the command line is\n"
    "wrong; 3 the database or ClickHouse failed; 4 they differ, or were never at rest.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_FAILED, EXIT_DIFFER };
enum { MEMORY_MAX = 64 * 1024 * 1024, JOB_MEMORY_MAX = 1024 * 1024 * 1024, VERIFY_TRIES = 200 };

static const int64_t look_us = 10000000, pause_us = 1000000;

enum task { TASK_SEND, TASK_REBUILD, TASK_VERIFY, TASK_FORGET };

struct work {
    struct livedata_settings settings;
    struct catalog catalog;
    struct arena *arena; /* lives as long as the program */
    struct arena *job;
    struct store *store;
    struct columnar_sender sender;
    struct live_clock clock;
    enum task task;
    int count;
    char **entities;
    double every;
    int64_t looked_at; /* monotonic, as the next one */
    int64_t failed_at; /* 0 = the last cycle did not */
    bool started;
    int status;
};

static struct storage_call call_of(struct work *work, struct db *db, struct problem *problem)
{
    return (struct storage_call){.db = db,
                                 .arena = work->job,
                                 .problem = problem,
                                 .tenant = "default",
                                 .now = live_clock_now(&work->clock, db)};
}

/* Which entities this host serves, now and then; and once, which copies are not wanted any more. */
static enum error follow(struct work *work, const struct storage_call *call)
{
    int64_t now = clock_monotonic_microseconds();
    enum error error;

    if (work->looked_at && now - work->looked_at < look_us)
        return ERROR_NONE;
    error = tables_look(call, &work->catalog);
    if (!error && !work->started)
        error = columnar_forget_others(&work->sender, call);
    if (error)
        return error;
    work->started = true;
    work->looked_at = now;
    return ERROR_NONE;
}

/* A failure is logged when it begins, and ClickHouse's return after it. */
static void note_failure(struct work *work, enum error error, const struct problem *problem)
{
    if (error && !work->failed_at)
        log_event(LOG_ERROR, "columnar_failed", problem->text);
    if (!error && work->failed_at)
        log_event(LOG_INFO, "columnar_recovered", "blocks are sent again");
    work->failed_at = error ? clock_monotonic_microseconds() : 0;
}

static bool run_cycle(void *context)
{
    struct work *work = context;
    struct problem problem = {0};
    struct storage_call call;
    struct db *db;
    bool busy = false;
    enum error error;

    if (work->failed_at && clock_monotonic_microseconds() - work->failed_at < pause_us)
        return false;
    error = store_prepare(work->store, &db, &problem);
    if (!error) {
        call = call_of(work, db, &problem);
        error = follow(work, &call);
    }
    if (!error)
        error = columnar_send(&work->sender, &call, &busy);
    note_failure(work, error, &problem);
    db_end_of_request(store_handle(work->store));
    arena_reset(work->job);
    work->status = error ? EXIT_FAILED : EXIT_DONE;
    return busy && !error;
}

static enum error find_type(struct work *work, const char *name, const struct entity_type **type,
                            struct problem *problem)
{
    *type = catalog_entity(&work->catalog, name);
    if (*type && columnar_chosen(&work->settings, (*type)->table))
        return ERROR_NONE;
    return problem_set(problem, ERROR_NOT_FOUND, "unknown_entity_type",
                       "%s is not copied: its file does not say `large: true`, and "
                       "LIVE_COLUMNAR_TABLES is not `all`",
                       name);
}

static enum error verify(struct work *work, struct storage_call *call,
                         const struct entity_type *type)
{
    static const struct timespec pause = {.tv_nsec = 300000000};
    struct columnar_verdict verdict = {0};
    enum error error = ERROR_NONE;

    for (int i = 0; !error && !verdict.settled && i < VERIFY_TRIES; i++) {
        if (i)
            nanosleep(&pause, NULL);
        error = columnar_verify(&work->settings, call, type, &verdict);
    }
    if (error)
        return error;
    printf("%s rows=%lld %s\n", type->name, (long long)verdict.rows,
           !verdict.settled ? "changes were on their way all the time"
           : verdict.equal  ? "equal"
                            : verdict.difference);
    if (!verdict.equal)
        work->status = EXIT_DIFFER;
    return ERROR_NONE;
}

static enum error run_one(struct work *work, struct storage_call *call,
                          const struct entity_type *type)
{
    enum error error =
        work->task == TASK_VERIFY ? verify(work, call, type) : columnar_rebuild(call, type);

    if (!error && work->task == TASK_REBUILD)
        printf("%s is filled anew\n", type->name);
    return error;
}

static enum error run_entities(struct work *work, struct storage_call *call,
                               struct problem *problem)
{
    const struct entity_type *type;
    enum error error = ERROR_NONE;

    for (int i = 0; !error && i < work->count; i++) {
        error = find_type(work, work->entities[i], &type, problem);
        if (!error)
            error = run_one(work, call, type);
    }
    for (size_t i = 0; !error && !work->count && i < work->catalog.entity_count; i++)
        if (columnar_chosen(&work->settings, work->catalog.entities[i].table))
            error = run_one(work, call, &work->catalog.entities[i]);
    return error;
}

static enum error run_task(struct work *work, struct problem *problem)
{
    struct storage_call call;
    struct db *db;
    enum error error = store_prepare(work->store, &db, problem);

    if (error)
        return error;
    call = call_of(work, db, problem);
    error = work->task == TASK_FORGET ? columnar_forget_others(&work->sender, &call)
                                      : run_entities(work, &call, problem);
    db_end_of_request(db);
    return error;
}

static int run(struct work *work, struct problem *problem)
{
    if (!work->job ||
        livedata_store_open(work->arena, &work->settings, NULL, &work->store, problem)) {
        fprintf(stderr, "livedata-columnar: %s\n", problem->text);
        return EXIT_SETTINGS;
    }
    columnar_sender_start(&work->sender, &work->settings, &work->catalog);
    if (work->task == TASK_SEND) {
        if (work->every > 0)
            main_loop_run(work->every, run_cycle, work);
        else
            while (run_cycle(work))
                ;
    } else if (run_task(work, problem)) {
        fprintf(stderr, "livedata-columnar: %s\n", problem->text);
        work->status = EXIT_FAILED;
    }
    store_close(work->store);
    arena_destroy(work->job);
    return work->status;
}

static bool read_arguments(int argc, char **argv, struct work *work)
{
    bool rebuild = argc > 1 && strcmp(argv[1], "--rebuild") == 0;

    if (argc == 2 && strcmp(argv[1], "--forget") == 0) {
        work->task = TASK_FORGET;
        return true;
    }
    if (!rebuild && (argc < 2 || strcmp(argv[1], "--verify") != 0))
        return main_loop_arguments(argc, argv, help, &work->every);
    work->task = rebuild ? TASK_REBUILD : TASK_VERIFY;
    work->count = argc - 2;
    work->entities = argv + 2;
    if (rebuild && !work->count)
        help_print_usage(help);
    return !rebuild || work->count;
}

int main(int argc, char **argv)
{
    struct work work = {.arena = arena_create(MEMORY_MAX), .job = arena_create(JOB_MEMORY_MAX)};
    struct problem problem = {0};
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!read_arguments(argc, argv, &work))
        return EXIT_USAGE;
    if (!work.arena || crypto_start(&problem) ||
        livedata_settings_load(&work.settings, work.arena, NULL, &problem) ||
        catalog_load(work.arena, &work.settings, &work.catalog, &problem)) {
        fprintf(stderr, "livedata-columnar: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    if (!work.settings.clickhouse_host && work.task != TASK_FORGET) {
        fprintf(stderr, "livedata-columnar: CLICKHOUSE_HOST is not set\n");
        return EXIT_SETTINGS;
    }
    log_open("assay.livedata-columnar", (enum log_level)work.settings.log_level,
             (enum log_format)work.settings.log_format);
    status = run(&work, &problem);
    arena_destroy(work.arena);
    return status;
}
