/*
 * Harness of the support service's daemons, which run once when started manually: command line,
 * settings, store, metrics and iterations. The next start recovers jobs whose worker has died
 * (jobs/runner.h).
 */
#ifndef ASSAY_SUPPORT_PROGRAMS_DAEMON_H
#define ASSAY_SUPPORT_PROGRAMS_DAEMON_H

#include "support/metrics.h"
#include "support/store.h"

struct daemon_program {
    const char *name;
    struct arena *arena; /* lives as long as the program */
    struct arena *job;   /* of an iteration, reset after it */
    struct support_settings settings;
    struct store *store;
    struct metrics *metrics;   /* of a plan with metrics; NULL without a stack */
    const char *run_directory; /* the same */
    struct problem problem;
    bool stays;    /* started with --every SECONDS */
    bool mode;     /* started with the plan's own option */
    bool due;      /* started with --due */
    void *context; /* the plan's state */
    double every;
    bool has_duty; /* false = iterations do nothing and do not open the store */
};

struct daemon_plan {
    const char *name;
    const char *help;  /* base/help.h */
    const char *mode;  /* an additional option such as --dry-run; NULL = none */
    bool knows_due;    /* it has --due: once, and only what is due by the settings */
    bool counts;       /* it exports metrics */
    bool forks;        /* its processes call runner_start() themselves */
    size_t memory;     /* bytes, of each arena */
    int failed, usage; /* exit codes: for settings and the store, for the command line */
    bool (*has_duty)(
        const struct daemon_program *program); /* enabled by the settings; NULL = always */
    int (*run)(struct daemon_program *program);
    void *context;
};

/* The whole of main(): exit code 0 for --help. */
int daemon_main(int argc, char **argv, const struct daemon_plan *plan);

/* One iteration, with the database connected and the leases of dead processes ended. Sets *more
 * when the next one is to follow at once. */
typedef enum error daemon_iteration(struct daemon_program *program, struct db *db, bool *more);

/* Runs iterations until a signal asks the program to stop; a program that is no daemon ends when
 * there is nothing to do or one fails. Failures are logged as `event`, a repeated one once; the
 * last one is returned. */
enum error daemon_loop(struct daemon_program *program, daemon_iteration *round, const char *event);

/* Prints the error on standard error and returns `code`. */
int daemon_fail(const struct daemon_program *program, int code);

#endif
