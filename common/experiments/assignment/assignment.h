/*
 * Assigns variations to users: weights and coverage divide the interval [0, 1), and the user has a
 * position in it (hashing.h). The same user, seed and weights always give the same variation.
 * Raising the coverage moves no user from one variation to another.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_ASSIGNMENT_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_ASSIGNMENT_H

#include "base/arena.h"
#include "base/optional.h"
#include "experiments/assignment/hashing.h"
#include "experiments/payloads/payload.h"

enum {
    ASSIGNMENT_VARIATIONS_MAX = 10,
    ASSIGNMENT_NONE = -1 /* outside the experiment */
};

struct assignment_range {
    double low, high; /* low <= position < high */
};

struct assignment_plan {
    const char *seed;
    enum hash_version version;
    size_t count; /* variations */
    struct assignment_range ranges[ASSIGNMENT_VARIATIONS_MAX];
};

/* Divides the interval: variation i begins at the sum of the weights before it and covers
 * `coverage` (0 to 1) of its own weight. If there is not one weight per variation, or the sum of
 * the weights is further than 0.01 from 1, equal weights are used. */
void assignment_cut(struct assignment_plan *plan, double coverage,
                    const struct number_list *weights);

/* The variation at a position, or ASSIGNMENT_NONE. */
int assignment_at(const struct assignment_plan *plan, double position);

/* The variation of a user, or ASSIGNMENT_NONE. */
int assignment_of(const struct assignment_plan *plan, const char *user);

/* Whether a user belongs to an experiment's slice of a shared randomization space, and the user's
 * position in that space. */
double assignment_namespace_position(const char *id, const char *user);
bool assignment_in_namespace(const struct payload_namespace *space, const char *user);

enum { ASSIGNMENT_SAMPLES = 25 };

struct assignment_sample {
    const char *user_id;
    int64_t variation_index;
};

/* Assignments of a plan for users `prefix`0, `prefix`1, ... */
struct assignment_preview {
    int64_t counts[1 + ASSIGNMENT_VARIATIONS_MAX]; /* [0]: outside the experiment */
    size_t sample_count;
    struct assignment_sample samples[ASSIGNMENT_SAMPLES]; /* the first users */
};

/* About 100 ns per user; ids of the samples come from the arena. */
void assignment_preview(const struct assignment_plan *plan, const char *prefix, int64_t users,
                        struct arena *arena, struct assignment_preview *preview);

/* Cost units of a preview for admission control. */
int64_t assignment_preview_cost(int64_t users);

#endif
