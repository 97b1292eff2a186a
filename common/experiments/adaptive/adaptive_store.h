/* Adaptive experiments in the database. Transactions are the caller's. */
#ifndef ASSAY_EXPERIMENTS_ADAPTIVE_ADAPTIVE_STORE_H
#define ASSAY_EXPERIMENTS_ADAPTIVE_ADAPTIVE_STORE_H

#include "db/db.h"
#include "experiments/adaptive/adaptive.h"

struct adaptive_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
};

/* The settings without the list of rounds, and the shares of a round: the newest one where `round`
 * is 0. `found` false where the experiment is not adaptive, or has no such round. */
struct adaptive {
    bool found;
    struct adaptive_document settings;
    struct adaptive_round newest; /* or the one that was asked for */
    struct adaptive_shares shares;
};
MUST_CHECK enum error adaptive_find(const struct adaptive_call *call, const char *experiment_id,
                                    int64_t round, struct adaptive *adaptive);

/* The rounds, newest first: a list of struct adaptive_round. */
MUST_CHECK enum error adaptive_read_rounds(const struct adaptive_call *call,
                                           const char *experiment_id, struct object_list *rounds);

/* The ids of all adaptive experiments that are not paused, of projects that are not archived. */
MUST_CHECK enum error adaptive_list(const struct adaptive_call *call, struct string_list *ids);

/* The number of the newest round under a lock until the transaction ends; 0 where the experiment
 * is not adaptive. */
MUST_CHECK enum error adaptive_lock(const struct adaptive_call *call, const char *experiment_id,
                                    int64_t *round);

/* Stores the settings; the row is created where there is none. */
MUST_CHECK enum error adaptive_save(const struct adaptive_call *call,
                                    const struct adaptive_document *settings);

/* Adds a round and makes it the newest. */
MUST_CHECK enum error adaptive_add_round(const struct adaptive_call *call,
                                         const char *experiment_id,
                                         const struct adaptive_round *round,
                                         const struct adaptive_shares *shares);

/* Forgets settings and rounds. */
MUST_CHECK enum error adaptive_forget(const struct adaptive_call *call, const char *experiment_id);

/* ERROR_INVALID `adaptive_variants` when an adaptive experiment would get a design with another
 * number of variations or a ratio metric; in the transaction that stores the design. */
MUST_CHECK enum error adaptive_check_design(const struct adaptive_call *call,
                                            const char *experiment_id, const char *document);

/* The same, of a design and the number of variations that the shares are for. */
MUST_CHECK enum error adaptive_fits(const struct adaptive_call *call,
                                    const struct experiment_payload *design, size_t arms);

#endif
