/* Creates a browser profile by running the browser without automation, for manual use. Waits until
 * it is closed and checks that no lock is left. Prints one JSON object. `--help` lists the options
 * and exit codes. */
#include "base/clock.h"
#include "browser/profile.h"
#include "orchestrator/snapshot/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64, END_BYTES = 65536, LOCK_SECONDS = 10, NOT_RUN = 127 };

static const char help[] =
    "usage: orch-bootstrap-profile [--profile-dir DIR] [--base-url URL]\n"
    "                              [--channel PROGRAM] [--dry-run]\n"
    "\n"
    "Creates a browser profile by running the browser as a person would, without\n"
    "automation. Waits until it is closed and checks that no lock is left. Prints one\n"
    "JSON object.\n"
    "\n"
    "  --profile-dir DIR  The profile (ORCH_BROWSER_PROFILE_DIR, else ./chrome-profile).\n"
    "  --dry-run          Print the command and run nothing.\n"
    "\n"
    "Exit codes: 0 done; 2 the browser failed or left a lock, or the command line or\n"
    "the settings are wrong.\n";

static struct string_list command_of(struct tool *tool)
{
    const struct orchestrator_settings *settings = &tool->settings;
    struct string_list words = {.items = ARENA_ARRAY(tool->arena, const char *, ARGUMENTS_MAX + 1)};

    words.items[words.count++] = settings->browser_channel;
    words.items[words.count++] = arena_print(tool->arena, "--user-data-dir=%s", tool->profile_dir);
    words.items[words.count++] = "--no-first-run";
    words.items[words.count++] = "--no-default-browser-check";
    if (settings->browser_headless)
        words.items[words.count++] = "--headless=new";
    for (size_t i = 0; i < settings->browser_arguments.count && words.count < ARGUMENTS_MAX - 1;
         i++)
        words.items[words.count++] = settings->browser_arguments.items[i];
    if (settings->browser_base_url)
        words.items[words.count++] = settings->browser_base_url;
    return words;
}

/* The exit status of the browser, NOT_RUN when there is none. */
static int run_browser(const struct string_list *words)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        execvp(words->items[0], (char *const *)(uintptr_t)words->items);
        _exit(NOT_RUN);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : NOT_RUN;
}

/* A lock without an owner is ignored; it disappears shortly after. */
static bool becomes_free(struct tool *tool)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    int64_t until = clock_monotonic_microseconds() + LOCK_SECONDS * INT64_C(1000000);

    while (profile_check_free(tool->profile_dir, &tool->problem)) {
        if (clock_monotonic_microseconds() >= until)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

struct summary {
    const char *status, *profile_dir;
    struct string_list command;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, profile_dir),
    STRINGS(OWNER, command),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "BootstrapSummary", summary_fields);

static void print_end(struct tool *tool, const char *status, const struct string_list *command)
{
    tool_print(
        tool, &summary_schema,
        &(struct summary){.status = status, .profile_dir = tool->profile_dir, .command = *command});
}

static int bootstrap(struct tool *tool)
{
    struct string_list words;
    int lock = -1, status;

    if (!tool->profile_dir && !tool->settings.browser_profile_dir)
        tool->profile_dir = "./chrome-profile";
    if (tool_use_profile(tool, false))
        return tool_fail(tool, tool->problem.text);
    words = command_of(tool);
    if (tool->dry_run) {
        print_end(tool, "dry_run", &words);
        return TOOL_OK;
    }
    if (profile_lock(tool->profile_dir, &lock, &tool->problem) ||
        profile_check_free(tool->profile_dir, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    fprintf(stderr, "orch-bootstrap-profile: sign in in the browser's window, then close it\n");
    status = run_browser(&words);
    if (status == NOT_RUN)
        return tool_fail(tool, arena_print(tool->arena, "There is no browser: %s cannot be run.",
                                           words.items[0]));
    if (status != 0)
        return tool_fail(tool,
                         arena_print(tool->arena, "The browser ended with status %d.", status));
    if (!becomes_free(tool))
        return tool_fail(tool, tool->problem.text);
    close(lock);
    print_end(tool, "ok", &words);
    return TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, bootstrap);
}
