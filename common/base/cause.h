/*
 * What the process works for at the moment: a request, or a job that a request has caused. Each
 * fiber has one of its own, and the process one outside of fibers. It is set where work begins
 * (http/tracing.c, jobs/job.c) and read where something is written down that outlives the work: a
 * job, a line of the log, a call of another service.
 */
#ifndef ASSAY_BASE_CAUSE_H
#define ASSAY_BASE_CAUSE_H

#include "base/fiber.h"

#include <stddef.h>

enum { CAUSE_TRACE = 56 /* bytes of a traceparent (W3C Trace Context), with its NUL */ };

struct cause {
    const char *request_id;  /* NULL = no request is known */
    char trace[CAUSE_TRACE]; /* of the span at hand; "" = nothing of it is recorded */
};

/* NULL = none was set. */
static inline struct cause *cause_current(void)
{
    return (struct cause *)*fiber_local();
}

/* Sets it, NULL = none, and returns the one before; who sets one takes it back before its end. */
static inline struct cause *cause_set(struct cause *cause)
{
    struct cause *before = cause_current();

    *fiber_local() = cause;
    return before;
}

/* Of the cause at hand; NULL = none is known. */
static inline const char *cause_request_id(void)
{
    const struct cause *cause = cause_current();

    return cause ? cause->request_id : NULL;
}

static inline const char *cause_trace(void)
{
    const struct cause *cause = cause_current();

    return cause && *cause->trace ? cause->trace : NULL;
}

#endif
