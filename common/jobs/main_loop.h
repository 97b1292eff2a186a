/*
 * Main loop of the programs of cron-bin. A program does what is due and ends. With `--every
 * SECONDS` it repeats that until it receives SIGTERM or SIGINT, also between two jobs.
 */
#ifndef ASSAY_JOBS_MAIN_LOOP_H
#define ASSAY_JOBS_MAIN_LOOP_H

#include "base/arena.h"

#include <stdbool.h>

/* Reads the command line. `every` is 0 for a single run. False, after printing the usage of
 * `help` (base/help.h), when there is anything else on it, or seconds that are not between 0.01 and
 * 86400. */
bool main_loop_arguments(int argc, char **argv, const char *help, double *every);

/* The main function of a program that only repeats: `run` gets an arena for its settings (4 MiB).
 * Returns what `run` returns, 0 after printing the help, 1 without memory, 2 when the command line
 * is wrong or names no seconds. */
int main_loop_main(int argc, char **argv, const char *help,
                   int (*run)(struct arena *arena, double every));

/* Calls `run` once, or again and again until the program is asked to stop. `run` returns whether
 * there was anything to do: the next call follows at once if so, else after `every` seconds. `run`
 * logs its own failures. */
void main_loop_run(double every, bool (*run)(void *context), void *context);

/* Whether a signal has asked the program to end. main_loop_run() installs the handlers. */
bool main_loop_must_stop(void);

#endif
