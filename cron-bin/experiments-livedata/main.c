/* Reads goals and alarms of experiments from live data. `--help` lists the options and exit codes.
 */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/sources/alarm_reader.h"
#include "experiments/storage/store.h"
#include "jobs/main_loop.h"

#include <stdio.h>

static const char help[] =
    "usage: experiments-livedata [--every SECONDS]\n"
    "\n"
    "Reads the rows of live data that are goals of running experiments, from the\n"
    "watermark of each experiment on, and records them as events of the users that\n"
    "they name. Then it reads the figures that alarms of experiments watch. The settings\n"
    "are AB_LIVEDATA_*.\n"
    "\n"
    "  --every SECONDS  Keep running and read again after SECONDS (0.01 to 86400).\n"
    "                   Without it the program reads what is there and ends.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong, or AB_LIVEDATA_URL is not set; 2 the\n"
    "command line is wrong; 3 the database failed. A source that cannot be read is noted\n"
    "with its experiment and in the log.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, MEMORY_MAX = 16 * 1024 * 1024 };
enum { SOURCES_MEMORY_MAX = 256 * 1024 * 1024, PAGE_MEMORY_MAX = 1024 * 1024 * 1024 };

struct reading {
    const struct experiments_settings *settings;
    struct store *store;
    struct arena *arena, *page;
    enum error error; /* of the last iteration */
};

static bool read_sources(void *context)
{
    struct reading *reading = context;
    struct problem problem = {0};
    struct source_reader reader = {.settings = &reading->settings->sources,
                                   .arena = reading->arena,
                                   .page = reading->page,
                                   .spike_events = reading->settings->live_spike_events,
                                   .clusters_max = reading->settings->live_clusters_max,
                                   .problem = &problem};
    bool more = false;

    reading->error = store_prepare(reading->store, &reader.db, &problem);
    if (!reading->error)
        reading->error = source_read_all(&reader, &more);
    if (!reading->error)
        reading->error = alarm_reader_run(&reader);
    db_end_of_request(store_handle(reading->store));
    if (reading->error)
        log_event(LOG_ERROR, "round_failed", problem.text);
    arena_reset(reading->arena);
    arena_reset(reading->page);
    return !reading->error && more;
}

static int run(struct arena *arena, double every)
{
    struct experiments_settings settings = {0};
    struct reading reading = {.settings = &settings};
    struct problem problem = {0};

    if (crypto_start(&problem) || experiments_settings_load(&settings, arena, NULL, &problem) ||
        experiments_store_open(arena, &settings, NULL, &reading.store, &problem)) {
        fprintf(stderr, "experiments-livedata: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    if (!settings.sources.url) {
        fprintf(stderr, "experiments-livedata: AB_LIVEDATA_URL is not set\n");
        return EXIT_SETTINGS;
    }
    log_open("assay.experiments-livedata", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    reading.arena = arena_create(SOURCES_MEMORY_MAX);
    reading.page = arena_create(PAGE_MEMORY_MAX);
    if (!reading.arena || !reading.page)
        return EXIT_DATABASE;
    main_loop_run(every, read_sources, &reading);
    store_close(reading.store);
    arena_destroy(reading.arena);
    arena_destroy(reading.page);
    return reading.error ? EXIT_DATABASE : EXIT_DONE;
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
    status = run(arena, every);
    arena_destroy(arena);
    return status;
}
