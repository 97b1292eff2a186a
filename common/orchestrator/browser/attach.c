/* Attachments of a prompt: copied to where the browser can open them, chosen in the page's file
 * input, and removed after the job. */
#include "base/clock.h"
#include "orchestrator/browser/driver.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 65536, ENDING_MAX = 12, INPUT_POLLS = 5 };

/* The extension of a file name, as far as it is letters and digits. */
static const char *ending_of(struct driver *driver, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t length = 0;

    while (dot && length < ENDING_MAX && isalnum((unsigned char)dot[1 + length]))
        length++;
    return length && !dot[1 + length] ? arena_copy(driver->arena, dot, length + 1) : ".bin";
}

static bool copy(int from, int to)
{
    char bytes[COPY_BYTES];
    off_t at = 0;
    ssize_t count;

    while ((count = pread(from, bytes, sizeof bytes, at)) > 0) {
        if (write(to, bytes, (size_t)count) != count)
            return false;
        at += count;
    }
    return count == 0;
}

static enum driver_error put(struct driver *driver, const char *name, int file)
{
    const char *path = arena_print(driver->arena, "%s/%zu%s", driver->file_directory,
                                   driver->job_files.count + 1, ending_of(driver, name));
    bool good;
    int copied;

    (void)!unlink(path); /* left by a killed job */
    copied = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (copied < 0)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "A file cannot be kept for the browser: %s",
                           strerror(errno));
    driver->job_files.items[driver->job_files.count++] = path;
    good = copy(file, copied);
    return close(copied) == 0 && good
               ? DRIVER_OK
               : driver_fail(driver, DRIVER_UNAVAILABLE, "A file cannot be kept for the browser.");
}

static enum driver_error put_all(struct driver *driver, const struct attachments *attachments)
{
    enum driver_error failure = DRIVER_OK;

    if (!driver->file_directory || (mkdir(driver->file_directory, 0700) != 0 && errno != EEXIST))
        return driver_fail(driver, DRIVER_UNAVAILABLE, "There is no place for files.");
    driver->job_files =
        (struct string_list){.items = ARENA_ARRAY(driver->arena, const char *, attachments->count)};
    for (size_t i = 0; !failure && i < attachments->count; i++)
        failure = put(driver, attachments->names[i], attachments->files[i]);
    return failure;
}

/* The input is usually hidden, and some pages create it only after a click on its button. */
static enum driver_error find_input(struct driver *driver, bool *found)
{
    enum driver_error failure = DRIVER_OK;

    *found = false;
    for (int i = 0; !failure && i <= INPUT_POLLS; i++) {
        json_t *position = NULL;
        bool clicked;

        failure = driver_ask(driver, "{\"do\":\"find\",\"what\":\"file_input\"}", &position);
        *found = !failure && json_is_object(position);
        if (failure || *found)
            return failure;
        if (i == 0)
            failure = driver_click(driver, "attach", NULL, 0, &clicked);
        if (!failure)
            failure = driver_wait(driver, driver->settings->browser_poll_seconds);
    }
    return failure;
}

enum driver_error driver_attach(struct driver *driver, const struct attachments *attachments)
{
    enum cdp_outcome outcome;
    enum driver_error failure;
    bool found;

    if (!attachments->count)
        return DRIVER_OK;
    failure = find_input(driver, &found);
    if (!failure && !found)
        return driver_fail(driver, DRIVER_UNAVAILABLE, "The web provider's page takes no files.");
    if (!failure)
        failure = put_all(driver, attachments);
    if (failure)
        return failure;
    outcome = page_choose_files(driver->page, "() => globalThis.assayFound",
                                driver->job_files.items, driver->job_files.count,
                                driver_until(driver, driver->settings->browser_action_seconds));
    if (outcome != CDP_OK)
        return outcome == CDP_REFUSED || outcome == CDP_NOT_FOUND
                   ? driver_fail(driver, DRIVER_UNAVAILABLE,
                                 "The web provider's page does not take the files.")
                   : driver_outcome(driver, outcome);
    return driver_wait(driver, driver->settings->browser_human_delay_seconds);
}

void driver_drop_files(struct driver *driver)
{
    for (size_t i = 0; i < driver->job_files.count; i++)
        (void)!unlink(driver->job_files.items[i]);
    driver->job_files = (struct string_list){0};
}
