/* The experiments service, family advice: routes that wait for another service (a provider of
 * advice, live data), side by side. Routes only. */
#include "experiments-advice/advice.h"
#include "experiments-advice/analyze.h"
#include "experiments-advice/ask.h"
#include "experiments-advice/hypotheses.h"
#include "experiments-advice/livedata.h"
#include "experiments/payloads/payload.h"
#include "experiments/service.h"

#define PROVIDERS                                                                                  \
    "X-AB-LLM-Provider (openai, anthropic; mistral where it is offered) and X-AB-LLM-Token "       \
    "choose "                                                                                      \
    "a vendor and pay with the caller's own token; without them the orchestrator is asked."

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/analyze",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &design_schema,
     .reply = &analyze_reply_schema,
     .errors = ERRORS(422),
     .headers = provider_headers,
     .cost = analyze_cost,
     .handler = analyze_handle,
     .name = "analyze",
     .tag = "calculations",
     .summary = "Size a design, report on it and ask for advice",
     .help = "What /calculate and /design answer, and what an advisor thinks of it. Figures and "
             "report are there whether or not there is advice. " PROVIDERS},
    {.method = METHOD_POST,
     .path = "/api/v1/llm/advice",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &advice_request_schema,
     .reply = &advice_schema,
     .errors = ERRORS(503),
     .headers = provider_headers,
     .handler = advice_handle,
     .name = "llm_advice",
     .tag = "advice",
     .summary = "Ask for advice on a design",
     .help = "Risks, improvements, metrics, pitfalls and checks. " PROVIDERS},
    {.method = METHOD_POST,
     .path = "/api/v1/hypotheses/generate",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &hypotheses_request_schema,
     .reply = &hypotheses_reply_schema,
     .errors = ERRORS(503),
     .headers = provider_headers,
     .handler = hypotheses_handle,
     .name = "generate_hypotheses",
     .tag = "advice",
     .summary = "Ask for hypotheses to test",
     .help = "Up to five changes with a metric, a direction and a reason. " PROVIDERS},
    {.method = METHOD_GET,
     .path = "/api/v1/livedata",
     .role = ROLE_READER,
     .reply = &source_offer_schema,
     .handler = livedata_offer_handle,
     .name = "read_livedata_offer",
     .tag = "metrics",
     .summary = "What live data offers to metrics and alarms",
     .help = "Entity types with their columns, and figures with their windows, from the catalog "
             "of live data as the key of AB_LIVEDATA_API_KEY sees it. Without a connection the "
             "lists are empty and `text` says why."},
};

static const struct http_family family = {.service = &experiments_service,
                                          .name = "advice",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .concurrent = true,
                                          .computes = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
