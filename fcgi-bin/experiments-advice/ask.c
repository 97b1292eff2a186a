/* The caller by the request, and the answer when a provider has failed. */
#include "experiments-advice/ask.h"

#include "experiments/advice/advice_reading.h"
#include "experiments/service.h"

const char *const provider_headers[] = {"X-AB-LLM-Provider", "X-AB-LLM-Token", NULL};

/* Readers must not use the server's own key. */
static bool may_spend(const struct request *request)
{
    return request->who.role >= ROLE_WRITER;
}

void ask(struct request *request, const char *prompt, const struct advice_reader *reader,
         struct suggestion *suggestion)
{
    const struct advisor advisor = {.settings = service_settings(request),
                                    .arena = request->arena,
                                    .region = request->server->region,
                                    .provider = request_header(request, "HTTP_X_AB_LLM_PROVIDER"),
                                    .token = request_header(request, "HTTP_X_AB_LLM_TOKEN"),
                                    .request_id = request->id,
                                    .may_spend = may_spend(request)};

    request_release_admission(request);
    advisor_ask(&advisor, prompt, reader, suggestion);
}

static const char *read_advice(struct arena *arena, const char *text, void *content)
{
    return reading_codes[reading_advice(arena, text, content)];
}

const struct advice *ask_for_advice(struct request *request, const char *prompt,
                                    struct suggestion *suggestion)
{
    struct advice_text *text = ARENA_NEW(request->arena, struct advice_text);
    struct advice *advice = ARENA_NEW(request->arena, struct advice);
    const struct advice_reader reader = {read_advice, text};

    ask(request, prompt, &reader, suggestion);
    *advice = (struct advice){.available = suggestion->available,
                              .provider = suggestion->provider,
                              .model = suggestion->model,
                              .advice = suggestion->available ? text : NULL,
                              .raw_text = suggestion->raw_text,
                              .error = suggestion->error,
                              .error_code = suggestion->error_code};
    return advice;
}

enum error ask_refusal(struct request *request, const struct suggestion *suggestion)
{
    struct problem *problem = &request->problem;

    switch (suggestion->refusal) {
    case 0:
        return ERROR_NONE;
    case 401:
        return problem_set(problem, ERROR_FORBIDDEN, "llm_unauthorized", "%s", suggestion->error);
    case 403:
        return problem_set(problem, ERROR_FORBIDDEN, "llm_forbidden", "%s", suggestion->error);
    default:
        return problem_set(problem, ERROR_UNAVAILABLE, "llm_transient", "%s", suggestion->error);
    }
}
