/* The session: a profile, a browser, a tab that stands on the provider's page. */
#include "base/clock.h"
#include "base/log.h"
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
    *driver->words = 0;
}

enum trouble driver_trouble(struct driver *driver, enum trouble trouble, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(driver->words, sizeof driver->words, format, arguments);
    va_end(arguments);
    return trouble;
}

enum trouble driver_outcome(struct driver *driver, enum cdp_outcome outcome)
{
    switch (outcome) {
    case CDP_OK:
        return TROUBLE_NONE;
    case CDP_TIMED_OUT:
        return driver_trouble(driver, TROUBLE_TIME, "the page does not answer");
    case CDP_STOPPED:
        return driver_trouble(driver, TROUBLE_CANCELLED, "cancelled");
    default:
        return driver_trouble(driver, TROUBLE_OTHER, "%s",
                              driver->page ? page_fault(driver->page) : cdp_fault(driver->cdp));
    }
}

int64_t driver_until(struct driver *driver, double seconds)
{
    int64_t until = clock_monotonic_microseconds() + (int64_t)(seconds * 1e6);

    driver->last_limit = until < driver->deadline ? seconds : driver->seconds;
    return until < driver->deadline ? until : driver->deadline;
}

enum trouble driver_ask(struct driver *driver, const char *question, json_t **value)
{
    return driver_outcome(
        driver,
        page_evaluate(driver->page, driver->site.script, driver->site.json, question,
                      driver_until(driver, driver->settings->browser_action_seconds), value));
}

enum trouble driver_look(struct driver *driver, json_t **value)
{
    return driver_ask(driver, "{\"do\":\"look\"}", value);
}

bool driver_flag(const json_t *look, const char *key)
{
    return json_is_true(json_object_get(look, key));
}

/* The job's deadline ends every rest; what comes behind it says so. */
enum trouble driver_rest(struct driver *driver, double seconds)
{
    if (seconds <= 0)
        return TROUBLE_NONE;
    return driver_outcome(driver, page_rest(driver->page, driver_until(driver, seconds)));
}

static const char *question(struct driver *driver, const char *what, const char *label, int turn)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, driver->arena, DRIVER_JSON_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "do", "find");
    writer_key_string(&writer, "what", what);
    writer_key_string(&writer, "label", label);
    writer_key_integer(&writer, "turn", turn);
    writer_close_object(&writer);
    return text.bytes;
}

