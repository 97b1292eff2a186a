/* Details of results and events: JSON objects that are kept as text. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_DETAILS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_DETAILS_H

#include "base/json.h"
#include "orchestrator/dispatch/run.h"

/* A writer of details: an object that is open. */
struct details {
    struct text text;
    struct json_writer writer;
};
void details_open(struct run *run, struct details *details);
const char *details_close(struct details *details);

/* The object `json` with the members of `more` behind its own. Both are JSON objects. */
const char *details_join(struct arena *arena, const char *json, const char *more);

#endif
