/*
 * Named semaphores that all workers of the host share. A ticket is held or waits in a queue. It
 * belongs to whoever keeps it, a request or a step, and dies with the process: tickets of dead
 * processes are reclaimed, held or waiting.
 *
 * A semaphore counts its tickets by class, and adds up the costs of all classes. Callers either try
 * (semaphore_try) or queue, first come, first served (semaphore_acquire). Neither call sleeps; a
 * caller that must wait sleeps in semaphore_wait() and calls again.
 */
#ifndef ASSAY_SHM_SEMAPHORE_H
#define ASSAY_SHM_SEMAPHORE_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    SEMAPHORE_TICKETS_MAX = 16384, /* held and waiting, of all names */
    SEMAPHORE_NAMES_MAX = 1024,    /* with tickets at the same time */
    SEMAPHORE_NAME_MAX = 64,       /* bytes with the NUL; longer names are cut */
    SEMAPHORE_CLASSES = 4
};

/* A zeroed ticket holds nothing and waits for nothing. */
struct semaphore_ticket {
    uint32_t cell; /* 1 to SEMAPHORE_TICKETS_MAX */
    uint32_t generation;
};

struct semaphore_request {
    const char *name;
    uint32_t class; /* below SEMAPHORE_CLASSES */
    uint32_t cost;
    uint32_t count_max; /* tickets held of the class */
    uint32_t cost_max;  /* of all classes, unless no ticket of the class is held; 0 = no limit */
};

enum semaphore_outcome { SEMAPHORE_ACQUIRED, SEMAPHORE_FULL, SEMAPHORE_COST };

/* What is held of the class, and the cost of all classes. */
struct semaphore_usage {
    uint32_t count;
    uint64_t cost;
};

/* Acquires at once or not at all. `usage` is the state with the new ticket if the outcome is
 * SEMAPHORE_ACQUIRED; else it is the state without it, and the ticket is zeroed. */
enum semaphore_outcome semaphore_try(struct shm_region *region,
                                     const struct semaphore_request *request,
                                     struct semaphore_ticket *ticket,
                                     struct semaphore_usage *usage) MUST_CHECK;

/* Whether the ticket is held now, as one of `count_max` of the name. If false, the ticket waits in
 * the queue; calling again keeps its position. If the table is full, the ticket stays zeroed. */
bool semaphore_acquire(struct shm_region *region, const char *name, uint32_t count_max,
                       struct semaphore_ticket *ticket) MUST_CHECK;

/* Releases the ticket, held or waiting, and zeroes it. Harmless on a zeroed one. */
void semaphore_release(struct shm_region *region, struct semaphore_ticket *ticket);

/* A number that changes with each release. semaphore_wait() sleeps until it is no longer `seen`, at
 * most that many milliseconds. The death of a process wakes no waiter. */
uint32_t semaphore_releases(struct shm_region *region);
void semaphore_wait(struct shm_region *region, uint32_t seen, uint32_t milliseconds);

/* In a fiber: waits for the turn of a ticket, as semaphore_acquire() decides it, at most until the
 * moment (CLOCK_MONOTONIC, microseconds) or until the descriptor (-1 = none) has news. Whether the
 * ticket is held now. The turns of all fibers of the process are looked at together, a few times
 * per hundredth of a second. */
bool semaphore_wait_turn(struct shm_region *region, const char *name, uint32_t count_max,
                         struct semaphore_ticket *ticket, int64_t until, int descriptor) MUST_CHECK;

struct semaphore_figures {
    char name[SEMAPHORE_NAME_MAX];
    uint32_t held, waiting;
};

/* Names in use, at most `most`. Tickets of dead processes may count for up to half a second; the
 * delay grows with the number of tickets. Returns the number of names. */
size_t semaphore_read_figures(struct shm_region *region, struct semaphore_figures *figures,
                              size_t most);

/* What is held of a name and class; tickets of dead processes are reclaimed first. */
struct semaphore_usage semaphore_read_usage(struct shm_region *region, const char *name,
                                            uint32_t class);

/* Tickets that were reclaimed from dead processes. */
uint64_t semaphore_reclaimed(const struct shm_region *region);

#endif
