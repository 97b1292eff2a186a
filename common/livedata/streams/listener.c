/* The process that waits for words of other hosts. */
#include "livedata/streams/listener.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/listen.h"
#include "jobs/program.h"
#include "livedata/store.h"
#include "livedata/streams/live_cache.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_MAX = 16 * 1024 * 1024, PATH_TEXT = 4096, SILENCE_MS = 1000 };

static const double pause_seconds = 0.2;

struct listener {
    const struct livedata_settings *settings;
    struct arena *arena; /* as long as the process */
    struct arena *round;
    struct store *looking;
    struct store *hearing; /* a connection that does nothing else */
    struct live_cache cache;
    bool heard_of; /* it is connected and listens */
    bool told;     /* that it is not */
};

bool listener_is_needed(const struct livedata_settings *settings)
{
    return settings->database_url && strncmp(settings->database_url, "postgres", 8) == 0;
}

static enum error open_all(struct listener *listener, const char *run_directory,
                           struct problem *problem)
{
    char path[PATH_TEXT];
    enum error error;

    (void)snprintf(path, sizeof path, "%s/livedata-cache.shm", run_directory);
    error = shm_cache_open(path, &listener->cache.shared, problem);
    if (!error)
        error = livedata_store_open(listener->arena, listener->settings, NULL, &listener->looking,
                                    problem);
    if (!error)
        error = livedata_store_open(listener->arena, listener->settings, NULL, &listener->hearing,
                                    problem);
    return error;
}

static void look(struct listener *listener)
{
    struct problem problem = {0};
    struct storage_call call = {.arena = listener->round,
                                .problem = &problem,
                                .tenant = "default",
                                .now = clock_unix_microseconds()};

    arena_reset(listener->round);
    if (store_use(listener->looking, &call.db, &problem))
        return;
    (void)live_cache_follow(&listener->cache, &call);
    db_end_of_request(call.db);
}

static void tell_once(struct listener *listener, const struct problem *problem)
{
    if (!listener->told)
        log_event(LOG_WARNING, "listener_away", problem->text);
    listener->told = true;
}

static void begin_to_hear(struct listener *listener)
{
    struct problem problem = {0};
    struct db *db;
    enum error error = store_use(listener->hearing, &db, &problem);

    if (!error)
        error = db_listen(db, LIVE_CHANNEL, &problem);
    listener->heard_of = !error;
    if (error) {
        tell_once(listener, &problem);
        return;
    }
    if (listener->told)
        log_event(LOG_INFO, "listener_back", "hears other hosts again");
    listener->told = false;
}

/* Waits for a word, and looks; a look now and then without one costs nothing. */
static bool round_of(void *context)
{
    struct listener *listener = context;
    struct db *db = store_handle(listener->hearing);
    struct problem problem = {0};
    struct pollfd file = {.events = POLLIN};

    if (!listener->heard_of)
        begin_to_hear(listener);
    look(listener);
    if (!listener->heard_of)
        return false;
    file.fd = db_listen_file(db);
    (void)poll(&file, 1, SILENCE_MS);
    (void)db_heard(db, &problem);
    if (problem.error) {
        listener->heard_of = false;
        tell_once(listener, &problem);
    }
    return listener->heard_of;
}

int listener_run(const struct livedata_settings *settings, const char *run_directory)
{
    struct listener listener = {
        .settings = settings, .arena = arena_create(MEMORY_MAX), .round = arena_create(MEMORY_MAX)};
    struct problem problem = {0};

    listener.cache.poll_microseconds = (int64_t)(settings->cache_poll_seconds * 1e6);
    if (!listener.arena || !listener.round || open_all(&listener, run_directory, &problem)) {
        log_event(LOG_ERROR, "listener_failed", problem.text);
        return 1;
    }
    program_rounds(pause_seconds, round_of, &listener);
    store_close(listener.hearing);
    store_close(listener.looking);
    shm_cache_close(listener.cache.shared);
    arena_destroy(listener.round);
    arena_destroy(listener.arena);
    return 0;
}
