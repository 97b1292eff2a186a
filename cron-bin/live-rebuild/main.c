/* Recomputes the aggregates of running experiments from the stored events. Without ids: of all
 * experiments that have events. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/live/rebuild.h"
#include "experiments/storage/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: live-rebuild [--verify] [EXPERIMENT_ID...]\n"
    "\n"
    "Computes the aggregates of running experiments again from the stored events.\n"
    "Without ids: of all experiments that have events.\n"
    "\n"
    "  --verify  Compare and report differences; change nothing.\n"
    "\n"
    "Exit codes: 0 done, no differences; 1 the settings are wrong; 2 the command line\n"
    "is wrong; 3 the database failed; 4 differences were found.\n";

enum {
    EXIT_DONE,
    EXIT_SETTINGS,
    EXIT_USAGE,
    EXIT_DATABASE,
    EXIT_DIFFERENT,
    SETTINGS_MEMORY = 16 * 1024 * 1024,
    EXPERIMENT_MEMORY = 1024 * 1024 * 1024
};

struct work {
    struct live_call call;
    bool verify;
    const char *experiment;
    int64_t started;
    bool different;
};

static void show(int64_t people, void *context)
{
    const struct work *work = context;
    double seconds = (double)(clock_monotonic_microseconds() - work->started) / 1e6;

    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s  %lld people, %.0f a second ", work->experiment, (long long)people,
                (double)people / (seconds > 0 ? seconds : 1));
}

static enum error work_on(struct work *work, const char *experiment)
{
    struct live_rebuild rebuild = {.progress = show, .context = work};
    struct arena *kept = work->call.arena;
    enum error error;

    work->experiment = experiment;
    work->started = clock_monotonic_microseconds();
    work->call.arena = arena_create(EXPERIMENT_MEMORY);
    if (!work->call.arena)
        return problem_set(work->call.problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    error = work->verify ? live_verify_experiment(&work->call, experiment, &rebuild)
                         : live_rebuild_experiment(&work->call, experiment, &rebuild);
    arena_destroy(work->call.arena);
    work->call.arena = kept;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (error)
        return error;
    printf("%s people=%lld %s", experiment, (long long)rebuild.people,
           work->verify ? "" : "rebuilt");
    if (work->verify)
        printf("differences=%lld", (long long)rebuild.differences);
    printf(rebuild.differences ? " first: %s\n" : "\n", rebuild.first);
    work->different = work->different || rebuild.differences > 0;
    return ERROR_NONE;
}

static enum error work_on_all(struct work *work, int count, char **experiments)
{
    struct live_names names = {.arena = work->call.arena};
    enum error error = ERROR_NONE;

    if (count == 0)
        error = live_list_experiments(&work->call, &names);
    for (int i = 0; i < count; i++)
        live_names_add(&names, experiments[i]);
    for (size_t i = 0; !error && i < names.count; i++)
        error = work_on(work, names.items[i]);
    return error;
}

static int run(struct arena *arena, bool verify, int count, char **experiments)
{
    struct experiments_settings settings = {0};
    struct problem problem = {0};
    struct work work = {.verify = verify, .call = {.arena = arena, .problem = &problem}};
    struct store *store;
    enum error error;

    if (crypto_start(&problem) || experiments_settings_load(&settings, arena, NULL, &problem) ||
        experiments_store_open(arena, &settings, NULL, &store, &problem)) {
        fprintf(stderr, "live-rebuild: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.live-rebuild", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    work.call.spike_events = settings.live_spike_events;
    error = store_prepare(store, &work.call.db, &problem);
    if (!error)
        error = work_on_all(&work, count, experiments);
    store_close(store);
    if (error)
        fprintf(stderr, "live-rebuild: %s\n", problem.text);
    return error ? EXIT_DATABASE : work.different ? EXIT_DIFFERENT : EXIT_DONE;
}

int main(int argc, char **argv)
{
    bool verify = argc > 1 && strcmp(argv[1], "--verify") == 0;
    int first = verify ? 2 : 1, status;
    struct arena *arena;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc > first && argv[first][0] == '-') {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    arena = arena_create(SETTINGS_MEMORY);
    if (!arena)
        return EXIT_DATABASE;
    status = run(arena, verify, argc - first, argv + first);
    arena_destroy(arena);
    return status;
}
