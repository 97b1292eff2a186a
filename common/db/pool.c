/*
 * How many connections the processes of one host hold together. A worker is one process with at
 * most one connection, so there is nothing to share but a number: `size` slots, each a byte of a
 * small file, which the holder of a connection locks. The kernel drops the locks of a process that
 * dies, so nothing has to be recovered.
 *
 * A process that finds no slot free locks a byte of its own while it waits. The others see that at
 * the end of a request and then close their connection. An idle worker closes its own after a while
 * (http_service.idle), whether somebody waits or not.
 *
 * The server may allow fewer connections than there are slots, and change its mind. A process that
 * is refused writes down how many connections stand; nobody tries for more until that note is out
 * of date.
 */
#include "db/db_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    STANDING_AT = 1 << 15,  /* the byte of slot 0 that is locked while its connection stands */
    LIMIT_AT = 1 << 16,     /* where `struct limit` stands in the file */
    WAITING_BYTE = 1 << 20, /* locked, together, by all who wait */
    LIMIT_SECONDS = 30,     /* until more are tried again */
    PAUSE_MS = 4            /* between two tries for a slot, and as much again at random */
};

/* How many connections the server has been found to allow. */
struct limit {
    int64_t until; /* monotonic microseconds */
    int32_t connections;
};

struct pool {
    int file;
    int size;
    int slot; /* held; -1 = none */
};

/* Locks of the open file: they end with this descriptor, whatever else opens the file. */
static bool lock_byte(const struct pool *pool, off_t byte, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;

    do {
        result = fcntl(pool->file, F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
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
    struct pool *pool = calloc(1, sizeof *pool);
    char path[4096];

    if (!pool) {
        problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a pool");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/db-%016llx.slots", db->options.pool_directory,
             (unsigned long long)digest(db->target.shown));
    *pool = (struct pool){.size = db->options.pool_size, .slot = -1};
    pool->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (pool->file >= 0)
        return pool;
    problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                "connections cannot be counted in %s: %s", path, strerror(errno));
    pool_close(pool);
    return NULL;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    if (pool->file >= 0)
        close(pool->file);
    free(pool);
}

static bool is_locked(const struct pool *pool, off_t byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(pool->file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Locked bytes of others among those that begin at `first`. */
static int count_locked(const struct pool *pool, off_t first)
{
    int locked = 0;

    for (int slot = 0; slot < pool->size; slot++)
        locked += is_locked(pool, first + slot);
    return locked;
}

int pool_held(const struct pool *pool)
{
    return count_locked(pool, STANDING_AT) + (pool->slot >= 0);
}

int pool_limit(const struct pool *pool)
{
    struct limit limit = {0};

    if (pread(pool->file, &limit, sizeof limit, LIMIT_AT) != (ssize_t)sizeof limit ||
        limit.until < clock_monotonic_microseconds() || limit.connections >= pool->size)
        return pool->size;
    return limit.connections;
}

void pool_settle(const struct pool *pool)
{
    int held = count_locked(pool, STANDING_AT), before = pool_limit(pool);
    struct limit limit = {.until =
                              clock_monotonic_microseconds() + (int64_t)LIMIT_SECONDS * 1000000,
                          .connections = held > 0 ? held : 1};

    if (pwrite(pool->file, &limit, sizeof limit, LIMIT_AT) < 0)
        db_warn("the limit of connections could not be noted: %s", strerror(errno));
    else if (before != limit.connections)
        db_warn("the server allows %d connections of %d; no more are tried for %d s",
                (int)limit.connections, pool->size, (int)LIMIT_SECONDS);
}

static bool take_any(struct pool *pool)
{
    int limit = pool_limit(pool);

    if (limit < pool->size && count_locked(pool, 0) >= limit)
        return false;
    for (int i = 0; i < pool->size; i++) {
        int slot = (int)(((unsigned)getpid() + (unsigned)i) % (unsigned)pool->size);

        if (!lock_byte(pool, slot, F_WRLCK))
            continue;
        pool->slot = slot;
        return true;
    }
    return false;
}

void pool_connected(const struct pool *pool)
{
    if (pool && pool->slot >= 0)
        lock_byte(pool, STANDING_AT + pool->slot, F_WRLCK);
}

static enum error wait_for_slot(struct pool *pool, int timeout_ms, struct problem *problem)
{
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)timeout_ms * 1000;

    while (!take_any(pool)) {
        int64_t now = clock_monotonic_microseconds();
        struct timespec pause = {.tv_nsec = (PAUSE_MS + now % PAUSE_MS) * 1000000};

        if (now >= give_up)
            return problem_set(problem, ERROR_BUSY, "pool_exhausted",
                               "all %d connections of this host are in use", pool_limit(pool));
        nanosleep(&pause, NULL);
    }
    return ERROR_NONE;
}

enum error pool_take(struct pool *pool, int timeout_ms, struct problem *problem)
{
    enum error error;

    if (pool->slot >= 0 || take_any(pool))
        return ERROR_NONE;
    lock_byte(pool, WAITING_BYTE, F_RDLCK);
    error = wait_for_slot(pool, timeout_ms, problem);
    lock_byte(pool, WAITING_BYTE, F_UNLCK);
    return error;
}

void pool_give(struct pool *pool)
{
    if (!pool || pool->slot < 0)
        return;
    lock_byte(pool, STANDING_AT + pool->slot, F_UNLCK);
    lock_byte(pool, pool->slot, F_UNLCK);
    pool->slot = -1;
}

bool pool_is_wanted(const struct pool *pool)
{
    return pool && is_locked(pool, WAITING_BYTE);
}
