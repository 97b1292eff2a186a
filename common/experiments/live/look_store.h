/*
 * The looks that were taken at running experiments: what each treatment showed then. Contains all
 * SQL about them.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_LOOK_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_LOOK_STORE_H

#include "base/schema.h"
#include "experiments/live/records.h"

enum { LIVE_LOOKS_MAX = 40 }; /* planned and unplanned ones */

struct live_look_effect {
    int64_t treatment_index;
    double estimate, standard_error; /* in natural units */
};

struct live_look {
    int64_t look; /* from 1 on */
    double information_fraction;
    int64_t users;
    const char *plan;  /* what the looks of one test share */
    const char *actor; /* NULL = the upkeep */
    const char *taken_at;
    const char *sums; /* JSON text of certificate_sums; NULL = taken by an older version */
    size_t effect_count;
    struct live_look_effect effects[LIVE_ARMS_MAX]; /* of the treatments that could be compared */
};

struct live_look_list {
    int64_t exposures_taken; /* how often users were taken away from the experiment */
    size_t count;
    const struct live_look *items;
};

/* The looks of an experiment in their order. */
MUST_CHECK enum error live_read_looks(const struct live_call *call, const char *id,
                                      struct live_look_list *looks);

/* What a look was computed from: the looks before it, and the design by its time of change. */
struct live_look_basis {
    const struct live_look_list *looks;
    const char *updated_at;
};

/* Adds a look in a transaction of its own, and counts a change of the experiment. `added` is false
 * when somebody else was first: there is a look of that number already, or the experiment was
 * cleared or its design changed since the basis was read. */
MUST_CHECK enum error live_add_look(const struct live_call *call, const char *id,
                                    const struct live_look_basis *basis,
                                    const struct live_look *look, bool *added);

/* Deletes all looks of an experiment, within the caller's transaction. */
MUST_CHECK enum error live_clear_looks(const struct live_call *call, const char *id);

/* The ids of experiments with events whose designs plan looks and which nobody has decided:
 * `ids` is from the arena of the call. */
MUST_CHECK enum error live_list_planned(const struct live_call *call, struct string_list *ids);

#endif
