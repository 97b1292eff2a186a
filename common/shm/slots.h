/*
 * Places of named things that only so many may use at a time on this host, with a queue before
 * each: first come, first served, across workers. A ticket carries its process; tickets of
 * processes that died are taken back, waiting or not. Nobody sleeps in here: who must wait asks
 * again.
 */
#ifndef ASSAY_SHM_SLOTS_H
#define ASSAY_SHM_SLOTS_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    SLOT_TICKETS_MAX = 1024, /* held and waiting, of all names */
    SLOT_NAME_MAX = 64       /* bytes with the NUL; longer names are cut */
};

/* Zeroed, it holds nothing and waits for nothing. */
struct slot_ticket {
    uint32_t cell; /* 1 to SLOT_TICKETS_MAX */
    uint32_t generation;
};

/* Whether one of `limit` places of `name` is the caller's now. False puts the ticket into the
 * queue, where asking again keeps its turn. Without room for one more ticket it stays zeroed. */
bool slots_ask(struct shm_region *region, const char *name, uint32_t limit,
               struct slot_ticket *ticket) MUST_CHECK;

/* Gives the place, or the turn, back and zeroes the ticket. Harmless on a zeroed one. */
void slots_leave(struct shm_region *region, struct slot_ticket *ticket);

/* Gives back all that this process has: for when its tickets were lost in a jump. */
void slots_leave_all(struct shm_region *region);

/* Changes whenever somebody leaves; slots_rest() sleeps until it is no longer `seen`, but for at
 * most so many milliseconds. The dead wake nobody. */
uint32_t slots_departures(struct shm_region *region);
void slots_rest(struct shm_region *region, uint32_t seen, uint32_t milliseconds);

struct slot_figures {
    char name[SLOT_NAME_MAX];
    uint32_t held, waiting;
};

/* Names in use, at most `most`; tickets of the dead may count for half a second more, the longer
 * the more tickets there are. Returns the number of names. */
size_t slots_read_figures(struct shm_region *region, struct slot_figures *figures, size_t most);

#endif
