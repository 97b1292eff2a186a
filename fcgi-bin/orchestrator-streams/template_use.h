/* Templates in requests: `"template": {"name": ..., "version": 3, "variables": {...}}`. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_TEMPLATE_USE_H
#define ASSAY_ORCHESTRATOR_STREAMS_TEMPLATE_USE_H

#include "http/request.h"

/* The messages of the template, filled in, followed by those of the request (NULL = none).
 * `*version` identifies the template's version. Sets a fault of the request for a template that
 * does not exist and for a variable without a value. */
MUST_CHECK enum error prompt_template_use(struct request *request, const json_t *wanted,
                                          const json_t *messages, const json_t **all,
                                          const char **version);

#endif
