/* One tab over one connection. A tab that has crashed or was closed gives CDP_CLOSED from then
 * on. */
#include "browser/page.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_MAX = 128, EXPRESSION_MAX = 1024, ALIVE_MICROSECONDS = 2000000 };

struct page {
    struct cdp *cdp;
    struct cdp_listener watch;
    char target[ID_MAX], session[ID_MAX], frame[ID_MAX];
    int64_t world;    /* isolated world of our scripts; 0 = none yet */
    unsigned loads;   /* documents that have loaded */
    unsigned awaited; /* loads that page_navigate() waits for */
    const char *gone; /* why the tab is closed; NULL = it is open */
};

static bool is_ours(const struct page *page, const char *session, const json_t *params)
{
    const char *target = json_string_value(json_object_get(params, "targetId"));
    const char *of = json_string_value(json_object_get(params, "sessionId"));

    return (session && strcmp(session, page->session) == 0) ||
           (target && strcmp(target, page->target) == 0) || (of && strcmp(of, page->session) == 0);
}

static void dismiss_dialog(const struct page *page)
{
    struct json_writer *params = cdp_begin(page->cdp, page->session, "Page.handleJavaScriptDialog");

    writer_key_boolean(params, "accept", false);
    cdp_post(page->cdp);
}

static void note_navigation(struct page *page, const json_t *params)
{
    const json_t *frame = json_object_get(params, "frame");
    const char *id = json_string_value(json_object_get(frame, "id"));

    if (!id || json_object_get(frame, "parentId"))
        return;
    snprintf(page->frame, sizeof page->frame, "%s", id);
    page->world = 0;
}

static void on_event(const char *method, const char *session, const json_t *params, void *context)
{
    struct page *page = context;

    if (!is_ours(page, session, params))
        return;
    if (strcmp(method, "Page.domContentEventFired") == 0)
        page->loads++;
    else if (strcmp(method, "Page.frameNavigated") == 0)
        note_navigation(page, params);
    else if (strcmp(method, "Page.javascriptDialogOpening") == 0)
        dismiss_dialog(page);
    else if (strcmp(method, "Inspector.targetCrashed") == 0 ||
             strcmp(method, "Target.targetCrashed") == 0)
        page->gone = "the tab has crashed";
    else if (strcmp(method, "Target.targetDestroyed") == 0 ||
             strcmp(method, "Target.detachedFromTarget") == 0)
        page->gone = "the tab was closed";
}

static void on_ready(void *context)
{
    const struct page *page = context;

    if (page->watch.on_ready)
        page->watch.on_ready(page->watch.context);
}

/* A closed tab does not answer, so it is not waited for. */
static bool must_stop(void *context)
{
    const struct page *page = context;

    return page->gone || (page->watch.must_stop && page->watch.must_stop(page->watch.context));
}

static enum cdp_outcome as_of(const struct page *page, enum cdp_outcome outcome)
{
    return outcome == CDP_STOPPED && page->gone ? CDP_CLOSED : outcome;
}

static enum cdp_outcome call(const struct page *page, int64_t deadline, json_t **result)
{
    return as_of(page, cdp_call(page->cdp, deadline, result));
}

static struct json_writer *begin(const struct page *page, const char *method)
{
    return cdp_begin(page->cdp, page->session, method);
}

static enum cdp_outcome enable(const struct page *page, const char *method, int64_t deadline)
{
    (void)begin(page, method);
    return call(page, deadline, NULL);
}

static void copy_id(char id[ID_MAX], const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    snprintf(id, ID_MAX, "%s", value ? value : "");
}

static enum cdp_outcome find_target(struct page *page, int64_t deadline)
{
    json_t *result = NULL, *targets;
    enum cdp_outcome outcome;

    (void)cdp_begin(page->cdp, NULL, "Target.getTargets");
    outcome = call(page, deadline, &result);
    if (outcome != CDP_OK)
        return outcome;
    targets = json_object_get(result, "targetInfos");
    for (size_t i = 0; i < json_array_size(targets) && !*page->target; i++) {
        const json_t *target = json_array_get(targets, i);
        const char *type = json_string_value(json_object_get(target, "type"));

        if (type && strcmp(type, "page") == 0)
            copy_id(page->target, target, "targetId");
    }
    if (*page->target)
        return CDP_OK;
    writer_key_string(cdp_begin(page->cdp, NULL, "Target.createTarget"), "url", "about:blank");
    outcome = call(page, deadline, &result);
    if (outcome == CDP_OK)
        copy_id(page->target, result, "targetId");
    return outcome;
}

static enum cdp_outcome attach(struct page *page, int64_t deadline)
{
    struct json_writer *params = cdp_begin(page->cdp, NULL, "Target.setDiscoverTargets");
    enum cdp_outcome outcome;
    json_t *result = NULL;

