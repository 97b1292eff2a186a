/*
 * Private to common/orchestrator/dispatch: the calls that a step is made of. Most steps are one
 * call; when a call fails, another deployment or the fallback model may take over.
 */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_ATTEMPTS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_ATTEMPTS_H

#include "orchestrator/dispatch/run.h"

struct active_call;

struct attempt_list {
    size_t count;
    struct call_attempt *items;
};

/* Prepares a call that makes this request: the pieces of a stream tell when the first one came. */
void call_watch_pieces(struct active_call *active, const struct call_request *wanted);

/* Notes a call that has ended, or that failed without being made: its times in the result, itself
 * among those of its step, and what the worker counts. */
void call_note(struct run *run, struct active_call *active);

/* The calls of the step as a JSON object for its details; NULL when there was only one. */
const char *attempts_details(struct arena *arena, const struct attempt_list *attempts);

#endif
