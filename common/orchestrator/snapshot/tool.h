/* What the operators' programs have in common: arguments, the store that they mean, files, and one
 * JSON object as the answer. */
#ifndef ASSAY_ORCHESTRATOR_SNAPSHOT_TOOL_H
#define ASSAY_ORCHESTRATOR_SNAPSHOT_TOOL_H

#include "orchestrator/snapshot/snapshot.h"
#include "orchestrator/storage/store.h"

enum { TOOL_OK, TOOL_PARTIAL, TOOL_FAILED, TOOL_MEMORY = 1 << 30 };

struct tool {
    struct arena *arena;
    struct orchestrator_settings settings;
    struct store *store; /* once opened */
    struct db *db;
    struct problem problem;

    const char *dsn, *db_path, *input, *output;
    struct string_list task_ids;
    int64_t limit;
    bool dry_run, allow_degraded_schema, no_bootstrap;
};

/* Reads the arguments by `usage`, in which every option that is allowed stands as a word of its
 * own. False for wrong ones: usage is on standard error then. */
bool tool_start(struct tool *tool, int argc, char **argv, const char *usage);
int tool_end(struct tool *tool, int status);

/* Opens the store of --dsn, --db or the settings; `bootstrap` brings its schema up to date. */
MUST_CHECK enum error tool_open(struct tool *tool, bool bootstrap);
const char *tool_backend(const struct tool *tool);

/* Prints `{"status":"error","error":...}` and gives TOOL_FAILED. */
int tool_fail(struct tool *tool, const char *error);

/* Prints a JSON text with sorted keys, two blanks per level. */
void tool_print(struct tool *tool, const char *json);

/* The snapshot of --input. */
MUST_CHECK enum error tool_read(struct tool *tool, json_t **snapshot, int64_t *size);

/* Beside the file, then renamed. */
MUST_CHECK enum error tool_write(struct tool *tool, const char *path, const struct text *text);

/* The members that summaries take over from the checks, each with a prefix. */
void tool_write_checks(struct json_writer *writer, const struct snapshot_checks *checks,
                       const char *prefix);

#endif
