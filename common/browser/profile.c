/* Ownership of a browser profile. Chromium's lock is a symbolic link, which is read and never
 * followed. */
#include "browser/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 4096, CLOCK_SLACK_SECONDS = 5 };

static const char *const marks[] = {"SingletonLock", "SingletonSocket", "SingletonCookie"};

enum error profile_lock(const char *directory, int *lock, struct problem *problem)
{
    char path[PATH_MAX_BYTES];
    struct stat found;

    *lock = -1;
    if (mkdir(directory, 0700) != 0 && errno != EEXIST)
        return problem_set(problem, ERROR_SYSTEM, "profile_unusable", "%s: %s", directory,
                           strerror(errno));
    /* A confined process may not change permissions, so the directory is created before. */
    if (stat(directory, &found) != 0 || ((found.st_mode & 077) && chmod(directory, 0700) != 0))
        return problem_set(problem, ERROR_SYSTEM, "profile_unusable", "%s: %s", directory,
                           strerror(errno));
    snprintf(path, sizeof path, "%s/assay-browser.lock", directory);
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*lock < 0)
        return problem_set(problem, ERROR_SYSTEM, "profile_unusable", "%s: %s", path,
                           strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        close(*lock);
        *lock = -1;
        return problem_set(problem, ERROR_BUSY, "profile_busy",
                           "The browser profile is in use by another process of ours.");
    }
    return ERROR_NONE;
}

/* When a process started, in seconds of the wall clock; 0 when that is unknown. */
static time_t started_at(long pid)
{
    char path[64], line[2048];
    unsigned long long ticks = 0;
    struct timespec wall, boot;
    const char *rest;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    rest = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    for (int field = 2; rest && field < 22; field++)
        rest = strchr(rest + 1, ' ');
    if (rest)
        ticks = strtoull(rest, NULL, 10);
    if (!ticks || clock_gettime(CLOCK_REALTIME, &wall) || clock_gettime(CLOCK_BOOTTIME, &boot))
        return 0;
    return wall.tv_sec - boot.tv_sec + (time_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
}

/* Whether the process runs and is not a later one with the same process id. */
static bool owner_lives(long pid, time_t marked_at)
{
    time_t started;

    if (pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return false;
    started = started_at(pid);
    return !started || started <= marked_at + CLOCK_SLACK_SECONDS;
}

enum error profile_check_free(const char *directory, struct problem *problem)
{
    char path[PATH_MAX_BYTES], owner[300] = "", host[256] = "";
    struct stat link = {0};
    const char *dash;
    ssize_t length;
    long pid;

    snprintf(path, sizeof path, "%s/%s", directory, marks[0]);
    length = readlink(path, owner, sizeof owner - 1);
    if (length > 0 && lstat(path, &link) == 0) {
        owner[length] = 0;
        dash = strrchr(owner, '-');
        pid = dash ? strtol(dash + 1, NULL, 10) : 0;
        gethostname(host, sizeof host - 1);
        if (dash && strlen(host) == (size_t)(dash - owner) &&
            memcmp(owner, host, strlen(host)) == 0 && owner_lives(pid, link.st_mtime))
            return problem_set(problem, ERROR_BUSY, "profile_busy",
                               "The browser profile is in use by process %ld.", pid);
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, marks[i]);
        if (unlink(path) != 0 && errno != ENOENT)
            return problem_set(problem, ERROR_SYSTEM, "profile_unusable", "%s: %s", path,
                               strerror(errno));
    }
    return ERROR_NONE;
}
