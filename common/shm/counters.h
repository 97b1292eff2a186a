/*
 * Counters, stamps and notes of a family of workers. The caller names them by the values of an
 * enum of its own, the same in every family, so that sums over families make sense; an index out
 * of range is a programming error and aborts.
 *
 * Counters and stamps are lock-free. A note (a small text with its time) is written under a lock
 * that outlives a killed writer, and is always read whole.
 */
#ifndef ASSAY_SHM_COUNTERS_H
#define ASSAY_SHM_COUNTERS_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    COUNTERS_MAX = 64, /* counters in each family */
    STAMPS_MAX = 8,    /* stamps in each family */
    NOTES_MAX = 4,     /* notes in each family */
    NOTE_TEXT_MAX = 96 /* bytes of a note with its NUL; longer text is cut between characters */
};

/* Counters only grow, and wrap after 2^64. */
void counters_add(struct shm_family *family, unsigned counter, uint64_t amount);
uint64_t counters_read(const struct shm_family *family, unsigned counter);
uint64_t counters_total(const struct shm_region *region, unsigned counter);

/* A stamp is the latest time (Unix, microseconds) at which something happened; 0 = never. A time
 * before the one already there changes nothing. */
void stamps_set(struct shm_family *family, unsigned stamp, int64_t unix_microseconds);
int64_t stamps_read(const struct shm_family *family, unsigned stamp);
int64_t stamps_latest(const struct shm_region *region, unsigned stamp);

/* What happened last, for instance the code of the last error. */
struct note {
    int64_t at; /* Unix time in microseconds */
    char text[NOTE_TEXT_MAX];
};

/* The last writer wins. Nothing is written when the lock cannot be had (another worker was
 * stopped while writing). */
void notes_set(struct shm_family *family, unsigned note, int64_t unix_microseconds,
               const char *text);

/* False when there is none; `found` is then zeroed. */
bool notes_read(struct shm_family *family, unsigned note, struct note *found);
bool notes_latest(const struct shm_region *region, unsigned note, struct note *found);

#endif
