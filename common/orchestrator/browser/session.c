/* The session: a profile, a browser, and a tab that shows the provider's page. */
#include "base/clock.h"
#include "base/log.h"
#include "base/schema.h"
#include "browser/profile.h"
#include "orchestrator/browser/driver.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { JOB_MEMORY = 128 << 20, SESSION_MEMORY = 8 << 20, ESCAPES = 2 };

bool driver_open(struct driver *driver, const struct orchestrator_settings *settings,
                 struct launcher *launcher)
{
    *driver = (struct driver){.settings = settings, .launcher = launcher, .lock = -1};
    driver->arena = arena_create(JOB_MEMORY);
    driver->session_arena = arena_create(SESSION_MEMORY);
    driver->polls[0] = arena_create(JOB_MEMORY);
    driver->polls[1] = arena_create(JOB_MEMORY);
    driver->watch.fd = -1;
    return driver->arena && driver->session_arena && driver->polls[0] && driver->polls[1];
}

void driver_close(struct driver *driver)
{
    driver_end_session(driver);
    if (driver->lock >= 0)
        close(driver->lock);
    driver->lock = -1;
    arena_destroy(driver->arena);
    arena_destroy(driver->session_arena);
    arena_destroy(driver->polls[0]);
    arena_destroy(driver->polls[1]);
}

void driver_begin_job(struct driver *driver, double seconds)
{
    arena_reset(driver->arena);
    driver->seconds = seconds;
    driver->deadline = clock_monotonic_microseconds() + (int64_t)(seconds * 1e6);
    *driver->message = 0;
}

enum driver_error driver_fail(struct driver *driver, enum driver_error failure, const char *format,
                              ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(driver->message, sizeof driver->message, format, arguments);
    va_end(arguments);
    return failure;
}

enum driver_error driver_outcome(struct driver *driver, enum cdp_outcome outcome)
{
    switch (outcome) {
    case CDP_OK:
        return DRIVER_OK;
    case CDP_TIMED_OUT:
        return driver_fail(driver, DRIVER_TIMED_OUT, "the page does not answer");
    case CDP_STOPPED:
        return driver_fail(driver, DRIVER_CANCELLED, "cancelled");
    default:
        return driver_fail(driver, DRIVER_OTHER_ERROR, "%s",
                           driver->page ? page_fault(driver->page) : cdp_fault(driver->cdp));
    }
}

int64_t driver_until(struct driver *driver, double seconds)
{
    int64_t until = clock_monotonic_microseconds() + (int64_t)(seconds * 1e6);

    driver->last_limit = until < driver->deadline ? seconds : driver->seconds;
    return until < driver->deadline ? until : driver->deadline;
}

enum driver_error driver_ask(struct driver *driver, const char *question, json_t **value)
{
    return driver_outcome(
        driver,
        page_evaluate(driver->page, driver->site.script, driver->site.json, question,
                      driver_until(driver, driver->settings->browser_action_seconds), value));
}

enum driver_error driver_poll(struct driver *driver, json_t **value)
{
    return driver_ask(driver, "{\"do\":\"look\"}", value);
}

bool driver_flag(const json_t *view, const char *key)
{
    return json_is_true(json_object_get(view, key));
}

/* The job's deadline ends every wait; the next operation reports it. */
enum driver_error driver_wait(struct driver *driver, double seconds)
{
    if (seconds <= 0)
        return DRIVER_OK;
    return driver_outcome(driver, page_wait(driver->page, driver_until(driver, seconds)));
}

/* Calls a function of the site's script. */
struct find_question {
    const char *act, *what, *label;
    int64_t turn;
};

#define OWNER struct find_question
static const struct field question_fields[] = {
    {.name = "do", .type = FIELD_STRING, .offset = FIELD_OFFSET(OWNER, act, const char *)},
    STRING(OWNER, what),
    STRING(OWNER, label, .nullable = true),
    INTEGER(OWNER, turn),
};
#undef OWNER
static SCHEMA(question_schema, struct find_question, "FindQuestion", question_fields);

