/*
 * Work that is traced: a request, or a run of a job. Below its span come those of what it uses:
 * each attempt of an HTTP call, each call of a model, each transaction of the database and each
 * statement outside of one. The first TRACED_SPANS_MAX of the database and of the calls have spans;
 * statements and their time are counted in all, and are attributes of the span of the work.
 */
#ifndef ASSAY_TELEMETRY_TRACED_H
#define ASSAY_TELEMETRY_TRACED_H

#include "base/cause.h"
#include "telemetry/trace.h"

enum { TRACED_SPANS_MAX = 64 /* of each kind, for one request */ };

struct traced {
    struct cause cause;           /* of the work; cause_set() takes it */
    struct trace_context context; /* of its span */
    size_t database_spans, call_spans;
    int64_t statements, database_microseconds;
};

/* `request_id` (may be NULL) lives as long as the work. Without a sampled context nothing is
 * recorded, and what the work calls learns of the trace only. */
void traced_begin(struct traced *traced, const char *request_id,
                  const struct trace_context *context);

/* Adds what was counted to the span of the work. Nothing is recorded from here on. */
void traced_end(struct traced *traced, struct span *span);

#endif
