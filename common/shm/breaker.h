/*
 * Circuit breakers: all workers of a host agree whether a service outside is worth calling. After
 * `failures` failed calls in a row calls are refused for a while; then one worker may try (the
 * probe), and what it finds closes the breaker or keeps it open for as long again.
 *
 * A worker that is killed leaves nothing locked: its probe counts as over when the process is gone
 * or its time is up, whichever is first.
 */
#ifndef ASSAY_SHM_BREAKER_H
#define ASSAY_SHM_BREAKER_H

#include "shm/region.h"

#include <stdbool.h>

enum {
    BREAKERS_MAX = 64,         /* names; further ones are never refused */
    BREAKER_NAME_MAX = 112,    /* bytes with the NUL; longer names are cut */
    BREAKER_KEPT_SECONDS = 600 /* a name that nobody asked for so long makes way for another */
};

struct breaker_rule {
    uint32_t failures; /* in a row until calls are refused; 0 = never */
    uint32_t open_ms;  /* for how long */
    uint32_t probe_ms; /* the longest that a probe may take */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN, BREAKER_STATE__MAX };

/* "closed", "open", "half_open". */
const char *breaker_state_name(enum breaker_state state);

/* Leave to make one call, to be answered for with breaker_tell(). Zeroed, it stands for nothing. */
struct breaker_pass {
    uint32_t cell;  /* 1 to BREAKERS_MAX */
    uint32_t probe; /* of this call, 0 when it is none */
    uint32_t term;  /* of the name in the cell */
};

/* Whether a call may go out to `name` now. */
bool breaker_ask(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                 struct breaker_pass *pass) MUST_CHECK;

/* How the call went; zeroes the pass. Calls that were let out before the breaker opened do not
 * close it any more. */
void breaker_tell(struct shm_region *region, const struct breaker_rule *rule,
                  struct breaker_pass *pass, bool well);

/* Takes the call back: it says nothing about the service. Zeroes the pass. */
void breaker_withdraw(struct shm_region *region, struct breaker_pass *pass);

/* Closes it, whatever calls that are under way will tell. */
void breaker_reset(struct shm_region *region, const char *name);

/* BREAKER_CLOSED for names that were never asked for. */
enum breaker_state breaker_read_state(struct shm_region *region, const char *name);

enum { BREAKER_WORDS_MAX = 160 /* bytes with the NUL; longer words are cut */ };

/* The failure that was noted last. */
struct breaker_failure {
    int64_t at; /* Unix microseconds; 0 = none */
    int code;   /* of the caller's own list */
    char words[BREAKER_WORDS_MAX];
};

/* Notes what went wrong, for people; to be called before the failure is told. */
void breaker_note(struct shm_region *region, const struct breaker_pass *pass, int code,
                  const char *words);

struct breaker_figures {
    enum breaker_state state; /* half open only while the probe is under way */
    uint32_t failures;        /* in a row */
    uint64_t opens, refusals;
    int64_t opened_at, reopens_at; /* Unix microseconds; 0 = it is closed */
    struct breaker_failure last;
};

/* All of it at one moment. `rule` says how long a probe may take. */
void breaker_read(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                  struct breaker_figures *figures);

#endif
