/* Common parts of the operators' programs. */
#include "orchestrator/snapshot/tool.h"

#include "base/clock.h"
#include "base/gunzip.h"
#include "base/gzip.h"
#include "base/help.h"
#include "base/log.h"
#include "base/number.h"
#include "base/string_list.h"
#include "crypto/crypto.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    IDS_MAX = 10000,
    DEFAULT_LIMIT = 100,
    PIECE_BYTES = 1 << 20,
    SECONDS_MOST = 86400,
    REPORT_INTERVAL_MICROSECONDS = 1000000
};

static void add_id(struct tool *tool, const char *id)
{
    if (tool->task_ids.count < IDS_MAX)
        string_list_add_new(&tool->task_ids, id);
}

/* Whether the usage, the first paragraph of the help, contains the option. */
static bool is_allowed(const char *option, const char *help)
{
    const char *at = strstr(help, option), *end = strstr(help, "\n\n");
    size_t length = strlen(option);

    return strncmp(option, "--", 2) == 0 && at && at < end &&
           (!at[length] || strchr(" ]\n", at[length]));
}

static bool take_flag(struct tool *tool, const char *option)
{
    if (strcmp(option, "--dry-run") == 0)
        tool->dry_run = true;
    else if (strcmp(option, "--allow-degraded-schema") == 0)
        tool->allow_degraded_schema = true;
    else if (strcmp(option, "--no-bootstrap") == 0)
        tool->no_bootstrap = true;
    else if (strcmp(option, "--interactive-pause") == 0)
        tool->pauses = true;
    else
        return false;
    return true;
}

static bool take_text(struct tool *tool, const char *option, const char *value)
{
    const struct {
        const char *option;
        const char **member;
    } texts[] = {{"--dsn", &tool->dsn},
                 {"--db", &tool->db_path},
                 {"--input", &tool->input},
                 {"--output", &tool->output},
                 {"--profile-dir", &tool->profile_dir},
                 {"--output-dir", &tool->output_dir},
                 {"--outdir", &tool->output_dir},
                 {"--base-url", &tool->base_url},
                 {"--pattern", &tool->pattern},
                 {"--prompt", &tool->prompt},
                 {"--attachment", &tool->attachment},
                 {"--tag", &tool->tag}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(option, texts[i].option) == 0) {
            *texts[i].member = value;
            return true;
        }
    return false;
}

static bool take_value(struct tool *tool, const char *option, const char *value)
{
    if (take_text(tool, option, value))
        return true;
    if (strcmp(option, "--channel") == 0)
        setenv("ORCH_BROWSER_CHANNEL", value, 1); /* read and validated with the settings */
    else if (strcmp(option, "--task-id") == 0)
        add_id(tool, value);
    else if (strcmp(option, "--limit") == 0)
        return integer_parse(value, &tool->limit) && tool->limit >= 1;
    else if (strcmp(option, "--timeout") == 0 || strcmp(option, "--timeout-seconds") == 0)
        return integer_parse(value, &tool->seconds) && tool->seconds >= 1 &&
               tool->seconds <= SECONDS_MOST;
    else
        return false;
    return true;
}

static bool start(struct tool *tool, int argc, char **argv, const char *help, bool needs_input)
{
    bool good = true;

    *tool = (struct tool){.arena = arena_create((size_t)TOOL_MEMORY), .limit = DEFAULT_LIMIT};
    log_open("assay.orchestrator", LOG_ERROR, LOG_PLAIN);
    if (!tool->arena)
        return false;
    tool->task_ids.items = ARENA_ARRAY(tool->arena, const char *, IDS_MAX);
    for (int i = 1; good && i < argc; i++) {
        good = is_allowed(argv[i], help);
        if (good && !take_flag(tool, argv[i])) {
            good = i + 1 < argc && take_value(tool, argv[i], argv[i + 1]);
            i++;
        }
    }
    good = good && (tool->input || !needs_input);
    if (!good)
        help_print_usage(help);
    if (good && (crypto_start(&tool->problem) ||
                 orchestrator_settings_load(&tool->settings, tool->arena, NULL, &tool->problem))) {
        fprintf(stderr, "%s\n", tool->problem.text);
        good = false;
    }
    return good;
}

const char *tool_backend(const struct tool *tool)
{
    return storage_backend_names[tool->settings.storage];
}

