/* Distinguishes one process from a later one with the same number, by /proc/<pid>/stat (proc(5)).
 */
#include "shm/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Field 3 is the state, field 22 the start time; field 2, the name in brackets, may itself hold
 * spaces and brackets. */
static bool read_stat(pid_t pid, char *state, uint64_t *started)
{
    char path[40], line[1024], *cursor;
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    length = read(fd, line, sizeof line - 1);
    close(fd);
    if (length <= 0)
        return false;
    line[length] = '\0';
    cursor = strrchr(line, ')');
    if (!cursor || cursor[1] != ' ' || !cursor[2])
        return false;
    *state = cursor[2];
    for (int field = 2; cursor && field < 22; field++)
        cursor = strchr(cursor + 1, ' ');
    if (!cursor)
        return false;
    *started = strtoull(cursor + 1, NULL, 10);
    return true;
}

uint64_t process_start_time(void)
{
    static _Thread_local pid_t known_pid;
    static _Thread_local uint64_t known_start;
    pid_t pid = getpid();
    char state;

    if (known_pid != pid) { /* the first call, or the first one after fork() */
        if (!read_stat(pid, &state, &known_start))
            known_start = 0;
        known_pid = pid;
    }
    return known_start;
}

bool process_is_alive(pid_t pid, uint64_t started)
{
    uint64_t actual_start;
    char state;

    if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH))
        return false;
    if (!read_stat(pid, &state, &actual_start))
        return true; /* unknown */
    if (state == 'Z' || state == 'X')
        return false;
    return started == 0 || started == actual_start;
}
