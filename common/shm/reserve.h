/* Private to common/shm: disk blocks for a file that will be mapped. */
#ifndef ASSAY_SHM_RESERVE_H
#define ASSAY_SHM_RESERVE_H

#include <stdbool.h>
#include <sys/types.h>

/* Gives the open file `size` bytes and reserves their blocks now: a write to a mapped page without
 * a block on a full disk would kill the process with SIGBUS. A file system that cannot reserve gets
 * a sparse file. False, with errno, when there is no room. */
bool shm_reserve(int file, off_t size);

#endif