enum error tool_open(struct tool *tool, bool bootstrap)
{
    enum error error;

    if (tool->dsn) {
        tool->settings.storage = STORAGE_POSTGRES;
        tool->settings.db_dsn = tool->dsn;
    } else if (tool->db_path) {
        tool->settings.storage = STORAGE_SQLITE;
        tool->settings.db_path = tool->db_path;
    }
    if (tool->dsn || tool->db_path)
        tool->settings.state_directory =
            NULL; /* given explicitly: it may differ from the service's own */
    if (tool->settings.storage == STORAGE_MEMORY)
        return problem_set(&tool->problem, ERROR_INVALID, "no_store",
                           "A DSN is required: --dsn URL, --db FILE, ORCH_DB_DSN or ORCH_DB_PATH.");
    error =
        orchestrator_store_open(tool->arena, &tool->settings, NULL, &tool->store, &tool->problem);
    if (error)
        return error;
    if (bootstrap)
        return store_prepare(tool->store, &tool->db, &tool->problem);
    tool->db = store_handle(tool->store);
    return db_connect(tool->db, &tool->problem);
}

enum error tool_use_profile(struct tool *tool, bool exists)
{
    struct stat about;
    enum error error = ERROR_NONE;

    if (tool->profile_dir)
        setenv("ORCH_BROWSER_PROFILE_DIR", tool->profile_dir, 1);
    if (tool->base_url)
        setenv("ORCH_BROWSER_BASE_URL", tool->base_url, 1);
    if (tool->profile_dir || tool->base_url)
        error = orchestrator_settings_load(&tool->settings, tool->arena, NULL, &tool->problem);
    if (error)
        return error;
    tool->profile_dir = tool->settings.browser_profile_dir;
    if (!tool->profile_dir ||
        (exists && (stat(tool->profile_dir, &about) != 0 || !S_ISDIR(about.st_mode))))
        return problem_set(&tool->problem, ERROR_NOT_FOUND, "profile_missing",
                           "The directory of --profile-dir, or ORCH_BROWSER_PROFILE_DIR, is "
                           "missing.");
    return ERROR_NONE;
}

/* Sorting needs the object as a value first. */
void tool_print(struct tool *tool, const struct schema *schema, const void *object)
{
    const char *json = schema_json(tool->arena, SNAPSHOT_BYTES_MAX, schema, object);
    struct json_fault fault;
    struct text text;
    json_t *value;

    if (json_read(tool->arena, json, strlen(json), SNAPSHOT_DEPTH_MAX, &value, &fault))
        return;
    text_start(&text, tool->arena, SNAPSHOT_BYTES_MAX);
    canonical_write(&text, value, 2);
    printf("%s\n", text.bytes);
}

struct failure {
    const char *status, *error;
};

#define OWNER struct failure
static const struct field failure_fields[] = {STRING(OWNER, status), STRING(OWNER, error)};
#undef OWNER
static SCHEMA(failure_schema, struct failure, "ToolFailure", failure_fields);

int tool_fail(struct tool *tool, const char *error)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, tool->arena, 65536);
    writer_start(&writer, &text);
    writer.indent = 2;
    schema_write(&writer, &failure_schema, &(struct failure){"error", error});
    printf("%s\n", text.bytes);
    return TOOL_FAILED;
}

static char *read_whole(struct tool *tool, FILE *file, size_t size)
{
    char *bytes = arena_alloc(tool->arena, size + 1);

    return fread(bytes, 1, size, file) == size ? bytes : NULL;
}

