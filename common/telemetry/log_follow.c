/* A table of files by name, each with the inode and the position that is to be read next. A file
 * that was renamed has a row of its own as long as somebody may write to it. */
#include "telemetry/log_follow.h"

#include "base/clock.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_OF_MAX = PATH_MAX + LOG_NAME_MAX + 8 };

/* Processes of before finish their requests in the old file. */
static const int64_t renamed_microseconds = INT64_C(15) * 60 * 1000000;
/* After the name of a renamed file in the file of the positions; no name has it. */
static const char renamed_mark = '/';

struct followed {
    char name[LOG_NAME_MAX]; /* without ".log"; "" = read to its end and not needed any more */
    uint64_t inode;          /* 0 = not known yet */
    int64_t position;
    int file;           /* -1 = not open */
    bool seen;          /* in the folder, at the last look */
    int64_t renamed_at; /* Unix microseconds; 0 = the file has that name */
};

struct log_follower {
    char folder[PATH_MAX], positions[PATH_MAX];
    bool from_the_begin; /* what is new was written since the positions were kept */
    bool changed;
    size_t count, turn;
    struct followed files[LOG_FILES_MAX];
    struct followed *read; /* of the last piece; NULL = none */
    size_t read_length;
    char bytes[LOG_PIECE_MAX];
};

/* `after` is what logrotate appends to the name. */
static void path_of(const struct log_follower *follower, const struct followed *followed,
                    const char *after, char path[PATH_OF_MAX])
{
    (void)!snprintf(path, PATH_OF_MAX, "%s/%s.log%s", follower->folder, followed->name, after);
}

static struct followed *find(struct log_follower *follower, const char *name)
{
    for (size_t i = 0; i < follower->count; i++)
        if (strcmp(follower->files[i].name, name) == 0 && !follower->files[i].renamed_at)
            return &follower->files[i];
    return NULL;
}

static struct followed *add(struct log_follower *follower, const char *name)
{
    struct followed *made;

    if (follower->count == LOG_FILES_MAX)
        return NULL;
    made = &follower->files[follower->count++];
    *made = (struct followed){.file = -1};
    (void)!snprintf(made->name, sizeof made->name, "%s", name);
    return made;
}

/* A row for `name`, or for the file that was renamed; NULL when there is one already. */
static struct followed *add_kept(struct log_follower *follower, char *name)
{
    size_t length = strlen(name);
    struct followed *made;

    if (length < 2 || name[length - 1] != renamed_mark)
        return length && !find(follower, name) ? add(follower, name) : NULL;
    name[length - 1] = '\0';
    made = add(follower, name);
    if (made)
        made->renamed_at = clock_unix_microseconds();
    return made;
}

/* Lines of `inode position name`. */
static bool read_positions(struct log_follower *follower)
{
    FILE *file = fopen(follower->positions, "re");
    char name[LOG_NAME_MAX], line[LOG_NAME_MAX + 64];

    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        char *end;
        uint64_t inode = strtoull(line, &end, 10);
        int64_t position = strtoll(end, &end, 10);
        struct followed *followed;

        if (*end++ != ' ' || position < 0)
            continue;
        end[strcspn(end, "\n")] = '\0';
        (void)!snprintf(name, sizeof name, "%s", end);
        followed = add_kept(follower, name);
        if (!followed)
            continue;
        followed->inode = inode;
        followed->position = position;
    }
    fclose(file);
    return true;
}

/* The name without ".log", into `name`; false for other files. */
static bool is_log(const char *file, char name[LOG_NAME_MAX])
{
    size_t length = strlen(file);

    if (length <= 4 || length - 4 >= LOG_NAME_MAX || strcmp(file + length - 4, ".log") != 0)
        return false;
    memcpy(name, file, length - 4);
    name[length - 4] = '\0';
    return true;
}

/* Whether logrotate has renamed it, and nobody has begun the new one yet. */
static bool is_renamed(const struct log_follower *follower, const struct followed *followed)
{
    char path[PATH_OF_MAX];
    struct stat status;

    path_of(follower, followed, ".1", path);
    return *followed->name && stat(path, &status) == 0 && status.st_ino == followed->inode;
}

