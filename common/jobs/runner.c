/* Files of runners, their locks, and what is done about those without one. */
#include "jobs/runner.h"

#include "base/log.h"
#include "crypto/token.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 12, NAME_TEXT = 17, PROGRAM_TEXT = 64, TRIES = 8 };

static struct {
    char folder[PATH_MAX], program[PROGRAM_TEXT], name[NAME_TEXT];
    int lock;      /* -1 = there is no file */
    bool reclaims; /* what the dead had in hand is still to be released */
} self = {.lock = -1};

static bool path_of(const char *name, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/%s.%s", self.folder, self.program, name);

    return length > 0 && length < PATH_MAX;
}

/* The file of that name, locked; -1 when there is none or somebody else has it. */
static int open_locked(const char *name, int flags)
{
    char path[PATH_MAX];
    struct stat facts;
    int file = path_of(name, path) ? open(path, O_RDWR | O_CLOEXEC | flags, 0600) : -1;

    if (file < 0)
        return -1;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &facts) == 0 && facts.st_nlink > 0)
        return file;
    close(file);
    return -1;
}

/* The file goes before its lock, so that nobody takes the name for that of a dead one. */
static void remove_locked(const char *name, int lock)
{
    char path[PATH_MAX];

    if (path_of(name, path))
        (void)unlink(path);
    close(lock);
}

void runner_start(const char *folder, const char *program)
{
    int length;

    if (self.lock >= 0 || !folder || !*folder)
        return;
    length = snprintf(self.folder, sizeof self.folder, "%s/runners", folder);
    if (length < 0 || length >= PATH_MAX)
        return;
    (void)mkdir(self.folder, 0700); /* what fails is seen by the file */
    (void)!snprintf(self.program, sizeof self.program, "%s", program);
    /* A file without its lock belongs to a dead runner for the others, who may remove it. */
    for (int i = 0; i < TRIES && self.lock < 0; i++) {
        token_random_text(NAME_BYTES, self.name, sizeof self.name);
        self.lock = open_locked(self.name, O_CREAT | O_EXCL);
    }
    self.reclaims = self.lock >= 0;
    if (self.reclaims)
        job_set_worker_id(self.name);
    else
        log_event(LOG_WARNING, "runner_not_named", self.folder);
}

static enum error reclaim_leases_of(struct db *db, const char *name, struct problem *problem)
{
    int lock = open_locked(name, 0);
    int64_t released = 0;
    enum error error;

    if (lock < 0)
        return ERROR_NONE; /* the runner lives, or another one reclaims its leases */
    error = job_release(db, name, &released, problem);
    if (error)
        close(lock);
    else
        remove_locked(name, lock);
    if (released)
        log_event(LOG_INFO, "jobs_taken_up", "what a runner that died had in hand");
    return error;
}

enum error runner_reclaim_leases(struct db *db, struct problem *problem)
{
    size_t length = strlen(self.program);
    enum error error = ERROR_NONE;
    const struct dirent *entry;
    DIR *folder;

    if (!self.reclaims)
        return ERROR_NONE;
    folder = opendir(self.folder);
    while (folder && !error && (entry = readdir(folder))) {
        const char *name = entry->d_name + length + 1;

        if (strncmp(entry->d_name, self.program, length) == 0 && entry->d_name[length] == '.' &&
            strlen(name) == strlen(self.name) && strcmp(name, self.name) != 0)
            error = reclaim_leases_of(db, name, problem);
    }
    if (folder)
        closedir(folder);
    self.reclaims = error != ERROR_NONE;
    return error;
}
