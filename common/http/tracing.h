/*
 * The span of each request, and reports of answers with a status of 500 and above. Both leave over
 * sockets of the run directory (telemetry/outbox.h), where the service's policy wants them.
 */
#ifndef ASSAY_HTTP_TRACING_H
#define ASSAY_HTTP_TRACING_H

#include "telemetry/outbox.h"

struct server;
struct serving;

/* Opens the sockets that the policy names. */
void tracing_open(struct server *server);
void tracing_close(struct server *server);

/* Reads the caller's traceparent and begins the span of the request; `request->trace` is its
 * context, for the spans of what the request does. */
void tracing_begin(struct serving *serving);

/* Ends it, when the answer is composed. */
void tracing_end(struct serving *serving);

#endif
