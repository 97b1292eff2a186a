/* One job of the browser: a prompt for one model, from the session to the answer; or reading the
 * model menu. */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_JOB_H
#define ASSAY_ORCHESTRATOR_BROWSER_JOB_H

#include "orchestrator/browser/driver.h"
#include "orchestrator/browser/health.h"

struct browser_job {
    bool lists_models; /* that alone: no prompt, no model; its answer is a JSON array of labels */
    const char *prompt;
    const char *label; /* of the model, in the menu */
    struct attachments attachments;
    bool reasoning;
    bool strict;    /* a model that cannot be verified is refused */
    double seconds; /* that the caller waits */
};

/* What became of it. Texts are of the driver's job arena, until the next job. */
struct browser_end {
    int status; /* RUN_SUCCEEDED, RUN_FAILED, RUN_CANCELLED */
    int failure_code;
    const char *failure_message;
    const char *text;
    const char *details; /* a JSON object */
    bool ends_session;   /* the caller ends it when the answer is out */
};

void job_run(struct driver *driver, const struct browser_job *job, struct browser_end *end);

/* How the session and the automation are. */
const struct browser_health *job_health(struct arena *arena, const struct driver *driver);

#endif
