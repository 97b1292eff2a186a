/* The page's model menu: opens it, selects a model, and verifies the selection. */
#include "base/clock.h"
#include "orchestrator/browser/driver.h"

#include <stdio.h>
#include <string.h>

enum { BUTTON_POLLS = 5, MENU_TRIES = 3, MENU_DEPTH = 2 };

static void copy_text(char *to, size_t size, const json_t *text)
{
    snprintf(to, size, "%s", json_is_string(text) ? json_string_value(text) : "");
}

/* The text of the model's button, "" when there is no button. */
static enum driver_error read_button(struct driver *driver, char words[DRIVER_LABEL_MAX])
{
    json_t *view = NULL;
    enum driver_error failure = driver_poll(driver, &view);

    *words = 0;
    if (!failure)
        copy_text(words, DRIVER_LABEL_MAX, json_object_get(view, "model"));
    return failure;
}

static enum driver_error wait_for_button(struct driver *driver, char words[DRIVER_LABEL_MAX])
{
    for (int i = 0; i < BUTTON_POLLS; i++) {
        enum driver_error failure = read_button(driver, words);

        if (failure || *words)
            return failure;
        failure = driver_wait(driver, driver->settings->browser_poll_seconds);
        if (failure)
            return failure;
    }
    return DRIVER_OK;
}

/* The text of the button; if needed, goes to the home page or to a new thread first. "" when there
 * is none. */
static enum driver_error find_button(struct driver *driver, struct selection *selection)
{
    enum driver_error failure = wait_for_button(driver, selection->before);
    bool found;

    if (failure || *selection->before)
        return failure;
    selection->went_home = true;
    failure = driver_go_home(driver);
    if (!failure)
        failure = wait_for_button(driver, selection->before);
    if (failure || *selection->before)
        return failure;
    failure = driver_click(driver, "new_thread", NULL, 0, &found);
    if (!failure && !found)
        failure = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_CONTROL_I,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    return failure ? failure : wait_for_button(driver, selection->before);
}

/* Stores the lines, for details and health. */
static void note_menu(struct driver *driver, struct selection *selection, const json_t *lines)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, driver->arena, DRIVER_JSON_MAX - 1);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < json_array_size(lines) && text.length < DRIVER_JSON_MAX / 2; i++) {
        const char *line = json_string_value(json_array_get(lines, i));

        if (line && strlen(line) < DRIVER_LABEL_MAX)
            writer_string(&writer, line);
    }
    writer_close_array(&writer);
    snprintf(selection->menu, sizeof selection->menu, "%s", text.bytes);
    snprintf(driver->menu, sizeof driver->menu, "%s", text.bytes);
    driver->menu_at = clock_unix_microseconds();
}

enum driver_error driver_open_menu(struct driver *driver, struct selection *selection,
                                   char first[DRIVER_LABEL_MAX])
{
    *first = 0;
    for (int i = 0; i < MENU_TRIES; i++) {
        json_t *lines = NULL;
        bool found;
        enum driver_error failure = driver_click(driver, i == 0 ? "model_button" : "menu_button",
                                                 NULL, i > 0 ? i - 1 : 0, &found);

        if (!failure && found)
            failure = driver_ask(driver, "{\"do\":\"menu\"}", &lines);
        if (failure)
            return failure;
        copy_text(first, DRIVER_LABEL_MAX, json_array_get(lines, 0));
        if (*first &&
            (site_is_label(&driver->site, first) || !site_is_noise(&driver->site, first))) {
            note_menu(driver, selection, lines);
            return DRIVER_OK;
        }
        *first = 0;
        failure = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                               driver_until(driver, driver->settings->browser_action_seconds)));
        if (failure)
            return failure;
    }
    return DRIVER_OK;
}

/* Clicks the option. Reads the option's mark immediately after the click, before the menu may
 * close. */
static enum driver_error choose(struct driver *driver, const char *label,
                                struct selection *selection)
{
    static const char *const indicators[] = {"aria-selected", "aria-checked", "data-selected",
                                             "data-state"};
    json_t *chosen = NULL;
    const char *name;
    bool found;
    enum driver_error failure = driver_click(driver, "option", label, 0, &found);

