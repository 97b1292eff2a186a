/* What the commands of `ingest` for folders and for sites have in common: the parts that they open,
 * and their exit codes. */
#ifndef ASSAY_SUPPORT_SOURCES_PROGRAM_H
#define ASSAY_SUPPORT_SOURCES_PROGRAM_H

#include "support/models/models.h"
#include "support/programs/open.h"

enum { SOURCES_DONE, SOURCES_FAILED, SOURCES_USAGE, SOURCES_REFUSED };

struct source_program {
    const char *tenant, *groups; /* of the command line, with their defaults */
    struct arena *arena;         /* of the whole run */
    struct support_settings settings;
    struct string_list new_groups; /* of new documents */
    struct store *store;
    struct metrics *metrics;
    struct models *models; /* NULL = none writes contexts */
    struct arena *work;    /* of one document */
    struct problem problem;
};

/* False when out of memory. */
bool source_program_start(struct source_program *program);

/* Opens the rest; after an error it has printed it and returns false. */
bool source_program_open(struct source_program *program);

/* Prints the problem; returns SOURCES_FAILED. */
int source_program_fail(const struct source_program *program);

/* Closes what is open; returns the exit code. */
int source_program_end(struct source_program *program, int status);

#endif
