/*
 * Cost accounting: a call's cost is held before the call, booked after it, in billionths of a US
 * dollar. Calls of all workers and hosts share the service's daily limit and the budgets of their
 * key, team and customer (keys/budget_store.h).
 *
 * A call that has ended is settled by the next write of its task: its hold then shows what it did
 * cost. The end of the task books all of them. Holds of a dead worker are booked in full.
 */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_SPEND_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_SPEND_STORE_H

#include "base/error.h"
#include "db/db.h"
#include "orchestrator/keys/budget_store.h"

enum { SPEND_DAY_MAX = 16 };

/* The cost that one call holds, and later its actual cost. */
struct spend_hold {
    char hold_id[40];        /* "" = no hold */
    char day[SPEND_DAY_MAX]; /* UTC by the database's clock, "2026-07-30" */
    int64_t held_at;         /* the same in microseconds */
    const char *provider;
    int64_t nano_usd; /* held amount */
    int64_t booked;   /* actual cost */
    bool is_over;     /* to be settled by the next write */
    bool is_settled;
    struct budget_charges charges;
};

/* The calls of one task. Memory of holds is from `arena`. */
struct spend_call {
    struct db *db;
    struct arena *arena;
    const char *task_id;
    const struct payer *payer; /* NULL = only the service's limit counts */
    struct problem *problem;
};

struct spend_request {
    const char *provider, *model_id;
    int64_t nano_usd; /* the most that the call may cost */
    int64_t limit;    /* of the service's day; 0 or less = none */
};

/* A refused call: nothing is held. */
struct spend_refusal {
    bool refused;
    const struct budget_refusal *budget; /* NULL = the service's limit: */
    int64_t spent;                       /* what the day has spent and holds */
};

/* Holds a call's cost if every budget and the service's day have room for it. Settles the ended
 * holds in `done` in the same transaction. */
MUST_CHECK enum error spend_hold(const struct spend_call *call, const struct spend_request *request,
                                 struct spend_hold *hold, struct spend_refusal *refusal,
                                 struct spend_hold *done, size_t done_count);

/* Settles the ended holds of a task and books all of them; joins the caller's transaction. */
MUST_CHECK enum error spend_book(const struct spend_call *call, struct spend_hold *holds,
                                 size_t count);

/* A hold of an abandoned task. */
struct abandoned_hold {
    const char *hold_id, *day, *provider, *model_id;
    const char *key_id, *team_id, *customer_id;
    int64_t nano_usd;
    const char *charges;
    bool settled;
};
struct abandoned_holds {
    size_t count;
    struct abandoned_hold *items;
};

/* Books the remaining holds of an abandoned task, and gives them. */
MUST_CHECK enum error spend_book_abandoned(const struct spend_call *call,
                                           struct abandoned_holds *holds);

/* Today's booked and held costs, of all providers. */
MUST_CHECK enum error spend_today(struct db *db, int64_t *booked, int64_t *held,
                                  struct problem *problem);

/* Today in UTC, "2026-07-30". */
void spend_day(char day[SPEND_DAY_MAX]);

#endif
