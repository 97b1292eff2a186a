/*
 * The frame of a batch program: a table of options, settings, the database, the metrics of the
 * stack, a lock, and one JSON object on standard output.
 */
#ifndef ASSAY_SUPPORT_PROGRAMS_BATCH_H
#define ASSAY_SUPPORT_PROGRAMS_BATCH_H

#include "base/schema.h"
#include "support/metrics.h"
#include "support/store.h"

/* One option: a flag, a text or a whole number. A positional one stands on the line without its
 * name, which the help alone uses. */
struct batch_option {
    const char *name;  /* "--tenant" */
    const char *other; /* another name of the same, in its place; may be NULL */
    const char *help;
    bool *flag;
    const char **text;
    const char *const *choices; /* of the text, NULL at the end; NULL = any */
    int64_t *moment;            /* of the text: microseconds; "2026-04-22" is its midnight */
    int64_t *integer;
    int64_t least, most; /* of the integer */
    bool positional, required;
};

struct batch_program {
    const char *name;
    struct arena *arena;
    struct support_settings settings;
    struct store *store;
    struct db *db;
    struct metrics *metrics; /* NULL where no stack is */
    struct problem problem;
    void *context; /* the plan's */
};

struct batch_plan {
    const char *name, *summary;
    const struct batch_option *options;
    size_t option_count;
    bool locks;    /* a second copy says {"status":"busy"} and exits with 0 */
    int failed;    /* exit code when settings or the database are of no use */
    size_t memory; /* bytes; 0 = 64 MiB */
    int (*run)(struct batch_program *program);
    void *context;
};

/* The whole of main(): exit code 0 for --help, 2 for a command line that is wrong. */
int batch_main(int argc, char **argv, const struct batch_plan *plan);

/* Says on standard error what went wrong and gives `code` back. */
int batch_fail(const struct batch_program *program, int code);

/* Says on standard error how many cases are done; as of `on_case` of struct regression_tools. */
enum error batch_report_cases(void *context, int64_t done, int64_t of, struct problem *problem);

/* Prints the one object on standard output. */
void batch_print(struct batch_program *program, const struct schema *schema, const void *object);

/* Appends words to a text in Markdown, on one line and unable to open a heading, a list or a table.
 */
void batch_append_line(struct text *text, const char *words);

/* A time as contract says it: without a fraction that is zero, `+00:00` behind it. */
const char *batch_time(struct arena *arena, int64_t microseconds);

#endif