/* Logs that are gone are forgotten when they have been read; so are their names. Renamed ones count
 * as seen. */
static void forget_unseen(struct log_follower *follower)
{
    for (size_t i = follower->count; i-- > 0;) {
        struct followed *followed = &follower->files[i];

        if (followed->seen || followed->file >= 0 || is_renamed(follower, followed))
            continue;
        *followed = follower->files[--follower->count];
        follower->changed = true;
    }
}

static void begin_at_end(const struct log_follower *follower, struct followed *followed)
{
    char path[PATH_OF_MAX];
    struct stat status;

    path_of(follower, followed, "", path);
    if (stat(path, &status) != 0)
        return;
    followed->inode = status.st_ino;
    followed->position = status.st_size;
}

static void look(struct log_follower *follower)
{
    DIR *folder = opendir(follower->folder);
    char name[LOG_NAME_MAX];
    const struct dirent *entry;

    if (!folder)
        return;
    for (size_t i = 0; i < follower->count; i++)
        follower->files[i].seen = follower->files[i].renamed_at != 0;
    while ((entry = readdir(folder)) != NULL) {
        struct followed *followed;

        if (!is_log(entry->d_name, name))
            continue;
        followed = find(follower, name);
        if (!followed && (followed = add(follower, name)) && !follower->from_the_begin)
            begin_at_end(follower, followed);
        if (followed)
            followed->seen = true;
    }
    closedir(folder);
    forget_unseen(follower);
}

enum error log_follower_open(const char *folder, const char *positions,
                             struct log_follower **follower, struct problem *problem)
{
    struct log_follower *made = calloc(1, sizeof *made);

    *follower = made;
    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    (void)!snprintf(made->folder, sizeof made->folder, "%s", folder);
    (void)!snprintf(made->positions, sizeof made->positions, "%s", positions);
    made->from_the_begin = read_positions(made);
    look(made);
    made->from_the_begin = true;
    made->changed = true;
    log_follower_save(made);
    return ERROR_NONE;
}

void log_follower_close(struct log_follower *follower)
{
    if (!follower)
        return;
    for (size_t i = 0; i < follower->count; i++)
        if (follower->files[i].file >= 0)
            close(follower->files[i].file);
    free(follower);
}

static void close_file(struct followed *followed)
{
    if (followed->file >= 0)
        close(followed->file);
    followed->file = -1;
}

/* The log under the name that logrotate gives it, when it is that file. */
static bool open_renamed(const struct log_follower *follower, struct followed *followed)
{
    char path[PATH_OF_MAX];
    struct stat status;

    path_of(follower, followed, ".1", path);
    followed->file = open(path, O_RDONLY | O_CLOEXEC);
    if (followed->file >= 0 && fstat(followed->file, &status) == 0 &&
        status.st_ino == followed->inode)
        return true;
    close_file(followed);
    return false;
}

static void begin_file(struct log_follower *follower, struct followed *followed, uint64_t inode)
{
    followed->inode = inode;
    followed->position = 0;
    follower->changed = true;
}

/* Opens the file at the name, or the older one that is not read to its end. False without any. */
static bool open_file(struct log_follower *follower, struct followed *followed)
{
    char path[PATH_OF_MAX];
    struct stat status;

    if (followed->file >= 0)
        return true;
    path_of(follower, followed, "", path);
    followed->file = open(path, O_RDONLY | O_CLOEXEC);
    if (followed->file < 0 || fstat(followed->file, &status) != 0) {
        close_file(followed);
        return false;
    }
    if (followed->inode == status.st_ino)
        return true;
    close_file(followed);
    if (followed->inode && open_renamed(follower, followed))
        return true;
    if (followed->inode)
        log_event(LOG_WARNING, "log_lines_not_exported", followed->name);
    begin_file(follower, followed, status.st_ino);
    followed->file = open(path, O_RDONLY | O_CLOEXEC);
    return followed->file >= 0;
}

/* The inode of another file that the name stands for by now; 0 = it is the same. */
static uint64_t replaced_by(const struct log_follower *follower, const struct followed *followed)
{
    char path[PATH_OF_MAX];
    struct stat status;

    path_of(follower, followed, "", path);
    return stat(path, &status) == 0 && status.st_ino != followed->inode ? status.st_ino : 0;
}

