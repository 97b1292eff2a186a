/*
 * Adaptive experiments: the shares of the arms follow what was seen (Thompson 1933), in rounds.
 * Within a round the shares are fixed; each user is assigned by a hash of the round and the user,
 * so that the probability of every assignment is the logged share exactly. Describes and computes;
 * adaptive_store.h stores, evaluation/adaptive_update.h makes the rounds.
 */
#ifndef ASSAY_EXPERIMENTS_ADAPTIVE_ADAPTIVE_H
#define ASSAY_EXPERIMENTS_ADAPTIVE_ADAPTIVE_H

#include "base/arena.h"
#include "base/schema.h"
#include "experiments/payloads/payload.h"

/* The dimension whose slices are the rounds; reserved in every experiment. */
#define ADAPTIVE_DIMENSION "assignment_round"

enum {
    ADAPTIVE_ARMS_MAX = 10,
    ADAPTIVE_UNITS = 10000,      /* shares are whole numbers of these: the buckets of the hash */
    ADAPTIVE_ROUNDS_MAX = 100,   /* the last one goes on */
    ADAPTIVE_ROUND_USERS = 100,  /* new users that a round needs at least */
    ADAPTIVE_MINUTES_MAX = 10080 /* a week between two rounds */
};

struct adaptive_shares {
    size_t count;
    int64_t units[ADAPTIVE_ARMS_MAX]; /* of ADAPTIVE_UNITS; they sum to it */
};

/* As stored: {"units":[5000,5000]}. */
const char *adaptive_shares_json(const struct adaptive_shares *shares, struct arena *arena);
bool adaptive_shares_read(const char *json, struct arena *arena, struct adaptive_shares *shares);

struct adaptive_round {
    int64_t round;      /* from 1 */
    int64_t started_at; /* microseconds since 1970 */
    int64_t users;      /* exposed before it */
    struct number_list shares;
};

/* What a client sets, and what it reads. */
struct adaptive_document {
    const char *experiment_id;
    double floor;
    int64_t update_minutes;
    bool paused;
    int64_t round; /* the newest */
    OBJECT_LIST(struct adaptive_round, rounds);
};
SCHEMA_OF(adaptive_request_schema, struct adaptive_document);
SCHEMA_OF(adaptive_schema, struct adaptive_document);

/* The shares of a round from each arm's probability of being the best one: every arm has at least
 * `floor`, exactly, and the rest is divided by the probabilities (largest remainders). `floor`
 * times the number of arms is at most 1. */
void adaptive_divide(const double *best, size_t count, double floor,
                     struct adaptive_shares *shares);

/* The nearest shares to a design's split, every arm with at least `floor`. */
void adaptive_start(const struct payload_setup *setup, double floor,
                    struct adaptive_shares *shares);

struct number_list adaptive_share_list(const struct adaptive_shares *shares, struct arena *arena);

/* Whether enough has happened for another round: time, and users. Rounds grow by a tenth of all
 * users, so that their number stays small however many users come. */
bool adaptive_is_due(const struct adaptive_document *settings, const struct adaptive_round *newest,
                     int64_t users, int64_t now);

/* The seed under which users are hashed in a round. */
const char *adaptive_seed(const char *experiment_id, int64_t round, struct arena *arena);

/* The round of a slice's name; 0 when it is none. */
int64_t adaptive_round_of(const char *name);

#endif
