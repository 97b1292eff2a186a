/* One job of the browser: sends a prompt to one model, from the session to the answer; or reads the
 * model menu. */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_JOB_H
#define ASSAY_ORCHESTRATOR_BROWSER_JOB_H

#include "orchestrator/browser/driver.h"
#include "orchestrator/browser/health.h"

struct browser_job {
    bool lists_models; /* reads only the menu: no prompt, no model; its answer is a JSON array of
                          labels */
    const char *prompt;
    const char *label; /* label of the model, in the menu */
    struct attachments attachments;
    bool reasoning;
    bool strict;    /* a model that cannot be verified fails the job */
    double seconds; /* waiting time of the caller */
};

/* The result. Texts are from the driver's job arena, valid until the next job. */
struct browser_end {
    int status; /* RUN_SUCCEEDED, RUN_FAILED, RUN_CANCELLED */
    int failure_code;
    const char *failure_message;
    const char *text;
    const char *details; /* a JSON object */
    bool ends_session;   /* the caller ends the session after sending the answer */
};

void job_run(struct driver *driver, const struct browser_job *job, struct browser_end *end);

/* State of the session and of the automation. */
const struct browser_health *job_health(struct arena *arena, const struct driver *driver);

#endif
