/* Applies the events of live data that lie in Kafka. `--help` lists the options and exit codes. */
#include "base/log.h"
#include "crypto/crypto.h"
#include "livedata/bridge/kafka_events.h"
#include "livedata/cache/live_cache.h"
#include "livedata/store.h"
#include "net/redis.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: livedata-bridge\n"
    "       livedata-bridge --forget TOPIC\n"
    "\n"
    "Applies the events of live data that lie in Kafka, and change data as Debezium\n"
    "writes it. Each event counts exactly once. Runs until it gets a signal, and waits\n"
    "while Kafka or the database is away. The settings are LIVE_KAFKA_*, LIVE_BRIDGE_*\n"
    "and KAFKA_BOOTSTRAP_SERVERS.\n"
    "\n"
    "  --forget TOPIC  Forget how far the topic was applied, when a topic of that name\n"
    "                  was made anew, and end.\n"
    "\n"
    "Exit codes: 0 stopped by a signal, or forgotten; 1 the settings are wrong, or\n"
    "librdkafka is missing; 2 the command line is wrong; 3 the database failed.\n";

enum { EXIT_SETTINGS = 1, MEMORY_MAX = 64 * 1024 * 1024 };

/* What the program holds as long as it lives. */
struct program {
    struct livedata_settings settings;
    struct catalog catalog;
    struct tenants tenants;
    struct live_cache cache;
    struct string_list topics;
    struct kafka_events events;
    struct kafka_bridge bridge;
};

/* The cache of the responders, so that they do not answer from before an event. */
static void open_cache(struct program *program, struct arena *arena)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    struct problem problem = {0};

    if (!run_directory)
        return;
    if (shm_cache_open(arena_print(arena, "%s/livedata-cache.shm", run_directory),
                       &program->cache.shared, &problem))
        log_event(LOG_WARNING, "cache_not_opened", problem.text);
    else
        program->events.cache = &program->cache;
}

static enum error load(struct program *program, struct arena *arena, struct problem *problem)
{
    enum error error = crypto_start(problem);

    if (!error)
        error = livedata_settings_load(&program->settings, arena, NULL, problem);
    if (!error)
        error = catalog_load(arena, &program->settings, &program->catalog, problem);
    if (!error)
        error = tenants_load(arena, program->settings.tenants_file, &program->catalog,
                             &program->tenants, problem);
    if (!error && program->settings.redis_url)
        error = redis_open(arena, program->settings.redis_url, LIVE_REDIS_TIMEOUT,
                           &program->events.redis, problem);
    if (!error)
        error =
            livedata_store_open(arena, &program->settings, NULL, &program->bridge.store, problem);
    return error;
}

static int run(struct arena *arena, const char *forgotten)
{
    static struct program loaded;
    struct program *program = &loaded;
    struct problem problem = {0};
    int status;

    if (load(program, arena, &problem)) {
        fprintf(stderr, "livedata-bridge: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.livedata-bridge", (enum log_level)program->settings.log_level,
             (enum log_format)program->settings.log_format);
    program->events.settings = &program->settings;
    program->events.catalog = &program->catalog;
    program->events.tenants = &program->tenants;
    open_cache(program, arena);
    program->topics = kafka_event_topics(arena, &program->settings, &program->tenants);
    program->bridge.settings = &program->settings.kafka;
    program->bridge.topics = &program->topics;
    program->bridge.context = &program->events;
    program->bridge.decode = kafka_events_decode;
    program->bridge.apply = kafka_events_apply;
    status = kafka_bridge_program(&program->bridge, "livedata-bridge", forgotten);
    redis_close(program->events.redis);
    store_close(program->bridge.store);
    return status;
}

int main(int argc, char **argv)
{
    return kafka_bridge_main(argc, argv, help, MEMORY_MAX, run);
}
