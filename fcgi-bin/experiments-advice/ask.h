/* Makes a suggestion of a request: what the three routes of this family share. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ASK_H
#define ASSAY_EXPERIMENTS_ADVICE_ASK_H

#include "experiments/advice/advisor.h"
#include "experiments/payloads/analysis_payload.h"
#include "http/request.h"

/* The request headers that name a provider, for route.headers. */
extern const char *const provider_headers[];

/* Sends the prompt to the provider that the request's headers choose, or else to the orchestrator
 * where the caller may use it. */
void ask(struct request *request, const char *prompt, const struct advice_reader *reader,
         struct suggestion *suggestion);

/* As ask(), for advice on a design. From the request's arena. */
const struct advice *ask_for_advice(struct request *request, const char *prompt,
                                    struct suggestion *suggestion);

/* The failure of a vendor that the caller has chosen as the failure of the request; ERROR_NONE when
 * there is none. */
MUST_CHECK enum error ask_refusal(struct request *request, const struct suggestion *suggestion);

#endif
