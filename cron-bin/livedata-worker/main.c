/* Delivers the webhooks of live data, evaluates its alerts and applies retention. `--help` lists
 * the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "jobs/runner.h"
#include "jobs/worker_pool.h"
#include "livedata/alerts/watch.h"
#include "livedata/cache/listener.h"
#include "livedata/maintenance/own_retention.h"
#include "livedata/maintenance/retention.h"
#include "livedata/nodes/edge.h"
#include "livedata/outbox/outbox.h"
#include "livedata/store.h"
#include "livedata/webhooks/outbound.h"
#include "telemetry/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static const char help[] =
    "usage: livedata-worker [--every SECONDS]\n"
    "\n"
    "Delivers the webhooks of live data, evaluates its alerts and applies retention.\n"
    "\n"
    "  --every SECONDS  Keep running: several processes deliver side by side, one\n"
    "                   receives the changes of other hosts, one forwards on an edge\n"
    "                   node. A process that dies is replaced.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE };
enum { MEMORY_MAX = 64 * 1024 * 1024 };

static const int64_t housekeeping_us = 60000000;

struct worker {
    struct livedata_settings settings;
    struct catalog catalog;
    struct tenants tenants;
    struct arena *arena; /* lives as long as the program */
    struct arena *job;
    const char *run_directory; /* or NULL */
    double every;
    struct store *store;
    struct egress_policy egress;
    bool does_housekeeping; /* the first process also applies retention */
    int64_t kept_at;        /* monotonic, as the next one */
    int64_t analyzed_at;
    bool failed;
};

/* Periodically: deletes old rows in small steps. */
static enum error run_housekeeping(struct worker *worker, struct db *db, struct problem *problem)
{
    int64_t now = clock_monotonic_microseconds();
    const struct storage_call call = {db, worker->job, problem, "default",
                                      clock_unix_microseconds()};
    enum error error;

    if (worker->kept_at && now - worker->kept_at < housekeeping_us)
        return ERROR_NONE;
    worker->kept_at = now;
    error = retention_keep(db, &worker->settings, problem);
    if (!error)
        error = own_retention_keep(&call, &worker->catalog, worker->settings.purge_rows);
    return error ? error : outbox_limit(&call, worker->settings.columnar_queue_lines);
}

/* Alerts first: the same iteration then delivers their notices. */
static enum error watch(struct worker *worker, struct db *db, int64_t *evaluations,
                        struct problem *problem)
{
    enum error error = alert_watch(db, worker->job, &worker->settings, &worker->catalog,
                                   &worker->tenants, evaluations, problem);

    arena_reset(worker->job);
    return error;
}

static bool run_cycle(void *context)
{
    struct worker *worker = context;
    struct webhook_delivery_config hooks = outbound_config(&worker->settings, &worker->egress),
                                   alerts;
    int64_t most = worker->settings.webhook_round_deliveries;
    struct job_counts tally = {0};
    struct problem problem = {0};
    int64_t evaluations = 0;
    struct db *db;
    enum error error = store_prepare(worker->store, &db, &problem);

    hooks.watch = &webhook_until_stopped;
    alerts = hooks;
    alerts.kind = &live_alert_kind;
    alerts.retry_seconds = 0; /* each evaluation decides again */
    if (!error)
        error = runner_reclaim_leases(db, &problem);
    if (!error)
        error = watch(worker, db, &evaluations, &problem);
    if (!error)
        error = webhook_deliver_due(db, worker->job, &alerts, most, &tally, &problem);
    if (!error)
        error = webhook_deliver_due(db, worker->job, &hooks, most, &tally, &problem);
    if (!error && worker->does_housekeeping)
        error = run_housekeeping(worker, db, &problem);
    if (!error && worker->does_housekeeping && worker->every > 0 &&
        db_maintain_is_due(worker->settings.analyze_seconds, &worker->analyzed_at))
        error = db_maintain(db, &problem);
    db_end_of_request(store_handle(worker->store));
    worker->failed = error != ERROR_NONE;
    if (error)
        log_event(LOG_ERROR, "round_failed", problem.text);
    return tally.claimed > 0;
}

static int work(struct worker *worker, double every)
{
    struct problem problem = {0};

    worker->job = arena_create(MEMORY_MAX);
    if (!worker->job ||
        livedata_store_open(worker->arena, &worker->settings, NULL, &worker->store, &problem)) {
        fprintf(stderr, "livedata-worker: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    runner_start(worker->settings.state_directory, "livedata-worker");
    worker->egress = (struct egress_policy){.allowed_hosts = worker->settings.egress_hosts};
    main_loop_run(every, run_cycle, worker);
    store_close(worker->store);
    arena_destroy(worker->job);
    return worker->failed && every <= 0 ? EXIT_DATABASE : EXIT_DONE;
}

static int run_deliveries(void *context, size_t position)
{
    struct worker *worker = context;

    worker->does_housekeeping = position == 0;
    return work(worker, worker->every);
}

static int run_listener(void *context, size_t position)
{
    struct worker *worker = context;

    (void)position;
    prctl(PR_SET_NAME, "livedata-listen");
    return listener_run(&worker->settings, worker->run_directory);
}

static int run_edge(void *context, size_t position)
{
    struct worker *worker = context;

    (void)position;
    prctl(PR_SET_NAME, "livedata-edge");
    return edge_run(&worker->settings);
}

static void stay(struct worker *worker)
{
    worker_function *functions[WORKER_POOL_MAX];
    size_t count = 0;

    for (int64_t i = 0; i < worker->settings.webhook_runners; i++)
        functions[count++] = run_deliveries;
    if (worker->run_directory && listener_is_needed(&worker->settings))
        functions[count++] = run_listener;
    if (worker->settings.node_role == NODE_EDGE)
        functions[count++] = run_edge;
    worker_pool_run(functions, count, worker);
}

int main(int argc, char **argv)
{
    struct worker worker = {.arena = arena_create(MEMORY_MAX), .does_housekeeping = true};
    struct problem problem = {0};
    int status = EXIT_DONE;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &worker.every))
        return EXIT_USAGE;
    if (!worker.arena || crypto_start(&problem) ||
        livedata_settings_load(&worker.settings, worker.arena, NULL, &problem) ||
        catalog_load(worker.arena, &worker.settings, &worker.catalog, &problem) ||
        tenants_load(worker.arena, worker.settings.tenants_file, &worker.catalog, &worker.tenants,
                     &problem)) {
        fprintf(stderr, "livedata-worker: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    tracer_open_program("livedata");
    log_open("assay.livedata-worker", (enum log_level)worker.settings.log_level,
             (enum log_format)worker.settings.log_format);
    worker.run_directory = getenv("ASSAY_RUN_DIR");
    if (worker.every > 0)
        stay(&worker);
    else
        status = work(&worker, 0);
    arena_destroy(worker.arena);
    return status;
}
