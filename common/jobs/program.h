/*
 * The life of a program of cron-bin: it does what is due and ends, or with `--every SECONDS` stays
 * and does so again and again until it is told to stop (SIGTERM, SIGINT), also between two jobs.
 */
#ifndef ASSAY_JOBS_PROGRAM_H
#define ASSAY_JOBS_PROGRAM_H

#include <stdbool.h>

/* Reads the command line. `every` is 0 for a single round. False, after printing the usage of
 * `help` (base/help.h), when there is anything else on it, or seconds that are not between 0.01 and
 * 86400. */
bool program_arguments(int argc, char **argv, const char *help, double *every);

/* Calls `round` once, or until stopped. It says whether there was anything to do: then the next one
 * follows at once, otherwise after `every` seconds. Repeated failures are the round's to log. */
void program_rounds(double every, bool (*round)(void *context), void *context);

/* Whether a signal has asked the program to end. Handlers are set by program_rounds(). */
bool program_must_stop(void);

#endif
