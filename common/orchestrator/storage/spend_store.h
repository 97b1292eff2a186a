/*
 * Cost accounting: a call's cost is held before the call, booked after it, in billionths of a US
 * dollar. Calls of all workers and hosts share a daily limit.
 */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_SPEND_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_SPEND_STORE_H

#include "base/error.h"
#include "db/db.h"

enum { SPEND_DAY_MAX = 16 };

/* The cost that one call holds, and later its actual cost. */
struct spend_hold {
    char hold_id[40];        /* "" = no hold */
    char day[SPEND_DAY_MAX]; /* UTC, "2026-07-30" */
    const char *provider;
    int64_t nano_usd; /* held amount */
    int64_t booked;   /* actual cost */
    bool is_over;     /* to be settled by the next write */
};

/* Holds `nano_usd` for a call of a task if the sum of today's booked and held costs stays within
 * the limit; otherwise *granted is false and *spent is that sum. A limit of 0 or less means
 * unlimited, but the sum is kept. Settles the ended holds in `done` in the same transaction. */
MUST_CHECK enum error spend_hold(struct db *db, const char *task_id, const char *provider,
                                 int64_t nano_usd, int64_t limit, double seconds,
                                 struct spend_hold *hold, bool *granted, int64_t *spent,
                                 struct spend_hold *done, size_t done_count,
                                 struct problem *problem);

/* Replaces ended holds by their actual cost; joins the caller's transaction. */
MUST_CHECK enum error spend_settle(struct db *db, struct spend_hold *holds, size_t count,
                                   struct problem *problem);

/* Books the remaining holds of an abandoned task. */
MUST_CHECK enum error spend_book_holds(struct db *db, const char *task_id, struct problem *problem);

/* Today's booked and held costs, of all providers. */
MUST_CHECK enum error spend_today(struct db *db, int64_t *booked, int64_t *held,
                                  struct problem *problem);

/* Today in UTC, "2026-07-30". */
void spend_day(char day[SPEND_DAY_MAX]);

#endif
