/* The menu of models: opening it, choosing from it, and saying how sure that is. */
#include "base/clock.h"
#include "orchestrator/browser/driver.h"

#include <stdio.h>
#include <string.h>

enum { BUTTON_POLLS = 5, MENU_TRIES = 3, MENU_DEPTH = 2 };

static void copy_text(char *to, size_t size, const json_t *text)
{
    snprintf(to, size, "%s", json_is_string(text) ? json_string_value(text) : "");
}

/* The words of the model's button, "" when it is not there. */
static enum trouble read_button(struct driver *driver, char words[DRIVER_LABEL_MAX])
{
    json_t *look = NULL;
    enum trouble trouble = driver_look(driver, &look);

    *words = 0;
    if (!trouble)
        copy_text(words, DRIVER_LABEL_MAX, json_object_get(look, "model"));
    return trouble;
}

static enum trouble wait_for_button(struct driver *driver, char words[DRIVER_LABEL_MAX])
{
    for (int i = 0; i < BUTTON_POLLS; i++) {
        enum trouble trouble = read_button(driver, words);

        if (trouble || *words)
            return trouble;
        trouble = driver_rest(driver, driver->settings->browser_poll_seconds);
        if (trouble)
            return trouble;
    }
    return TROUBLE_NONE;
}

/* The button, if need be after going home, or to a new thread. "" when there is none at all. */
static enum trouble find_button(struct driver *driver, struct selection *selection)
{
    enum trouble trouble = wait_for_button(driver, selection->before);
    bool found;

    if (trouble || *selection->before)
        return trouble;
    selection->went_home = true;
    trouble = driver_go_home(driver);
    if (!trouble)
        trouble = wait_for_button(driver, selection->before);
    if (trouble || *selection->before)
        return trouble;
    trouble = driver_click(driver, "new_thread", NULL, 0, &found);
    if (!trouble && !found)
        trouble = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_CONTROL_I,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    return trouble ? trouble : wait_for_button(driver, selection->before);
}

/* Keeps the lines, for details and health. */
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

enum trouble driver_open_menu(struct driver *driver, struct selection *selection,
                              char first[DRIVER_LABEL_MAX])
{
    *first = 0;
    for (int i = 0; i < MENU_TRIES; i++) {
        json_t *lines = NULL;
        bool found;
        enum trouble trouble = driver_click(driver, i == 0 ? "model_button" : "menu_button", NULL,
                                            i > 0 ? i - 1 : 0, &found);

        if (!trouble && found)
            trouble = driver_ask(driver, "{\"do\":\"menu\"}", &lines);
        if (trouble)
            return trouble;
        copy_text(first, DRIVER_LABEL_MAX, json_array_get(lines, 0));
        if (*first &&
            (site_is_label(&driver->site, first) || !site_is_noise(&driver->site, first))) {
            note_menu(driver, selection, lines);
            return TROUBLE_NONE;
        }
        *first = 0;
        trouble = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                               driver_until(driver, driver->settings->browser_action_seconds)));
        if (trouble)
            return trouble;
    }
    return TROUBLE_NONE;
}

/* Clicks the option. Its own mark is read right behind the click, before the menu may close. */
static enum trouble choose(struct driver *driver, const char *label, struct selection *selection)
{
    static const char *const indicators[] = {"aria-selected", "aria-checked", "data-selected",
                                             "data-state"};
    json_t *chosen = NULL;
    const char *name;
    bool found;
    enum trouble trouble = driver_click(driver, "option", label, 0, &found);

    if (trouble || !found)
        return trouble;
    selection->lookup_source = "option";
    trouble = driver_ask(driver, "{\"do\":\"chosen\"}", &chosen);
    name = trouble ? NULL : json_string_value(json_object_get(chosen, "indicator"));
    for (size_t i = 0; name && i < sizeof indicators / sizeof indicators[0]; i++)
        if (strcmp(name, indicators[i]) == 0)
            selection->indicator = indicators[i];
    return trouble;
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

enum trouble driver_read_labels(struct driver *driver, const char **labels)
{
    struct selection *selection = ARENA_NEW(driver->arena, struct selection);
    char first[DRIVER_LABEL_MAX];
    struct json_fault fault;
    struct json_writer writer;
    struct text text;
    json_t *lines = NULL;
    enum trouble trouble = find_button(driver, selection);

    if (!trouble && *selection->before)
        trouble = driver_open_menu(driver, selection, first);
    if (trouble)
        return trouble;
    if (!*selection->before || !*first)
        return driver_trouble(driver, TROUBLE_DRIVER, "The menu of models does not open.");
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

enum trouble driver_select_model(struct driver *driver, const char *label,
                                 struct selection *selection)
{
    char first[DRIVER_LABEL_MAX] = "";
    enum trouble trouble;

    *selection = (struct selection){.attempted = true, .menu = "[]"};
    trouble = find_button(driver, selection);
    if (trouble)
        return trouble;
    if (!*selection->before) {
        selection->picker_unavailable = true;
        selection->label_source = "picker_unavailable";
        driver->picker_missed_at = clock_unix_microseconds();
        snprintf(selection->actual, sizeof selection->actual, "%s", label);
        return TROUBLE_NONE;
    }
    driver_shot(driver, "03-model-before-", label);
    trouble = driver_open_menu(driver, selection, first);
    if (trouble)
        return trouble;
    driver_shot(driver, "04-model-menu-open-", label);
    if (*first)
        trouble = choose(driver, label, selection);
    if (!trouble && !selection->lookup_source)
        trouble = driver_outcome(
            driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                               driver_until(driver, driver->settings->browser_action_seconds)));
    if (!trouble)
        trouble = read_button(driver, selection->after);
    if (trouble)
        return trouble;
    conclude(selection, label, first);
    driver_shot(driver, "05-model-after-", label);
    return TROUBLE_NONE;
}

enum trouble driver_enable_thinking(struct driver *driver, const char *label)
{
    struct selection selection = {.menu = "[]"};
    char words[DRIVER_LABEL_MAX], first[DRIVER_LABEL_MAX];
    bool found = false;
    enum trouble trouble = TROUBLE_NONE;

    for (int i = 0; !driver->thinking_missed && i < 2; i++) {
        trouble = read_button(driver, words);
        if (trouble || strstr(words, driver->site.thinking))
            return trouble;
        if (i > 0)
            break;
        trouble = driver_open_menu(driver, &selection, first);
        if (!trouble && *first)
            trouble = driver_click(driver, "option", driver->site.thinking, 0, &found);
        if (!trouble)
            trouble = driver_outcome(
                driver, page_press(driver->page, PAGE_KEY_ESCAPE,
                                   driver_until(driver, driver->settings->browser_action_seconds)));
        if (trouble)
            return trouble;
    }
    driver->thinking_missed = true;
    return driver_trouble(driver, TROUBLE_DRIVER,
                          "Thinking mode is unavailable for browser model '%s'.", label);
}
