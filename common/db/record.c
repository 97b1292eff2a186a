/* The record of the right database: reading, writing and locking the file, and its two flags. */
#include "db/record.h"
#include "db/identity.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    RECORD_BYTES_MAX = 8192,
    LOCK_WAIT_MS = 10 * 1000, /* for a program that is writing the record */
    LOCK_PAUSE_MS = 5
};

/* The flags stand where each line of this text ends. */
#define RECORD_HEAD "assay database record 1\ncredentials "
#define RECORD_LOST "\nlost "
static const off_t credentials_at = sizeof RECORD_HEAD - 1;
static const off_t lost_at = sizeof RECORD_HEAD - 1 + 1 + sizeof RECORD_LOST - 1;

static const char *const file_suffixes[RECORD_FILE__MAX] = {"", "-wal", "-shm"};
static const char *const file_names[RECORD_FILE__MAX] = {"main", "log", "index"};

const char *db_identity_path(struct arena *arena, const struct store_plan *plan)
{
    if (!plan->state_directory || !plan->state_directory[0])
        return NULL;
    return arena_print(arena, "%s/%s.identity", plan->state_directory, plan->service);
}

bool file_id_of(const char *path, enum record_file which, struct file_id *place)
{
    char name[4200];
    struct stat status;

    *place = (struct file_id){0};
    snprintf(name, sizeof name, "%s%s", path, file_suffixes[which]);
    if (stat(name, &status) != 0)
        return false;
    *place = (struct file_id){.device = status.st_dev, .inode = status.st_ino};
    return true;
}

bool file_id_equal(const struct file_id *a, const struct file_id *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static bool lock_whole(int file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    int result;

    do {
        result = fcntl(file, F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

static bool lock_shared(int file)
{
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)LOCK_WAIT_MS * 1000;
    struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000};

    while (!lock_whole(file, F_RDLCK)) {
        if ((errno != EAGAIN && errno != EACCES) || clock_monotonic_microseconds() > give_up)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* The text after `name` on its line; false without such a line, or when it does not fit. */
static bool read_line(const char *text, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    const char *end;

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) != 0 || line[length] != ' ')
            continue;
        line += length + 1;
        end = line + strcspn(line, "\n");
        if ((size_t)(end - line) >= size)
            return false;
        snprintf(value, size, "%.*s", (int)(end - line), line);
        return true;
    }
    return false;
}

static bool parse_file_id(const char *text, struct file_id *place)
{
    char *end;

    place->device = strtoull(text, &end, 10);
    if (*end != ':')
        return false;
    place->inode = strtoull(end + 1, &end, 10);
    return *end == '\0';
}

static bool parse(const char *text, struct record *record)
{
    char value[64];
    bool whole = strncmp(text, RECORD_HEAD, sizeof RECORD_HEAD - 1) == 0;

    *record = (struct record){0};
    if (!whole || !read_line(text, "credentials", value, sizeof value))
        return false;
    record->credentials = strcmp(value, "0") != 0;
    whole = read_line(text, "lost", value, sizeof value);
    record->lost = whole && strcmp(value, "0") != 0;
    whole = whole && read_line(text, "service", record->service, sizeof record->service) &&
            read_line(text, "id", record->id, sizeof record->id) && record->id[0] &&
            read_line(text, "session", record->session, sizeof record->session) &&
            read_line(text, "session_at", value, sizeof value) &&
            integer_parse(value, &record->session_at) &&
            read_line(text, "target", record->target, sizeof record->target);
    for (int i = 0; whole && i < RECORD_FILE__MAX; i++)
        whole = read_line(text, file_names[i], value, sizeof value) &&
                parse_file_id(value, &record->files[i]);
    return whole;
}

static bool read_record(int file, struct record *record)
{
    char text[RECORD_BYTES_MAX];
    ssize_t length = pread(file, text, sizeof text - 1, 0);

    if (length < 0)
        return false;
    text[length] = '\0';
    return parse(text, record);
}

static int open_record(const char *path, bool *writable)
{
    int file = open(path, O_RDWR | O_CLOEXEC);

    *writable = file >= 0;
    return file >= 0 ? file : open(path, O_RDONLY | O_CLOEXEC);
}

struct identity *identity_open(struct arena *arena, const char *path)
{
    struct identity *identity = ARENA_NEW(arena, struct identity);

    *identity = (struct identity){.path = arena_copy_string(arena, path)};
    identity->file = open_record(path, &identity->writable);
    if (identity->file < 0)
        return identity;
    if (lock_shared(identity->file) && read_record(identity->file, &identity->record))
        return identity;
    identity_close(identity);
    return identity;
}

void identity_close(struct identity *identity)
{
    if (identity && identity->file >= 0)
        close(identity->file);
    if (identity)
        identity->file = -1;
}

static bool flag_is_set(const struct identity *identity, off_t at)
{
    char flag = '1';

    return pread(identity->file, &flag, 1, at) != 1 || flag != '0';
}

/* Durable when it returns true. */
static bool set_flag(const struct identity *identity, off_t at, char flag)
{
    return identity->writable && pwrite(identity->file, &flag, 1, at) == 1 &&
           fdatasync(identity->file) == 0;
}

enum error identity_refusal(const struct identity *identity, struct problem *problem)
{
    if (identity->file < 0)
        return problem_set(problem, ERROR_UNAVAILABLE, "database_replaced",
                           "there is no record %s of which database is the right one: it is made "
                           "by the start of the service, with the database in reach",
                           identity->path);
    if (!flag_is_set(identity, lost_at))
        return ERROR_NONE;
    return problem_set(problem, ERROR_UNAVAILABLE, "database_replaced",
                       "the database was found moved, removed or exchanged while the service ran "
                       "(the log says how); nothing is read or written until it is back and the "
                       "service is reloaded, or stopped and started");
}

enum error identity_mismatch(struct problem *problem, const char *what)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "database_replaced", "%s", what);
}

