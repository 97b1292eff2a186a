/* The process that waits for notifications of other hosts. */
#include "livedata/cache/listener.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/listen.h"
#include "jobs/main_loop.h"
#include "livedata/cache/live_cache.h"
#include "livedata/store.h"
#include "net/redis.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_MAX = 16 * 1024 * 1024, PATH_TEXT = 4096, SILENCE_MS = 1000 };

static const double pause_seconds = 0.2;

struct listener {
    const struct livedata_settings *settings;
    struct arena *arena; /* lives as long as the process */
    struct arena *cycle;
    struct store *polling;
    struct store *listening; /* a connection only for listening */
    struct redis *redis;     /* NULL = none is set */
    struct live_cache cache;
    bool listens_to_database, listens_to_redis;
    bool reported_database, reported_redis; /* error state of each channel */
};

bool listener_is_needed(const struct livedata_settings *settings)
{
    return settings->database_url && strncmp(settings->database_url, "postgres", 8) == 0 &&
           (settings->cache_listen || settings->redis_url);
}

static enum error open_all(struct listener *listener, const char *run_directory,
                           struct problem *problem)
{
    char path[PATH_TEXT];
    enum error error;

    (void)snprintf(path, sizeof path, "%s/livedata-cache.shm", run_directory);
    error = shm_cache_open(path, &listener->cache.shared, problem);
    if (!error)
        error = livedata_store_open(listener->arena, listener->settings, NULL, &listener->polling,
                                    problem);
    if (!error)
        error = livedata_store_open(listener->arena, listener->settings, NULL, &listener->listening,
                                    problem);
    if (!error && listener->settings->redis_url)
        error = redis_open(listener->arena, listener->settings->redis_url, LIVE_REDIS_TIMEOUT,
                           &listener->redis, problem);
    return error;
}

static void poll_changes(struct listener *listener)
{
    struct problem problem = {0};
    struct storage_call call = {.arena = listener->cycle,
                                .problem = &problem,
                                .tenant = "default",
                                .now = clock_unix_microseconds()};

    arena_reset(listener->cycle);
    if (store_prepare(listener->polling, &call.db, &problem))
        return;
    (void)live_cache_follow(&listener->cache, &call);
    db_end_of_request(call.db);
}

/* Logs once when a channel fails, and once when it recovers. */
static void tell(bool *told, const char *of, const struct problem *problem)
{
    if (problem->error && !*told)
        log_event(LOG_WARNING, "listener_deaf", problem->text);
    if (!problem->error && *told)
        log_event(LOG_INFO, "listener_hears", of);
    *told = problem->error != ERROR_NONE;
}

static void poll_database(struct listener *listener)
{
    struct problem problem = {0};
    struct db *db;

    if (listener->listens_to_database || !listener->settings->cache_listen)
        return;
    listener->listens_to_database = !store_prepare(listener->listening, &db, &problem) &&
                                    !db_listen(db, LIVE_CHANNEL, &problem);
    tell(&listener->reported_database, "the database", &problem);
}

static void poll_redis(struct listener *listener)
{
    struct problem problem = {0};

    if (listener->listens_to_redis || !listener->redis)
        return;
    listener->listens_to_redis = !redis_subscribe(listener->redis, LIVE_REDIS_CHANNEL, &problem);
    tell(&listener->reported_redis, "Redis", &problem);
}

/* Waits for a notification; any notification is a reason to poll. */
static void wait_for_word(struct listener *listener)
{
    struct db *db = store_handle(listener->listening);
    struct problem lost = {0}, gone = {0};
    struct pollfd files[] = {
        {.fd = listener->listens_to_database ? db_listen_file(db) : -1, .events = POLLIN},
        {.fd = listener->listens_to_redis ? redis_file(listener->redis) : -1, .events = POLLIN}};

    if (poll(files, 2, SILENCE_MS) <= 0)
        return;
    if (files[0].revents) {
        (void)db_notified(db, &lost);
        listener->listens_to_database = !lost.error;
    }
    if (files[1].revents) {
        (void)redis_receive(listener->redis, &gone);
        listener->listens_to_redis = !gone.error;
    }
}

/* The next poll finds changes that were missed; an additional poll costs little. */
static bool run_cycle(void *context)
{
    struct listener *listener = context;

    poll_database(listener);
    poll_redis(listener);
    poll_changes(listener);
    if (!listener->listens_to_database && !listener->listens_to_redis)
        return false;
    wait_for_word(listener);
    return true;
}

int listener_run(const struct livedata_settings *settings, const char *run_directory)
{
    struct listener listener = {
        .settings = settings, .arena = arena_create(MEMORY_MAX), .cycle = arena_create(MEMORY_MAX)};
    struct problem problem = {0};

    listener.cache.poll_microseconds = (int64_t)(settings->cache_poll_seconds * 1e6);
    if (!listener.arena || !listener.cycle || open_all(&listener, run_directory, &problem)) {
        log_event(LOG_ERROR, "listener_failed", problem.text);
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    main_loop_run(pause_seconds, run_cycle, &listener);
    redis_close(listener.redis);
    store_close(listener.listening);
    store_close(listener.polling);
    shm_cache_close(listener.cache.shared);
    arena_destroy(listener.cycle);
    arena_destroy(listener.arena);
    return 0;
}