/* A log that was emptied in place begins again. */
static void notice_emptied(struct log_follower *follower, struct followed *followed)
{
    struct stat status;

    if (fstat(followed->file, &status) == 0 && status.st_size < followed->position)
        begin_file(follower, followed, followed->inode);
}

/* Whole lines at the position; a line that fills the piece is cut. 0 = there are none. */
static size_t read_lines(struct log_follower *follower, struct followed *followed)
{
    ssize_t length = pread(followed->file, follower->bytes, LOG_PIECE_MAX, followed->position);
    size_t end = length > 0 ? (size_t)length : 0;

    if (end == LOG_PIECE_MAX && !memchr(follower->bytes, '\n', end))
        return end;
    while (end && follower->bytes[end - 1] != '\n')
        end--;
    return end;
}

/* The open file gets a row of its own, and the name begins with the new file. */
static void keep_renamed(struct log_follower *follower, struct followed *followed, uint64_t inode)
{
    struct followed *old = add(follower, followed->name);

    if (old) {
        *old = *followed;
        old->renamed_at = clock_unix_microseconds();
        followed->file = -1;
    }
    close_file(followed);
    begin_file(follower, followed, inode);
}

static void leave_renamed(struct log_follower *follower, struct followed *followed)
{
    close_file(followed);
    followed->name[0] = '\0';
    followed->renamed_at = 0;
    follower->changed = true;
}

/* Whether nobody has written to it for so long that nobody will. */
static bool is_left(const struct followed *followed)
{
    int64_t before = clock_unix_microseconds() - renamed_microseconds;
    struct stat status;

    return followed->renamed_at < before &&
           (fstat(followed->file, &status) != 0 || status.st_mtime < before / 1000000);
}

static size_t read_renamed(struct log_follower *follower, struct followed *followed)
{
    size_t length;

    if (followed->file < 0 && !open_renamed(follower, followed)) {
        log_event(LOG_WARNING, "log_lines_not_exported", followed->name);
        leave_renamed(follower, followed);
        return 0;
    }
    length = read_lines(follower, followed);
    if (!length && is_left(followed))
        leave_renamed(follower, followed);
    return length;
}

static size_t read_file(struct log_follower *follower, struct followed *followed)
{
    uint64_t inode;
    size_t length;

    if (followed->renamed_at)
        return read_renamed(follower, followed);
    if (!*followed->name || !open_file(follower, followed))
        return 0;
    notice_emptied(follower, followed);
    length = read_lines(follower, followed);
    if (!length && (inode = replaced_by(follower, followed)) != 0)
        keep_renamed(follower, followed, inode);
    return length;
}

bool log_follower_read(struct log_follower *follower, struct log_piece *piece)
{
    follower->read = NULL;
    if (follower->turn >= follower->count) {
        look(follower);
        follower->turn = 0;
    }
    while (follower->turn < follower->count) {
        struct followed *followed = &follower->files[follower->turn++];
        size_t length = read_file(follower, followed);

        if (!length)
            continue;
        follower->read = followed;
        follower->read_length = length;
        *piece = (struct log_piece){followed->name, follower->bytes, length};
        return true;
    }
    return false;
}

void log_follower_keep(struct log_follower *follower)
{
    if (!follower->read)
        return;
    follower->read->position += (int64_t)follower->read_length;
    follower->read = NULL;
    follower->changed = true;
}

/* A file beside it that takes its place: whole or not at all. */
void log_follower_save(struct log_follower *follower)
{
    char path[PATH_MAX + 8];
    FILE *file;
    bool written;

    if (!follower->changed)
        return;
    (void)!snprintf(path, sizeof path, "%s.new", follower->positions);
    file = fopen(path, "we");
    if (!file)
        return;
    for (size_t i = 0; i < follower->count; i++) {
        const struct followed *followed = &follower->files[i];

        if (*followed->name)
            fprintf(file, "%" PRIu64 " %" PRId64 " %s%.*s\n", followed->inode, followed->position,
                    followed->name, followed->renamed_at != 0, &renamed_mark);
    }
    written = !ferror(file);
    if (fclose(file) == 0 && written && rename(path, follower->positions) == 0)
        follower->changed = false;
}
