/*
 * Dying at the n-th step: at each call that changes a file or talks to a server. Whoever includes
 * this says what a step does, by kill_step(), and stands in for the calls of the C library.
 */
#ifndef ASSAY_KILL_AT_STEP_H
#define ASSAY_KILL_AT_STEP_H

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

void kill_step(void);

static void *counted_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

#define NAMED(symbol) __asm__(symbol)
ssize_t counted_write(int fd, const void *bytes, size_t size) NAMED("write");
ssize_t counted_pwrite(int fd, const void *bytes, size_t size, off_t at) NAMED("pwrite64");
ssize_t counted_send(int fd, const void *bytes, size_t size, int flags) NAMED("send");
int counted_fsync(int fd) NAMED("fsync");
int counted_fdatasync(int fd) NAMED("fdatasync");
int counted_rename(const char *from, const char *to) NAMED("rename");
int counted_unlink(const char *path) NAMED("unlink");
int counted_ftruncate(int fd, off_t length) NAMED("ftruncate64");
pid_t counted_fork(void) NAMED("fork");

#define STAND_IN(type, name, parameters, arguments)                                                \
    type counted_##name parameters                                                                 \
    {                                                                                              \
        static __typeof__(counted_##name) *real;                                                   \
                                                                                                   \
        if (!real)                                                                                 \
            *(void **)&real = counted_next(#name);                                                 \
        kill_step();                                                                               \
        return real arguments;                                                                     \
    }
STAND_IN(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
STAND_IN(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
STAND_IN(ssize_t, send, (int fd, const void *bytes, size_t size, int flags),
         (fd, bytes, size, flags))
STAND_IN(int, fsync, (int fd), (fd))
STAND_IN(int, fdatasync, (int fd), (fd))
STAND_IN(int, rename, (const char *from, const char *to), (from, to))
STAND_IN(int, unlink, (const char *path), (path))
STAND_IN(int, ftruncate, (int fd, off_t length), (fd, length))
STAND_IN(pid_t, fork, (void), ())

#endif
