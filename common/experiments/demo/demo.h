/*
 * Three example projects with a run of each, for users who have just installed the product.
 * The same on every host at any time.
 */
#ifndef ASSAY_EXPERIMENTS_DEMO_DEMO_H
#define ASSAY_EXPERIMENTS_DEMO_DEMO_H

#include "experiments/live/records.h"
#include "i18n/i18n.h"

enum { DEMO_COUNT = 3 };

/* What was missing and has been made. */
struct demo_made {
    int64_t projects;
    int64_t analyses;
    int64_t exports;
    int64_t runs; /* of experiments: their events */
};

/* Makes what is missing, project by project; those that are there, archived ones too, are known by
 * their names and keep what they have. Nothing of it is written to the audit log. Transactions are
 * its own. */
MUST_CHECK enum error demo_make(const struct live_call *call, const struct locale *locale,
                                struct demo_made *made);

#endif
