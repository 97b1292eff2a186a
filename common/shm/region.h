/*
 * The memory that all workers of one service on one host share: a mapped file in the run directory.
 * The other headers of common/shm (rate, semaphore, breaker...) work on an open region.
 *
 * Every worker opens the file at its start and after any fork. The file survives workers that are
 * killed at any instruction; docs/develop/shared-memory.md describes how. It does not survive a
 * reboot: a file from before the last boot counts as absent.
 */
#ifndef ASSAY_SHM_REGION_H
#define ASSAY_SHM_REGION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHM_NUMBERS_MAX = 14, /* shared numbers in one region */
    /* Those from here on belong to limits/limits.h, the others to the service. */
    SHM_NUMBERS_OF_LIMITS = 8,
    /* The version of the region that the responders and the other programs of a service share.
     * Change it when the meaning of a number changes. */
    SHM_SERVICE_VERSION = 2
};

struct shm_region;

/*
 * Opens the region at `path`, and creates the file (mode 0600) when it is absent; any number of
 * processes may do so at the same time. `version` is the caller's version of the meaning of its
 * numbers. A file of another version (or of an earlier boot, or one that is empty because its
 * creator died) is replaced by a new one; processes that still map the old one keep it. A damaged
 * or truncated file is replaced as well, and kept as `<path>.damaged`. `<path>.lock` stays beside
 * the file.
 *
 * ERROR_MALFORMED: `path` is not a regular file, or belongs to another user (`shm_not_ours`).
 * ERROR_BUSY: another process has held the lock for ten seconds (`shm_locked`). ERROR_SYSTEM: the
 * system refused (`shm_system`). On success the caller owns *region until shm_region_close().
 */
enum error shm_region_open(const char *path, uint32_t version, struct shm_region **region,
                           struct problem *problem) MUST_CHECK;

/* The same without a file, shared with child processes only: for tests and one-process programs. */
enum error shm_region_open_anonymous(struct shm_region **region,
                                     struct problem *problem) MUST_CHECK;

void shm_region_close(struct shm_region *region);

/* When the region was made: Unix time in microseconds. */
int64_t shm_region_created_at(const struct shm_region *region);

/* When a damaged file was found at this path, as above; 0 = never. */
int64_t shm_region_damaged_at(const struct shm_region *region);

/* Whether the file still exists, is intact, and is the one that other processes open. If not, this
 * process should exit so that one with the current file replaces it. */
bool shm_region_is_sound(const struct shm_region *region);

/* Tests replace the clock of rate.h (microseconds, never going back); NULL restores the system's,
 * which counts suspended time (CLOCK_BOOTTIME). Applies to this handle only. */
void shm_region_set_clock(struct shm_region *region, int64_t (*now_microseconds)(void));

/* What a module above keeps with this handle, NULL at first. The region never reads it. */
void shm_region_attach(struct shm_region *region, void *attached);
void *shm_region_attached(const struct shm_region *region);

/* Numbers that all workers share, indexed by an enum of the service, initially 0. An index out of
 * range aborts. */
int64_t shm_number(const struct shm_region *region, unsigned number);
void shm_number_add(struct shm_region *region, unsigned number, int64_t amount);
/* Sets it unless it is larger already. */
void shm_number_raise(struct shm_region *region, unsigned number, int64_t value);
/* Sets it if it is `expected`; whether it was. */
bool shm_number_replace(struct shm_region *region, unsigned number, int64_t expected,
                        int64_t value);

#endif
