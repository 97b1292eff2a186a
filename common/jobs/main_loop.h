/*
 * Main loop of the programs of cron-bin. A program does what is due and ends. With `--every
 * SECONDS` it repeats that until it receives SIGTERM or SIGINT, also between two jobs.
 */
#ifndef ASSAY_JOBS_MAIN_LOOP_H
#define ASSAY_JOBS_MAIN_LOOP_H

#include <stdbool.h>

/* Reads the command line. `every` is 0 for a single run. False, after printing the usage of
 * `help` (base/help.h), when there is anything else on it, or seconds that are not between 0.01 and
 * 86400. */
bool main_loop_arguments(int argc, char **argv, const char *help, double *every);

/* Calls `run` once, or again and again until the program is asked to stop. `run` returns whether
 * there was anything to do: the next call follows at once if so, else after `every` seconds. `run`
 * logs its own failures. */
void main_loop_run(double every, bool (*run)(void *context), void *context);

/* Whether a signal has asked the program to end. main_loop_run() installs the handlers. */
bool main_loop_must_stop(void);

#endif
