/*
 * Three example projects with a run each, for new installations. The content is the same on every
 * host at any time.
 */
#ifndef ASSAY_EXPERIMENTS_DEMO_DEMO_H
#define ASSAY_EXPERIMENTS_DEMO_DEMO_H

#include "experiments/live/records.h"
#include "i18n/i18n.h"

enum { DEMO_COUNT = 3 };

/* Number of created rows. */
struct demo_made {
    int64_t projects;
    int64_t analyses;
    int64_t exports;
    int64_t runs; /* events of experiments */
};

/* Creates the missing examples, project by project. Existing projects, also archived ones, are
 * found by name and are not changed. Writes no audit entries. Runs its own transactions. */
MUST_CHECK enum error demo_make(const struct live_call *call, const struct locale *locale,
                                struct demo_made *made);

#endif
