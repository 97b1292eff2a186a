/*
 * Preloaded into the programs of a stack: the time of day is as many seconds off as the eight bytes
 * of the file that JUMPING_CLOCK names say, which may change at any moment. Clocks that only run
 * forward are left alone. The test compiles it.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none, *seconds_off = &none;

__attribute__((constructor)) static void look_up(void)
{
    const char *name = getenv("JUMPING_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *mapped =
        file >= 0 ? mmap(NULL, sizeof *seconds_off, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;

    if (mapped == MAP_FAILED)
        abort();
    seconds_off = mapped;
    close(file);
}

#define NAMED(symbol) __asm__(symbol)
int off_clock_gettime(clockid_t clock, struct timespec *now) NAMED("clock_gettime");
int off_gettimeofday(struct timeval *now, void *zone) NAMED("gettimeofday");
time_t off_time(time_t *now) NAMED("time");

int off_clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t clock, struct timespec * now);
    int status;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    status = real(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        now->tv_sec += *seconds_off;
    return status;
}

int off_gettimeofday(struct timeval *now, void *zone)
{
    struct timespec precise;

    (void)zone;
    off_clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}

time_t off_time(time_t *now)
{
    struct timespec precise;

    off_clock_gettime(CLOCK_REALTIME, &precise);
    if (now)
        *now = precise.tv_sec;
    return precise.tv_sec;
}
