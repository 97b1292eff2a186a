/* A lock that survives the death of its holder: a robust mutex shared between processes. */
#include "shm/lock.h"

#include "base/fiber.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

void (*shm_test_hook)(const char *place);
int shm_lock_timeout_ms = 1000;

void shm_lock_make(struct shm_lock *lock)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

#if SHM_THREAD_SANITIZER /* it does not support pthread_mutex_clocklock() before version 13 */
static int take_in_time(pthread_mutex_t *mutex, int timeout_ms)
{
    const struct timespec pause = {.tv_nsec = 100000};
    int status = EBUSY;

    for (int i = 0; status == EBUSY && i < timeout_ms * 10; i++) {
        nanosleep(&pause, NULL);
        status = pthread_mutex_trylock(mutex);
    }
    return status;
}
#else
static int take_in_time(pthread_mutex_t *mutex, int timeout_ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * INT64_C(1000000);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
}
#endif

bool shm_lock_take(struct shm_lock *lock, bool *inherited)
{
    return shm_lock_take_within(lock, shm_lock_timeout_ms, inherited);
}

bool shm_lock_take_within(struct shm_lock *lock, int timeout_ms, bool *inherited)
{
    int status = pthread_mutex_trylock(&lock->mutex);

    if (status == EBUSY)
        status = take_in_time(&lock->mutex, timeout_ms);
    *inherited = status == EOWNERDEAD;
    /* Should this process die before its repair is done, the next one inherits the lock again. */
    if (status == EOWNERDEAD)
        status = pthread_mutex_consistent(&lock->mutex);
    if (status == 0)
        fiber_hold("a lock of the shared memory");
    return status == 0;
}

void shm_lock_give(struct shm_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
    fiber_release();
}
