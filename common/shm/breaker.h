/*
 * Circuit breakers, shared by all workers of a host. After `failures` failed calls in a row the
 * breaker opens: calls are refused for `open_ms`. Then one worker may make one call (the probe).
 * Its success closes the breaker, its failure keeps it open for as long again.
 *
 * A worker that is killed leaves nothing locked: its probe ends when the process is gone or its
 * time is up, whichever is first.
 */
#ifndef ASSAY_SHM_BREAKER_H
#define ASSAY_SHM_BREAKER_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    BREAKERS_MAX = 64,         /* names; further ones are never refused */
    BREAKER_NAME_MAX = 112,    /* bytes with the NUL; longer names are cut */
    BREAKER_KEPT_SECONDS = 600 /* a name without calls for so long makes room for another */
};

struct breaker_rule {
    uint32_t failures; /* in a row until calls are refused; 0 = never */
    uint32_t open_ms;  /* for how long */
    uint32_t probe_ms; /* the longest that a probe may take */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN, BREAKER_STATE__MAX };

/* "closed", "open", "half_open". */
const char *breaker_state_name(enum breaker_state state);

/* Permit for one call; return it with breaker_record() or breaker_cancel(). A zeroed permit is no
 * permit. */
struct breaker_permit {
    uint32_t cell;  /* 1 to BREAKERS_MAX */
    uint32_t probe; /* of this call, 0 when it is none */
    uint32_t term;  /* of the name in the cell */
};

/* Whether a call to `name` may be made now. Fills the permit in if so. */
bool breaker_allow(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                   struct breaker_permit *permit) MUST_CHECK;

/* Records whether the call succeeded (`well`); zeroes the permit. Calls that were permitted before
 * the breaker opened no longer close it. */
void breaker_record(struct shm_region *region, const struct breaker_rule *rule,
                    struct breaker_permit *permit, bool well);

/* Cancels the call: it counts neither as success nor as failure. Zeroes the permit. */
void breaker_cancel(struct shm_region *region, struct breaker_permit *permit);

/* Closes the breaker, whatever the result of calls that are under way. */
void breaker_reset(struct shm_region *region, const char *name);

/* BREAKER_CLOSED for names that were never called. */
enum breaker_state breaker_read_state(struct shm_region *region, const char *name);

enum { BREAKER_MESSAGE_MAX = 160 /* bytes with the NUL; longer ones are cut */ };

/* The last failure. */
struct breaker_failure {
    int64_t at; /* Unix microseconds; 0 = none */
    int code;   /* of the caller's own list */
    char message[BREAKER_MESSAGE_MAX];
};

/* Keeps code and message of a failure, for people; call it before breaker_record(). */
void breaker_note(struct shm_region *region, const struct breaker_permit *permit, int code,
                  const char *message);

struct breaker_figures {
    enum breaker_state state; /* half open only while the probe is under way */
    uint32_t failures;        /* in a row */
    uint64_t opens, refusals;
    int64_t opened_at, reopens_at; /* Unix microseconds; 0 = it is closed */
    struct breaker_failure last;
};

/* A consistent picture of one breaker. `rule` says how long a probe may take. */
void breaker_read(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                  struct breaker_figures *figures);

#endif
