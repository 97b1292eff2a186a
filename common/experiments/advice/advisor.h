/*
 * Calls a provider for advice: chooses the provider of a caller, words its failures, and decides
 * who may use the server's own key. A provider that the caller has chosen, with a token of its own,
 * fails the request; the orchestrator never does: then there is no advice.
 */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVISOR_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVISOR_H

#include "experiments/advice/providers.h"

enum { ADVISOR_TOKEN_MAX = 512 /* bytes of a caller's token */ };

/* Who asks. */
struct advisor {
    const struct experiments_settings *settings;
    struct arena *arena;
    struct shm_region *region; /* of the circuit breakers; NULL = none */
    const char *provider;      /* as the caller names it, and its token; NULL = not given */
    const char *token;
    const char *request_id; /* for the log */
    bool may_spend;         /* the orchestrator and the server's own key are open to the caller */
};

/* Makes sense of the text of an answer: NULL, or the error code that says why it cannot. */
struct advice_reader {
    const char *(*read)(struct arena *arena, const char *text, void *content);
    void *content;
};

/* The outcome. Texts are constants or come from the arena; none contains a token. */
struct suggestion {
    bool available; /* then the reader has filled in its content */
    const char *provider;
    const char *model;
    const char *raw_text;   /* of an answer that could be read or not; NULL = there was none */
    const char *error;      /* for people, NULL when available */
    const char *error_code; /* NULL when available */
    int refusal;            /* 401, 403 or 503 when a vendor that the caller chose has failed */
};

void advisor_ask(const struct advisor *advisor, const char *prompt,
                 const struct advice_reader *reader, struct suggestion *suggestion);

#endif
