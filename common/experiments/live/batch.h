/*
 * One batch of records on its way into an experiment, or into one bucket of a divided experiment.
 * Private to ingest.c, which runs it, and divided.c, which divides it.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_BATCH_H
#define ASSAY_EXPERIMENTS_LIVE_BATCH_H

#include "experiments/live/ingest.h"
#include "experiments/live/rollup_store.h"

/* What was settled for the whole batch before it was divided: names of metrics and covariates have
 * numbers, keys were taken. */
struct live_batch_part {
    const int64_t *sequences; /* of the records */
};

struct live_batch_run {
    const struct live_call *call;
    enum live_kind kind;
    const struct object_list *records;
    struct live_outcome *outcome;
    const struct live_batch_part *part; /* of a bucket; NULL = the experiment is not divided */
    struct live_experiment experiment;
    struct live_units units;
    struct live_rollup rollup;
    struct live_name_list names; /* metrics, covariates or slices of the records */
    struct live_units clusters;  /* by name; none when no record has one */
    struct live_names opened;    /* user ids of roots that were taken out */
    struct live_event *events;
    size_t event_count;
    size_t at; /* the current record */
    int64_t now;
    bool covariates_grew;
    bool crossed; /* an id that was exposed was sent in another arm or cluster */
};

/* The user ids of every record, in order; of an identity the alias, then the canonical one. */
struct live_names live_batch_users(const struct live_batch_run *batch);

/* Number the names of the records that are stored whatever becomes of the records. */
MUST_CHECK enum error live_batch_number_metrics(struct live_batch_run *batch);
MUST_CHECK enum error live_batch_number_covariates(struct live_batch_run *batch);

/* Numbers the strata and slices of the records that will be stored. `units` holds all users of the
 * batch. */
MUST_CHECK enum error live_batch_number_slices(struct live_batch_run *batch,
                                               const struct live_units *units);

/* Numbers the clusters of exposures, also of those that are dropped. */
MUST_CHECK enum error live_batch_number_clusters(struct live_batch_run *batch);

/* Runs the batch within the caller's transaction. The experiment is open and locked. */
MUST_CHECK enum error live_run_batch(struct live_batch_run *batch);

/* The same for a divided experiment, whose row is read and not locked: locks the buckets that the
 * users of the batch are in, and runs a part of the batch in each. */
MUST_CHECK enum error live_run_divided(struct live_batch_run *batch);

/* What becomes of a link: it is refused when it would form a chain or a cycle. Units may come from
 * different tables. */
enum live_link { LIVE_LINK_NEW, LIVE_LINK_KNOWN, LIVE_LINK_REFUSED };
enum live_link live_judge_link(const struct live_unit *alias, const struct live_unit *canonical);

#endif
