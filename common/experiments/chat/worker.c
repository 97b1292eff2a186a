/* Runs the jobs of the chat app in cycles. */
#include "experiments/chat/worker.h"

#include "base/clock.h"
#include "base/log.h"
#include "experiments/chat/chat_jobs.h"
#include "jobs/runner.h"

static const int64_t purge_every_us = 60000000;

struct chat_worker {
    struct chat_job_context context;
    struct job_kind post, message, analysis;
    struct store *store;
    struct arena *job;
    int64_t kept_at; /* monotonic */
    bool failed;
};

static enum error purge_old(struct chat_worker *worker, struct db *db, struct problem *problem)
{
    int64_t now = clock_monotonic_microseconds();

    if (worker->kept_at && now - worker->kept_at < purge_every_us)
        return ERROR_NONE;
    worker->kept_at = now;
    return chat_purge_jobs(db, worker->context.settings, problem);
}

/* Posts and messages come first: they are short, and report work that is done. */
bool chat_worker_round(void *context)
{
    struct chat_worker *worker = context;
    int64_t most = worker->context.settings->chatapp_round_jobs;
    struct job_counts tally = {0};
    struct problem problem = {0};
    struct db *db;
    enum error error = store_prepare(worker->store, &db, &problem);

    if (!error)
        error = runner_reclaim_leases(db, &problem);
    if (!error)
        error =
            job_run_due(db, worker->job, &worker->post, &worker->context, most, &tally, &problem);
    if (!error)
        error = job_run_due(db, worker->job, &worker->message, &worker->context, most, &tally,
                            &problem);
    if (!error)
        error =
            job_run_due(db, worker->job, &worker->analysis, &worker->context, 1, &tally, &problem);
    if (!error)
        error = purge_old(worker, db, &problem);
    db_end_of_request(store_handle(worker->store));
    worker->failed = error != ERROR_NONE;
    if (error)
        log_event(LOG_ERROR, "chat_round_failed", problem.text);
    return tally.claimed > 0;
}

bool chat_worker_failed(const struct chat_worker *worker)
{
    return worker->failed;
}

enum error chat_worker_start(const struct experiments_settings *settings, struct store *store,
                             struct arena *arena, const char *catalogues, struct chat_worker **made,
                             struct problem *problem)
{
    struct chat_worker *worker = ARENA_NEW(arena, struct chat_worker);
    enum error error = locale_open_catalogues(catalogues, problem);

    if (error)
        return error;
    *worker = (struct chat_worker){
        .context = {settings, locale_get(language_find(settings->chatapp_language))},
        .post = chat_kind(&chat_post_kind, settings),
        .message = chat_kind(&chat_message_kind, settings),
        .analysis = chat_kind(&chat_analysis_kind, settings),
        .store = store,
        .job = arena_create((size_t)settings->max_request_memory_bytes)};
    if (!worker->job)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    *made = worker;
    return ERROR_NONE;
}

void chat_worker_stop(struct chat_worker *worker)
{
    arena_destroy(worker->job);
    locale_close_catalogues();
}
