/* The composer, and the answer behind it. */
#include "base/clock.h"
#include "orchestrator/browser/driver.h"

#include <stdio.h>
#include <string.h>

enum { CLICK_ATTEMPTS = 3, SENT_POLLS = 4, BODY_PATIENCE = 2 };

static enum trouble press(struct driver *driver, enum page_key key)
{
    return driver_outcome(
        driver, page_press(driver->page, key,
                           driver_until(driver, driver->settings->browser_action_seconds)));
}

/* Empties the composer and writes the prompt into it. */
static enum trouble fill(struct driver *driver, const char *prompt)
{
    json_t *value = NULL;
    bool found;
    enum trouble trouble = driver_click(driver, "input", NULL, 0, &found);

    if (!trouble && !found)
        return driver_trouble(driver, TROUBLE_OTHER, "the composer is not visible");
    if (!trouble)
        trouble = driver_ask(driver, "{\"do\":\"focus\"}", &value);
    if (!trouble)
        trouble = press(driver, PAGE_KEY_SELECT_ALL);
    if (!trouble)
        trouble = press(driver, PAGE_KEY_DELETE);
    if (!trouble)
        trouble = driver_outcome(
            driver,
            page_insert_text(driver->page, prompt,
                             driver_until(driver, driver->settings->browser_action_seconds)));
    if (!trouble)
        trouble = driver_look(driver, &value);
    if (!trouble && !json_integer_value(json_object_get(value, "written")))
        return driver_trouble(driver, TROUBLE_OTHER, "the composer does not take the prompt");
    return trouble;
}

/* Whether the prompt has left the composer. Somebody who has to sign in is told here at the latest;
 * an onboarding overlay is sent away. */
static enum trouble check_sent(struct driver *driver, bool *sent)
{
    *sent = false;
    for (int i = 0; i < SENT_POLLS; i++) {
        json_t *look = NULL;
        enum trouble trouble = driver_look(driver, &look);

        if (trouble)
            return trouble;
        *sent = driver_flag(look, "generating") ||
                (driver_flag(look, "composer") &&
                 !json_integer_value(json_object_get(look, "written")));
        if (*sent)
            return TROUBLE_NONE;
        driver->signed_out = json_array_size(json_object_get(look, "signed_out")) > 0;
        if (driver->signed_out)
            return driver_trouble(driver, TROUBLE_SIGN_IN,
                                  "The web provider asks to sign in before it answers.");
        if (driver_flag(look, "onboarding"))
            return press(driver, PAGE_KEY_ESCAPE);
        if (!driver_flag(look, "composer")) { /* the page of the answer has another one, or none */
            *sent = true;
            return TROUBLE_NONE;
        }
        trouble = driver_rest(driver, driver->settings->browser_poll_seconds / 2);
        if (trouble)
            return trouble;
    }
    return TROUBLE_NONE;
}

enum trouble driver_submit(struct driver *driver, const char *prompt)
{
    enum trouble trouble = fill(driver, prompt);
    json_t *value = NULL;
    bool sent = false, found = false;

    if (trouble)
        return trouble;
    driver_shot(driver, "06-prompt-filled", NULL);
    for (int i = 0; !trouble && !sent && i < CLICK_ATTEMPTS; i++) {
        trouble = driver_click(driver, "submit", NULL, 0, &found);
        if (!trouble && found)
            trouble = check_sent(driver, &sent);
    }
    if (!trouble && !sent && found) {
        trouble = driver_ask(driver, "{\"do\":\"press\"}", &value);
        if (!trouble)
            trouble = check_sent(driver, &sent);
    }
    if (!trouble && !sent) {
        trouble = driver_ask(driver, "{\"do\":\"find\",\"what\":\"input\",\"turn\":0}", &value);
        if (!trouble)
            trouble = driver_ask(driver, "{\"do\":\"focus\"}", &value);
        if (!trouble)
            trouble = press(driver, PAGE_KEY_CONTROL_ENTER);
        if (!trouble)
            trouble = check_sent(driver, &sent);
    }
    if (!trouble && !sent)
        return driver_trouble(driver, TROUBLE_OTHER, "the prompt cannot be submitted");
    if (!trouble)
        driver_shot(driver, "07-prompt-submitted", NULL);
    return trouble;
}

/* The best that this look has for an answer, "" for nothing. */
static void read_answer(struct driver *driver, struct arena *arena, const json_t *look,
                        const char *prompt, struct reading *reading)
{
    const json_t *candidates = json_object_get(look, "candidates");
    const char *body = json_string_value(json_object_get(look, "body"));

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

/* A plan that is offered over the page goes away again, by its button or the key. */
static enum trouble close_upsell(struct driver *driver)
{
    bool found;
    enum trouble trouble = driver_click(driver, "upsell_close", NULL, 0, &found);

    return trouble || found ? trouble : press(driver, PAGE_KEY_ESCAPE);
}

static bool is_same(const struct reading *one, const struct reading *other)
{
    return strcmp(one->source, other->source) == 0 && strcmp(one->text, other->text) == 0;
}

enum trouble driver_wait_answer(struct driver *driver, const char *prompt, struct reading *reading)
{
    struct reading last = {.text = ""}, now;
    int64_t stable = 0;
    char ask[80];

    snprintf(ask, sizeof ask, "{\"do\":\"answer\",\"most\":%lld}",
             (long long)driver->settings->max_answer_bytes / 4);
    for (unsigned turn = 0; clock_monotonic_microseconds() < driver->deadline; turn++) {
        struct arena *arena = driver->polls[turn % 2];
        json_t *look = NULL;
        enum trouble trouble = driver_ask(driver, ask, &look);
        bool busy;

        if (trouble == TROUBLE_TIME)
            break;
        if (trouble)
            return trouble;
        busy = driver_flag(look, "busy");
        arena_reset(arena);
        read_answer(driver, arena, look, prompt, &now);
        if (driver_flag(look, "upsell"))
            trouble = close_upsell(driver);
        stable = *now.text && !busy && is_same(&now, &last) ? stable + 1 : 1;
        if (*now.text && !busy &&
            stable >=
                driver->settings->browser_stable_polls * (now.from_body ? BODY_PATIENCE : 1)) {
            *reading = now;
            reading->text = arena_copy_string(driver->arena, now.text);
            driver_shot(driver, "09-response-received", NULL);
            return TROUBLE_NONE;
        }
        last = now;
        driver->signed_out = driver_flag(look, "signed_out");
        if (driver->signed_out)
            return driver_trouble(driver, TROUBLE_SIGN_IN,
                                  "The web provider asks to sign in before it answers.");
        if (!trouble)
            trouble = driver_rest(driver, driver->settings->browser_poll_seconds);
        if (trouble)
            return trouble;
    }
    driver_shot(driver, "08-response-timeout", NULL);
    driver->last_limit = driver->seconds;
    return driver_trouble(driver, TROUBLE_TIME, "no whole answer came");
}
