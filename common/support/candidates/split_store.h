/*
 * Traffic splits: an experiment answers a share of a tenant's conversations, the default settings
 * answer the rest. The arm of each conversation and its outcome are stored with the answer, for
 * analysis in the experiments service. Contains all SQL of splits.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_SPLIT_STORE_H
#define ASSAY_SUPPORT_CANDIDATES_SPLIT_STORE_H

#include "base/schema.h"
#include "support/candidates/assignment_store.h"
#include "support/traces/trace_store.h"

enum { SPLIT_EVENTS_MOST = 1000 /* per batch */, SPLITS_MOST = 100 };

/* The arm of a question. */
struct split_arm {
    const char *split_id; /* NULL = no split, or no experiments service configured */
    const char *unit;     /* pseudonym of the conversation */
    struct assignment assignment;
    int64_t arm; /* 0 = control, 1 = experiment */
};

/* The arm of a conversation, by its bucket key. */
struct split_arm split_arm_of(struct arena *arena, const struct assignment *assignment,
                              const char *bucket_key, bool inside);

/* Records an answer's exposure, quality and, if it went to a human, escalation, in the caller's
 * transaction. For each conversation only the first answer's quality counts. */
MUST_CHECK enum error split_note_answer(const struct trace_call *call, const struct split_arm *arm,
                                        const char *trace_id, double quality, bool escalated);
/* Records a vote on an answer of the tenant, if the answer belongs to a split: "up" or "down". */
MUST_CHECK enum error split_note_vote(const struct trace_call *call, const char *trace_id,
                                      const char *rating);
/* Records that the user asked for a human in a conversation. */
MUST_CHECK enum error split_note_escalation(const struct trace_call *call, const char *session_id);

struct split_reason {
    const char *code, *text;
};
SCHEMA_OF(split_reason_schema, struct split_reason);

struct split {
    const char *split_id, *tenant_id, *experiment_id;
    int64_t rollout_percentage;
    const char *started_at;
    bool live;                                  /* the share now assigned */
    const char *project_id;                     /* NULL = not created there yet */
    const char *verdict, *confidence, *read_at; /* NULL = not read yet */
    OBJECT_LIST(struct split_reason, reasons);  /* empty = not read yet */
    const char *withdrawn_at;                   /* NULL = it was not withdrawn */
    int64_t waiting;                            /* number of events not sent yet */
    int64_t control_exposed, treatment_exposed; /* number of conversations */
};
SCHEMA_OF(split_schema, struct split);

/* Live splits and those with unsent events, oldest first: struct split, without the exposed. */
MUST_CHECK enum error split_list_open(struct db *db, struct arena *arena, struct object_list *rows,
                                      struct problem *problem);
/* Of an experiment, newest first, of a tenant or (NULL) all. */
MUST_CHECK enum error split_list(struct db *db, struct arena *arena, const char *experiment_id,
                                 const char *tenant, struct object_list *rows,
                                 struct problem *problem);

struct split_event {
    int64_t id;
    const char *idempotency_key, *user_id, *metric; /* metric NULL = exposed */
    int64_t variation_index;
    double value;
    const char *occurred_at;
};
/* Oldest first, exposures or outcomes, at most SPLIT_EVENTS_MOST: struct split_event. */
MUST_CHECK enum error split_waiting(struct db *db, struct arena *arena, const char *split_id,
                                    bool exposures, struct object_list *rows,
                                    struct problem *problem);
MUST_CHECK enum error split_sent(struct db *db, const struct object_list *events,
                                 struct problem *problem);

MUST_CHECK enum error split_set_project(struct db *db, const char *split_id, const char *project_id,
                                        struct problem *problem);
MUST_CHECK enum error split_set_verdict(struct db *db, const char *split_id, const char *verdict,
                                        const char *confidence, const char *reasons,
                                        struct problem *problem);
/* Ends the split's assignment, if it is still the tenant's current one. */
MUST_CHECK enum error split_withdraw(struct db *db, const struct split *split,
                                     struct problem *problem);

/* Metrics of the tenant's answers in the last 30 days, without experiments. */
struct split_baseline {
    int64_t answers, conversations;
    double quality_mean, quality_deviation;
    double down_rate, escalated_rate; /* of conversations */
};
MUST_CHECK enum error split_read_baseline(struct db *db, const char *tenant,
                                          struct split_baseline *baseline, struct problem *problem);

#endif
