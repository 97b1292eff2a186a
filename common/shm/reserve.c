/* Reserves the disk blocks of a file before it is mapped. Does not depend on the contents. */
#include "shm/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool shm_reserve(int file, off_t size)
{
    if (fallocate(file, 0, 0, size) == 0)
        return true;
    return (errno == EOPNOTSUPP || errno == ENOSYS) && ftruncate(file, size) == 0;
}
