/* The composer, and the answer. */
#include "base/clock.h"
#include "orchestrator/browser/driver.h"

#include <stdio.h>
#include <string.h>

enum { CLICK_ATTEMPTS = 3, SENT_POLLS = 4, BODY_TIMEOUT = 2 };

static enum driver_error press(struct driver *driver, enum page_key key)
{
    return driver_outcome(
        driver, page_press(driver->page, key,
                           driver_until(driver, driver->settings->browser_action_seconds)));
}

/* Empties the composer and writes the prompt into it. */
static enum driver_error fill(struct driver *driver, const char *prompt)
{
    json_t *value = NULL;
    bool found;
    enum driver_error failure = driver_click(driver, "input", NULL, 0, &found);

    if (!failure && !found)
        return driver_fail(driver, DRIVER_OTHER_ERROR, "the composer is not visible");
    if (!failure)
        failure = driver_ask(driver, "{\"do\":\"focus\"}", &value);
    if (!failure)
        failure = press(driver, PAGE_KEY_SELECT_ALL);
    if (!failure)
        failure = press(driver, PAGE_KEY_DELETE);
    if (!failure)
        failure = driver_outcome(
            driver,
            page_insert_text(driver->page, prompt,
                             driver_until(driver, driver->settings->browser_action_seconds)));
    if (!failure)
        failure = driver_poll(driver, &value);
    if (!failure && !json_integer_value(json_object_get(value, "written")))
        return driver_fail(driver, DRIVER_OTHER_ERROR, "the composer does not take the prompt");
    return failure;
}

/* Whether the prompt was sent. Detects a required sign-in, and dismisses an onboarding overlay. */
static enum driver_error check_sent(struct driver *driver, bool *sent)
{
    *sent = false;
    for (int i = 0; i < SENT_POLLS; i++) {
        json_t *view = NULL;
        enum driver_error failure = driver_poll(driver, &view);

        if (failure)
            return failure;
        *sent = driver_flag(view, "generating") ||
                (driver_flag(view, "composer") &&
                 !json_integer_value(json_object_get(view, "written")));
        if (*sent)
            return DRIVER_OK;
        driver->signed_out = json_array_size(json_object_get(view, "signed_out")) > 0;
        if (driver->signed_out)
            return driver_fail(driver, DRIVER_NOT_SIGNED_IN,
                               "The web provider asks to sign in before it answers.");
        if (driver_flag(view, "onboarding"))
            return press(driver, PAGE_KEY_ESCAPE);
        if (!driver_flag(view,
                         "composer")) { /* the page shows another model as the answer's, or none */
            *sent = true;
            return DRIVER_OK;
        }
        failure = driver_wait(driver, driver->settings->browser_poll_seconds / 2);
        if (failure)
            return failure;
    }
    return DRIVER_OK;
}

enum driver_error driver_submit(struct driver *driver, const char *prompt)
{
    enum driver_error failure = fill(driver, prompt);
    json_t *value = NULL;
    bool sent = false, found = false;

    if (failure)
        return failure;
    driver_screenshot(driver, "06-prompt-filled", NULL);
    for (int i = 0; !failure && !sent && i < CLICK_ATTEMPTS; i++) {
        failure = driver_click(driver, "submit", NULL, 0, &found);
        if (!failure && found)
            failure = check_sent(driver, &sent);
    }
    if (!failure && !sent && found) {
        failure = driver_ask(driver, "{\"do\":\"press\"}", &value);
        if (!failure)
            failure = check_sent(driver, &sent);
    }
    if (!failure && !sent) {
        failure = driver_ask(driver, "{\"do\":\"find\",\"what\":\"input\",\"turn\":0}", &value);
        if (!failure)
            failure = driver_ask(driver, "{\"do\":\"focus\"}", &value);
        if (!failure)
            failure = press(driver, PAGE_KEY_CONTROL_ENTER);
        if (!failure)
            failure = check_sent(driver, &sent);
    }
    if (!failure && !sent)
        return driver_fail(driver, DRIVER_OTHER_ERROR, "the prompt cannot be submitted");
    if (!failure)
        driver_screenshot(driver, "07-prompt-submitted", NULL);
    return failure;
}

