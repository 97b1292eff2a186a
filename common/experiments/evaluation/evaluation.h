/*
 * The value of a feature flag for a user, by the protocol for remote evaluation (OFREP): the
 * assignment of the experiment behind the flag, and the exposure that goes with it.
 */
#ifndef ASSAY_EXPERIMENTS_EVALUATION_EVALUATION_H
#define ASSAY_EXPERIMENTS_EVALUATION_EVALUATION_H

#include "experiments/flags/flag_store.h"
#include "experiments/live/assign.h"
#include "experiments/live/ingest.h"

/* Why a value was chosen, in the words of the protocol. */
enum evaluation_reason {
    EVALUATED_STATIC,    /* the same for everybody */
    EVALUATED_TARGETING, /* a rule holds for the user, or the user is forced into it */
    EVALUATED_SPLIT,     /* by the hash of the user */
    EVALUATED_DISABLED,  /* the flag is off */
    EVALUATED_DEFAULT,   /* the user is outside the experiment */
    EVALUATED__MAX
};
extern const char *const evaluation_reason_names[EVALUATED__MAX];

/* Why there is no value. */
enum evaluation_fault {
    EVALUATION_OK,
    EVALUATION_NO_USER,
    EVALUATION_UNFIT,
    EVALUATION_FAULT__MAX
};

/* Reasons of problems, in the order of enum evaluation_fault. */
extern const char *const evaluation_fault_reasons[EVALUATION_FAULT__MAX];
extern const char *const evaluation_fault_texts[EVALUATION_FAULT__MAX];

/* Who asks, and what is known of the user. */
struct evaluation_context {
    const char *user_id;      /* NULL = not told */
    const json_t *attributes; /* an object or NULL */
    int64_t round;            /* of an adaptive experiment, by which to decide; 0 = the newest */
};

/* What decided, in the order in which it is asked. */
enum evaluation_step {
    DECIDED_UNSET, /* the flag has no values */
    DECIDED_ARCHIVED,
    DECIDED_OFF,
    DECIDED_FIXED,
    DECIDED_NO_USER,
    DECIDED_FORCED,
    DECIDED_BY_DESIGN, /* by the members of `assigned` */
    DECIDED__MAX
};

struct evaluation {
    const struct flag *flag;
    int step; /* enum evaluation_step */
    struct live_assignment assigned;
    int fault;  /* enum evaluation_fault; the members below hold without one */
    int reason; /* enum evaluation_reason */
    int64_t variation;
    int64_t round; /* of an adaptive experiment; 0 = not adaptive */
    bool in_experiment;
    bool new_user;   /* in the experiment, and no exposure is recorded */
    bool new_member; /* of the holdout, likewise */
};

/* Decides, and records nothing. The transaction is the caller's. */
MUST_CHECK enum error evaluate(const struct live_call *call, const struct flag *flag,
                               const struct evaluation_context *context,
                               struct evaluation *evaluation);

/* The name and the value of the variation. */
const struct flag_variant *evaluation_variant(const struct evaluation *evaluation);

/* The exposure of a user in the experiment, with its round and the dimensions that the flag names.
 * From the arena. */
struct object_list evaluation_exposure(const struct evaluation *evaluation,
                                       const struct evaluation_context *context,
                                       struct arena *arena);

/* The record of a user of the holdout. From the arena. */
struct object_list evaluation_holdout(const struct evaluation_context *context,
                                      struct arena *arena);

/* Reads user and attributes out of the context of a request. ERROR_INVALID `invalid_context`. */
MUST_CHECK enum error evaluation_read_context(const json_t *sent,
                                              struct evaluation_context *context,
                                              struct problem *problem);

#endif
