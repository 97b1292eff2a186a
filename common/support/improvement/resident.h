/*
 * The programs of the support service that stay beside its pools, and do the same once when they
 * are started by hand: one frame of command line, settings, store, counters and rounds. What dies
 * with a lease in hand is taken up by the next start (jobs/runner.h).
 */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_RESIDENT_H
#define ASSAY_SUPPORT_IMPROVEMENT_RESIDENT_H

#include "support/figures.h"
#include "support/store.h"

struct resident {
    const char *name;
    struct arena *arena; /* as long as the program */
    struct arena *job;   /* of a round, emptied behind it */
    struct support_settings settings;
    struct store *store;
    struct metrics *metrics;   /* of a plan that counts; NULL where no stack is */
    const char *run_directory; /* the same */
    struct problem problem;
    bool stays;    /* started with --every SECONDS */
    bool mode;     /* with the plan's word */
    void *context; /* the plan's */
    double every;
    bool has_duty; /* without one its rounds do nothing, the store included */
};

struct resident_plan {
    const char *name;
    const char *mode;  /* an option of its own, such as --dry-run; NULL = there is none */
    bool counts;       /* it has figures for /metrics */
    bool forks;        /* its processes call runner_start() themselves */
    size_t memory;     /* bytes, of each arena */
    int failed, usage; /* exit codes: of settings and the store, of the command line */
    bool (*has_duty)(const struct resident *program); /* by the settings; NULL = it has */
    int (*run)(struct resident *program);
    void *context;
};

/* The whole of main(): exit code 0 for --help. */
int resident_main(int argc, char **argv, const struct resident_plan *plan);

/* One round: the database is at hand, and leases of those that died are over. Says in `more`
 * whether the next one is to follow at once. */
typedef enum error resident_round(struct resident *program, struct db *db, bool *more);

/* Rounds until told to stop, or, where the program does not stay, until there is nothing to do or
 * one fails. Failures are logged as `event`, the same one in a row once; the last one is returned.
 */
enum error resident_rounds(struct resident *program, resident_round *round, const char *event);

/* Says on standard error what went wrong and gives `code` back. */
int resident_fail(const struct resident *program, int code);

#endif
