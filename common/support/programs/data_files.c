/* Files below DATA_DIR: paths, atomic replacement, locks. */
#include "support/programs/data_files.h"
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

enum { LOCK_PAUSE_MS = 20, PIECE = 65536 };

const char *data_file_path(struct arena *arena, const struct support_settings *settings,
                           const char *path)
{
    return *path == '/' ? path : arena_print(arena, "%s/%s", settings->data_directory, path);
}

const char *data_file_json(struct arena *arena, size_t most, const struct schema *schema,
                           const void *object)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, most);
    writer_start(&writer, &text);
    writer.indent = 2;
    schema_write(&writer, schema, object);
    text_append_byte(&text, '\n');
    return text.overflowed ? NULL : text.bytes;
}

static void make_folders(struct arena *arena, const char *path)
{
    char *folder = arena_copy_string(arena, path);

    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700); /* opening the file reports the error */
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
    return true;
}

void data_file_sync_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = open(slash ? arena_copy(arena, path, (size_t)(slash - path) + 1) : ".",
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder >= 0) {
        (void)!fsync(folder);
        close(folder);
    }
}

/* A folder has at most one file being written; -1 when it cannot be created. The next writer of the
 * folder reuses the file of a dead process. */
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
        /* else the previous writer has renamed it meanwhile */
    }
}

static void close_file(void *file)
{
    close(*(int *)file);
}

/* Opens a file that is closed even after running out of memory; NULL when it cannot be opened. */
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

struct data_file {
    struct arena *arena;
    const char *path, *part;
    struct arena_guard *guard; /* closing it also releases the lock */
    char *piece;
    size_t filled, length;
    int failure; /* errno of the first */
};

enum error data_file_begin(struct arena *arena, const char *path, struct data_file **file,
                           struct problem *problem)
{
    const char *name = strrchr(path, '/');
    struct data_file *begun = ARENA_NEW(arena, struct data_file);
    int *taken = ARENA_NEW(arena, int);

    begun->arena = arena;
    begun->path = path;
    begun->part = arena_print(arena, "%.*s.part", name ? (int)(name + 1 - path) : 0, path);
    begun->piece = arena_alloc(arena, PIECE);
    begun->guard = arena_guard(arena, close_file);
    make_folders(arena, path);
    *taken = take_part(begun->part);
    if (*taken < 0)
        return cannot(problem, path);
    begun->guard->thing = taken;
    *file = begun;
    return ERROR_NONE;
}

static void put(struct data_file *file, const char *bytes, size_t length)
{
    if (!file->failure && !write_all(file_of(file->guard), bytes, length))
        file->failure = errno;
}

static void put_piece(struct data_file *file)
{
    put(file, file->piece, file->filled);
    file->filled = 0;
}

void data_file_append(struct data_file *file, const char *bytes, size_t length)
{
    file->length += length;
    if (length > PIECE - file->filled)
        put_piece(file);
    if (length > PIECE) {
        put(file, bytes, length);
        return;
    }
    memcpy(file->piece + file->filled, bytes, length);
    file->filled += length;
}

size_t data_file_length(const struct data_file *file)
{
    return file->length;
}

void data_file_abandon(struct data_file *file)
{
    unlink(file->part);
    arena_guard_end(file->guard);
}

enum error data_file_finish(struct data_file *file, struct problem *problem)
{
    put_piece(file);
    if (!file->failure && (fsync(file_of(file->guard)) != 0 || rename(file->part, file->path) != 0))
        file->failure = errno;
    if (file->failure) {
        errno = file->failure;
        cannot(problem, file->path);
        data_file_abandon(file);
        return ERROR_SYSTEM;
    }
    arena_guard_end(file->guard);
    data_file_sync_name(file->arena, file->path);
    return ERROR_NONE;
}

enum error data_file_write(struct arena *arena, const char *path, const char *bytes, size_t length,
                           struct problem *problem)
{
    struct data_file *file;
    enum error error = data_file_begin(arena, path, &file, problem);

    if (error)
        return error;
    data_file_append(file, bytes, length);
    return data_file_finish(file, problem);
}

enum error data_file_open(struct arena *arena, const char *path, struct arena_guard **file,
                          struct problem *problem)
{
    struct arena_guard *guard = arena_guard(arena, arena_close_file);
    FILE *opened = guard->thing = fopen(path, "re");
    struct stat facts;
    enum error error = ERROR_NONE;

    if (!opened)
        return errno == ENOENT || errno == ENOTDIR
                   ? problem_set(problem, ERROR_NOT_FOUND, "file_not_found", "there is no %s", path)
                   : problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read: %s",
                                 path, strerror(errno));
    if (fstat(fileno(opened), &facts) != 0 || !S_ISREG(facts.st_mode))
        error = problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s is no file", path);
    else if (facts.st_size > DATA_FILE_MAX)
        error = problem_set(problem, ERROR_TOO_LARGE, "file_too_large",
                            "%s is larger than %d bytes", path, DATA_FILE_MAX);
    if (error)
        arena_guard_end(guard);
    else
        *file = guard;
    return error;
}

enum error data_file_read(struct arena *arena, const char *path, char **bytes, size_t *length,
                          struct problem *problem)
{
    struct arena_guard *guard;
    struct stat facts;
    bool fine;
    enum error error = data_file_open(arena, path, &guard, problem);

    if (error)
        return error;
    fine = fstat(fileno(guard->thing), &facts) == 0;
    if (fine) {
        *bytes = arena_alloc(arena, (size_t)facts.st_size + 1);
        *length = fread(*bytes, 1, (size_t)facts.st_size, guard->thing);
        fine = !ferror((FILE *)guard->thing);
    }
    if (!fine)
        error = problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read: %s", path,
                            strerror(errno));
    arena_guard_end(guard);
    return error;
}

enum error data_file_remove(const char *path, struct problem *problem)
{
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "file_not_removed", "%s cannot be removed: %s", path,
                       strerror(errno));
}

bool data_file_exists(const char *path)
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

enum error data_file_lock(struct arena *arena, const struct support_settings *settings,
                          const char *name, int wait_ms, struct arena_guard **lock,
                          struct problem *problem)
{
    const char *path = data_file_path(arena, settings, arena_print(arena, "locks/%s", name));

    make_folders(arena, path);
    *lock = open_guarded(arena, path, O_RDWR | O_CREAT);
    if (!*lock)
        return cannot(problem, path);
    if (wait_for(file_of(*lock), wait_ms))
        return ERROR_NONE;
    data_file_unlock(*lock);
    *lock = NULL;
    return problem_set(problem, ERROR_BUSY, "locked", "%s is at work already", name);
}

void data_file_unlock(struct arena_guard *lock)
{
    if (lock)
        arena_guard_end(lock); /* closes the file, which releases the lock */
}

const char *data_file_slug(struct arena *arena, const char *text)
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

const char *data_file_stamp(struct arena *arena, int64_t microseconds)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(microseconds, text);
    return arena_print(arena, "%.4s%.2s%.2sT%.2s%.2s%.2sZ", text, text + 5, text + 8, text + 11,
                       text + 14, text + 17);
}
