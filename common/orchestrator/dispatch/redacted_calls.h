/*
 * Redaction before dispatch: where the run has a redaction, calls leave with placeholders instead
 * of personal data, and their results come back with the values, streams included. Images, files
 * and attachments pass as they are.
 */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_REDACTED_CALLS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_REDACTED_CALLS_H

#include "orchestrator/dispatch/run.h"

/* The calls as they may be made; `requests` itself when the run has no redaction. */
const struct call_request *redacted_calls(struct run *run, const struct call_request *requests,
                                          size_t count);

/* Gives the results of these calls their values back, and sends what waits of their streams. */
void redacted_calls_end(struct run *run, const struct call_request *calls, size_t count,
                        struct result *results);

#endif
