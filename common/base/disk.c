/* Distinguishes a full disk from other failed writes, and reads pieces of files. */
#include "base/disk.h"

#include <errno.h>
#include <unistd.h>

const char *disk_reason(int code, const char *other)
{
    return code == ENOSPC || code == EDQUOT ? "disk_full" : other;
}

bool disk_read(int file, int64_t at, char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(file, bytes + done, length - done, at + (int64_t)done);

        if (!got || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}
