/*
 * The spans of this process on their way to the exporter of its service (trace_export.h). Adding
 * never waits and allocates nothing: spans gather in one message, which is sent when it is full and
 * at each tracer_flush(). What the exporter does not take is dropped.
 */
#ifndef ASSAY_TELEMETRY_TRACER_H
#define ASSAY_TELEMETRY_TRACER_H

#include "telemetry/trace.h"

/* For the socket `name` of the run directory (TRACE_SOCKET_NAME()). */
void tracer_open(const char *run_directory, const char *name);

/* The same for a program that runs jobs of a service, by the environment: does nothing where no
 * collector is set. */
void tracer_open_program(const char *service);
void tracer_close(void);

bool tracer_is_open(void);

void tracer_add(const struct span *span);
void tracer_flush(void);

#endif
