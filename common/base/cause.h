/*
 * What the process works for at the moment: a request, or a job that a request has caused. Each
 * fiber has one of its own, and the process one outside of fibers. It is set where work begins
 * (http/tracing.c, jobs/job.c) and read where something is written down that outlives the work: a
 * job, a line of the log, a call of another service. Where spans are recorded, a watcher is told of
 * the calls, the models and the database that the work has used (telemetry/traced.h).
 */
#ifndef ASSAY_BASE_CAUSE_H
#define ASSAY_BASE_CAUSE_H

#include "base/fiber.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CAUSE_TRACE = 56 /* bytes of a traceparent (W3C Trace Context), with its NUL */ };

struct cause_watcher;

struct cause {
    const char *request_id;              /* NULL = no request is known */
    char trace[CAUSE_TRACE];             /* of the span at hand; "" = there is none */
    const struct cause_watcher *watcher; /* NULL = nothing is recorded */
};

/* One attempt of an HTTP call that has ended. Times are monotonic microseconds, here and below;
 * `failure` is NULL for what went well, else a word of few, as error.type has them. */
struct cause_call {
    const char *trace;  /* of its span: what cause_call_begins() has made */
    const char *parent; /* the span above; NULL = the one at hand */
    const char *method;
    const char *origin; /* "https://host:443" */
    int64_t started_at, ended_at;
    int status;      /* 0 = there was no answer */
    uint32_t number; /* of the attempt, from 1 */
    const char *failure;
};

/* A transaction, or a statement outside of transactions. */
struct cause_database {
    const char *name;   /* of the statement, or "transaction" */
    const char *system; /* "sqlite", "postgresql" */
    int64_t started_at, ended_at;
    int64_t statements;
    const char *failure;
};

/* A call of a language model, with all its attempts. Texts may be NULL, numbers negative: unknown.
 */
struct cause_model {
    const char *trace; /* of its span */
    const char *operation, *provider, *asked_model, *answering_model;
    int64_t started_at, ended_at;
    int64_t input_tokens, output_tokens;
    int64_t cost_nano_dollars;
    const char *failure;
};

struct cause_watcher {
    /* Draws a span below `parent` (NULL = the one at hand). */
    void (*call_begins)(struct cause *cause, const char *parent, char trace[CAUSE_TRACE]);
    void (*call_ended)(struct cause *cause, const struct cause_call *call);
    void (*database_used)(struct cause *cause, const struct cause_database *use);
    void (*model_asked)(struct cause *cause, const struct cause_model *model);
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

/* The traceparent that a call carries: of a span of its own where spans are recorded, else the one
 * at hand; "" = none. */
static inline void cause_call_begins(const char *parent, char trace[CAUSE_TRACE])
{
    struct cause *cause = cause_current();

    *trace = '\0';
    if (cause && cause->watcher)
        cause->watcher->call_begins(cause, parent, trace);
    else if (cause)
        memcpy(trace, cause->trace, CAUSE_TRACE);
}

static inline void cause_call_ended(const struct cause_call *call)
{
    struct cause *cause = cause_current();

    if (cause && cause->watcher && *call->trace)
        cause->watcher->call_ended(cause, call);
}

static inline void cause_database_used(const struct cause_database *use)
{
    struct cause *cause = cause_current();

    if (cause && cause->watcher)
        cause->watcher->database_used(cause, use);
}

static inline void cause_model_asked(const struct cause_model *model)
{
    struct cause *cause = cause_current();

    if (cause && cause->watcher && *model->trace)
        cause->watcher->model_asked(cause, model);
}

#endif