bool tool_is_packed(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* Replaces the compressed content by the decompressed one. */
static enum error unpack(struct tool *tool, char **bytes, size_t *length)
{
    struct gunzip *gunzip = gunzip_start(tool->arena, *bytes, *length, SNAPSHOT_BYTES_MAX / 4);
    size_t count = 1;
    struct text text;
    enum error error = ERROR_NONE;

    text_start(&text, tool->arena, SNAPSHOT_BYTES_MAX / 4 + PIECE_BYTES + 1);
    while (!error && count) {
        char *room = text_extend(&text, PIECE_BYTES);

        if (!room)
            return problem_set(&tool->problem, ERROR_TOO_LARGE, "snapshot_unreadable",
                               "%s: too large", tool->input);
        error = gunzip_read(gunzip, room, PIECE_BYTES, &count, &tool->problem);
        text_extend_to(&text, room + (error ? 0 : count));
    }
    *bytes = text.bytes;
    *length = text.length;
    return error;
}

enum error tool_read(struct tool *tool, json_t **snapshot, int64_t *size)
{
    FILE *file = fopen(tool->input, "rbe");
    struct json_fault fault;
    struct stat status = {0};
    char *bytes = NULL;
    size_t length;

    *size = 0;
    if (!file || fstat(fileno(file), &status) != 0) {
        if (file)
            fclose(file);
        return problem_set(&tool->problem, ERROR_NOT_FOUND, "snapshot_missing", "%s: %s",
                           tool->input, strerror(errno));
    }
    *size = status.st_size;
    if (status.st_size < SNAPSHOT_BYTES_MAX / 4)
        bytes = read_whole(tool, file, (size_t)status.st_size);
    fclose(file);
    if (!bytes)
        return problem_set(&tool->problem, ERROR_TOO_LARGE, "snapshot_unreadable",
                           "%s: cannot be read, or too large", tool->input);
    length = (size_t)status.st_size;
    if (tool_is_packed(tool->input) && unpack(tool, &bytes, &length))
        return tool->problem.error;
    if (json_read(tool->arena, bytes, length, SNAPSHOT_DEPTH_MAX, snapshot, &fault))
        return problem_set(&tool->problem, ERROR_MALFORMED, "snapshot_malformed",
                           "%s: %s at byte %zu", tool->input, fault.text, fault.offset);
    if (!json_is_object(*snapshot))
        return problem_set(&tool->problem, ERROR_MALFORMED, "snapshot_malformed",
                           "%s: not an object", tool->input);
    tool->read = bytes;
    tool->read_length = length;
    return ERROR_NONE;
}

int tool_fail_at(struct tool *tool, const char *blamed, const char *error)
{
    return tool_fail(tool, arena_print(tool->arena, "%s:%zu: %s", tool->input,
                                       json_line_of(tool->read, tool->read_length, blamed), error));
}

/* Creates missing folders of a path. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)!mkdir(path, 0750);
        *slash = '/';
    }
}

enum error tool_write(struct tool *tool, const char *path, struct text *text)
{
    char *temporary = arena_print(tool->arena, "%s.part", path);
    struct text packed;
    FILE *file;
    bool good;

    text_append_byte(text, '\n');
    if (tool_is_packed(path)) {
        text_start(&packed, tool->arena, SNAPSHOT_BYTES_MAX);
        gzip_append(&packed, text->bytes, text->length);
        *text = packed;
    }
    make_folders(temporary);
    file = fopen(temporary, "wbe");
    good = file && fwrite(text->bytes, 1, text->length, file) == text->length &&
           fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file && fclose(file) != 0)
        good = false;
    if (good && rename(temporary, path) == 0)
        return ERROR_NONE;
    (void)!unlink(temporary);
    return problem_set(&tool->problem, ERROR_SYSTEM, "snapshot_not_written", "%s: %s", path,
                       strerror(errno));
}

void tool_report_progress(void *context, const char *what, size_t done, size_t all)
{
    struct tool *tool = context;
    int64_t now = clock_monotonic_microseconds();

    if (!tool->next_report_at)
        tool->next_report_at = now + REPORT_INTERVAL_MICROSECONDS;
    if (now < tool->next_report_at)
        return;
    tool->next_report_at = now + REPORT_INTERVAL_MICROSECONDS;
    fprintf(stderr, "%s: %zu of %zu tasks\n", what, done, all);
}

int tool_run(int argc, char **argv, const char *help, bool needs_input,
             int (*work)(struct tool *tool))
{
    static struct tool tool; /* outlives a longjmp */
    jmp_buf exhausted;
    int status;

    if (help_given(argc, argv, help))
        return TOOL_OK;
    if (!start(&tool, argc, argv, help, needs_input)) {
        arena_destroy(tool.arena);
        return TOOL_FAILED;
    }
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(tool.arena, &exhausted);
        status = work(&tool);
        if (tool.store)
            store_close(tool.store);
    } else {
        arena_reset(tool.arena);
        status = tool_fail(&tool, "It takes more memory than this program has.");
    }
    arena_destroy(tool.arena);
    return status;
}
