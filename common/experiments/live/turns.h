/*
 * The schedule of a switchback: which variation a cluster has in a period. It follows from the
 * design, the id of the experiment and the name of the cluster; nothing is stored.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_TURNS_H
#define ASSAY_EXPERIMENTS_LIVE_TURNS_H

#include "experiments/live/rollup_store.h"

/* The variation of a cluster in a period; the design has a switchback. */
int64_t live_turn(const struct experiment_payload *design, const char *experiment_id,
                  const char *cluster, int64_t period);

struct live_turn_period {
    int64_t period;
    int64_t variation_index;
    int64_t starts_at, counts_from, ends_at; /* microseconds since 1970 */
};

struct live_turns {
    const char *experiment_id;
    const char *cluster;
    int64_t periods;                             /* of the design */
    OBJECT_LIST(struct live_turn_period, turns); /* struct live_turn_period */
};

enum { LIVE_TURNS_MAX = 1000 };

/* The periods of a cluster from `first` on, `limit` at most. ERROR_NOT_FOUND with `not_found`;
 * ERROR_INVALID with `no_switchback`. */
MUST_CHECK enum error live_read_turns(const struct live_call *call, const char *id,
                                      const char *cluster, int64_t first, int64_t limit,
                                      struct live_turns *turns);

#endif
