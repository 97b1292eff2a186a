/* Private to common/shm: distinguishes one process from a later one with the same number. */
#ifndef ASSAY_SHM_PROCESS_H
#define ASSAY_SHM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Start time of this process in clock ticks since boot; 0 where /proc cannot be read. Cheap after
 * the first call. */
uint64_t process_start_time(void);

/* False only when the process is certainly gone: no such number, a zombie, or a process that
 * started at another time. */
bool process_is_alive(pid_t pid, uint64_t started);

#endif
