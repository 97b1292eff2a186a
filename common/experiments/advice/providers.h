/*
 * The providers of advice, each with its protocol: how it takes a prompt, and where the text is in
 * its answer. Knows neither time-outs nor the meaning of the text.
 */
#ifndef ASSAY_EXPERIMENTS_ADVICE_PROVIDERS_H
#define ASSAY_EXPERIMENTS_ADVICE_PROVIDERS_H

#include "experiments/settings.h"
#include "net/fetch.h"

enum provider {
    PROVIDER_ORCHESTRATOR, /* our own service, at AB_LLM_BASE_URL */
    PROVIDER_OPENAI,
    PROVIDER_ANTHROPIC,
    PROVIDER_MISTRAL,
    PROVIDER__MAX
};

/* "local_orchestrator", "openai", "anthropic", "mistral": in headers and answers. */
extern const char *const provider_names[PROVIDER__MAX];

/* As a sentence says it: "OpenAI". */
extern const char *const provider_titles[PROVIDER__MAX];

const char *provider_model(const struct experiments_settings *settings, enum provider provider);

/* Fills in url, headers and body of a call that puts the prompt to the provider. `token` may be
 * NULL for the orchestrator. Everything comes from the arena. */
void provider_compose(const struct experiments_settings *settings, enum provider provider,
                      const char *token, const char *prompt, struct arena *arena,
                      struct fetch_request *request);

enum provider_text {
    PROVIDER_TEXT,          /* there is one */
    PROVIDER_TEXT_EMPTY,    /* the answer has its shape, but no words */
    PROVIDER_TEXT_MALFORMED /* it has not */
};

/* The words in the body of a 2xx answer. */
enum provider_text provider_read_text(enum provider provider, const char *body, size_t length,
                                      struct arena *arena, const char **text);

#endif
