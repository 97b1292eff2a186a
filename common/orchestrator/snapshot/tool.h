/* Common parts of the operators' programs: arguments, the selected store, files, and the result as
 * one JSON object. */
#ifndef ASSAY_ORCHESTRATOR_SNAPSHOT_TOOL_H
#define ASSAY_ORCHESTRATOR_SNAPSHOT_TOOL_H

#include "orchestrator/snapshot/snapshot.h"
#include "orchestrator/storage/store.h"

enum { TOOL_OK, TOOL_PARTIAL, TOOL_FAILED, TOOL_MEMORY = 1 << 30 };

struct tool {
    struct arena *arena;
    struct orchestrator_settings settings;
    struct store *store; /* NULL until opened */
    struct db *db;
    struct problem problem;

    const char *dsn, *db_path, *input, *output, *profile_dir, *output_dir;
    const char *base_url, *pattern, *prompt, *attachment, *tag;
    struct string_list task_ids;
    int64_t limit, seconds; /* 0 = absent */
    bool dry_run, allow_degraded_schema, no_bootstrap, pauses;
    int64_t next_report_at; /* of tool_report_progress(), monotonic microseconds */
    const char *read;       /* the decompressed snapshot that tool_read() returned */
    size_t read_length;
};

/* main() of such a program: parses the arguments by `help` (base/help.h), whose usage lists every
 * allowed option, runs the work, and returns its exit code. `needs_input`: --input is required.
 * Invalid arguments print the usage on standard error; running out of memory is an ordinary
 * failure. */
int tool_run(int argc, char **argv, const char *help, bool needs_input,
             int (*work)(struct tool *tool));

/* Opens the store of --dsn, --db or the settings; `bootstrap` brings its schema up to date. */
MUST_CHECK enum error tool_open(struct tool *tool, bool bootstrap);
const char *tool_backend(const struct tool *tool);

/* Reloads the settings for the profile of --profile-dir (else ORCH_BROWSER_PROFILE_DIR) and the
 * page of --base-url. `exists`: the directory must exist. */
MUST_CHECK enum error tool_use_profile(struct tool *tool, bool exists);

/* Prints `{"status":"error","error":...}` and returns TOOL_FAILED. */
int tool_fail(struct tool *tool, const char *error);

/* Prints an object with sorted keys, indented by two blanks per level. */
void tool_print(struct tool *tool, const struct schema *schema, const void *object);

/* Reads the snapshot of --input. */
MUST_CHECK enum error tool_read(struct tool *tool, json_t **snapshot, int64_t *size);

/* As tool_fail(), with the file and the line of the invalid member. */
int tool_fail_at(struct tool *tool, const char *blamed, const char *error);

/* Whether a file of that name is compressed with gzip. */
bool tool_is_packed(const char *path);

/* Writes a temporary file, then renames it. `text` receives a final line feed, and is compressed
 * when the path ends with .gz; afterwards it equals the file. */
MUST_CHECK enum error tool_write(struct tool *tool, const char *path, struct text *text);

/* Reports progress on standard error, once a second. The context is a struct tool. */
void tool_report_progress(void *context, const char *what, size_t done, size_t all);

/* A row of a summary whose JSON member and struct member have different names. */
#define TOOL_ROW(owner, key, field_type, member, member_type)                                      \
    {                                                                                              \
        .name = (key), .type = (field_type), .nullable = (field_type) == FIELD_STRING,             \
        .offset = FIELD_OFFSET(owner, member, member_type)                                         \
    }
#define TOOL_TEXT(owner, key, member) TOOL_ROW(owner, key, FIELD_STRING, member, const char *)
#define TOOL_COUNT(owner, key, member) TOOL_ROW(owner, key, FIELD_INTEGER, member, int64_t)

/* The rows of the checks in a summary, for a struct with the member `checks`. */
#define CHECK_ROWS(owner, prefix, consistency)                                                     \
    TOOL_TEXT(owner, prefix "manifest_status", checks.manifest),                                   \
        TOOL_TEXT(owner, prefix "selection_status", checks.selection),                             \
        TOOL_TEXT(owner, prefix "task_count_status", checks.task_count),                           \
        TOOL_TEXT(owner, prefix "step_count_status", checks.step_count),                           \
        TOOL_TEXT(owner, prefix "event_count_status", checks.event_count),                         \
        TOOL_TEXT(owner, prefix "exported_task_ids_status", checks.exported_task_ids),             \
        TOOL_TEXT(owner, prefix "missing_task_ids_status", checks.missing_task_ids),               \
        TOOL_TEXT(owner, prefix "checksum_status", checks.checksum),                               \
        TOOL_TEXT(owner, prefix "format_status", checks.format),                                   \
        TOOL_TEXT(owner, prefix "migration_status", checks.migration),                             \
        TOOL_TEXT(owner, consistency, checks.status_consistency),                                  \
        TOOL_ROW(owner, prefix "import_ready", FIELD_BOOLEAN, checks.import_ready, bool),          \
        TOOL_COUNT(owner, prefix "task_count", checks.tasks),                                      \
        TOOL_COUNT(owner, prefix "step_count", checks.steps),                                      \
        TOOL_COUNT(owner, prefix "event_count", checks.events)

#endif
