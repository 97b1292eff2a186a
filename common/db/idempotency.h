/*
 * First answers, kept so that a request that is repeated with the same Idempotency-Key gets the
 * same answer and has no second effect. The table is sql/kits/idempotency_1.sql.
 *
 * Between a change and the keeping of its answer a process may die; the key is then free again once
 * its lease has ended. What must not happen twice even then belongs under a unique key of its own.
 */
#ifndef ASSAY_DB_IDEMPOTENCY_H
#define ASSAY_DB_IDEMPOTENCY_H

#include "base/arena.h"
#include "db/db.h"

enum idempotency_outcome {
    IDEMPOTENCY_FIRST,     /* the key is new: answer, then keep or release */
    IDEMPOTENCY_REPLAY,    /* the answer is known */
    IDEMPOTENCY_CONFLICT,  /* the key belongs to another request */
    IDEMPOTENCY_IN_FLIGHT, /* the first one is still being answered */
};

/* `scope` is everything that keys are apart by: tenant, who, method, path. */
struct idempotency_key {
    const char *scope;
    const char *key;
    const char *request_hash;
};

struct idempotency_answer {
    int64_t status;
    const char *body;
    const char *content_type;
};

struct idempotency_times {
    int64_t keep_seconds;  /* an older answer is forgotten */
    int64_t lease_seconds; /* one that takes longer is taken for dead */
};

/* Claims the key. `holder` (from the arena) says that it is ours, for the two functions below. */
MUST_CHECK enum error idempotency_claim(struct db *db, struct arena *arena,
                                        const struct idempotency_key *key,
                                        struct idempotency_times times,
                                        enum idempotency_outcome *outcome,
                                        struct idempotency_answer *answer, const char **holder,
                                        struct problem *problem);

/* Keeps the answer to a claimed key; does nothing when the claim has been lost. */
MUST_CHECK enum error idempotency_keep(struct db *db, const struct idempotency_key *key,
                                       const char *holder, const struct idempotency_answer *answer,
                                       struct problem *problem);

/* Gives the key back unanswered, so that it may be tried again. */
MUST_CHECK enum error idempotency_release(struct db *db, const struct idempotency_key *key,
                                          const char *holder, struct problem *problem);

#endif
