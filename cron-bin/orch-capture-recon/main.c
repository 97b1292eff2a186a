/* Captures the page of the web provider, to repair web-provider.json: screenshots, the document,
 * buttons, the model list, and with --prompt an answer. Prints one JSON object. Files named recon-*
 * are replaced. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "orchestrator/browser/alone.h"
#include "orchestrator/snapshot/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_BYTES = 64 << 20, END_BYTES = 1 << 20, FILES_MAX = 32, DEFAULT_SECONDS = 60 };

static const char help[] =
    "usage: orch-capture-recon [--profile-dir DIR] [--base-url URL]\n"
    "                          [--channel PROGRAM] [--output-dir DIR]\n"
    "                          [--prompt TEXT] [--timeout-seconds N]\n"
    "                          [--interactive-pause]\n"
    "\n"
    "Records what the page of the web provider looks like, to repair\n"
    "web-provider.json: screenshots, the document, buttons, the model list, and with\n"
    "--prompt an answer. Prints one JSON object. Files named recon-* are replaced.\n"
    "\n"
    "  --output-dir DIR     Where the files go (ORCH_BROWSER_RECON_DIR, else\n"
    "                       tmp/browser-recon/DATE).\n"
    "  --prompt TEXT        Send this prompt and record the answer.\n"
    "  --timeout-seconds N  How long to wait for a page or an answer (60).\n"
    "  --interactive-pause  Wait for Enter before the end and record the page again.\n"
    "\n"
    "Exit codes: 0 done; 2 the page could not be read, or the command line or the\n"
    "settings are wrong.\n";

struct capture {
    struct tool *tool;
    struct driver driver;
    const char *folder;
    struct string_list files; /* names of the written files */
};

static void report(const char *what)
{
    fprintf(stderr, "orch-capture-recon: %s\n", what);
}

static const char *path_of(struct capture *capture, const char *name)
{
    return arena_print(capture->tool->arena, "%s/recon-%s", capture->folder, name);
}

static void note(struct capture *capture, const char *name)
{
    capture->files.items[capture->files.count++] =
        arena_print(capture->tool->arena, "recon-%s", name);
}

static enum driver_error keep(struct capture *capture, const char *name, struct text *text)
{
    if (text->overflowed || tool_write(capture->tool, path_of(capture, name), text))
        return driver_fail(&capture->driver, DRIVER_OTHER_ERROR, "%s cannot be written",
                           path_of(capture, name));
    note(capture, name);
    return DRIVER_OK;
}

static enum driver_error keep_json(struct capture *capture, const char *name, const json_t *value)
{
    struct text text;

    text_start(&text, capture->tool->arena, PAGE_BYTES);
    canonical_write(&text, value, 2);
    return keep(capture, name, &text);
}

/* The result of the script: a text unchanged, everything else as JSON. */
static enum driver_error keep_answer(struct capture *capture, const char *name,
                                     const char *question)
{
    json_t *value = NULL;
    enum driver_error failure = driver_ask(&capture->driver, question, &value);
    struct text text;

    if (failure)
        return failure;
    if (!json_is_string(value))
        return keep_json(capture, name, value);
    text_start(&text, capture->tool->arena, PAGE_BYTES);
    text_append_string(&text, json_string_value(value));
    return keep(capture, name, &text);
}

static enum driver_error keep_picture(struct capture *capture, const char *name)
{
    struct driver *driver = &capture->driver;
    const char *path = path_of(capture, name);
    enum driver_error failure;

    (void)!unlink(path); /* of an earlier capture */
    failure = driver_outcome(
        driver, page_screenshot(driver->page, path,
                                driver_until(driver, driver->settings->browser_action_seconds)));
    if (!failure)
        note(capture, name);
    return failure;
}

static enum driver_error read_home(struct capture *capture, bool *has_model, bool *has_more)
{
    json_t *view = NULL;
    enum driver_error failure =
        keep_answer(capture, "01-composer.html", "{\"do\":\"html\",\"what\":\"composer\"}");

    if (!failure)
        failure = keep_picture(capture, "01-home.png");
    if (!failure)
        failure = driver_poll(&capture->driver, &view);
    if (failure)
        return failure;
    *has_model = json_is_string(json_object_get(view, "model"));
    *has_more = driver_flag(view, "more");
    return keep_json(capture, "01-buttons.json", json_object_get(view, "buttons"));
}

/* If no model button is visible, it may be behind "More". */
static enum driver_error read_behind_more(struct capture *capture, bool *has_model)
{
    json_t *view = NULL;
    bool clicked;
    enum driver_error failure = driver_click(&capture->driver, "more", NULL, 0, &clicked);

    if (!failure)
        failure = keep_picture(capture, "02-more.png");
    if (!failure)
        failure = driver_poll(&capture->driver, &view);
    if (failure)
        return failure;
    *has_model = json_is_string(json_object_get(view, "model"));
    return keep_json(capture, "02-buttons.json", json_object_get(view, "buttons"));
}

static enum driver_error read_model_menu(struct capture *capture)
{
    struct driver *driver = &capture->driver;
    struct selection selection = {.menu = "[]"};
    char first[DRIVER_LABEL_MAX];
    enum driver_error failure = driver_open_menu(driver, &selection, first);