    writer_key_boolean(params, "discover", true);
    outcome = call(page, deadline, NULL);
    if (outcome != CDP_OK)
        return outcome;
    params = cdp_begin(page->cdp, NULL, "Target.attachToTarget");
    writer_key_string(params, "targetId", page->target);
    writer_key_boolean(params, "flatten", true);
    outcome = call(page, deadline, &result);
    if (outcome != CDP_OK)
        return outcome;
    copy_id(page->session, result, "sessionId");
    outcome = enable(page, "Page.enable", deadline);
    return outcome == CDP_OK ? enable(page, "Inspector.enable", deadline) : outcome;
}

static enum cdp_outcome read_frame(struct page *page, int64_t deadline)
{
    json_t *result = NULL;
    enum cdp_outcome outcome;

    (void)begin(page, "Page.getFrameTree");
    outcome = call(page, deadline, &result);
    if (outcome == CDP_OK)
        copy_id(page->frame, json_object_get(json_object_get(result, "frameTree"), "frame"), "id");
    return outcome;
}

enum cdp_outcome page_open(struct cdp *cdp, const struct cdp_listener *watch, int64_t deadline,
                           struct page **page)
{
    struct page *made = calloc(1, sizeof *made);
    struct cdp_listener listener = {.on_event = on_event,
                                    .fd = watch->fd,
                                    .on_ready = on_ready,
                                    .must_stop = must_stop,
                                    .context = made};
    enum cdp_outcome outcome;

    *page = NULL;
    if (!made)
        return CDP_CLOSED;
    made->cdp = cdp;
    made->watch = *watch;
    cdp_listen(cdp, &listener);
    outcome = find_target(made, deadline);
    if (outcome == CDP_OK)
        outcome = attach(made, deadline);
    if (outcome == CDP_OK)
        outcome = read_frame(made, deadline);
    if (outcome == CDP_OK)
        *page = made;
    else
        page_close(made);
    return outcome;
}

void page_close(struct page *page)
{
    if (page)
        cdp_listen(page->cdp, &(struct cdp_listener){.fd = -1});
    free(page);
}

const char *page_fault(const struct page *page)
{
    return page->gone ? page->gone : cdp_fault(page->cdp);
}

static bool has_loaded(void *context)
{
    const struct page *page = context;

    return page->loads >= page->awaited;
}

enum cdp_outcome page_navigate(struct page *page, const char *url, int64_t deadline)
{
    json_t *result = NULL;
    enum cdp_outcome outcome;

    page->awaited = page->loads + 1;
    writer_key_string(begin(page, "Page.navigate"), "url", url);
    outcome = call(page, deadline, &result);
    if (outcome != CDP_OK)
        return outcome;
    if (json_object_get(result, "errorText"))
        return CDP_REFUSED;
    return as_of(page, cdp_wait(page->cdp, deadline, has_loaded, page));
}

/* A document has an isolated world only after it was requested. */
static enum cdp_outcome enter_world(struct page *page, int64_t deadline)
{
    struct json_writer *params;
    json_t *result = NULL;
    enum cdp_outcome outcome;

    if (page->world)
        return CDP_OK;
    params = begin(page, "Page.createIsolatedWorld");
    writer_key_string(params, "frameId", page->frame);
    writer_key_string(params, "worldName", "assay");
    outcome = call(page, deadline, &result);
    if (outcome == CDP_OK)
        page->world = json_integer_value(json_object_get(result, "executionContextId"));
    return outcome;
}

static enum cdp_outcome evaluate_once(struct page *page, const char *expression, bool by_value,
                                      int64_t deadline, json_t **result)
{
    enum cdp_outcome outcome = enter_world(page, deadline);
    struct json_writer *params;

    if (outcome != CDP_OK)
        return outcome;
    params = begin(page, "Runtime.evaluate");
    writer_key_string(params, "expression", expression);
    writer_key_integer(params, "contextId", page->world);
    writer_key_boolean(params, "returnByValue", by_value);
    return call(page, deadline, result);
}

enum cdp_outcome page_evaluate(struct page *page, const char *script, const char *first,
                               const char *second, int64_t deadline, json_t **value)
{
    size_t room = strlen(script) + strlen(first) + strlen(second) + sizeof "()(,)";
    char *expression = malloc(room);
    enum cdp_outcome outcome;
    json_t *result = NULL;

    if (!expression)
        return CDP_CLOSED;
    snprintf(expression, room, "(%s)(%s,%s)", script, first, second);
    outcome = evaluate_once(page, expression, true, deadline, &result);
    if (outcome == CDP_REFUSED) { /* the document was replaced meanwhile: retry in the new one */
        page->world = 0;
        outcome = evaluate_once(page, expression, true, deadline, &result);
    }
    free(expression);
    if (outcome != CDP_OK)
        return outcome;
    if (json_object_get(result, "exceptionDetails"))
        return CDP_REFUSED;
    *value = json_object_get(json_object_get(result, "result"), "value");
    return CDP_OK;
}

enum cdp_outcome page_click(struct page *page, double x, double y, int64_t deadline)
{
    static const char *const steps[] = {"mouseMoved", "mousePressed", "mouseReleased"};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct json_writer *params = begin(page, "Input.dispatchMouseEvent");
        enum cdp_outcome outcome;

