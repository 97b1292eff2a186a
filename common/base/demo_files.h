/*
 * Files of the demonstration: config/demo/<language>/ beside the folder of migrations. Services
 * read their texts from there when their setting *_DEMO_LANGUAGE names a language.
 */
#ifndef ASSAY_BASE_DEMO_FILES_H
#define ASSAY_BASE_DEMO_FILES_H

#include "base/schema.h"

struct demo_files {
    const char *sql_directory;
    const char *language; /* "de" */
};

/* What amounts of the demonstration are in. */
struct demo_currency {
    const char *code; /* ISO 4217 */
    double scale;     /* of amounts that are written in euros or dollars */
    double step;      /* prices are multiples of it */
};

/* The path of a file of the language. From the arena. */
const char *demo_file_path(struct arena *arena, const struct demo_files *files, const char *name);

/* Reads a YAML file into the struct of `schema`. ERROR_INVALID `demo_language`, `demo_file` (which
 * names the member that is wrong), and the errors of yaml_read_file(). */
MUST_CHECK enum error demo_file_read(struct arena *arena, const struct demo_files *files,
                                     const char *name, const struct schema *schema, void *object,
                                     struct problem *problem);

/* The currency of the language, from currency.yaml. */
MUST_CHECK enum error demo_currency_read(struct arena *arena, const struct demo_files *files,
                                         struct demo_currency *currency, struct problem *problem);

/* An amount that is written in euros or dollars, in that currency. */
double demo_amount(const struct demo_currency *currency, double amount);

#endif