enum driver_error driver_click(struct driver *driver, const char *what, const char *label, int turn,
                               bool *found)
{
    const char *find = schema_json(driver->arena, DRIVER_JSON_MAX, &question_schema,
                                   &(struct find_question){"find", what, label, turn});
    json_t *position = NULL, *pressed = NULL;
    enum driver_error failure = driver_ask(driver, find, &position);
    double x, y;

    *found = !failure && json_is_object(position);
    if (failure || !*found)
        return failure;
    x = json_number_value(json_object_get(position, "x"));
    y = json_number_value(json_object_get(position, "y"));
    if (driver_flag(position, "covered"))
        failure = driver_ask(driver, "{\"do\":\"press\"}", &pressed);
    else
        failure = driver_outcome(
            driver, page_click(driver->page, x, y,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    return failure ? failure : driver_wait(driver, driver->settings->browser_human_delay_seconds);
}

/* Screenshots are for debugging; an error of one never fails a job. */
void driver_screenshot(struct driver *driver, const char *step, const char *label)
{
    const char *folder = driver->settings->browser_screenshots_dir;
    int64_t now = clock_unix_microseconds();
    time_t second = (time_t)(now / 1000000);
    char path[1024], stamp[32];
    struct tm parts;
    int length;

    if (!folder || !driver->page)
        return;
    gmtime_r(&second, &parts);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
    length =
        snprintf(path, sizeof path, "%s/%s-%03d-%s", folder, stamp, (int)(now / 1000 % 1000), step);
    for (const char *at = label; at && *at && length < (int)sizeof path - 8; at++)
        path[length++] = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
                                 (*at >= 'a' && *at <= 'z') || *at == '.'
                             ? *at
                             : '-';
    snprintf(path + length, sizeof path - (size_t)length, ".png");
    if (page_screenshot(driver->page, path,
                        driver_until(driver, driver->settings->browser_action_seconds)) != CDP_OK)
        log_event(LOG_WARNING, "screenshot_failed", step);
}

void driver_end_session(struct driver *driver)
{
    bool was_open = driver->cdp != NULL;

    if (was_open) {
        (void)cdp_begin(driver->cdp, NULL, "Browser.close");
        cdp_post(driver->cdp);
    }
    page_close(driver->page);
    driver->page = NULL;
    if (was_open)
        launcher_end_browser(driver->launcher, (unsigned)driver->settings->browser_end_seconds);
    cdp_close(driver->cdp);
    driver->cdp = NULL;
    driver->active = false;
    driver->thinking_missed = false;
}

static enum driver_error take_profile(struct driver *driver)
{
    const char *directory = driver->settings->browser_profile_dir;
    struct problem problem = {0};
    enum error error = ERROR_NONE;

    if (driver->lock < 0)
        error = profile_lock(directory, &driver->lock, &problem);
    if (!error)
        error = profile_check_free(directory, &problem);
    return error ? driver_fail(driver, DRIVER_PROFILE_IN_USE, "%s", problem.text) : DRIVER_OK;
}

static enum driver_error launch(struct driver *driver)
{
    const struct orchestrator_settings *settings = driver->settings;
    struct problem problem = {0};
    int reading = -1, writing = -1;
    enum cdp_outcome outcome;
    enum error error = ERROR_NONE;

    arena_reset(driver->session_arena);
    driver->site = (struct site){0};
    error =
        site_load(driver->session_arena, settings->browser_site_directory, &driver->site, &problem);
    if (!error)
        error = launcher_launch(driver->launcher, &reading, &writing, &problem);
    if (error)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "%s", problem.text);
    driver->cdp = cdp_open(reading, writing, (size_t)settings->browser_message_bytes);
    if (!driver->cdp)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "There is no memory for the browser.");
    outcome = page_open(driver->cdp, &driver->watch,
                        driver_until(driver, settings->browser_start_seconds), &driver->page);
    if (outcome == CDP_CLOSED || outcome == CDP_REFUSED)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "The browser %s does not start: %s.",
                           settings->browser_channel, cdp_fault(driver->cdp));
    return driver_outcome(driver, outcome);
}

