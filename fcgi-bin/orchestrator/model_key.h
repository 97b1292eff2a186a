/* Keys of providers that administrators store with the models that they add. */
#ifndef ASSAY_ORCHESTRATOR_MODEL_KEY_H
#define ASSAY_ORCHESTRATOR_MODEL_KEY_H

#include "http/request.h"
#include "orchestrator/models/stored_key.h"

/* Encrypts the body's `api_key`; NULL or an empty one leaves *stored without a key. A 422 for what
 * cannot be sent in a header, ERROR_UNAVAILABLE keys_not_stored without ORCH_SECRETS_KEY. */
MUST_CHECK enum error model_key_of(struct request *request, const char *model_id,
                                   const char *api_key, struct stored_key *stored);

#endif
