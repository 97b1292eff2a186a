/*
 * Private to common/shm: a lock that survives the death of its holder, and the points where tests
 * kill a process.
 *
 * Every critical section of common/shm is written so that stopping after any store leaves either a
 * valid state or one that its repair function can fix. shm_checkpoint() separates the stores whose
 * order matters; tests install a hook that kills the process there.
 */
#ifndef ASSAY_SHM_LOCK_H
#define ASSAY_SHM_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether this is built for the thread sanitizer. */
#if defined(__SANITIZE_THREAD__)
#define SHM_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define SHM_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define SHM_THREAD_SANITIZER 0
#endif

/* How long to wait for a holder that was stopped but not killed. Tests lengthen it, for machines
 * that stall now and then. */
extern int shm_lock_timeout_ms;

struct shm_lock {
    pthread_mutex_t mutex;
};

/* Initializes a lock in shared memory. Only its creator calls this, before other processes can see
 * it. */
void shm_lock_make(struct shm_lock *lock);

/* False when the holder kept it for shm_lock_timeout_ms or the lock is damaged; the caller then
 * does not hold it. *inherited: the last holder died with it, so the caller must repair the data
 * first. */
bool shm_lock_take(struct shm_lock *lock, bool *inherited) __attribute__((warn_unused_result));
/* The same with another timeout. */
bool shm_lock_take_within(struct shm_lock *lock, int timeout_ms, bool *inherited)
    __attribute__((warn_unused_result));
void shm_lock_give(struct shm_lock *lock);

extern void (*shm_test_hook)(const char *place);

/* How long a starting process waits for a lock: shm_region_open(), and joining the table of watched
 * processes. Tests shorten it. */
extern int shm_open_timeout_ms;

static inline void shm_checkpoint(const char *place)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(shm_test_hook != NULL, 0))
        shm_test_hook(place);
}

#endif