        writer_key_string(params, "type", steps[i]);
        writer_key_number(params, "x", x);
        writer_key_number(params, "y", y);
        if (i > 0) {
            writer_key_string(params, "button", "left");
            writer_key_integer(params, "buttons", i == 1);
            writer_key_integer(params, "clickCount", 1);
        }
        outcome = call(page, deadline, NULL);
        if (outcome != CDP_OK)
            return outcome;
    }
    return CDP_OK;
}

enum cdp_outcome page_press(struct page *page, enum page_key key, int64_t deadline)
{
    enum { CONTROL = 2 };
    static const struct {
        const char *key, *code;
        int number, modifiers;
        const char *command; /* editor commands */
    } keys[PAGE_KEY__MAX] = {
        [PAGE_KEY_ESCAPE] = {"Escape", "Escape", 27, 0, NULL},
        [PAGE_KEY_SELECT_ALL] = {"a", "KeyA", 65, CONTROL, "selectAll"},
        [PAGE_KEY_DELETE] = {"Delete", "Delete", 46, 0, NULL},
        [PAGE_KEY_CONTROL_ENTER] = {"Enter", "Enter", 13, CONTROL, NULL},
        [PAGE_KEY_CONTROL_I] = {"i", "KeyI", 73, CONTROL, NULL},
    };

    for (int up = 0; up < 2; up++) {
        struct json_writer *params = begin(page, "Input.dispatchKeyEvent");
        enum cdp_outcome outcome;

        writer_key_string(params, "type", up ? "keyUp" : "rawKeyDown");
        writer_key_string(params, "key", keys[key].key);
        writer_key_string(params, "code", keys[key].code);
        writer_key_integer(params, "windowsVirtualKeyCode", keys[key].number);
        writer_key_integer(params, "modifiers", keys[key].modifiers);
        if (!up && keys[key].command) {
            writer_key(params, "commands");
            writer_open_array(params);
            writer_string(params, keys[key].command);
            writer_close_array(params);
        }
        outcome = call(page, deadline, NULL);
        if (outcome != CDP_OK)
            return outcome;
    }
    return CDP_OK;
}

enum cdp_outcome page_insert_text(struct page *page, const char *text, int64_t deadline)
{
    writer_key_string(begin(page, "Input.insertText"), "text", text);
    return call(page, deadline, NULL);
}

enum cdp_outcome page_choose_files(struct page *page, const char *script, const char *const *paths,
                                   size_t count, int64_t deadline)
{
    char expression[EXPRESSION_MAX], object[ID_MAX];
    struct json_writer *params;
    json_t *result = NULL;
    enum cdp_outcome outcome;

    snprintf(expression, sizeof expression, "(%s)()", script);
    outcome = evaluate_once(page, expression, false, deadline, &result);
    if (outcome != CDP_OK)
        return outcome;
    copy_id(object, json_object_get(result, "result"), "objectId");
    if (!*object)
        return CDP_NOT_FOUND;
    params = begin(page, "DOM.setFileInputFiles");
    writer_key_string(params, "objectId", object);
    writer_key(params, "files");
    writer_strings(params, paths, count);
    return call(page, deadline, NULL);
}

/* Decodes base64 into the file in chunks. */
static bool write_picture(int fd, const char *base64)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[3072];
    size_t count = 0;
    unsigned held = 0;
    int bits = 0;

    for (; *base64 && *base64 != '='; base64++) {
        const char *digit = strchr(alphabet, *base64);

        if (!digit)
            return false;
        held = (held << 6 | (unsigned)(digit - alphabet)) & 0xffff;
        bits += 6;
        if (bits >= 8)
            bytes[count++] = (unsigned char)(held >> (bits -= 8));
        if (count == sizeof bytes) {
            if (write(fd, bytes, count) != (ssize_t)count)
                return false;
            count = 0;
        }
    }
    return write(fd, bytes, count) == (ssize_t)count;
}

enum cdp_outcome page_screenshot(struct page *page, const char *path, int64_t deadline)
{
    struct json_writer *params = begin(page, "Page.captureScreenshot");
    json_t *result = NULL;
    enum cdp_outcome outcome;
    const char *data;
    bool written;
    int fd;

    writer_key_string(params, "format", "png");
    writer_key_boolean(params, "captureBeyondViewport", true);
    outcome = call(page, deadline, &result);
    data = json_string_value(json_object_get(result, "data"));
    if (outcome != CDP_OK || !data)
        return outcome == CDP_OK ? CDP_REFUSED : outcome;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return CDP_REFUSED;
    written = write_picture(fd, data);
    return close(fd) == 0 && written ? CDP_OK : CDP_REFUSED;
}

enum cdp_outcome page_wait(struct page *page, int64_t until)
{
    enum cdp_outcome outcome = as_of(page, cdp_wait(page->cdp, until, NULL, NULL));

    return outcome == CDP_TIMED_OUT ? CDP_OK : outcome;
}

bool page_is_alive(struct page *page)
{
    json_t *value = NULL;

    return !page->gone &&
           page_evaluate(page, "() => true", "0", "0",
                         clock_monotonic_microseconds() + ALIVE_MICROSECONDS, &value) == CDP_OK &&
           json_is_true(value);
}
