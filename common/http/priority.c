/* The priority of a whole pool. Kernels with autogroups (sched(7)) share the processors among
 * sessions. Niceness counts only within one session, so it has no effect on a pool that is alone in
 * its session. */
#include "http/http_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char AUTOGROUP[] = "/proc/self/autogroup"; /* "/autogroup-25 nice 0"; takes "10" */

enum { TRIES_MAX = 10 };

static const struct timespec PAUSE = {.tv_nsec = 50 * 1000 * 1000};

static bool session_has(int niceness)
{
    FILE *file = fopen(AUTOGROUP, "re");
    char text[64] = "";
    const char *nice;

    if (!file)
        return true; /* the kernel has none */
    nice = fgets(text, sizeof text, file) ? strstr(text, " nice ") : NULL;
    fclose(file);
    return !nice || strtol(nice + 6, NULL, 10) == niceness;
}

static bool lower_session(int niceness)
{
    FILE *file = fopen(AUTOGROUP, "we");
    bool written;

    if (!file)
        return true;
    written = fprintf(file, "%d", niceness) > 0;
    written = fclose(file) == 0 && written;
    return written || errno != EAGAIN;
}

/* Without privileges the kernel accepts one change per 100 ms, on the whole machine. */
void lower_priority(int niceness)
{
    const char *pool = getenv("ASSAY_GENERATION"); /* the process id of nginx/pool, and a number */

    setpriority(PRIO_PROCESS, 0, niceness);
    if (!pool || getsid(0) != (pid_t)strtol(pool, NULL, 10))
        return;
    for (int i = 0; i < TRIES_MAX && !session_has(niceness) && !lower_session(niceness); i++)
        nanosleep(&PAUSE, NULL);
}
