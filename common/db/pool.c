/*
 * How many connections the processes of one host hold together. A worker is one process with at
 * most one connection, so there is nothing to share but a number: `size` slots, one byte each of a
 * small file, locked by whoever holds a connection. The kernel drops the locks of a process that
 * dies, so nothing has to be recovered.
 *
 * A connection is kept between requests until somebody else needs it. Who finds no slot free locks
 * a byte of its own, which tells the busy ones to let go at the end of their request, and sends
 * SIGURG to the holders, which makes the idle ones let go at once. That signal is ignored by every
 * process that does not ask for it, so a stale process number does no harm.
 *
 * The server may allow fewer connections than there are slots, and change its mind. Whom it refuses
 * writes down how many stand, and until that note is out of date nobody tries for more.
 */
#include "db/db_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    WAITING_BYTE = 1 << 20, /* locked, together, by all who wait */
    LIMIT_AT = 1 << 16,     /* where `struct limit` stands in the file */
    LIMIT_SECONDS = 30,     /* until more are tried again */
    POOLS_MAX = 8,          /* handles of one process that are limited */
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
    volatile sig_atomic_t socket;
    volatile sig_atomic_t slot; /* held; -1 = none */
    volatile sig_atomic_t resting;
};

/* What the signal handler looks through. */
static struct pool *volatile pools[POOLS_MAX];

/* Locks of the open file: they end with this descriptor, whatever else opens the file. Safe in a
 * signal handler. */
static bool lock_byte(const struct pool *pool, off_t byte, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;

    do {
        result = fcntl(pool->file, F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Gives up the connections that are idle; the next statement notices and connects anew. */
static void let_go(int signal_number)
{
    int saved = errno;

    (void)signal_number;
    for (int i = 0; i < POOLS_MAX; i++) {
        struct pool *pool = pools[i];

        if (!pool || !pool->resting || pool->slot < 0)
            continue;
        shutdown(pool->socket, SHUT_RDWR);
        lock_byte(pool, pool->slot, F_UNLCK);
        pool->slot = -1;
    }
    errno = saved;
}

static bool listen_for_others(struct pool *pool)
{
    struct sigaction action = {.sa_handler = let_go, .sa_flags = SA_RESTART};

    for (int i = 0; i < POOLS_MAX; i++) {
        if (pools[i])
            continue;
        pools[i] = pool;
        return sigaction(SIGURG, &action, NULL) == 0;
    }
    errno = ENFILE;
    return false;
}

static void stop_listening(const struct pool *pool)
{
    for (int i = 0; i < POOLS_MAX; i++) {
        if (pools[i] == pool)
            pools[i] = NULL;
    }
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
    *pool = (struct pool){.size = db->options.pool_size, .slot = -1, .socket = -1};
    pool->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (pool->file >= 0 && listen_for_others(pool))
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
    stop_listening(pool);
    if (pool->file >= 0)
        close(pool->file);
    free(pool);
}

/* The file holds the process number of each slot's holder, for let_go(); negative while it is still
 * connecting. */
static void note_holder(const struct pool *pool, int32_t holder)
{
    if (pwrite(pool->file, &holder, sizeof holder, (off_t)pool->slot * (off_t)sizeof holder) < 0)
        db_warn("the holder of a connection could not be noted: %s", strerror(errno));
}

static int32_t holder_of(const struct pool *pool, int slot)
{
    int32_t holder = 0;
    ssize_t got = pread(pool->file, &holder, sizeof holder, (off_t)slot * (off_t)sizeof holder);

    return got == (ssize_t)sizeof holder ? holder : 0;
}

static bool is_locked(const struct pool *pool, off_t byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(pool->file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Connections of others that stand; with those that are still being made when `all`. */
static int count_held(const struct pool *pool, bool all)
{
    int held = 0;

    for (int slot = 0; slot < pool->size; slot++)
        held += is_locked(pool, slot) && (all || holder_of(pool, slot) > 0);
    return held;
}

int pool_held(const struct pool *pool)
{
    return count_held(pool, false) + (pool->slot >= 0);
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
    int held = count_held(pool, false), before = pool_limit(pool);
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
    int32_t self = (int32_t)getpid();
    int limit = pool_limit(pool);

    if (limit < pool->size && count_held(pool, true) >= limit)
        return false;
    for (int i = 0; i < pool->size; i++) {
        int slot = (int)(((unsigned)self + (unsigned)i) % (unsigned)pool->size);

        if (!lock_byte(pool, slot, F_WRLCK))
            continue;
        pool->slot = slot;
        note_holder(pool, -self);
        return true;
    }
    return false;
}

void pool_connected(const struct pool *pool)
{
    if (pool && pool->slot >= 0)
        note_holder(pool, (int32_t)getpid());
}

static void ask_others(const struct pool *pool)
{
    for (int slot = 0; slot < pool->size; slot++) {
        int32_t holder = holder_of(pool, slot);

        if (holder > 0 && holder != (int32_t)getpid())
            kill(holder, SIGURG);
    }
    let_go(SIGURG); /* another handle of this process may be idle */
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
        ask_others(pool);
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
    lock_byte(pool, pool->slot, F_UNLCK);
    pool->slot = -1;
}

bool pool_rest(struct pool *pool, int socket)
{
    if (!pool)
        return true;
    pool->socket = socket;
    pool->resting = 1;
    return !is_locked(pool, WAITING_BYTE);
}

bool pool_wake(struct pool *pool)
{
    if (!pool)
        return true;
    pool->resting = 0;
    return pool->slot >= 0;
}
