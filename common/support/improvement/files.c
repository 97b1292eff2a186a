/* Files of the offline half: where they lie, how they are replaced, who may at the moment. */
#include "support/improvement/files.h"
#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_PAUSE_MS = 20 };

const char *improvement_path(struct arena *arena, const struct support_settings *settings,
                             const char *path)
{
    return *path == '/' ? path : arena_print(arena, "%s/%s", settings->data_directory, path);
}

static void make_folders(struct arena *arena, const char *path)
{
    char *folder = arena_copy_string(arena, path);

    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700); /* what fails is told by opening the file */
        *slash = '/';
    }
}

static enum error cannot(struct problem *problem, const char *path)
{
    return problem_set(problem, ERROR_SYSTEM, "file_not_written", "%s cannot be written: %s", path,
                       strerror(errno));
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(file, bytes, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return fsync(file) == 0;
}

/* The name of a file is its folder's to remember. */
static void keep_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = open(slash ? arena_copy(arena, path, (size_t)(slash - path) + 1) : ".",
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder >= 0) {
        (void)!fsync(folder);
        close(folder);
    }
}

/* A folder has one file that is being written; -1 when there can be none. Whoever dies leaves it to
 * the next writer of the folder. */
static int take_part(const char *part)
{
    struct stat mine, named;

    for (;;) {
        int file = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        bool locked;

        if (file < 0)
            return -1;
        locked = flock(file, LOCK_EX) == 0;
        if (locked && fstat(file, &mine) == 0 && stat(part, &named) == 0 &&
            mine.st_ino == named.st_ino && mine.st_dev == named.st_dev) {
            if (ftruncate(file, 0) == 0)
                return file;
            close(file);
            return -1;
        }
        close(file);
        if (!locked && errno != EINTR)
            return -1;
        /* else the one before us has given it its name meanwhile */
    }
}

enum error improvement_write(struct arena *arena, const char *path, const char *bytes,
                             size_t length, struct problem *problem)
{
    const char *name = strrchr(path, '/');
    const char *part = arena_print(arena, "%.*s.part", name ? (int)(name + 1 - path) : 0, path);
    bool fine;
    int file;

    make_folders(arena, path);
    file = take_part(part);
    if (file < 0)
        return cannot(problem, path);
    fine = write_all(file, bytes, length) && rename(part, path) == 0;
    if (!fine) {
        cannot(problem, path);
        unlink(part);
    }
    close(file); /* and with it the lock */
    if (!fine)
        return ERROR_SYSTEM;
    keep_folder(arena, path);
    return ERROR_NONE;
}

static void close_file(void *file)
{
    close(*(int *)file);
}

/* Opens a file that is closed even when memory runs out over it; NULL when it cannot be opened. */
static struct arena_guard *open_guarded(struct arena *arena, const char *path, int flags)
{
    struct arena_guard *guard = arena_guard(arena, close_file);
    int *file = ARENA_NEW(arena, int);

    *file = open(path, flags | O_CLOEXEC, 0600);
    guard->thing = *file < 0 ? NULL : file;
    return *file < 0 ? NULL : guard;
}

static int file_of(const struct arena_guard *guard)
{
    return *(const int *)guard->thing;
}

static enum error read_open(struct arena *arena, int file, const char *path, char **bytes,
                            size_t *length, struct problem *problem)
{
    struct stat facts;
    ssize_t got = 0;

    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s is no file", path);
    if (facts.st_size > IMPROVEMENT_FILE_MAX)
        return problem_set(problem, ERROR_TOO_LARGE, "file_too_large", "%s is larger than %d bytes",
                           path, IMPROVEMENT_FILE_MAX);
    *bytes = arena_alloc(arena, (size_t)facts.st_size + 1);
    *length = 0;
    while (*length < (size_t)facts.st_size &&
           (got = read(file, *bytes + *length, (size_t)facts.st_size - *length)) > 0)
        *length += (size_t)got;
    (*bytes)[*length] = '\0';
    return got < 0 ? problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read: %s",
                                 path, strerror(errno))
                   : ERROR_NONE;
}

enum error improvement_read(struct arena *arena, const char *path, char **bytes, size_t *length,
                            struct problem *problem)
{
    struct arena_guard *guard = open_guarded(arena, path, O_RDONLY);
    enum error error;

    if (!guard)
        return errno == ENOENT || errno == ENOTDIR
                   ? problem_set(problem, ERROR_NOT_FOUND, "file_not_found", "there is no %s", path)
                   : problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read: %s",
                                 path, strerror(errno));
    error = read_open(arena, file_of(guard), path, bytes, length, problem);
    arena_guard_end(guard);
    return error;
}

enum error improvement_remove(const char *path, struct problem *problem)
{
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "file_not_removed", "%s cannot be removed: %s", path,
                       strerror(errno));
}

bool improvement_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool wait_for(int lock, int wait_ms)
{
    const struct timespec pause = {0, (long)LOCK_PAUSE_MS * 1000000};

    for (int waited = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; waited += LOCK_PAUSE_MS) {
        if (waited >= wait_ms)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

enum error improvement_lock(struct arena *arena, const struct support_settings *settings,
                            const char *name, int wait_ms, struct arena_guard **lock,
                            struct problem *problem)
{
    const char *path = improvement_path(arena, settings, arena_print(arena, "locks/%s", name));

    make_folders(arena, path);
    *lock = open_guarded(arena, path, O_RDWR | O_CREAT);
    if (!*lock)
        return cannot(problem, path);
    if (wait_for(file_of(*lock), wait_ms))
        return ERROR_NONE;
    improvement_unlock(*lock);
    *lock = NULL;
    return problem_set(problem, ERROR_BUSY, "locked", "%s is at work already", name);
}

void improvement_unlock(struct arena_guard *lock)
{
    if (lock)
        arena_guard_end(lock); /* closes the file, and with it goes the lock */
}

const char *improvement_slug(struct arena *arena, const char *text)
{
    char *slug = arena_alloc(arena, strlen(text) + 1);
    size_t length = 0;

    for (; *text; text++) {
        char byte = *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
        bool kept = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');

        if (kept)
            slug[length++] = byte;
        else if (length && slug[length - 1] != '-')
            slug[length++] = '-';
    }
    while (length && slug[length - 1] == '-')
        slug[--length] = '\0';
    return length ? slug : "current";
}

const char *improvement_stamp(struct arena *arena, int64_t microseconds)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(microseconds, text);
    return arena_print(arena, "%.4s%.2s%.2sT%.2s%.2s%.2sZ", text, text + 5, text + 8, text + 11,
                       text + 14, text + 17);
}
