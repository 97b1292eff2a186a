/* Creates a browser profile: opens the start page of the web provider, waits until the operator has
 * signed in and pressed Enter, and checks the result. Prints one JSON object. Needs a display
 * unless ORCH_BROWSER_HEADLESS is set. `--help` lists the options and exit codes. */
#include "orchestrator/browser/alone.h"
#include "orchestrator/snapshot/tool.h"

#include <stdio.h>
#include <stdlib.h>

enum { END_BYTES = 65536 };

static const char help[] =
    "usage: orch-create-profile [--profile-dir DIR] [--base-url URL]\n"
    "                           [--channel PROGRAM]\n"
    "\n"
    "Creates a browser profile: opens the start page of the web provider, waits until\n"
    "somebody has signed in by hand and pressed Enter, and checks the result. Prints\n"
    "one JSON object. Needs a display unless ORCH_BROWSER_HEADLESS is set.\n"
    "\n"
    "Exit codes: 0 the profile is signed in; 2 it is not, or the command line or the\n"
    "settings are wrong.\n";

static void report(const char *what)
{
    fprintf(stderr, "orch-create-profile: %s\n", what);
}

static enum driver_error sign_in(struct driver *driver)
{
    enum driver_error failure;

    report("starting the browser");
    driver_begin_job(driver, driver->settings->browser_call_seconds);
    failure = driver_ensure_session(driver);
    if (failure)
        return failure;
    report("sign in in its window, then press Enter here");
    failure = driver_wait_for_line(driver);
    if (failure)
        return failure;
    report("looking whether it is signed in");
    driver_begin_job(driver, driver->settings->browser_call_seconds);
    failure = driver_dismiss_popups(driver);
    return failure ? failure : driver_check_signed_in(driver);
}

struct summary {
    const char *status, *profile_dir, *base_url;
    bool signed_in;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, profile_dir),
    STRING(OWNER, base_url, .nullable = true),
    BOOLEAN(OWNER, signed_in),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "ProfileSummary", summary_fields);

static int create(struct tool *tool)
{
    struct driver driver;
    enum driver_error failure;

    if (tool_use_profile(tool, false))
        return tool_fail(tool, tool->problem.text);
    if (!tool->settings.browser_display)
        tool->settings.browser_display = getenv("DISPLAY");
    if (!tool->settings.browser_headless &&
        (!tool->settings.browser_display || !*tool->settings.browser_display))
        return tool_fail(tool, "A window needs a display: ORCH_BROWSER_DISPLAY or DISPLAY.");
    if (driver_start_alone(&driver, &tool->settings, &tool->problem))
        return tool_fail(tool, tool->problem.text);
    failure = sign_in(&driver);
    if (failure)
        (void)problem_set(&tool->problem, ERROR_UNAVAILABLE, "not_signed_in", "%s", driver.message);
    report("ending the browser");
    driver_stop_alone(&driver);
    if (failure)
        return tool_fail(tool, tool->problem.text);
    tool_print(tool, &summary_schema,
               &(struct summary){.status = "ok",
                                 .profile_dir = tool->profile_dir,
                                 .base_url = tool->settings.browser_base_url,
                                 .signed_in = true});
    return TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, create);
}
