/*
 * Circuit breakers, shared by all workers of a host. After `failures` failed calls in a row the
 * breaker opens: calls are refused for `open_ms`. Then one worker may make one call (the probe).
 * Its success closes the breaker, its failure keeps it open for as long again.
 *
 * A killed worker leaves nothing locked: its probe ends when the process is gone or its time is up,
 * whichever comes first.
 */
#ifndef ASSAY_SHM_BREAKER_H
#define ASSAY_SHM_BREAKER_H

#include "shm/region.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    BREAKERS_MAX = 64,         /* names; further ones are never refused */
    BREAKER_NAME_MAX = 112,    /* bytes with the NUL; longer names are cut */
    BREAKER_KEPT_SECONDS = 600 /* seconds without calls until another name may take the cell */
};

struct breaker_rule {
    uint32_t failures; /* in a row until calls are refused; 0 = never */
    uint32_t open_ms;  /* how long calls are refused */
    uint32_t probe_ms; /* the longest that a probe may take */
    bool is_own;       /* about a server of this machine: other hosts are told nothing */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN, BREAKER_STATE__MAX };

/* "closed", "open", "half_open". */
const char *breaker_state_name(enum breaker_state state);

/* Permit for one call; return it with breaker_record() or breaker_cancel(). A zeroed permit is no
 * permit. */
struct breaker_permit {
    uint32_t cell;  /* index from 1 to BREAKERS_MAX */
    uint32_t probe; /* generation of the probe; 0 = the call is no probe */
    uint32_t term;  /* generation of the name in the cell */
};

/* Whether a call to `name` may be made now. If so, fills in the permit. */
bool breaker_allow(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                   struct breaker_permit *permit) MUST_CHECK;

/* Records whether the call succeeded (`well`); zeroes the permit. A call that was permitted before
 * the breaker opened does not close it. */
void breaker_record(struct shm_region *region, const struct breaker_rule *rule,
                    struct breaker_permit *permit, bool well);

/* Cancels the call: it counts neither as success nor as failure. Zeroes the permit. */
void breaker_cancel(struct shm_region *region, struct breaker_permit *permit);

/* Closes the breaker, whatever the result of calls in flight; other hosts are told. */
void breaker_reset(struct shm_region *region, const char *name);

/* BREAKER_CLOSED for names that were never called. */
enum breaker_state breaker_read_state(struct shm_region *region, const char *name);

enum { BREAKER_MESSAGE_MAX = 160 /* bytes with the NUL; longer ones are cut */ };

/* The last failure. */
struct breaker_failure {
    int64_t at; /* Unix microseconds; 0 = none */
    int code;   /* an error code of the caller */
    char message[BREAKER_MESSAGE_MAX];
};

/* Stores code and message of a failure, for display; call it before breaker_record(). */
void breaker_note(struct shm_region *region, const struct breaker_permit *permit, int code,
                  const char *message);

struct breaker_figures {
    enum breaker_state state; /* half open only while the probe is in flight */
    uint32_t failures;        /* in a row */
    uint64_t opens, refusals;
    int64_t opened_at, reopens_at; /* Unix microseconds; 0 = it is closed */
    struct breaker_failure last;
};

/* A consistent snapshot of one breaker. `rule` says how long a probe may take. */
void breaker_read(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                  struct breaker_figures *figures);

/* How long failures and resets are told, and count on the host that hears them. */
enum { BREAKER_HEARD_SECONDS = 5 };

/* What hosts tell each other of their breakers (limits/limits.h). */
struct breaker_notice {
    char name[BREAKER_NAME_MAX];
    uint32_t failures; /* in a row, the last one not older than BREAKER_HEARD_SECONDS */
    int64_t open_us;   /* microseconds for which calls are still refused; 0 = they are not */
    int64_t reset_us;  /* microseconds since it was reset; negative = not so lately */
};

/* The breakers of this host that others have too, at most `most`; returns how many. What this host
 * heard itself is not told again. */
size_t breaker_list(struct shm_region *region, struct breaker_notice *notices, size_t most);

/* Takes over what other hosts say: their failures add to those of this host, until a call of this
 * host succeeds; where they refuse calls this host refuses them for as long; a reset closes what
 * opened before it. Does nothing for a name that this host has never called. */
void breaker_hear(struct shm_region *region, const struct breaker_notice *notice);

#endif
