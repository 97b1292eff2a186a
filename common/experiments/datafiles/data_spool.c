/* Files with the names of tasks; other names are not files of tasks. */
#include "experiments/datafiles/data_spool.h"

#include "crypto/token.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNFINISHED ".new-" /* what form_save() writes */

/* A file counts as one of so many bytes at least, which bounds their number. */
enum { LEAST_BYTES = 1024 * 1024, UNFINISHED_SECONDS = 3600 };

const char *data_spool_folder(struct arena *arena, const char *base)
{
    const char *folder = base ? arena_print(arena, "%s/experiments-uploads", base) : NULL;

    if (folder)
        (void)mkdir(folder, 0700); /* what fails is seen by the first file */
    return folder;
}

const char *data_spool_path(struct arena *arena, const char *folder, const char *id)
{
    return arena_print(arena, "%s/%s", folder, id);
}

/* Calls `visit` with each entry of the folder until it says false. */
static void walk(const char *folder, bool (*visit)(void *context, int folder, const char *name),
                 void *context)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    if (!entries)
        return;
    while ((entry = readdir(entries)) != NULL && visit(context, dirfd(entries), entry->d_name))
        ;
    closedir(entries);
}

static bool add_size(void *context, int folder, const char *name)
{
    int64_t *bytes = context;
    struct stat facts;

    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode))
        *bytes += facts.st_size > LEAST_BYTES ? facts.st_size : LEAST_BYTES;
    return true;
}

struct wait {
    int64_t since;
    bool found;
};

static bool find_task(void *context, int folder, const char *name)
{
    struct wait *wait = context;
    struct stat facts;

    wait->found = token_is_uuid(name) && fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                  facts.st_ctime >= wait->since;
    return !wait->found;
}

bool data_spool_waits(const char *folder, int64_t since)
{
    struct wait wait = {.since = since};

    walk(folder, find_task, &wait);
    return wait.found;
}

/* The position of the file plus one, so that none is NULL. */
static void unlock(void *thing)
{
    close((int)((intptr_t)thing - 1));
}

static enum error lock(const char *folder, struct arena_guard *guard, struct problem *problem)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = -1;

    if (file >= 0)
        guard->thing = (void *)((intptr_t)file + 1);
    while (file >= 0 && (result = flock(file, LOCK_EX)) != 0 && errno == EINTR)
        ;
    if (result == 0)
        return ERROR_NONE;
    return problem_set(problem, ERROR_UNAVAILABLE, "file_not_saved",
                       "the folder of uploads cannot be used: %s", strerror(errno));
}

enum error data_spool_reserve(struct arena *arena, const char *folder, int64_t length, int64_t most,
                              struct arena_guard **guard, struct problem *problem)
{
    int64_t bytes = 0;
    enum error error;

    *guard = arena_guard(arena, unlock);
    error = lock(folder, *guard, problem);
    if (error)
        return error;
    walk(folder, add_size, &bytes);
    if (bytes <= most && length <= most - bytes)
        return ERROR_NONE;
    return problem_set(problem, ERROR_BUSY, "uploads_busy",
                       "Other uploads wait to be analyzed; send it again later");
}

struct sweep {
    bool (*needed)(void *context, const char *id, double age);
    void *context;
};

static bool sweep_entry(void *context, int folder, const char *name)
{
    const struct sweep *sweep = context;
    bool is_task = token_is_uuid(name);
    struct stat facts;
    double age;

    if ((!is_task && strncmp(name, UNFINISHED, strlen(UNFINISHED)) != 0) ||
        fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    age = difftime(time(NULL), facts.st_ctime);
    if (is_task ? !sweep->needed(sweep->context, name, age) : age > UNFINISHED_SECONDS)
        (void)unlinkat(folder, name, 0);
    return true;
}

void data_spool_sweep(const char *folder, bool (*needed)(void *context, const char *id, double age),
                      void *context)
{
    struct sweep sweep = {needed, context};

    walk(folder, sweep_entry, &sweep);
}
