/*
 * Rate limits that several hosts share, in Redis: an exact sliding window per key, by the clock of
 * Redis, checked and recorded there atomically. Refused calls are not recorded. When Redis does not
 * answer, no worker of the host tries it for a while, so that it delays no request.
 */
#ifndef ASSAY_NET_SHARED_RATE_H
#define ASSAY_NET_SHARED_RATE_H

#include "base/arena.h"
#include "shm/rate.h"

struct shared_rate;

struct shared_rate_config {
    const char *url;      /* redis://[[user]:password@]host[:port][/database] */
    double timeout;       /* seconds for connecting, and for each answer */
    double retry_seconds; /* pause after a failure */
};

/* Opens no connection yet. Memory from the arena; close it with shared_rate_close(). ERROR_INVALID
 * `cache_url` when the URL is not of that form. */
MUST_CHECK enum error shared_rate_open(struct arena *arena, const struct shared_rate_config *config,
                                       struct shared_rate **rate, struct problem *problem);
void shared_rate_close(struct shared_rate *rate);

/* Admits and records one call, or refuses it. False when Redis does not answer. */
bool shared_rate_allow(struct shared_rate *rate, struct shm_region *region, const char *key,
                       struct rate_rule rule, struct rate_decision *decision);

/* Whether Redis answers now. */
bool shared_rate_answers(struct shared_rate *rate, struct shm_region *region);

#endif
