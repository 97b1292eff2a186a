/* Usage: one line per request in a file, with the digest of its body and never the body. */
#ifndef ASSAY_ORCHESTRATOR_TELEMETRY_H
#define ASSAY_ORCHESTRATOR_TELEMETRY_H

#include "orchestrator/service.h"

/* Opens the file of the settings, making its folder; -1 where it is off or cannot be opened (which
 * is logged). To be called before the worker is confined. */
int telemetry_open(const struct orchestrator_settings *settings, struct arena *arena);

/* Adds the line of a request that was answered; the first failure is logged, further ones are not.
 */
void telemetry_note(int file, struct request *request, int status, int64_t begun_at);

#endif
