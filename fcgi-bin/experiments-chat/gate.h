/* Admits calls of the chat platform by their signature. Private to
 * fcgi-bin/experiments-chat/. */
#ifndef ASSAY_EXPERIMENTS_CHAT_GATE_H
#define ASSAY_EXPERIMENTS_CHAT_GATE_H

#include "experiments/service.h"

/* ERROR_UNAVAILABLE chatapp_not_configured where the integration is off. */
MUST_CHECK enum error gate_configured(struct request *request);

/* The same, and where the call is not signed: ERROR_FORBIDDEN chatapp_signature, from some failures
 * on chatapp_invalid_signature_rate_limited. */
MUST_CHECK enum error gate_signed(struct request *request, struct reply *reply);

/* ERROR_FORBIDDEN chatapp_team where the workspace is not among AB_CHATAPP_TEAMS. */
MUST_CHECK enum error gate_team(struct request *request, const char *team_id);

#endif