enum error identity_lose(struct identity *identity, struct problem *problem, const char *format,
                         ...)
{
    char what[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    problem_set(problem, ERROR_UNAVAILABLE, "database_replaced",
                "%s; nothing is read or written until it is back and the service is reloaded, or "
                "stopped and started",
                what);
    if (!flag_is_set(identity, lost_at)) {
        log_event(LOG_ERROR, "database_lost", problem->text);
        if (!set_flag(identity, lost_at, '1'))
            log_event(LOG_ERROR, "database_record", strerror(errno));
    }
    return ERROR_UNAVAILABLE;
}

bool db_credentials_noted(const struct db *db)
{
    return db->identity && db->identity->file >= 0 && flag_is_set(db->identity, credentials_at);
}

enum error db_note_credentials(struct db *db, bool kept, struct problem *problem)
{
    const struct identity *identity = db->identity;

    if (!identity || identity->file < 0 || flag_is_set(identity, credentials_at) == kept)
        return ERROR_NONE;
    if (set_flag(identity, credentials_at, kept ? '1' : '0'))
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "database_record",
                       "the record %s cannot be written: %s", identity->path, strerror(errno));
}

enum error record_read(const char *path, struct record *record, int *lock, struct problem *problem)
{
    bool writable;
    int file = open_record(path, &writable);

    if (lock)
        *lock = -1;
    if (file < 0 && errno == ENOENT)
        return problem_set(problem, ERROR_NOT_FOUND, "database_record", "there is no %s", path);
    if (file < 0 || !read_record(file, record)) {
        problem_set(problem, ERROR_MALFORMED, "database_record", "the record %s cannot be read: %s",
                    path, file < 0 ? strerror(errno) : "it is not whole");
        if (file >= 0)
            close(file);
        return ERROR_MALFORMED;
    }
    if (lock && writable && lock_whole(file, F_WRLCK))
        *lock = file;
    else
        close(file);
    return ERROR_NONE;
}

static int format(const struct record *record, char *text, size_t size)
{
    const struct file_id *files = record->files;

    return snprintf(
        text, size,
        RECORD_HEAD "%d" RECORD_LOST "%d\nservice %s\nid %s\nsession %s\n"
                    "session_at %lld\nmain %llu:%llu\nlog %llu:%llu\n"
                    "index %llu:%llu\ntarget %s\n",
        record->credentials, record->lost, record->service, record->id, record->session,
        (long long)record->session_at, (unsigned long long)files[RECORD_MAIN].device,
        (unsigned long long)files[RECORD_MAIN].inode, (unsigned long long)files[RECORD_LOG].device,
        (unsigned long long)files[RECORD_LOG].inode, (unsigned long long)files[RECORD_INDEX].device,
        (unsigned long long)files[RECORD_INDEX].inode, record->target);
}

/* What a rename has made stays after a power cut only when the folder has been written too. */
static bool sync_folder_of(const char *path)
{
    char folder[4200];
    char *slash;
    int file;
    bool done;

    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    done = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return done;
}

enum error record_found_again(const char *path, struct problem *problem)
{
    struct identity identity = {.path = path};
    bool done;

    identity.file = open_record(path, &identity.writable);
    done = identity.file >= 0 && set_flag(&identity, lost_at, '0');
    if (!done)
        problem_set(problem, ERROR_SYSTEM, "database_record", "the record %s cannot be written: %s",
                    path, strerror(errno));
    identity_close(&identity);
    return done ? ERROR_NONE : ERROR_SYSTEM;
}

enum error record_write(const char *path, const struct record *record, struct problem *problem)
{
    char text[RECORD_BYTES_MAX], fresh[4200];
    int length = format(record, text, sizeof text), file;
    bool written;

    snprintf(fresh, sizeof fresh, "%s.new", path);
    file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    written = file >= 0 && length > 0 && (size_t)length < sizeof text &&
              write(file, text, (size_t)length) == length && fsync(file) == 0;
    if (file >= 0 && close(file) != 0)
        written = false;
    if (written && rename(fresh, path) == 0 && sync_folder_of(path))
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "database_record",
                       "the record %s cannot be written: %s", path, strerror(errno));
}
