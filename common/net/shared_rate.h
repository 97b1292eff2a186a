/*
 * Limits that several hosts hold together, in Redis: an exact sliding window per key, by the clock
 * of Redis, judged and recorded in one step there. Refused calls leave no trace. A Redis that does
 * not answer is left alone for a while by all workers of the host, so that it delays nobody.
 */
#ifndef ASSAY_NET_SHARED_RATE_H
#define ASSAY_NET_SHARED_RATE_H

#include "base/arena.h"
#include "shm/rate.h"

struct shared_rate;

struct shared_rate_config {
    const char *url;      /* redis://[[user]:password@]host[:port][/database] */
    double timeout;       /* seconds for connecting, and for each answer */
    double retry_seconds; /* how long one that failed is left alone */
};

/* Connects to nothing yet. The arena's, closed by shared_rate_close(). ERROR_INVALID `cache_url`
 * when the URL is not such a one. */
MUST_CHECK enum error shared_rate_open(struct arena *arena, const struct shared_rate_config *place,
                                       struct shared_rate **rate, struct problem *problem);
void shared_rate_close(struct shared_rate *rate);

/* Admits and records one call, or refuses it. False when Redis does not say. */
bool shared_rate_allow(struct shared_rate *rate, struct shm_region *region, const char *key,
                       struct rate_rule rule, struct rate_decision *decision);

/* Whether Redis answers now. */
bool shared_rate_answers(struct shared_rate *rate, struct shm_region *region);

#endif
