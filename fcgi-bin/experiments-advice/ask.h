/* Requests a suggestion for an HTTP request: shared by the three routes of this family. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ASK_H
#define ASSAY_EXPERIMENTS_ADVICE_ASK_H

#include "experiments/advice/advisor.h"
#include "experiments/payloads/analysis_payload.h"
#include "http/request.h"

/* The request headers that name a provider, for route.headers. */
extern const char *const provider_headers[];

/* Sends the prompt to the provider selected by the request's headers, or else to the orchestrator
 * if the caller may use it. */
void ask(struct request *request, const char *prompt, const struct advice_reader *reader,
         struct suggestion *suggestion);

/* As ask(), for advice on a design. From the request's arena. */
const struct advice *ask_for_advice(struct request *request, const char *prompt,
                                    struct suggestion *suggestion);

/* Turns the failure of a vendor that the caller has chosen into a failure of the request;
 * ERROR_NONE when there is none. */
MUST_CHECK enum error ask_refusal(struct request *request, const struct suggestion *suggestion);

#endif