    if (failure || !*first)
        return failure;
    failure = keep_picture(capture, "03-model-picker.png");
    if (!failure)
        failure = keep_answer(capture, "03-model-menu.json", "{\"do\":\"menu\"}");
    if (!failure)
        failure = keep_answer(capture, "03-model-menu-attrs.json", "{\"do\":\"attributes\"}");
    return failure ? failure : driver_dismiss_popups(driver);
}

static enum driver_error check_answer(struct capture *capture)
{
    struct driver *driver = &capture->driver;
    struct reading reading;
    enum driver_error failure = driver_submit(driver, capture->tool->prompt), kept;

    if (failure)
        return failure;
    failure = driver_wait_answer(driver, capture->tool->prompt, &reading);
    if (failure == DRIVER_TIMED_OUT) /* the state at the error is then the useful one */
        driver_begin_job(driver, driver->settings->browser_action_seconds);
    kept = keep_picture(capture, "04-response.png");
    if (!kept)
        kept = keep_answer(capture, "04-main.html", "{\"do\":\"html\",\"what\":\"main\"}");
    if (!kept)
        kept = keep_answer(capture, "04-response-candidates.json",
                           "{\"do\":\"answer\",\"most\":100000}");
    return kept ? kept : failure;
}

static enum driver_error check_by_hand(struct capture *capture)
{
    enum driver_error failure;

    report("make the page show what is of interest, then press Enter here");
    failure = driver_wait_for_line(&capture->driver);
    driver_begin_job(&capture->driver, DEFAULT_SECONDS);
    if (!failure)
        failure = keep_picture(capture, "98-manual.png");
    return failure ? failure
                   : keep_answer(capture, "98-manual.html", "{\"do\":\"html\",\"what\":\"page\"}");
}

static enum driver_error capture_page(struct capture *capture)
{
    struct driver *driver = &capture->driver;
    int64_t seconds = capture->tool->seconds ? capture->tool->seconds : DEFAULT_SECONDS;
    bool has_model = false, has_more = false;
    enum driver_error failure;

    report("starting the browser");
    driver_begin_job(driver, (double)seconds);
    failure = driver_ensure_session(driver);
    if (!failure)
        failure = driver_dismiss_popups(driver);
    if (!failure) {
        report("looking at the start page");
        failure = read_home(capture, &has_model, &has_more);
    }
    if (!failure && !has_model && has_more)
        failure = read_behind_more(capture, &has_model);
    if (!failure && has_model) {
        report("looking at the menu of models");
        failure = read_model_menu(capture);
    }
    if (!failure && capture->tool->prompt) {
        report("waiting for an answer");
        failure = check_answer(capture);
    }
    return failure || !capture->tool->pauses ? failure : check_by_hand(capture);
}

struct manifest {
    const char *status, *error; /* NULL = none */
    int64_t captured_at;
    const char *base_url, *output_dir;
    struct string_list files;
};

#define OWNER struct manifest
static const struct field manifest_fields[] = {
    STRING(OWNER, status),     STRING(OWNER, error, .omit_if_null = true),
    TIME(OWNER, captured_at),  STRING(OWNER, base_url, .nullable = true),
    STRING(OWNER, output_dir), STRINGS(OWNER, files),
};
#undef OWNER
static SCHEMA(manifest_schema, struct manifest, "CaptureManifest", manifest_fields);

static const char *folder_of(struct tool *tool)
{
    const char *folder = tool->output_dir ? tool->output_dir : getenv("ORCH_BROWSER_RECON_DIR");
    char now[CLOCK_TEXT_MAX];

    clock_format(clock_unix_microseconds(), now);
    return folder && *folder ? folder : arena_print(tool->arena, "tmp/browser-recon/%.10s", now);
}

static int capture_all(struct tool *tool)
{
    struct capture capture = {.tool = tool, .folder = folder_of(tool)};
    const char *error = NULL;
    enum driver_error failure;
    struct manifest manifest;
    struct text text;

    if (tool_use_profile(tool, true) ||
        driver_start_alone(&capture.driver, &tool->settings, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    capture.files.items = ARENA_ARRAY(tool->arena, const char *, FILES_MAX);
    failure = capture_page(&capture);
    if (failure)
        error = arena_copy_string(tool->arena, capture.driver.message);
    report("ending the browser");
    driver_stop_alone(&capture.driver);
    manifest = (struct manifest){.status = error ? "error" : "ok",
                                 .error = error,
                                 .captured_at = clock_unix_microseconds(),
                                 .base_url = tool->settings.browser_base_url,
                                 .output_dir = capture.folder,
                                 .files = capture.files};
    text_start(&text, tool->arena, END_BYTES);
    text_append_string(&text, schema_json(tool->arena, END_BYTES - 2, &manifest_schema, &manifest));
    if (capture.files.count && tool_write(tool, path_of(&capture, "99-manifest.json"), &text))
        return tool_fail(tool, tool->problem.text);
    tool_print(tool, &manifest_schema, &manifest);
    return error ? TOOL_FAILED : TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, capture_all);
}
