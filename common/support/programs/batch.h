/*
 * Harness of a batch program: a table of options, settings, the database, the metrics of the stack,
 * a lock, and one JSON object on standard output.
 */
#ifndef ASSAY_SUPPORT_PROGRAMS_BATCH_H
#define ASSAY_SUPPORT_PROGRAMS_BATCH_H

#include "base/schema.h"
#include "support/metrics.h"
#include "support/store.h"

/* One option: a flag, a text or an integer. A positional option has no name on the command line;
 * only the help shows its name. */
struct batch_option {
    const char *name;  /* "--tenant" */
    const char *other; /* an alias; may be NULL */
    const char *help;
    bool *flag;
    const char **text;
    const char *const *choices; /* allowed texts, NULL at the end; NULL = any */
    int64_t *moment; /* the text is a time, as microseconds; "2026-04-22" means midnight */
    int64_t *integer;
    int64_t least, most; /* range of the integer */
    bool positional, required;
};

struct batch_program {
    const char *name;
    struct arena *arena;
    struct support_settings settings;
    struct store *store;
    struct db *db;
    struct metrics *metrics; /* NULL without a stack */
    struct problem problem;
    void *context; /* of the plan */
};

struct batch_plan {
    const char *name, *summary;
    const struct batch_option *options;
    size_t option_count;
    bool locks;    /* if another copy is running, prints {"status":"busy"} and exits with 0 */
    int failed;    /* exit code for errors of the settings or the database */
    size_t memory; /* bytes; 0 = 64 MiB */
    int (*run)(struct batch_program *program);
    void *context;
};

/* The whole of main(): exit code 0 for --help, 2 for an invalid command line. */
int batch_main(int argc, char **argv, const struct batch_plan *plan);

/* Prints the error on standard error and returns `code`. */
int batch_fail(const struct batch_program *program, int code);

/* Prints the number of finished cases on standard error; as of `on_case` of struct
 * regression_tools. */
enum error batch_report_cases(void *context, int64_t done, int64_t of, struct problem *problem);

/* Prints the result object on standard output. */
void batch_print(struct batch_program *program, const struct schema *schema, const void *object);

/* Appends text to Markdown, on one line and escaped so that it starts no heading, list or table. */
void batch_append_line(struct text *text, const char *words);

/* A time in the format of the contract: a zero fraction is omitted, `+00:00` at the end. */
const char *batch_time(struct arena *arena, int64_t microseconds);

#endif
