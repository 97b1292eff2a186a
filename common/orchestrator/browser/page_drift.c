/* Captures the start page, and compares two captures. */
#include "orchestrator/browser/page_drift.h"

#include "base/schema.h"
#include "base/string_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINES_MAX = 64, KEYS_MAX = 16, LINES_BYTES = 16384, LINES_DEPTH = 4 };

struct page_flags {
    bool direct_model_button_visible, more_button_visible, more_clicked;
    bool model_button_visible_after_more;
};

#define OWNER struct page_flags
static const struct field flags_fields[] = {
    BOOLEAN(OWNER, direct_model_button_visible),
    BOOLEAN(OWNER, more_button_visible),
    BOOLEAN(OWNER, more_clicked),
    BOOLEAN(OWNER, model_button_visible_after_more),
};
#undef OWNER
static SCHEMA(flags_schema, struct page_flags, "PageFlags", flags_fields);

struct page_snapshot {
    struct string_list home_buttons;
    struct string_list model_menu; /* no items = the page shows none */
    struct page_flags *flags;
};

#define OWNER struct page_snapshot
static const struct field snapshot_fields[] = {
    STRINGS(OWNER, home_buttons),
    STRINGS(OWNER, model_menu, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, flags, flags_schema),
};
#undef OWNER
static SCHEMA(snapshot_schema, struct page_snapshot, "PageSnapshot", snapshot_fields);

/* The texts of an array, sorted, in memory of the driver's job arena. */
static struct string_list sorted(struct arena *arena, const json_t *lines)
{
    struct string_list list = {.items = ARENA_ARRAY(arena, const char *, LINES_MAX)};

    for (size_t i = 0; i < json_array_size(lines) && list.count < LINES_MAX; i++) {
        const char *line = json_string_value(json_array_get(lines, i));

        if (line)
            list.items[list.count++] = arena_copy_string(arena, line);
    }
    qsort(list.items, list.count, sizeof *list.items, string_list_order);
    return list;
}

static enum driver_error read_buttons(struct driver *driver, struct page_snapshot *snapshot)
{
    json_t *view = NULL;
    enum driver_error failure = driver_poll(driver, &view);

    if (failure)
        return failure;
    snapshot->home_buttons = sorted(driver->arena, json_object_get(view, "buttons"));
    snapshot->flags->direct_model_button_visible = json_is_string(json_object_get(view, "model"));
    snapshot->flags->more_button_visible = driver_flag(view, "more");
    return DRIVER_OK;
}

/* If no model button is visible, it may be behind "More". */
static enum driver_error read_behind_more(struct driver *driver, struct page_snapshot *snapshot)
{
    json_t *view = NULL;
    enum driver_error failure =
        driver_click(driver, "more", NULL, 0, &snapshot->flags->more_clicked);

    if (!failure)
        failure = driver_poll(driver, &view);
    if (!failure)
        snapshot->flags->model_button_visible_after_more =
            json_is_string(json_object_get(view, "model"));
    return failure;
}

static enum driver_error read_model_menu(struct driver *driver, struct page_snapshot *snapshot)
{
    struct selection selection = {.menu = "[]"};
    struct json_fault fault;
    char first[DRIVER_LABEL_MAX];
    json_t *lines = NULL;
    enum driver_error failure = driver_open_menu(driver, &selection, first);

    if (failure || !*first)
        return failure;
    if (!json_read(driver->arena, selection.menu, strlen(selection.menu), LINES_DEPTH, &lines,
                   &fault))
        snapshot->model_menu = sorted(driver->arena, lines);
    return DRIVER_OK;
}

static enum driver_error capture_all(struct driver *driver, void (*report)(const char *stage),
                                     struct page_snapshot *snapshot)
{
    enum driver_error failure;

    report("starting the browser");
    failure = driver_ensure_session(driver);
    if (!failure)
        failure = driver_dismiss_popups(driver);
    if (!failure)
        failure = driver_check_signed_in(driver);
    if (failure)
        return failure;
    report("reading the start page");
    failure = read_buttons(driver, snapshot);
    if (!failure && !snapshot->flags->direct_model_button_visible &&
        snapshot->flags->more_button_visible)
        failure = read_behind_more(driver, snapshot);
    if (failure || !(snapshot->flags->direct_model_button_visible ||
                     snapshot->flags->model_button_visible_after_more))
        return failure;
    report("reading the menu of models");
    return read_model_menu(driver, snapshot);
}

enum driver_error page_capture(struct driver *driver, void (*report)(const char *stage),
                               struct json_writer *writer)
{
    struct page_flags flags = {0};
    struct page_snapshot snapshot = {.flags = &flags};
    enum driver_error failure;

    driver_begin_job(driver, driver->settings->browser_call_seconds);
    failure = capture_all(driver, report, &snapshot);
    if (!failure)
        schema_write(writer, &snapshot_schema, &snapshot);
    return failure;
}

static bool opens_a_menu(const struct site *site, const char *label)
{
    if (strncasecmp(label, "add files", 9) == 0 || strcasecmp(label, "more") == 0 ||
        strcasestr(label, "search"))
        return true;
    for (size_t i = 0; i < site->known_labels.count; i++)
        if (strncmp(label, site->known_labels.items[i], strlen(site->known_labels.items[i])) == 0)
            return true;
    return strcasestr(label, "mode") && !strcasestr(label, "voice");
}

static size_t count_menus(const struct site *site, const json_t *document)
{
    const json_t *buttons = json_object_get(document, "home_buttons");
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(buttons); i++) {
        const char *label = json_string_value(json_array_get(buttons, i));

        count += label && opens_a_menu(site, label);
    }
    return count;
}

/* Both are written with the same order of members and lines. */
static bool is_equal(struct arena *arena, const json_t *one, const json_t *other)
{
    const json_t *values[] = {one, other};
    struct text texts[2];

    for (int i = 0; i < 2; i++) {
        struct json_writer writer;

        text_start(&texts[i], arena, LINES_BYTES * 4);
        writer_start(&writer, &texts[i]);
        writer_value_sorted(&writer, values[i]);
    }
    return strcmp(texts[0].bytes, texts[1].bytes) == 0;
}

bool page_compare(struct arena *arena, const struct site *site, const json_t *before,
                  const json_t *after, struct page_drift *drift)
{
    static const char *const keys[] = {"flags", "home_buttons", "model_menu"};
    struct string_list *lists[] = {&drift->added, &drift->removed, &drift->changed};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        *lists[i] = (struct string_list){.items = ARENA_ARRAY(arena, const char *, KEYS_MAX)};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *old = json_object_get(before, keys[i]),
                     *new = json_object_get(after, keys[i]);

        if (!old && new)
            string_list_add_new(&drift->added, keys[i]);
        else if (old && !new)
            string_list_add_new(&drift->removed, keys[i]);
        else if (old && !is_equal(arena, old, new))
            string_list_add_new(&drift->changed, keys[i]);
    }
    if (count_menus(site, after) > count_menus(site, before))
        string_list_add_new(&drift->changed, "home_menu_button_count");
    return drift->added.count || drift->removed.count || drift->changed.count;
}
