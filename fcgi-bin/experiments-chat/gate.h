/* Verifies the signature of calls of the chat platform. Private to fcgi-bin/experiments-chat/. */
#ifndef ASSAY_EXPERIMENTS_CHAT_GATE_H
#define ASSAY_EXPERIMENTS_CHAT_GATE_H

#include "experiments/service.h"

/* ERROR_UNAVAILABLE chatapp_not_configured when the integration is disabled. */
MUST_CHECK enum error gate_configured(struct request *request);

/* The same, and ERROR_FORBIDDEN chatapp_signature when the signature is invalid; after several
 * failures chatapp_invalid_signature_rate_limited. */
MUST_CHECK enum error gate_signed(struct request *request, struct reply *reply);

/* ERROR_FORBIDDEN chatapp_team when the workspace is not in AB_CHATAPP_TEAMS. */
MUST_CHECK enum error gate_team(struct request *request, const char *team_id);

#endif