/* The best candidate for an answer in this poll, "" for none. */
static void read_answer(struct driver *driver, struct arena *arena, const json_t *view,
                        const char *prompt, struct reading *reading)
{
    const json_t *candidates = json_object_get(view, "candidates");
    const char *body = json_string_value(json_object_get(view, "body"));

    *reading = (struct reading){.text = ""};
    for (size_t i = 0; i < json_array_size(candidates) && !*reading->text; i++) {
        const json_t *candidate = json_array_get(candidates, i);
        const char *text = json_string_value(json_object_get(candidate, "text"));
        const char *source = json_string_value(json_object_get(candidate, "source"));

        reading->candidates += (int)json_integer_value(json_object_get(candidate, "count"));
        if (text && *text)
            reading->text = site_clean(arena, &driver->site, text, prompt);
        snprintf(reading->source, sizeof reading->source, "%s", source ? source : "");
    }
    if (*reading->text || reading->candidates || !body)
        return;
    reading->from_body = true;
    snprintf(reading->source, sizeof reading->source, "body");
    body = site_behind(body, prompt);
    if (body)
        reading->text = site_clean(arena, &driver->site, body, prompt);
}

/* Dismisses an offer of a paid plan, by its button or the key. */
static enum driver_error close_upsell(struct driver *driver)
{
    bool found;
    enum driver_error failure = driver_click(driver, "upsell_close", NULL, 0, &found);

    return failure || found ? failure : press(driver, PAGE_KEY_ESCAPE);
}

static bool is_same(const struct reading *one, const struct reading *other)
{
    return strcmp(one->source, other->source) == 0 && strcmp(one->text, other->text) == 0;
}

enum driver_error driver_wait_answer(struct driver *driver, const char *prompt,
                                     struct reading *reading)
{
    struct reading last = {.text = ""}, now;
    int64_t stable = 0;
    char ask[80];

    snprintf(ask, sizeof ask, "{\"do\":\"answer\",\"most\":%lld}",
             (long long)driver->settings->max_answer_bytes / 4);
    for (unsigned turn = 0; clock_monotonic_microseconds() < driver->deadline; turn++) {
        struct arena *arena = driver->polls[turn % 2];
        json_t *view = NULL;
        enum driver_error failure = driver_ask(driver, ask, &view);
        bool busy;

        if (failure == DRIVER_TIMED_OUT)
            break;
        if (failure)
            return failure;
        busy = driver_flag(view, "busy");
        arena_reset(arena);
        read_answer(driver, arena, view, prompt, &now);
        if (driver_flag(view, "upsell"))
            failure = close_upsell(driver);
        stable = *now.text && !busy && is_same(&now, &last) ? stable + 1 : 1;
        if (*now.text && !busy &&
            stable >= driver->settings->browser_stable_polls * (now.from_body ? BODY_TIMEOUT : 1)) {
            *reading = now;
            reading->text = arena_copy_string(driver->arena, now.text);
            driver_screenshot(driver, "09-response-received", NULL);
            return DRIVER_OK;
        }
        last = now;
        driver->signed_out = driver_flag(view, "signed_out");
        if (driver->signed_out)
            return driver_fail(driver, DRIVER_NOT_SIGNED_IN,
                               "The web provider asks to sign in before it answers.");
        if (!failure)
            failure = driver_wait(driver, driver->settings->browser_poll_seconds);
        if (failure)
            return failure;
    }
    driver_screenshot(driver, "08-response-timeout", NULL);
    driver->last_limit = driver->seconds;
    return driver_fail(driver, DRIVER_TIMED_OUT, "no whole answer came");
}
