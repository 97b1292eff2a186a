/*
 * Preloaded into the programs of a stack: reads, writes or flushes of files fail with EIO while the
 * file that FAILING_DISK names says so. Its text is the letters of what fails (r, w, s) and, after
 * a blank, a part of the names of the files concerned. The test compiles it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { TEXT_MAX = 256, NAME_MAX_BYTES = 4096 };

#define NAMED(symbol) __asm__(symbol)
ssize_t failing_pread(int fd, void *bytes, size_t size, off_t at) NAMED("pread64");
ssize_t failing_pwrite(int fd, const void *bytes, size_t size, off_t at) NAMED("pwrite64");
int failing_fsync(int fd) NAMED("fsync");
int failing_fdatasync(int fd) NAMED("fdatasync");

/* By system calls: the calls of the C library are what is stood in for. */
static bool read_order(char text[TEXT_MAX])
{
    const char *path = getenv("FAILING_DISK");
    long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    long length = file >= 0 ? syscall(SYS_read, file, text, TEXT_MAX - 1) : 0;

    if (file >= 0)
        syscall(SYS_close, file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

static bool fails(int fd, char kind)
{
    char text[TEXT_MAX], link[64], name[NAME_MAX_BYTES];
    const char *part;
    ssize_t length;
    int before = errno;
    bool failing = false;

    if (read_order(text) && (part = strchr(text, ' ')) != NULL &&
        memchr(text, kind, (size_t)(part - text))) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        length = readlink(link, name, sizeof name - 1);
        name[length > 0 ? length : 0] = '\0';
        failing = strstr(name, part + 1) != NULL;
    }
    errno = failing ? EIO : before;
    return failing;
}

ssize_t failing_pread(int fd, void *bytes, size_t size, off_t at)
{
    return fails(fd, 'r') ? -1 : syscall(SYS_pread64, fd, bytes, size, at);
}

ssize_t failing_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    return fails(fd, 'w') ? -1 : syscall(SYS_pwrite64, fd, bytes, size, at);
}

int failing_fsync(int fd)
{
    return fails(fd, 's') ? -1 : (int)syscall(SYS_fsync, fd);
}

int failing_fdatasync(int fd)
{
    return fails(fd, 's') ? -1 : (int)syscall(SYS_fdatasync, fd);
}
