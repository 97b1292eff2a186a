/* Command line, signals and main loop of a program that runs once or repeatedly. */
#include "jobs/main_loop.h"

#include "base/help.h"
#include "base/number.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { EXIT_DONE, EXIT_NO_MEMORY, EXIT_USAGE };
enum { SETTINGS_MEMORY = 4 << 20 };

static const double every_least = 0.01, every_most = 86400;

static volatile sig_atomic_t must_stop;

static void stop(int signal)
{
    (void)signal;
    must_stop = 1;
}

bool main_loop_must_stop(void)
{
    return must_stop != 0;
}

bool main_loop_arguments(int argc, char **argv, const char *help, double *every)
{
    *every = 0;
    if (argc == 1)
        return true;
    if (argc == 3 && strcmp(argv[1], "--every") == 0 && number_parse(argv[2], every) &&
        *every >= every_least && *every <= every_most)
        return true;
    help_print_usage(help);
    return false;
}

/* Until the time is over or a signal arrives. */
static void wait_for(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds,
                             .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    nanosleep(&pause, NULL);
}

void main_loop_run(double every, bool (*run)(void *context), void *context)
{
    struct sigaction action = {.sa_handler = stop};

    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    do {
        bool busy = run(context);

        if (!busy && every > 0 && !must_stop)
            wait_for(every);
    } while (every > 0 && !must_stop);
}

int main_loop_main(int argc, char **argv, const char *help,
                   int (*run)(struct arena *arena, double every))
{
    struct arena *arena;
    double every;
    int status = EXIT_NO_MEMORY;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &every) || every <= 0)
        return EXIT_USAGE;
    arena = arena_create(SETTINGS_MEMORY);
    if (arena)
        status = run(arena, every);
    arena_destroy(arena);
    return status;
}