    if (failure || !found)
        return failure;
    selection->lookup_source = "option";
    failure = driver_ask(driver, "{\"do\":\"chosen\"}", &chosen);
    name = failure ? NULL : json_string_value(json_object_get(chosen, "indicator"));
    for (size_t i = 0; name && i < sizeof indicators / sizeof indicators[0]; i++)
        if (strcmp(name, indicators[i]) == 0)
            selection->indicator = indicators[i];
    return failure;
}

static void conclude(struct selection *selection, const char *label, const char *first)
{
    const char *actual = *selection->after ? selection->after : *first ? first : label;

    selection->verified =
        strstr(selection->after, label) || (selection->lookup_source && selection->indicator);
    if (selection->verified) {
        selection->label_source = selection->indicator ? "option_state" : "button";
        actual = label;
    } else if (selection->lookup_source) {
        selection->label_source = "unverified_fallback";
    } else {
        selection->label_source = "option_not_found_menu_snapshot";
        actual = *first ? first : *selection->after ? selection->after : "unknown";
    }
    snprintf(selection->actual, sizeof selection->actual, "%s", actual);
}

enum driver_error driver_read_labels(struct driver *driver, const char **labels)
{
    struct selection *selection = ARENA_NEW(driver->arena, struct selection);
    char first[DRIVER_LABEL_MAX];
    struct json_fault fault;
    struct json_writer writer;
    struct text text;
    json_t *lines = NULL;
    enum driver_error failure = find_button(driver, selection);

    if (!failure && *selection->before)
        failure = driver_open_menu(driver, selection, first);
    if (failure)
        return failure;
    if (!*selection->before || !*first)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "The menu of models does not open.");
    text_start(&text, driver->arena, DRIVER_JSON_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    if (!json_read(driver->arena, selection->menu, strlen(selection->menu), MENU_DEPTH, &lines,
                   &fault))
        for (size_t i = 0; i < json_array_size(lines); i++) {
            const char *line = json_string_value(json_array_get(lines, i));

            if (site_is_label(&driver->site, line))
                writer_string(&writer, line);
        }
    writer_close_array(&writer);
    *labels = text.bytes;
    return driver_outcome(
        driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                           driver_until(driver, driver->settings->browser_action_seconds)));
}

enum driver_error driver_select_model(struct driver *driver, const char *label,
                                      struct selection *selection)
{
    char first[DRIVER_LABEL_MAX] = "";
    enum driver_error failure;

    *selection = (struct selection){.attempted = true, .menu = "[]"};
    failure = find_button(driver, selection);
    if (failure)
        return failure;
    if (!*selection->before) {
        selection->picker_unavailable = true;
        selection->label_source = "picker_unavailable";
        driver->picker_missed_at = clock_unix_microseconds();
        snprintf(selection->actual, sizeof selection->actual, "%s", label);
        return DRIVER_OK;
    }
    driver_screenshot(driver, "03-model-before-", label);
    failure = driver_open_menu(driver, selection, first);
    if (failure)
        return failure;
    driver_screenshot(driver, "04-model-menu-open-", label);
    if (*first)
        failure = choose(driver, label, selection);
    if (!failure && !selection->lookup_source)
        failure = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    if (!failure)
        failure = read_button(driver, selection->after);
    if (failure)
        return failure;
    conclude(selection, label, first);
    driver_screenshot(driver, "05-model-after-", label);
    return DRIVER_OK;
}

enum driver_error driver_enable_thinking(struct driver *driver, const char *label)
{
    struct selection selection = {.menu = "[]"};
    char words[DRIVER_LABEL_MAX], first[DRIVER_LABEL_MAX];
    bool found = false;
    enum driver_error failure = DRIVER_OK;

    for (int i = 0; !driver->thinking_missed && i < 2; i++) {
        failure = read_button(driver, words);
        if (failure || strstr(words, driver->site.thinking))
            return failure;
        if (i > 0)
            break;
        failure = driver_open_menu(driver, &selection, first);
        if (!failure && *first)
            failure = driver_click(driver, "option", driver->site.thinking, 0, &found);
        if (!failure)
            failure = driver_outcome(
                driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                                   driver_until(driver, driver->settings->browser_action_seconds)));
        if (failure)
            return failure;
    }
    driver->thinking_missed = true;
    return driver_fail(driver, DRIVER_UNAVAILABLE,
                       "Thinking mode is unavailable for browser model '%s'.", label);
}