/* Waits for a composer, a sign-in, or the text of a ready page. A timeout is not a failure yet. */
static enum driver_error wait_for_shell(struct driver *driver)
{
    int64_t until = driver_until(driver, driver->settings->browser_shell_seconds);

    for (;;) {
        json_t *view = NULL;
        enum driver_error failure = driver_poll(driver, &view);

        if (failure)
            return failure;
        if (driver_flag(view, "composer") || driver_flag(view, "ready") ||
            json_array_size(json_object_get(view, "signed_out")))
            return DRIVER_OK;
        if (driver_flag(view, "challenge"))
            return driver_fail(driver, DRIVER_UNAVAILABLE,
                               "The web provider shows a challenge for robots.");
        if (clock_monotonic_microseconds() >= until)
            return DRIVER_OK;
        failure = driver_wait(driver, driver->settings->browser_poll_seconds);
        if (failure)
            return failure;
    }
}

enum driver_error driver_go_home(struct driver *driver)
{
    enum cdp_outcome outcome =
        page_navigate(driver->page, driver->settings->browser_base_url,
                      driver_until(driver, driver->settings->browser_navigation_seconds));

    if (outcome == CDP_TIMED_OUT)
        return driver_fail(driver, DRIVER_TIMED_OUT, "the start page does not come");
    if (outcome == CDP_REFUSED)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "The web provider cannot be reached.");
    return outcome == CDP_OK ? wait_for_shell(driver) : driver_outcome(driver, outcome);
}

enum driver_error driver_ensure_session(struct driver *driver)
{
    enum driver_error failure;

    if (driver->page && page_is_alive(driver->page))
        return DRIVER_OK;
    driver_end_session(driver);
    if (!driver->settings->browser_base_url)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "ORCH_BROWSER_BASE_URL is not set.");
    failure = take_profile(driver);
    if (!failure)
        failure = launch(driver);
    if (!failure)
        failure = driver_go_home(driver);
    if (failure && failure != DRIVER_PROFILE_IN_USE)
        driver_end_session(driver);
    if (failure)
        return failure;
    driver_screenshot(driver, "01-session-ready", NULL);
    return DRIVER_OK;
}

enum driver_error driver_dismiss_popups(struct driver *driver)
{
    bool found;
    enum driver_error failure = driver_click(driver, "cookie", NULL, 0, &found);

    for (int i = 0; !failure && !found && i < ESCAPES; i++)
        failure = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    return failure;
}

static void log_unknown(const json_t *view)
{
    struct log_line line;

    log_begin(&line, LOG_WARNING, "browser_auth_unknown");
    log_integer(&line, "length", json_integer_value(json_object_get(view, "length")));
    log_text(&line, "title", json_string_value(json_object_get(view, "title")));
    log_text(&line, "url", json_string_value(json_object_get(view, "url")));
    log_write(&line);
}

enum driver_error driver_check_signed_in(struct driver *driver)
{
    for (int i = 0; i < 2; i++) {
        json_t *view = NULL;
        enum driver_error failure = driver_poll(driver, &view);

        if (failure)
            return failure;
        driver->signed_out = json_array_size(json_object_get(view, "signed_out")) > 0;
        if (driver->signed_out)
            return driver_fail(driver, DRIVER_NOT_SIGNED_IN,
                               "The sign-in prompt of the web provider is visible.");
        if (driver_flag(view, "composer"))
            return DRIVER_OK;
        if (i > 0)
            log_unknown(view);
        failure = i == 0 ? wait_for_shell(driver) : DRIVER_OK;
        if (failure)
            return failure;
    }
    driver->signed_out = true;
    return driver_fail(driver, DRIVER_NOT_SIGNED_IN,
                       "Whether the browser is signed in cannot be determined.");
}
