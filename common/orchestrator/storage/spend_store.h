/*
 * Money: held before a call goes out, booked when it is over, in billionths of a dollar. Calls of
 * all workers and hosts share the limit of a day.
 */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_SPEND_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_SPEND_STORE_H

#include "base/error.h"
#include "db/db.h"

enum { SPEND_DAY_MAX = 16 };

/* What one call holds, then has cost. */
struct spend_hold {
    char hold_id[40];        /* "" = nothing is held */
    char day[SPEND_DAY_MAX]; /* UTC, "2026-07-30" */
    const char *provider;
    int64_t nano_usd; /* held */
    int64_t booked;   /* what it turned out to be */
    bool is_over;     /* to be settled with the next write */
};

/* Holds `nano_usd` for a call of a task if what is booked and held today stays within the limit;
 * otherwise *granted is false and *spent is what is booked and held. A limit of 0 or less means
 * none, but the sum is kept. Settles the ended holds in `done` in the same transaction. */
MUST_CHECK enum error spend_hold(struct db *db, const char *task_id, const char *provider,
                                 int64_t nano_usd, int64_t limit, double seconds,
                                 struct spend_hold *hold, bool *granted, int64_t *spent,
                                 struct spend_hold *done, size_t done_count,
                                 struct problem *problem);

/* Turns holds that are over into what they cost; joins the caller's transaction. */
MUST_CHECK enum error spend_settle(struct db *db, struct spend_hold *holds, size_t count,
                                   struct problem *problem);

/* Books what an abandoned task still holds. */
MUST_CHECK enum error spend_book_holds(struct db *db, const char *task_id, struct problem *problem);

/* Booked and held today, of all providers. */
MUST_CHECK enum error spend_today(struct db *db, int64_t *booked, int64_t *held,
                                  struct problem *problem);

/* Today in UTC, "2026-07-30". */
void spend_day(char day[SPEND_DAY_MAX]);

#endif
