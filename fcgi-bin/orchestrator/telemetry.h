/* Usage telemetry: one line per request in a file, with the digest of its body and never the
 * body. */
#ifndef ASSAY_ORCHESTRATOR_TELEMETRY_H
#define ASSAY_ORCHESTRATOR_TELEMETRY_H

#include "orchestrator/service.h"

/* Opens the file of the settings, creating its folder; -1 when it is disabled or cannot be opened
 * (which is logged). Call it before the worker is confined. */
int telemetry_open(const struct orchestrator_settings *settings, struct arena *arena);

/* Appends the line of an answered request; only the first error is logged. */
void telemetry_note(int file, struct request *request, int status, int64_t begun_at);

#endif
