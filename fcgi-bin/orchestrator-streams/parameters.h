/* Members of a completion's body beyond those of its schema: passed on, or refused by name. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_PARAMETERS_H
#define ASSAY_ORCHESTRATOR_STREAMS_PARAMETERS_H

#include "http/request.h"
#include "llm/llm.h"

/* An object with the members of `object` that are not in `names` (NULL at the end) nor null; NULL
 * when there is none. */
const json_t *members_beyond(struct arena *arena, const json_t *object, const char *const *names);

/* The name of the first member that is not in `names` and requests something, NULL when there is
 * none. */
const char *first_beyond(const json_t *object, const char *const *names);

/* Fills in the other members of the body; a fault of the request names an unsupported one. */
MUST_CHECK enum error parameters_read(struct request *request, struct llm_request *conversation);

/* A fault of the request when the model's protocol cannot express all of it. LLM_PROTOCOL__MAX is a
 * model or pattern that takes a prompt alone. */
MUST_CHECK enum error parameters_check(struct request *request, enum llm_protocol protocol,
                                       const struct llm_request *conversation);

#endif
