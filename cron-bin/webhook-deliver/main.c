/* Delivers the webhooks of the experiments service and deletes old deliveries. If a chat platform
 * is configured, it also runs the jobs of the chat commands. `--help` lists the options and exit
 * codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/chat/worker.h"
#include "experiments/storage/store.h"
#include "experiments/webhooks/subscription_store.h"
#include "jobs/main_loop.h"
#include "jobs/runner.h"
#include "jobs/worker_pool.h"
#include "telemetry/tracer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char help[] =
    "usage: webhook-deliver [--every SECONDS]\n"
    "\n"
    "Delivers the webhooks of the experiments service and deletes old deliveries.\n"
    "Where a chat platform is configured it finishes the jobs of the chat commands.\n"
    "\n"
    "  --every SECONDS  Keep running: several processes deliver side by side, so that\n"
    "                   a slow receiver delays no other. A process that dies is\n"
    "                   replaced.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE };
enum { MEMORY_MAX = 64 * 1024 * 1024, DAY_SECONDS = 86400 };

static const int64_t purge_every_us = 60000000, awake_us = 5000000;

/* Shared by all processes of the program: until when there may be work for more than the first
 * one. */
static _Atomic int64_t *awake_until;

struct worker {
    struct experiments_settings settings;
    struct arena *arena; /* lives as long as the program */
    struct arena *job;
    double every;
    struct store *store;
    struct egress_policy egress;
    bool purges_old; /* the first process also purges old rows */
    int64_t kept_at; /* monotonic */
    bool has_looked; /* for jobs of dead runners */
    bool failed;
};

static enum error purge_old(struct worker *worker, struct db *db, struct problem *problem)
{
    int64_t now = clock_monotonic_microseconds();

    if (!worker->purges_old || (worker->kept_at && now - worker->kept_at < purge_every_us))
        return ERROR_NONE;
    worker->kept_at = now;
    return subscription_purge_history(db,
                                      (double)worker->settings.webhook_history_days * DAY_SECONDS,
                                      worker->settings.webhook_purge_rows, problem);
}

/* The first process polls; the others hold no connection while it finds nothing. */
static bool is_asleep(const struct worker *worker)
{
    if (!awake_until || worker->purges_old || !worker->has_looked ||
        clock_monotonic_microseconds() < *awake_until)
        return false;
    db_disconnect(store_handle(worker->store));
    return true;
}

static bool deliver(void *context)
{
    struct worker *worker = context;
    struct webhook_delivery_config config = {
        .kind = &experiments_webhook_kind,
        .egress = &worker->egress,
        .answers = subscription_answer_limits(&worker->settings),
        .watch = &webhook_until_stopped,
        .retry_seconds = worker->settings.webhook_retry_hours * 3600};
    struct job_counts tally = {0};
    struct problem problem = {0};
    struct db *db;
    enum error error;

    if (is_asleep(worker))
        return false;
    error = store_prepare(worker->store, &db, &problem);
    if (!error)
        error = runner_reclaim_leases(db, &problem);
    if (!error)
        error = webhook_deliver_due(db, worker->job, &config,
                                    worker->settings.webhook_round_deliveries, &tally, &problem);
    if (!error)
        error = purge_old(worker, db, &problem);
    db_end_of_request(store_handle(worker->store));
    worker->failed = error != ERROR_NONE;
    worker->has_looked |= !error;
    if (error)
        log_event(LOG_ERROR, "round_failed", problem.text);
    if (awake_until && tally.claimed)
        *awake_until = clock_monotonic_microseconds() + awake_us;
    return tally.claimed > 0;
}

static int work(struct worker *worker, double every)
{
    struct problem problem = {0};

    worker->job = arena_create(MEMORY_MAX);
    if (!worker->job ||
        experiments_store_open(worker->arena, &worker->settings, NULL, &worker->store, &problem)) {
        fprintf(stderr, "webhook-deliver: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    runner_start(worker->settings.state_directory, "webhook-deliver");
    worker->egress =
        (struct egress_policy){.loopback_too = strcmp(worker->settings.environment, "local") == 0};
    main_loop_run(every, deliver, worker);
    store_close(worker->store);
    arena_destroy(worker->job);
    return worker->failed && every <= 0 ? EXIT_DATABASE : EXIT_DONE;
}

static int work_in_place(void *context, size_t place)
{
    struct worker *worker = context;

    worker->purges_old = place == 0;
    return work(worker, worker->every);
}

static int finish_chats(struct worker *worker)
{
    const char *catalogues = getenv("ASSAY_LOCALES_DIR");
    struct problem problem = {0};
    struct chat_worker *chat;
    bool failed;

    if (experiments_store_open(worker->arena, &worker->settings, NULL, &worker->store, &problem) ||
        chat_worker_start(&worker->settings, worker->store, worker->arena,
                          catalogues ? catalogues : "locales", &chat, &problem)) {
        fprintf(stderr, "webhook-deliver: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    runner_start(worker->settings.state_directory, "webhook-deliver");
    main_loop_run(worker->every, chat_worker_round, chat);
    failed = chat_worker_failed(chat);
    chat_worker_stop(chat);
    store_close(worker->store);
    return failed && worker->every <= 0 ? EXIT_DATABASE : EXIT_DONE;
}

/* A separate process, because analyses take long and would delay deliveries. */
static int chat_in_place(void *context, size_t place)
{
    (void)place;
    return finish_chats(context);
}

static void stay(struct worker *worker)
{
    worker_function *places[WORKER_POOL_MAX];
    size_t count = (size_t)worker->settings.webhook_runners;

    void *shared =
        mmap(NULL, sizeof *awake_until, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared != MAP_FAILED) /* else all processes poll */
        awake_until = shared;
    for (size_t i = 0; i < count; i++)
        places[i] = work_in_place;
    if (experiments_has_chat(&worker->settings))
        places[count++] = chat_in_place;
    worker_pool_run(places, count, worker);
}

int main(int argc, char **argv)
{
    struct worker worker = {.arena = arena_create(MEMORY_MAX), .purges_old = true};
    struct problem problem = {0};
    int status = EXIT_DONE;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &worker.every))
        return EXIT_USAGE;
    if (!worker.arena || crypto_start(&problem) ||
        experiments_settings_load(&worker.settings, worker.arena, NULL, &problem)) {
        fprintf(stderr, "webhook-deliver: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    tracer_open_program("experiments");
    log_open("assay.webhook-deliver", (enum log_level)worker.settings.log_level,
             (enum log_format)worker.settings.log_format);
    if (worker.every > 0)
        stay(&worker);
    else
        status = work(&worker, 0);
    if (worker.every <= 0 && status == EXIT_DONE && experiments_has_chat(&worker.settings))
        status = finish_chats(&worker);
    arena_destroy(worker.arena);
    return status;
}
