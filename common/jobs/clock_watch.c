/* The file of readings: the last one that was trusted and, while the clocks disagree, the first one
 * of the clock that was set. It is written beside and renamed, so no reader sees half of it. */
#include "jobs/clock_watch.h"

#include "base/clock.h"
#include "base/log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_BYTES_MAX = 512 };
#define KEPT_FORMAT                                                                                \
    "assay clock 1\nboot %s\ntrusted %" PRId64 " %" PRId64 "\nset %" PRId64 " %" PRId64 "\n"

static const int64_t second = 1000000;

struct kept {
    struct clock_reading trusted;
    int64_t set_wall, set_since_boot; /* of the clock that disagrees; 0 = none does */
};

static int64_t read_since_boot(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * second + now.tv_nsec / 1000;
}

static void read_boot(char boot[CLOCK_BOOT_ID_MAX])
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, boot, CLOCK_BOOT_ID_MAX - 1) : 0;

    if (file >= 0)
        close(file);
    boot[length > 0 ? length : 0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
}

/* The numbers of a line that begins with `name`. */
static bool read_pair(const char *text, const char *name, int64_t *first, int64_t *second_number)
{
    const char *line = strstr(text, name);
    char *end;

    if (!line)
        return false;
    *first = strtoll(line + strlen(name), &end, 10);
    *second_number = strtoll(end, &end, 10);
    return *end == '\n';
}

static bool read_kept(const char *path, struct kept *kept)
{
    char text[KEPT_BYTES_MAX] = "";
    const char *boot;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;

    *kept = (struct kept){.set_wall = 0};
    if (file >= 0)
        close(file);
    boot = length > 0 ? strstr(text, "\nboot ") : NULL;
    if (!boot)
        return false;
    boot += strlen("\nboot ");
    snprintf(kept->trusted.boot, sizeof kept->trusted.boot, "%.*s", (int)strcspn(boot, "\n"), boot);
    return read_pair(text, "\ntrusted ", &kept->trusted.wall, &kept->trusted.since_boot) &&
           read_pair(text, "\nset ", &kept->set_wall, &kept->set_since_boot);
}

/* Without room for it the reading before stays. */
static void write_kept(const char *path, const struct kept *kept)
{
    char text[KEPT_BYTES_MAX], fresh[PATH_MAX];
    int length = snprintf(text, sizeof text, KEPT_FORMAT, kept->trusted.boot, kept->trusted.wall,
                          kept->trusted.since_boot, kept->set_wall, kept->set_since_boot);
    int file;
    bool written;

    if (snprintf(fresh, sizeof fresh, "%s.new-%ld", path, (long)getpid()) >= (int)sizeof fresh)
        return;
    file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    written = file >= 0 && write(file, text, (size_t)length) == length;
    if (file >= 0)
        close(file);
    if (!written || rename(fresh, path) != 0)
        unlink(fresh);
}

static void trust(const char *path, const struct clock_reading *now)
{
    write_kept(path, &(struct kept){.trusted = *now});
}

/* How far the wall clock has moved against the other one, in seconds. */
static int64_t drift(int64_t wall, int64_t since_boot, const struct clock_reading *now)
{
    return ((now->wall - wall) - (now->since_boot - since_boot)) / second;
}

static enum error refuse(const char *path, int64_t moved, const struct clock_limits *limits,
                         struct problem *problem)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "clock_moved",
                       "the wall clock was set by %" PRId64 " s; nothing is deleted by its age "
                       "until it has run on evenly for %" PRId64
                       " s. If it is right now, remove %s",
                       moved, limits->settle_seconds, path);
}

enum error clock_check_reading(const char *path, const struct clock_reading *now,
                               const struct clock_limits *limits, struct problem *problem)
{
    struct problem own;
    struct kept kept;
    int64_t moved, moved_again;

    if (!read_kept(path, &kept) || strcmp(kept.trusted.boot, now->boot) != 0) {
        trust(path, now);
        return ERROR_NONE;
    }
    moved = drift(kept.trusted.wall, kept.trusted.since_boot, now);
    if (llabs(moved) <= limits->tolerance_seconds) {
        trust(path, now);
        return ERROR_NONE;
    }
    moved_again = drift(kept.set_wall, kept.set_since_boot, now);
    if (!kept.set_since_boot ||
        llabs(moved_again) > limits->tolerance_seconds) { /* it was set just now */
        kept.set_wall = now->wall;
        kept.set_since_boot = now->since_boot;
        write_kept(path, &kept);
        (void)refuse(path, moved, limits, &own);
        log_event(LOG_ERROR, "clock_moved", own.text);
    } else if (now->since_boot - kept.set_since_boot >= limits->settle_seconds * second) {
        log_event(LOG_WARNING, "clock_trusted", "the wall clock that was set is trusted again");
        trust(path, now);
        return ERROR_NONE;
    }
    return refuse(path, moved, limits, problem);
}

enum error clock_check(const char *directory, const char *service,
                       const struct clock_limits *limits, struct problem *problem)
{
    struct clock_reading now = {.wall = clock_unix_microseconds(), .since_boot = read_since_boot()};
    char path[PATH_MAX];

    if (!directory || !directory[0])
        return ERROR_NONE;
    if (snprintf(path, sizeof path, "%s/%s.clock", directory, service) >= (int)sizeof path)
        return problem_set(problem, ERROR_SYSTEM, "clock_file", "the path of %s is too long",
                           directory);
    read_boot(now.boot);
    return clock_check_reading(path, &now, limits, problem);
}
