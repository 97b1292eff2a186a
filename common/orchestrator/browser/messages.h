/* Private to common/orchestrator/browser: the messages between workers and the browser's process.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_MESSAGES_H
#define ASSAY_ORCHESTRATOR_BROWSER_MESSAGES_H

#include "orchestrator/browser/job.h"

/* "execute" with a prompt and a label, "menu", or "health". */
struct job_message {
    const char *act;
    const char *prompt, *label;
    bool reasoning, strict;
    double seconds;
    struct string_list files; /* file names; the open files are sent with the message */
};
SCHEMA_OF(job_message_schema, struct job_message);

/* The end of a job. */
SCHEMA_OF(job_end_schema, struct browser_end);

#endif
