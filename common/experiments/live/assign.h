/*
 * The variation of a user in a stored experiment: a recorded exposure first, then targeting, the
 * namespace and the hash. Writes nothing.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ASSIGN_H
#define ASSAY_EXPERIMENTS_LIVE_ASSIGN_H

#include "experiments/assignment/hashing.h"
#include "experiments/assignment/targeting.h"
#include "experiments/live/rollup_store.h"

struct live_assignment {
    int64_t variation; /* -1 = not in the experiment */
    bool in_experiment;
    const char *seed; /* of the position */
    double position;  /* position of the user in 0..1 */
    int64_t variations;
    double coverage;
    struct number_list weights; /* shares that sum to 1; none when the design has none */
    bool sticky, namespace_excluded, targeting_excluded;
    struct targeting_failure failure; /* when it is excluded by targeting */
    bool targeted;                    /* the design has targeting rules */
    bool held_out;                    /* by the holdout of the experiment's flag */
    int64_t round; /* of an adaptive experiment, whose shares are the weights; 0 = not adaptive */
    const struct payload_setup *design;
    double entry; /* place of the user among those of the variation; below the coverage: let in */
    struct optional_integer step; /* of the flag's ramp; -1 = before the first */
};

struct live_asked {
    const char *user_id;
    const json_t *attributes;  /* an object or NULL */
    enum hash_version version; /* adaptive experiments take version 2, whatever is asked for */
    int64_t round;             /* of an adaptive experiment; 0 = the newest */
};

/* ERROR_NOT_FOUND with `not_found`; ERROR_INVALID `round_unknown` for a round that an adaptive
 * experiment does not have. */
MUST_CHECK enum error live_assign(const struct live_call *call, const char *id,
                                  const struct live_asked *asked,
                                  struct live_assignment *assignment);

/* Whether an exposure of the user or of a linked id is stored, or a membership of the holdout. The
 * transaction is the caller's. ERROR_NOT_FOUND with `not_found`. */
MUST_CHECK enum error live_is_exposed(const struct live_call *call, const char *id,
                                      const char *user_id, bool *exposed);

#endif
