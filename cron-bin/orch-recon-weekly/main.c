/* Detects changes of the web provider's start page: opens it in Chromium and compares it with the
 * first recording. Prints one JSON object. In the state directory are selectors-baseline.json
 * (remove it to accept a change), selectors-latest.json and, while they differ, selectors-
 * drift.flag; each change is a line of logs/recon-drift.jsonl. `--help` lists the options and
 * exit codes. */
#include "orchestrator/browser/alone.h"
#include "orchestrator/browser/page_drift.h"

#include "base/clock.h"
#include "base/string_list.h"
#include "orchestrator/snapshot/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_SAME, EXIT_DRIFT, EXIT_WRONG, EXIT_NOT_CAPTURED };
enum { SNAPSHOT_BYTES = 1 << 16, SNAPSHOT_DEPTH = 6 };

static const char help[] =
    "usage: orch-recon-weekly [--profile-dir DIR] [--base-url URL]\n"
    "                         [--channel PROGRAM]\n"
    "\n"
    "Detects changes of the web provider's start page: opens it in Chromium and\n"
    "compares it with the first recording. Prints one JSON object. In the state\n"
    "directory are selectors-baseline.json (remove it to accept a change),\n"
    "selectors-latest.json and, while they differ, selectors-drift.flag; each change is\n"
    "a line of logs/recon-drift.jsonl.\n"
    "\n"
    "Exit codes: 0 no change; 1 a change; 2 there is no profile, or the command line or\n"
    "the settings are wrong; 3 the page could not be read.\n";
static const char log_folder[] = "logs", log_file[] = "logs/recon-drift.jsonl";

static void report(const char *stage)
{
    fprintf(stderr, "orch-recon-weekly: %s\n", stage);
}

static const char *in_state(struct tool *tool, const char *name)
{
    const char *folder = tool->settings.state_directory;

    return arena_print(tool->arena, "%s/%s", folder && *folder ? folder : "state", name);
}

/* Captures the page, as text from the tool's arena; ends the browser. */
static enum driver_error capture_page(struct tool *tool, struct text *seen)
{
    struct json_writer writer;
    struct driver driver;
    enum driver_error failure;

    if (driver_start_alone(&driver, &tool->settings, &tool->problem))
        return DRIVER_UNAVAILABLE;
    text_start(seen, tool->arena, SNAPSHOT_BYTES);
    writer_start(&writer, seen);
    failure = page_capture(&driver, report, &writer);
    if (failure)
        (void)problem_set(&tool->problem, ERROR_UNAVAILABLE, "recon_failed", "%s", driver.message);
    driver_stop_alone(&driver);
    return failure;
}

/* The drift for the log, and for the program's summary. */
struct drift_report {
    const char *status, *baseline;
    int64_t ts;
    struct page_drift drift;
};

#define OWNER struct drift_report
#define DRIFT_ROWS                                                                                 \
    TOOL_ROW(OWNER, "added", FIELD_STRINGS, drift.added, struct string_list),                      \
        TOOL_ROW(OWNER, "removed", FIELD_STRINGS, drift.removed, struct string_list),              \
        TOOL_ROW(OWNER, "changed", FIELD_STRINGS, drift.changed, struct string_list)
static const struct field line_fields[] = {TIME(OWNER, ts), DRIFT_ROWS};
static SCHEMA(line_schema, struct drift_report, "DriftLine", line_fields);

static const struct field summary_fields[] = {STRING(OWNER, status), STRING(OWNER, baseline),
                                              DRIFT_ROWS};
#undef DRIFT_ROWS
#undef OWNER
static SCHEMA(summary_schema, struct drift_report, "DriftSummary", summary_fields);

/* Appends one line with one write, so that lines of two programs do not mix. */
static bool append_line(const struct text *line)
{
    int file;
    bool good;

    if (mkdir(log_folder, 0750) != 0 && errno != EEXIST)
        return false;
    file = open(log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    good = file >= 0 && write(file, line->bytes, line->length) == (ssize_t)line->length;
    if (file >= 0)
        close(file);
    return good;
}

static enum error keep_drift(struct tool *tool, const struct page_drift *drift)
{
    const struct drift_report report = {.ts = clock_unix_microseconds(), .drift = *drift};
    struct json_writer writer;
    struct text line;
    enum error error;

    text_start(&line, tool->arena, SNAPSHOT_BYTES);
    writer_start(&writer, &line);
    schema_write(&writer, &line_schema, &report);
    error = tool_write(tool, in_state(tool, "selectors-drift.flag"), &line); /* ends the line */
    if (!error && !append_line(&line))
        error = problem_set(&tool->problem, ERROR_SYSTEM, "log_not_written", "%s: %s", log_file,
                            strerror(errno));
    return error;
}

static void print_end(struct tool *tool, const char *status, const struct page_drift *drift)
{
    tool_print(tool, &summary_schema,
               &(struct drift_report){.status = status,
                                      .baseline = in_state(tool, "selectors-baseline.json"),
                                      .drift = *drift});
}

static enum error write_snapshot(struct tool *tool, const char *name, const json_t *snapshot)
{
    struct text text;

    text_start(&text, tool->arena, SNAPSHOT_BYTES * 2);
    canonical_write(&text, snapshot, 2);
    return tool_write(tool, in_state(tool, name), &text);
}

/* The first capture is the baseline, and so is one after an unreadable baseline. */
static int compare(struct tool *tool, const json_t *seen)
{
    struct page_drift drift = {0};
    struct problem unreadable = {0};
    struct site site = {0};
    json_t *before = NULL;
    enum error error = write_snapshot(tool, "selectors-latest.json", seen);
    bool first = json_read_file(tool->arena, in_state(tool, "selectors-baseline.json"), &before,
                                &unreadable) ||
                 !json_is_object(before);

    if (!error)
        error =
            site_load(tool->arena, tool->settings.browser_site_directory, &site, &tool->problem);
    if (!error && first)
        error = write_snapshot(tool, "selectors-baseline.json", seen);
    if (!error && !first && page_compare(tool->arena, &site, before, seen, &drift)) {
        error = keep_drift(tool, &drift);
        if (!error) {
            print_end(tool, "drift", &drift);
            return EXIT_DRIFT;
        }
    }
    if (!error && unlink(in_state(tool, "selectors-drift.flag")) != 0 && errno != ENOENT)
        error = problem_set(&tool->problem, ERROR_SYSTEM, "flag_stays", "%s", strerror(errno));
    if (error)
        return tool_fail(tool, tool->problem.text);
    print_end(tool, first ? "baseline" : "same", &drift);
    return EXIT_SAME;
}

static int watch(struct tool *tool)
{
    struct json_fault fault;
    struct text seen;
    json_t *document;

    if (tool_use_profile(tool, true))
        return tool_fail(tool, tool->problem.text);
    if (capture_page(tool, &seen) ||
        json_read(tool->arena, seen.bytes, seen.length, SNAPSHOT_DEPTH, &document, &fault)) {
        (void)tool_fail(tool, tool->problem.text);
        return EXIT_NOT_CAPTURED;
    }
    return compare(tool, document);
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, watch);
}
