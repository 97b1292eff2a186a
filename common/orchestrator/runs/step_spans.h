/* The spans of a task's steps and of the attempts of each, by OpenTelemetry's conventions for
 * generative AI: tokens and cost as they are stored. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_STEP_SPANS_H
#define ASSAY_ORCHESTRATOR_RUNS_STEP_SPANS_H

#include "orchestrator/dispatch/run.h"

/* Sends a span for each step whose call was made, as children of the request's span, and as their
 * children one for each attempt. */
void step_spans_send(const struct run *run);

#endif
