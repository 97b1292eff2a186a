/* Moves the originals of documents to where the settings of the support service say, or checks
 * them. `--help` lists the options and exit codes. */
#include "base/schema.h"
#include "support/documents/originals.h"
#include "support/programs/daemon.h"

#include <stdio.h>

static const char help[] =
    "usage: support-blobs [--check]\n"
    "\n"
    "Moves the originals of documents to where SUPPORT_BLOB_URL says: out of the files\n"
    "of this host, out of the database, or out of the bucket of SUPPORT_BLOB_URL_BEFORE.\n"
    "The service may run meanwhile. A run that was interrupted is continued by the\n"
    "next. With several hosts it is run on each, for its own files. Prints the counts\n"
    "as JSON.\n"
    "\n"
    "  --check  Fetch every original and compare it with its document; move nothing.\n"
    "\n"
    "Exit codes: 0 done; 1 failed; 2 the command line is wrong; 3 some originals are\n"
    "missing, or could not be moved.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_MISSING };
enum { MEMORY_MAX = 64 * 1024 * 1024, OUTPUT_MAX = 4096 };

#define OWNER struct originals_counts
static const struct field output_fields[] = {
    INTEGER(OWNER, documents),
    INTEGER(OWNER, moved),
    INTEGER(OWNER, failed),
    INTEGER(OWNER, missing),
};
#undef OWNER
static SCHEMA(output_schema, struct originals_counts, "Originals", output_fields);

static enum error run_once(struct daemon_program *program, struct db *db, bool *more)
{
    struct originals_counts *counts = program->context;

    *more = false;
    return program->mode
               ? originals_check(db, program->job, &program->settings, counts, &program->problem)
               : originals_move(db, program->job, &program->settings, counts, &program->problem);
}

static int run(struct daemon_program *program)
{
    struct originals_counts counts = {0};

    program->context = &counts;
    if (daemon_loop(program, run_once, "originals_not_moved"))
        return daemon_fail(program, EXIT_FAILED);
    printf("%s\n", schema_json(program->arena, OUTPUT_MAX, &output_schema, &counts));
    return counts.failed || counts.missing ? EXIT_MISSING : EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct daemon_plan plan = {.name = "support-blobs",
                                     .help = help,
                                     .mode = "--check",
                                     .memory = MEMORY_MAX,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .run = run};

    return daemon_main(argc, argv, &plan);
}
