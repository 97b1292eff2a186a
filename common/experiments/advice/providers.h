/*
 * The providers of advice with their protocols: builds requests and finds the text in answers. Does
 * not handle timeouts and does not interpret the text.
 */
#ifndef ASSAY_EXPERIMENTS_ADVICE_PROVIDERS_H
#define ASSAY_EXPERIMENTS_ADVICE_PROVIDERS_H

#include "experiments/settings.h"
#include "llm/llm.h"

struct advice_provider {
    const char *name;  /* "local_orchestrator", "openai"...: in headers and answers */
    const char *title; /* display name: "OpenAI" */
    const char *model;
    const char *base_url;
    const char *path; /* NULL = the protocol's default */
    enum llm_protocol protocol;
    bool is_orchestrator; /* our own service, at AB_LLM_BASE_URL */
};

extern const char orchestrator_provider_name[];

/* The orchestrator first, then the built-in providers that give advice (config/providers.yaml),
 * with the settings applied. All memory is from the arena. */
struct advice_providers {
    size_t count;
    struct advice_provider *items;
};
struct advice_providers advice_providers(const struct experiments_settings *settings,
                                         struct arena *arena);

/* The provider of a name, without regard to case; NULL = none. */
const struct advice_provider *advice_provider_find(const struct advice_providers *providers,
                                                   const char *name);

/* Fills in url, headers and body of the request for a prompt. `token` may be NULL for the
 * orchestrator. All memory is from the arena. */
void provider_compose(const struct experiments_settings *settings,
                      const struct advice_provider *provider, const char *token, const char *prompt,
                      struct arena *arena, struct fetch_request *request);

enum provider_text {
    PROVIDER_TEXT,          /* text was found */
    PROVIDER_TEXT_EMPTY,    /* well-formed answer without text */
    PROVIDER_TEXT_MALFORMED /* the answer is not well-formed */
};

/* Finds the text in the body of a 2xx answer. */
enum provider_text provider_read_text(const struct advice_provider *provider, const char *body,
                                      size_t length, struct arena *arena, const char **text);

#endif
