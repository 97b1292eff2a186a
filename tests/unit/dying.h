/*
 * Dying at the n-th step: at each call that changes a file or talks to a server. Whoever includes
 * this says what a step does, by dying_step(), and stands in for the calls of the C library.
 */
#ifndef ASSAY_DYING_H
#define ASSAY_DYING_H

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

void dying_step(void);

static void *dying_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

#define NAMED(symbol) __asm__(symbol)
ssize_t dying_write(int fd, const void *bytes, size_t size) NAMED("write");
ssize_t dying_pwrite(int fd, const void *bytes, size_t size, off_t at) NAMED("pwrite64");
ssize_t dying_send(int fd, const void *bytes, size_t size, int flags) NAMED("send");
int dying_fsync(int fd) NAMED("fsync");
int dying_fdatasync(int fd) NAMED("fdatasync");
int dying_rename(const char *from, const char *to) NAMED("rename");
int dying_unlink(const char *path) NAMED("unlink");
int dying_ftruncate(int fd, off_t length) NAMED("ftruncate64");
pid_t dying_fork(void) NAMED("fork");

#define STAND_IN(type, name, parameters, arguments)                                                \
    type dying_##name parameters                                                                   \
    {                                                                                              \
        static __typeof__(dying_##name) *real;                                                     \
                                                                                                   \
        if (!real)                                                                                 \
            *(void **)&real = dying_next(#name);                                                   \
        dying_step();                                                                              \
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
