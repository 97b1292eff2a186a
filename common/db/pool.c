/*
 * How many connections the processes of one host hold together. Each worker has one process and at
 * most one connection, so there is no pool to share, only a number to keep: `size` slots, one byte
 * each of a small file, locked by whoever holds a connection. The kernel drops the locks of a
 * process that dies, so nothing has to be recovered.
 *
 * A second range of bytes counts the processes themselves. As long as there are no more of them
 * than slots, everybody keeps its connection; otherwise each gives it up after every request.
 */
#include "db/db_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PRESENCE_START = 1 << 20, /* where the bytes of the processes begin */
    PROCESSES_MAX = 1 << 16,
    PAUSE_MS = 5 /* between two tries for a slot, and as much again at random */
};

struct pool {
    int file;
    int size;
    int slot;     /* held; -1 = none */
    int presence; /* the byte that stands for this process */
};

/* True when the lock was free; false when somebody has it. */
static bool lock_byte(const struct pool *pool, off_t byte, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;

    do {
        result = fcntl(pool->file, F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Takes the first free byte below `limit` to stand for this process. */
static bool register_process(struct pool *pool, int limit)
{
    for (int i = 0; i < limit; i++) {
        if (lock_byte(pool, PRESENCE_START + i, F_WRLCK)) {
            pool->presence = i;
            return true;
        }
    }
    return false;
}

/* FNV-1a, so that two databases served from one directory are counted apart. */
static uint64_t digest(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

struct pool *pool_open(const struct db *db, struct problem *problem)
{
    const char *directory = db->options.pool_directory;
    struct pool *pool = calloc(1, sizeof *pool);
    char path[4096];

    if (!pool) {
        problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a pool");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/db-%016llx.slots", directory,
             (unsigned long long)digest(db->target.shown));
    pool->size = db->options.pool_size;
    pool->slot = -1;
    pool->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (pool->file >= 0 && register_process(pool, PROCESSES_MAX))
        return pool;
    problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                "connections cannot be counted in %s: %s", path, strerror(errno));
    if (pool->file >= 0)
        close(pool->file);
    free(pool);
    return NULL;
}

static bool take_any(struct pool *pool)
{
    int first = (int)getpid() % pool->size;

    for (int i = 0; i < pool->size; i++) {
        int slot = (first + i) % pool->size;

        if (lock_byte(pool, slot, F_WRLCK)) {
            pool->slot = slot;
            return true;
        }
    }
    return false;
}

enum error pool_take(struct pool *pool, int timeout_ms, struct problem *problem)
{
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)timeout_ms * 1000;

    if (pool->slot >= 0)
        return ERROR_NONE;
    while (!take_any(pool)) {
        int64_t now = clock_monotonic_microseconds();
        struct timespec pause = {.tv_nsec = (PAUSE_MS + now % PAUSE_MS) * 1000000};

        if (now >= give_up)
            return problem_set(problem, ERROR_BUSY, "pool_exhausted",
                               "all %d connections of this host are in use", pool->size);
        nanosleep(&pause, NULL);
    }
    return ERROR_NONE;
}

void pool_give(struct pool *pool)
{
    if (!pool || pool->slot < 0)
        return;
    lock_byte(pool, pool->slot, F_UNLCK);
    pool->slot = -1;
}

bool pool_crowded(struct pool *pool)
{
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = PRESENCE_START + pool->size,
                         .l_len = PROCESSES_MAX};
    int old = pool->presence;

    if (old < pool->size) /* the question passes over locks of this process */
        return fcntl(pool->file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (!register_process(pool, pool->size))
        return true;
    lock_byte(pool, PRESENCE_START + old, F_UNLCK); /* somebody has left: move into their place */
    return false;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    close(pool->file);
    free(pool);
}
