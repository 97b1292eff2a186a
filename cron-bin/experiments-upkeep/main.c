/* Maintains the database of the experiments service: planner statistics, the write-ahead log of
 * SQLite, the stored clock that retention relies on, the course of large experiments, the guard of
 * ramps, and the shares of adaptive experiments. `--help` lists the options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/evaluation/adaptive_control.h"
#include "experiments/evaluation/ramp_guard.h"
#include "experiments/live/series.h"
#include "experiments/looks/take_look.h"
#include "experiments/projects/project_slug.h"
#include "experiments/storage/store.h"
#include "jobs/clock_watch.h"
#include "jobs/main_loop.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: experiments-upkeep [--every SECONDS]\n"
    "\n"
    "Maintains the database of the experiments service: planner statistics, the\n"
    "write-ahead log of SQLite, the stored clock that retention relies on, and the\n"
    "course over time of experiments that are too large for a request. Takes back\n"
    "the ramp step of a feature flag whose experiment breaches a guardrail. Gives\n"
    "adaptive experiments the next shares of their arms, and projects without a flag\n"
    "key one. Takes the planned looks at experiments that are due.\n"
    "\n"
    "  --every SECONDS  Keep running and work again after SECONDS (0.01 to 86400).\n"
    "                   Without it the program works once and ends.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, MEMORY_MAX = 16 * 1024 * 1024 };
enum { COURSE_MEMORY_MAX = 512 * 1024 * 1024 };

struct upkeep {
    const struct experiments_settings *settings;
    struct store *store;
    struct problem problem;
    enum error error; /* of the last iteration */
};

/* Not fatal: the pages show the older course. */
static void renew_courses(struct upkeep *upkeep, struct db *db)
{
    struct arena *arena = arena_create(COURSE_MEMORY_MAX);
    struct problem problem = {0};
    const struct live_call call = {.db = db,
                                   .arena = arena,
                                   .spike_events = upkeep->settings->live_spike_events,
                                   .problem = &problem};

    if (!arena)
        return;
    if (live_series_renew(&call))
        log_event(LOG_WARNING, "course_failed", problem.text);
    arena_destroy(arena);
}

/* A part of an iteration; `work` is for one experiment at a time. */
typedef enum error upkeep_part(const struct upkeep *upkeep, const struct live_call *call,
                               struct arena *work);

/* Not fatal: the next iteration tries again. */
static void run_part(const struct upkeep *upkeep, struct db *db, upkeep_part *part,
                     const char *failure)
{
    struct arena *arena = arena_create(COURSE_MEMORY_MAX), *work = arena_create(COURSE_MEMORY_MAX);
    struct problem problem = {0};
    const struct live_call call = {.db = db,
                                   .arena = arena,
                                   .spike_events = upkeep->settings->live_spike_events,
                                   .problem = &problem};

    if (arena && work && part(upkeep, &call, work))
        log_event(LOG_WARNING, failure, problem.text);
    if (arena)
        arena_destroy(arena);
    if (work)
        arena_destroy(work);
}

static enum error take_looks(const struct upkeep *upkeep, const struct live_call *call,
                             struct arena *work)
{
    return look_take_due(call, locale_get(LANGUAGE_EN), upkeep->settings->live_mixture_users,
                         upkeep->settings->live_settling_seconds, work);
}

static enum error update_shares(const struct upkeep *upkeep, const struct live_call *call,
                                struct arena *work)
{
    (void)upkeep;
    return adaptive_update(call, work);
}

static enum error guard_ramps(const struct upkeep *upkeep, const struct live_call *call,
                              struct arena *work)
{
    return ramp_guard(call, locale_get(LANGUAGE_EN), upkeep->settings->live_mixture_users, work);
}

/* Of projects that something else than the service has added. Not fatal. */
static void name_projects(struct db *db)
{
    struct problem problem = {0};

    if (project_slugs_missing(db, &problem))
        log_event(LOG_WARNING, "project_slugs_failed", problem.text);
}

/* The program holds no connection between two iterations. */
static bool look_after(void *context)
{
    struct upkeep *upkeep = context;
    struct problem moved;
    struct db *db;

    if (clock_check(upkeep->settings->state_directory, "experiments", &upkeep->settings->clock,
                    &moved))
        log_event(LOG_WARNING, "clock_moved", moved.text);

    upkeep->error = store_prepare(upkeep->store, &db, &upkeep->problem);
    if (!upkeep->error) {
        upkeep->error = db_maintain(db, &upkeep->problem);
        if (!upkeep->error) {
            renew_courses(upkeep, db);
            run_part(upkeep, db, guard_ramps, "ramp_guard_failed");
            run_part(upkeep, db, take_looks, "looks_failed");
            run_part(upkeep, db, update_shares, "adaptive_update_failed");
            name_projects(db);
        }
        db_disconnect(db);
    }
    if (upkeep->error)
        log_event(LOG_WARNING, "upkeep_failed", upkeep->problem.text);
    return false;
}

static int run(struct arena *arena, double every)
{
    struct experiments_settings settings = {0};
    struct upkeep upkeep = {.settings = &settings};
    const char *locales = getenv("ASSAY_LOCALES_DIR");

    if (crypto_start(&upkeep.problem) ||
        experiments_settings_load(&settings, arena, NULL, &upkeep.problem) ||
        locale_open_catalogues(locales ? locales : "locales", &upkeep.problem) ||
        experiments_store_open(arena, &settings, NULL, &upkeep.store, &upkeep.problem)) {
        fprintf(stderr, "experiments-upkeep: %s\n", upkeep.problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.experiments-upkeep", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    main_loop_run(every, look_after, &upkeep);
    store_close(upkeep.store);
    locale_close_catalogues();
    return upkeep.error ? EXIT_DATABASE : EXIT_DONE;
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
