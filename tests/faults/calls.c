/* Stand-ins for calls of libc that can be told to fail. Knows nothing of requests. */
#include "calls.h"
#include "base/sanitized.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Under the name that libraries call, or that libc keeps for those who replace it. */
#define NAMED(symbol) __asm__(symbol)
#if !SANITIZED
void *libc_malloc(size_t size) NAMED("__libc_malloc");
void *libc_calloc(size_t count, size_t size) NAMED("__libc_calloc");
void *libc_realloc(void *memory, size_t size) NAMED("__libc_realloc");
void libc_free(void *memory) NAMED("__libc_free");
void *failing_malloc(size_t size) NAMED("malloc");
void *failing_calloc(size_t count, size_t size) NAMED("calloc");
void *failing_realloc(void *memory, size_t size) NAMED("realloc");
void counting_free(void *memory) NAMED("free");
#endif
ssize_t failing_write(int fd, const void *bytes, size_t size) NAMED("write");
ssize_t failing_pwrite(int fd, const void *bytes, size_t size, off_t offset) NAMED("pwrite");
ssize_t failing_pwrite64(int fd, const void *bytes, size_t size, off_t offset) NAMED("pwrite64");
int failing_fsync(int fd) NAMED("fsync");
int failing_fdatasync(int fd) NAMED("fdatasync");
int failing_ftruncate(int fd, off_t length) NAMED("ftruncate");
int failing_ftruncate64(int fd, off_t length) NAMED("ftruncate64");

static struct {
    enum call_kind kind;
    atomic_size_t left; /* until the one that fails */
    atomic_bool failed;
    atomic_size_t blocks;
} state;

void calls_fail(enum call_kind kind, size_t n)
{
    state.kind = kind;
    atomic_store(&state.left, n);
    if (kind != CALL_NONE)
        atomic_store(&state.failed, false);
}

bool calls_failed(void)
{
    return atomic_load(&state.failed);
}

size_t calls_blocks(void)
{
    return atomic_load(&state.blocks);
}

/* True for the n-th call of the kind that is to fail. */
static bool is_its_turn(enum call_kind kind)
{
    if (state.kind != kind || atomic_load(&state.left) == 0 ||
        atomic_fetch_sub(&state.left, 1) != 1)
        return false;
    atomic_store(&state.failed, true);
    errno = kind == CALL_MALLOC ? ENOMEM : ENOSPC;
    return true;
}

#if !SANITIZED
static void *counted(void *memory)
{
    atomic_fetch_add(&state.blocks, memory ? 1 : 0);
    return memory;
}

void *failing_malloc(size_t size)
{
    return is_its_turn(CALL_MALLOC) ? NULL : counted(libc_malloc(size));
}

void *failing_calloc(size_t count, size_t size)
{
    return is_its_turn(CALL_MALLOC) ? NULL : counted(libc_calloc(count, size));
}

void *failing_realloc(void *memory, size_t size)
{
    void *moved;

    if (is_its_turn(CALL_MALLOC))
        return NULL;
    moved = libc_realloc(memory, size);
    if (memory && (moved || size == 0))
        atomic_fetch_sub(&state.blocks, 1);
    return counted(moved);
}

void counting_free(void *memory)
{
    atomic_fetch_sub(&state.blocks, memory ? 1 : 0);
    libc_free(memory);
}
#endif

/* Standard output and the log are not what is being tested. */
static bool is_file(int fd)
{
    return fd > STDERR_FILENO;
}

ssize_t failing_write(int fd, const void *bytes, size_t size)
{
    return is_file(fd) && is_its_turn(CALL_WRITE) ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t failing_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return is_its_turn(CALL_WRITE) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t failing_pwrite64(int fd, const void *bytes, size_t size, off_t offset)
{
    return is_its_turn(CALL_WRITE) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int failing_fsync(int fd)
{
    return is_its_turn(CALL_WRITE) ? -1 : (int)syscall(SYS_fsync, fd);
}

int failing_fdatasync(int fd)
{
    return is_its_turn(CALL_WRITE) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int failing_ftruncate(int fd, off_t length)
{
    return is_its_turn(CALL_WRITE) ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

int failing_ftruncate64(int fd, off_t length)
{
    return is_its_turn(CALL_WRITE) ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}
