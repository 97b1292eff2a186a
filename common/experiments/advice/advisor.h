/*
 * Requests advice from a provider: selects the provider, creates the error texts, and decides who
 * may use the server's own key. A failing provider that the caller chose, with the caller's token,
 * fails the request. A failing orchestrator does not: the response is then without advice.
 */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVISOR_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVISOR_H

#include "experiments/advice/providers.h"

enum { ADVISOR_TOKEN_MAX = 512 /* bytes of a caller's token */ };

/* The caller of an advice route. */
struct advisor {
    const struct experiments_settings *settings;
    struct arena *arena;
    struct shm_region *region; /* shared memory of the circuit breakers; NULL = none */
    const char *provider;      /* name from the request, and its token; NULL = not given */
    const char *token;
    const char *request_id; /* for the log */
    bool may_spend;         /* the caller may use the orchestrator and the server's own key */
};

/* Parses the answer text: returns NULL, or an error code. */
struct advice_reader {
    const char *(*read)(struct arena *arena, const char *text, void *content);
    void *content;
};

/* The result. Texts are constants or come from the arena; none contains a token. */
struct suggestion {
    bool available; /* the parser has then filled in its content */
    const char *provider;
    const char *model;
    const char *raw_text;   /* from the provider's answer, readable or not; NULL = no answer */
    const char *error;      /* error text for the user, NULL when available */
    const char *error_code; /* NULL when available */
    int refusal;            /* 401, 403 or 503 when the vendor that the caller chose has failed */
};

void advisor_ask(const struct advisor *advisor, const char *prompt,
                 const struct advice_reader *reader, struct suggestion *suggestion);

#endif
