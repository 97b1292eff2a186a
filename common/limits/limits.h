/*
 * Limits that several hosts hold together, in a Redis or Valkey server: rates, places in flight,
 * and circuit breakers. A worker attaches the server to its region when ASSAY_LIMITS_URL is set.
 * Without it every function here is the one of common/shm that it is named after.
 *
 * While the server answers, it counts for all hosts, by its own clock: the limits are exact,
 * whatever the clocks of the hosts say. When it does not answer within the timeout, the host counts
 * alone: in its shared memory, with its share of the limit, which is the limit divided by the hosts
 * that lived last, at least 1. Then no request tries the server again; limits_beat() does, and the
 * host returns by itself. In the window in which the server dies at most the limit plus the share
 * of each host is admitted, also if it comes back in the same window and has forgotten everything:
 * for one window after its return a host admits no more than its share. Then the limit is exact
 * again.
 *
 * A key in the server is a digest of its text. Each script uses one key, whose digest is its hash
 * tag.
 */
#ifndef ASSAY_LIMITS_LIMITS_H
#define ASSAY_LIMITS_LIMITS_H

#include "base/arena.h"
#include "base/text.h"
#include "shm/metrics.h"
#include "shm/rate.h"

struct limits_config {
    const char *url;      /* redis://[[user]:password@]host[:port][/database] */
    const char *service;  /* whose limits these are */
    double timeout;       /* seconds, for connecting and for each answer */
    double retry_seconds; /* between two attempts to reach a server that failed */
    double host_seconds;  /* without a beat until a host counts as gone */
    double lease_seconds; /* without a renewal until a place comes back */
};

/* Attaches the server to the handle of the region; opens no connection yet. Memory from `arena`,
 * until limits_detach(). ERROR_INVALID `limits_url`. */
MUST_CHECK enum error limits_attach(struct arena *arena, struct shm_region *region,
                                    const struct limits_config *config, struct problem *problem);
void limits_detach(struct shm_region *region);

/* ERROR_INVALID `limits_url` unless the URL is of the form above. */
MUST_CHECK enum error limits_check_url(struct arena *arena, const char *url,
                                       struct problem *problem);

/* Every worker calls it about once a second; one of the host then tells the server that the host
 * lives, exchanges the state of the breakers, and finds out whether the server is back. Waits for
 * it at most as long as the timeout. */
void limits_beat(struct shm_region *region);

struct limits_state {
    bool is_shared; /* a server is attached */
    bool answers;   /* it answered last */
    uint32_t hosts; /* that lived when it answered last; at least 1 */
    uint64_t alone; /* decisions of this host without it */
};
void limits_read_state(struct shm_region *region, struct limits_state *state);

enum limits_metric {
    LIMITS_METRIC_SHARED,
    LIMITS_METRIC_HOSTS,
    LIMITS_METRIC_ALONE,
    LIMITS_METRIC__MAX
};
extern const struct metric limits_metrics[LIMITS_METRIC__MAX];

/* The same as these metrics in text exposition format. Nothing without a server. */
void limits_write_metrics(struct shm_region *region, struct text *out);

/* The same as a sentence for readiness; NULL without a server. */
const char *limits_sentence(struct arena *arena, const struct limits_state *state);

/* The rates of shm/rate.h. */
struct rate_decision limits_allow(struct shm_region *region, const char *key,
                                  struct rate_rule rule);
/* `units` calls at once, or none of them. A host that counts alone charges its whole share for more
 * units than that, so that a large call is not refused as long as the server is away. */
struct rate_decision limits_allow_units(struct shm_region *region, const char *key,
                                        struct rate_rule rule, uint32_t units);
struct rate_decision limits_charge(struct shm_region *region, const char *key,
                                   struct rate_rule rule, uint32_t units);
struct rate_decision limits_peek(struct shm_region *region, const char *key, struct rate_rule rule);
struct rate_decision limits_take_token(struct shm_region *region, const char *key,
                                       struct rate_bucket bucket);
void limits_forget(struct shm_region *region, const char *key);

/* What this host may use of `most`: all of it without a server or while it answers, else its share,
 * at least 1 (0 of 0). */
uint32_t limits_share(struct shm_region *region, uint32_t most);

/*
 * One of the places of a name, as a lease: it comes back when it is not renewed, after the death of
 * its host too. The host counts its own places besides, and holds limits_share() of them.
 *
 * Each lease has a number of its own. A host that slept longer than its lease therefore neither
 * prolongs nor gives back the place that somebody else has meanwhile.
 */
struct limits_place {
    char member[48];    /* in the server; "" = no lease */
    bool is_held;       /* a zeroed place is not */
    int64_t renewed_at; /* microseconds of CLOCK_BOOTTIME */
    int64_t
        renew_after; /* microseconds of CLOCK_MONOTONIC, to be asked for again; INT64_MAX = never */
};

/* True when the place is held: one of `count_max` over all hosts, or without a lease while there is
 * no server that answers. A place that was refused is not asked for again in the same few
 * hundredths of a second, until `renew_after`. */
bool limits_place_take(struct shm_region *region, const char *name, uint32_t count_max,
                       struct limits_place *place) MUST_CHECK;

/* Call it again and again while the place is held; it does nothing before the renewal is due. False
 * when the place is lost: the host slept, and others have all places. A lost place is zeroed. */
bool limits_place_renew(struct shm_region *region, const char *name, uint32_t count_max,
                        struct limits_place *place) MUST_CHECK;

/* Gives the place back and zeroes it. Harmless on a zeroed one. */
void limits_place_release(struct shm_region *region, const char *name, struct limits_place *place);

#endif
