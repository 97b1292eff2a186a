/* Turns the items of /v1/responses into messages: those of the request and those of the answers
 * before it. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_INPUT_H
#define ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_INPUT_H

#include "orchestrator-streams/exchange.h"

/* Fills in the messages and the version of the prompt; sets a fault of the request for an item of
 * an unknown kind, and for an earlier answer that is not stored. */
MUST_CHECK enum error response_read_items(struct request *request, const char *owner,
                                          struct gateway_call *call);

/* A signature or a sealed thought, as the one text that an item has for them, and back. */
const char *response_seal(struct arena *arena, const struct llm_thought *thought);

#endif
