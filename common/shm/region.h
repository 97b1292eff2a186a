/*
 * What all workers of one service on one host share: a mapped file in the run directory. The
 * other headers of this kit (counters, histogram, rate, admission) work on an open region.
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
    SHM_FAMILIES_MAX = 16,    /* families of workers in one region */
    SHM_FAMILY_NAME_MAX = 48, /* bytes of a family's name with its NUL */
    /* Of the region that the responders of a service share, for the programs beside them: to be
     * changed when the meaning of a position in http/server.h changes. */
    SHM_SERVICE_VERSION = 1
};

struct shm_region;
struct shm_family;

/*
 * Opens the region at `path`, making the file (mode 0600) when it is absent; any number of
 * processes may do so at the same moment. `version` is the caller's own number for the meaning of
 * its counters and histograms: a file of another version (or of an earlier boot, or one that is
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

/*
 * A family is all workers of one responder. shm_family_join() finds the family's slot by name, or
 * takes a free one; the handle lives as long as the region. ERROR_TOO_LARGE (`shm_families`) when
 * all slots are taken, ERROR_INVALID (`shm_family_name`) for a name that is empty or too long.
 */
enum error shm_family_join(struct shm_region *region, const char *name, struct shm_family **family,
                           struct problem *problem) MUST_CHECK;

/* Families in the order in which they joined: index 0 to shm_family_count() - 1. */
size_t shm_family_count(const struct shm_region *region);
struct shm_family *shm_family_at(const struct shm_region *region, size_t index);
const char *shm_family_name(const struct shm_family *family);

#endif
