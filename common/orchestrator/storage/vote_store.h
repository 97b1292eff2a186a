/* Votes of models on past questions: what the correlation of their errors is learned from. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_VOTE_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_VOTE_STORE_H

#include "base/error.h"
#include "base/optional.h"
#include "db/db.h"
#include "orchestrator/measures/effective_votes.h"

/* The votes on one question. */
struct vote_row {
    const char *task_id;
    int task_type; /* enum task_type */
    const char
        *models; /* ids of those that voted, in the order of the alphabet, joined by commas */
    int64_t voters, first_votes, second_votes;
    const char *sizes; /* votes of each group as JSON, in the order of the answer */
};

/* Stores the row and deletes all but the newest `most`. */
MUST_CHECK enum error vote_add(struct db *db, const struct vote_row *row, int64_t most,
                               struct problem *problem);

/* Records that the answer of group `right` (from 1) is right, or none of them (0); again replaces
 * it. ERROR_NOT_FOUND (`votes_not_found`) for a task without votes, or with votes that are deleted;
 * ERROR_INVALID (`right_answer_unknown`) for a group that the answer does not have. */
MUST_CHECK enum error vote_judge(struct db *db, struct arena *arena, const char *task_id,
                                 int64_t right, struct problem *problem);

enum vote_scope { VOTES_OF_MODELS, VOTES_OF_TASK_TYPE, VOTES_OF_ALL, VOTE_SCOPE__MAX };

/* Past questions that ended alike, of the same kind of prompt and the same models where there are
 * at least `enough` of them; else of that kind; else all. */
struct vote_history {
    enum vote_scope scope;
    size_t count;
    struct vote_record *items;
    int64_t questions;
};
MUST_CHECK enum error vote_history_read(struct db *db, struct arena *arena, int task_type,
                                        const char *models, int64_t enough,
                                        struct vote_history *history, struct problem *problem);

#endif