enum trouble driver_click(struct driver *driver, const char *what, const char *label, int turn,
                          bool *found)
{
    const char *find = question(driver, what, label, turn);
    json_t *place = NULL, *pressed = NULL;
    enum trouble trouble = driver_ask(driver, find, &place);
    double x, y;

    *found = !trouble && json_is_object(place);
    if (trouble || !*found)
        return trouble;
    x = json_number_value(json_object_get(place, "x"));
    y = json_number_value(json_object_get(place, "y"));
    if (driver_flag(place, "covered"))
        trouble = driver_ask(driver, "{\"do\":\"press\"}", &pressed);
    else
        trouble = driver_outcome(
            driver, page_click(driver->page, x, y,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    return trouble ? trouble : driver_rest(driver, driver->settings->browser_human_delay_seconds);
}

/* Pictures are for people who look for a fault; a job never fails for one. */
void driver_shot(struct driver *driver, const char *step, const char *label)
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

static enum trouble take_profile(struct driver *driver)
{
    const char *directory = driver->settings->browser_profile_dir;
    struct problem problem = {0};
    enum error error = ERROR_NONE;

    if (driver->lock < 0)
        error = profile_lock(directory, &driver->lock, &problem);
    if (!error)
        error = profile_check_free(directory, &problem);
    return error ? driver_trouble(driver, TROUBLE_PROFILE, "%s", problem.text) : TROUBLE_NONE;
}

static enum trouble launch(struct driver *driver)
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
        return driver_trouble(driver, TROUBLE_DRIVER, "%s", problem.text);
    driver->cdp = cdp_open(reading, writing, (size_t)settings->browser_message_bytes);
    if (!driver->cdp)
        return driver_trouble(driver, TROUBLE_DRIVER, "There is no memory for the browser.");
    outcome = page_open(driver->cdp, &driver->watch,
                        driver_until(driver, settings->browser_start_seconds), &driver->page);
    if (outcome == CDP_CLOSED || outcome == CDP_REFUSED)
        return driver_trouble(driver, TROUBLE_DRIVER, "The browser %s does not start: %s.",
                              settings->browser_channel, cdp_fault(driver->cdp));
    return driver_outcome(driver, outcome);
}

/* Until there is something to work with: a composer, a sign-in, or the words of a page that is
 * ready. That none comes is nobody's failure yet. */
static enum trouble wait_for_shell(struct driver *driver)
{
    int64_t until = driver_until(driver, driver->settings->browser_shell_seconds);

    for (;;) {
        json_t *look = NULL;
        enum trouble trouble = driver_look(driver, &look);

        if (trouble)
            return trouble;
        if (driver_flag(look, "composer") || driver_flag(look, "ready") ||
            json_array_size(json_object_get(look, "signed_out")))
            return TROUBLE_NONE;
        if (driver_flag(look, "challenge"))
            return driver_trouble(driver, TROUBLE_DRIVER,
                                  "The web provider shows a challenge for robots.");
        if (clock_monotonic_microseconds() >= until)
            return TROUBLE_NONE;
        trouble = driver_rest(driver, driver->settings->browser_poll_seconds);
        if (trouble)
            return trouble;
    }
}

enum trouble driver_go_home(struct driver *driver)
{
    enum cdp_outcome outcome =
        page_navigate(driver->page, driver->settings->browser_base_url,
                      driver_until(driver, driver->settings->browser_navigation_seconds));

    if (outcome == CDP_TIMED_OUT)
        return driver_trouble(driver, TROUBLE_TIME, "the start page does not come");
    if (outcome == CDP_REFUSED)
        return driver_trouble(driver, TROUBLE_DRIVER, "The web provider cannot be reached.");
    return outcome == CDP_OK ? wait_for_shell(driver) : driver_outcome(driver, outcome);
}

enum trouble driver_ensure_session(struct driver *driver)
{
    enum trouble trouble;

    if (driver->page && page_is_alive(driver->page))
        return TROUBLE_NONE;
    driver_end_session(driver);
    if (!driver->settings->browser_base_url)
        return driver_trouble(driver, TROUBLE_DRIVER, "ORCH_BROWSER_BASE_URL is not set.");
    trouble = take_profile(driver);
    if (!trouble)
        trouble = launch(driver);
    if (!trouble)
        trouble = driver_go_home(driver);
    if (trouble && trouble != TROUBLE_PROFILE)
        driver_end_session(driver);
    if (trouble)
        return trouble;
    driver_shot(driver, "01-session-ready", NULL);
    return TROUBLE_NONE;
}

enum trouble driver_dismiss_popups(struct driver *driver)
{
    bool found;
    enum trouble trouble = driver_click(driver, "cookie", NULL, 0, &found);

    for (int i = 0; !trouble && !found && i < ESCAPES; i++)
        trouble = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    return trouble;
}

static void log_unknown(const json_t *look)
{
    struct log_line line;

    log_begin(&line, LOG_WARNING, "browser_auth_unknown");
    log_integer(&line, "length", json_integer_value(json_object_get(look, "length")));
    log_text(&line, "title", json_string_value(json_object_get(look, "title")));
    log_text(&line, "url", json_string_value(json_object_get(look, "url")));
    log_write(&line);
}

enum trouble driver_check_signed_in(struct driver *driver)
{
    for (int i = 0; i < 2; i++) {
        json_t *look = NULL;
        enum trouble trouble = driver_look(driver, &look);

        if (trouble)
            return trouble;
        driver->signed_out = json_array_size(json_object_get(look, "signed_out")) > 0;
        if (driver->signed_out)
            return driver_trouble(driver, TROUBLE_SIGN_IN,
                                  "The sign-in prompt of the web provider is visible.");
        if (driver_flag(look, "composer"))
            return TROUBLE_NONE;
        if (i > 0)
            log_unknown(look);
        trouble = i == 0 ? wait_for_shell(driver) : TROUBLE_NONE;
        if (trouble)
            return trouble;
    }
    driver->signed_out = true;
    return driver_trouble(driver, TROUBLE_SIGN_IN,
                          "Whether the browser is signed in cannot be determined.");
}
