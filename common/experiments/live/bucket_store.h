/*
 * SQL of divided experiments. The users of a giant experiment are divided over buckets by a hash of
 * the canonical user id, so that writers of different buckets do not wait for each other and a
 * cluster can keep them on different nodes. A bucket is stored as an experiment of its own, under
 * the number of live_bucket_number(); all have the same names under the same numbers. Sums are
 * added up when they are read.
 *
 * Locks, in this order: the row of the experiment when it is made, buckets from the first to the
 * last, keys in bytewise order. What concerns the whole experiment (a new name, the design, a
 * rebuild) takes all buckets.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_BUCKET_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_BUCKET_STORE_H

#include "experiments/live/live_store.h"

enum { LIVE_BUCKETS_MAX = 256 };

/* The bucket of a user id that is no alias, or of a key: the low bits of 64-bit FNV-1a over its
 * bytes, folded once. Stored data depend on it: it must not change. */
int64_t live_bucket_of(const char *text, int64_t buckets);

/* 1 when the experiment is not divided; a bucket is not divided. */
int64_t live_bucket_count(const struct live_experiment *experiment);

/* The number that the rows of a bucket have; that of the experiment when it is not divided. */
int64_t live_bucket_number(const struct live_experiment *experiment, int64_t bucket);

/* What an experiment is stored in: itself, or its buckets. A bucket that is not open has the number
 * 0. */
struct live_parts {
    size_t count;
    struct live_experiment *items;
};

/* Makes the rows of the buckets of a new experiment. */
MUST_CHECK enum error live_make_buckets(const struct live_call *call,
                                        const struct live_experiment *whole);

/* Locks the buckets that `wanted` says (NULL = all), in their order. */
MUST_CHECK enum error live_lock_buckets(const struct live_call *call,
                                        const struct live_experiment *whole, const bool *wanted);

/* Reads the parts; buckets only as far as `wanted` says (NULL = all). */
MUST_CHECK enum error live_read_parts(const struct live_call *call, struct live_experiment *whole,
                                      const bool *wanted, struct live_parts *parts);

/* Gives a bucket what it shares with the whole: names, design, settings. */
void live_fit_bucket(struct live_experiment *bucket, struct live_experiment *whole);

MUST_CHECK enum error live_save_bucket(const struct live_call *call,
                                       const struct live_experiment *bucket);

/* Sets in memory what the buckets count together, for a reader; nothing when not divided. */
MUST_CHECK enum error live_sum_buckets(const struct live_call *call, struct live_experiment *whole);

/* Which bucket each user id is in: `homes` holds the ids, and gets the bucket as `number`. */
MUST_CHECK enum error live_find_places(const struct live_call *call,
                                       const struct live_experiment *whole,
                                       struct live_units *homes);

/* Records the keys as used by events of this batch; those that were used before are added to
 * `taken`. `keys` are different from each other; they are sorted. */
MUST_CHECK enum error live_take_keys(const struct live_call *call,
                                     const struct live_experiment *whole, int64_t now,
                                     struct live_names *keys, struct live_names *taken);

/* A user id that becomes an alias in another bucket than it is in. */
struct live_move {
    const char *user_id;
    int64_t from, to;     /* buckets */
    bool stored;          /* it has rows */
    int64_t unit, number; /* its number before and after; of a stored one */
};

/* Moves the rows of the ids, and notes their places. The aggregates are the caller's business. */
MUST_CHECK enum error live_move_units(const struct live_call *call,
                                      const struct live_experiment *whole,
                                      const struct live_move *moves, size_t count);

/* Forgets places and keys of a divided experiment: all, or the keys of events received before a
 * time (0 = all). */
MUST_CHECK enum error live_clear_places(const struct live_call *call,
                                        const struct live_experiment *whole);
MUST_CHECK enum error live_clear_keys(const struct live_call *call, int64_t bucket_number,
                                      int64_t before);

/* Copies what the buckets count together into the rows of divided experiments, which lists of
 * experiments read, where it has changed. */
MUST_CHECK enum error live_gather_buckets(const struct live_call *call);

#endif
