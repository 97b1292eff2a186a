/* Members of a completion request outside its schema: passed on, or refused by name. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_PARAMETERS_H
#define ASSAY_ORCHESTRATOR_STREAMS_PARAMETERS_H

#include "http/request.h"
#include "llm/llm.h"

/* A copy of `object` without null members and without those in `names` (NULL ends the list); NULL
 * when nothing is left. */
const json_t *members_beyond(struct arena *arena, const json_t *object, const char *const *names);

/* The name of the first non-empty member that is not in `names`, NULL when there is none. */
const char *first_beyond(const json_t *object, const char *const *names);

/* A copy of `object` (NULL = empty) with one more member. */
const json_t *member_added(struct arena *arena, const json_t *object, const char *name,
                           const json_t *value);

/* Fills in the other members of the body; sets a fault of the request that names an unsupported
 * one. */
MUST_CHECK enum error parameters_read(struct request *request, struct llm_request *conversation);

#endif
