/*
 * What all workers of one service on one host share: a mapped file in the run directory. The
 * other headers of this kit (rate, semaphore, breaker...) work on an open region.
 *
 * Every worker opens the file for itself, at its start and after any fork. It survives workers
 * that are killed at any instruction; docs/develop/shared-memory.md says how. It does not survive a
 * reboot: a file from before the last boot counts as absent.
 */
#ifndef ASSAY_SHM_REGION_H
#define ASSAY_SHM_REGION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHM_NUMBERS_MAX = 8, /* numbers in one region */
    /* Of the region that the responders of a service share, for the programs beside them: to be
     * changed when the meaning of a number changes. */
    SHM_SERVICE_VERSION = 2
};

struct shm_region;

/*
 * Opens the region at `path`, making the file (mode 0600) when it is absent; any number of
 * processes may do so at the same moment. `version` is the caller's own number for the meaning of
 * its numbers: a file of another version (or of an earlier boot, or one that is
 * empty because its maker died) is replaced by a fresh one, while processes that still map the old
 * one keep it to themselves. One that was damaged or truncated is replaced as well, and kept as
 * `<path>.damaged`. `<path>.lock` stays beside the file.
 *
 * ERROR_MALFORMED: what has the name is no file, or somebody else's (`shm_not_ours`). ERROR_BUSY:
 * another process has held the lock for ten seconds (`shm_locked`). ERROR_SYSTEM: the system
 * refused (`shm_system`). On success the caller owns *region until shm_region_close().
 */
enum error shm_region_open(const char *path, uint32_t version, struct shm_region **region,
                           struct problem *problem) MUST_CHECK;

/* The same without a file, shared with children only: for tests and one-process programs. */
enum error shm_region_open_anonymous(struct shm_region **region,
                                     struct problem *problem) MUST_CHECK;

void shm_region_close(struct shm_region *region);

/* When the region was made: Unix time in microseconds. */
int64_t shm_region_created_at(const struct shm_region *region);

/* When a damaged file was found in the place of this one, as above; 0 = none was. */
int64_t shm_region_damaged_at(const struct shm_region *region);

/* Whether the file is still there, whole, and the one that other processes open: else this process
 * is on its own, and should leave for one that is not. */
bool shm_region_is_sound(const struct shm_region *region);

/* Tests replace the clock of rate.h (microseconds, never going back); NULL brings back the
 * system's, which counts time asleep (CLOCK_BOOTTIME). Holds for this handle only. */
void shm_region_set_clock(struct shm_region *region, int64_t (*now_microseconds)(void));

/* Numbers that all workers share, by an enum of the service; they begin with 0. A number that is
 * out of range aborts. */
int64_t shm_number(const struct shm_region *region, unsigned number);
void shm_number_add(struct shm_region *region, unsigned number, int64_t amount);
/* Sets it unless it is larger already. */
void shm_number_raise(struct shm_region *region, unsigned number, int64_t value);

#endif
