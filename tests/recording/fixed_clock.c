/*
 * Preloaded into the programs of a stack: adds RECORDING_CLOCK_OFFSET seconds to the wall clock, so
 * that every recording begins at the same time of the same day. The monotonic clock stays.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t offset(void)
{
    static time_t seconds;
    static int known;

    if (!known) {
        const char *given = getenv("RECORDING_CLOCK_OFFSET");

        seconds = given ? strtol(given, NULL, 10) : 0;
        known = 1;
    }
    return seconds;
}

/* Each takes the place of the function of libc that its label names. */
int fixed_gettime(clockid_t clock, struct timespec *now) __asm__("clock_gettime");
int fixed_timeofday(struct timeval *restrict now, void *restrict zone) __asm__("gettimeofday");
time_t fixed_time(time_t *now) __asm__("time");

int fixed_gettime(clockid_t clock, struct timespec *now)
{
    static int (*original)(clockid_t, struct timespec *);
    int result;

    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "clock_gettime");
    result = original(clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += offset();
    return result;
}

int fixed_timeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;

    (void)zone;
    if (fixed_gettime(CLOCK_REALTIME, &precise))
        return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t fixed_time(time_t *now)
{
    struct timespec precise;

    if (fixed_gettime(CLOCK_REALTIME, &precise))
        return (time_t)-1;
    if (now)
        *now = precise.tv_sec;
    return precise.tv_sec;
}
