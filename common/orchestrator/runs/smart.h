/* One prompt, treated as it deserves: asked once, split, or asked until answers agree; then
 * checked. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_SMART_H
#define ASSAY_ORCHESTRATOR_RUNS_SMART_H

#include "orchestrator/plan/pattern.h"
#include "orchestrator/runs/consensus.h"

struct smart_order {
    const char *prompt;
    const char *model;             /* NULL = the default one */
    const char *reliability_level; /* NULL = not given, as the next one */
    const char *pattern;
    bool dry_run;
    bool second; /* smart/v2 */
};

struct smart {
    struct pattern_run run;
    struct treatment treatment;
    enum task_type task_type;
    struct complexity complexity;
    bool was_decomposed, used_consensus, used_roles;
    struct result answer;
    const char *answer_text; /* a failure in words where nothing else is there */
    const char *verification;
    struct consensus consensus; /* where it was used */
};

/* `run` holds who watches, or is zeroed. ERROR_INVALID (`run_rejected`) for what cannot be. */
MUST_CHECK enum error smart_run(struct smart *smart, const struct house *house, struct arena *arena,
                                struct db *db, const struct smart_order *order,
                                struct problem *problem);

#endif
