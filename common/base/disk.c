/* Distinguishes a full disk from other failed writes. */
#include "base/disk.h"

#include <errno.h>

const char *disk_reason(int code, const char *other)
{
    return code == ENOSPC || code == EDQUOT ? "disk_full" : other;
}
