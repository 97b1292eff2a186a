/* Calls to the chat platform. Stores and logs nothing. */
#ifndef ASSAY_EXPERIMENTS_CHAT_PLATFORM_H
#define ASSAY_EXPERIMENTS_CHAT_PLATFORM_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "experiments/settings.h"

/* Whether a message may be sent to that URL: on a host of the platform, by https unless the
 * platform itself uses http. ERROR_INVALID chatapp_response_url. */
MUST_CHECK enum error platform_check_response_url(const struct experiments_settings *settings,
                                                  const char *url, struct problem *problem);

struct platform_request {
    const char *url;  /* an allowed response URL, or NULL: */
    const char *path; /* path below AB_CHATAPP_BASE_URL, where answers contain `ok` */
    const char *type; /* media type of the body */
    const char *body;
    const char *token; /* sent as Authorization: Bearer; NULL = none */
};

struct platform_answer {
    const char *problem; /* error text that may be shown; NULL = accepted */
    bool may_pass;       /* a retry may succeed */
    double retry_after;  /* seconds; 0 = none given */
    json_t *document;    /* the answer of a path below the base URL if it is an object, else NULL */
};

/* One attempt of at most AB_CHATAPP_TIMEOUT_SECONDS, to public addresses unless private ones are
 * allowed. */
void platform_post(struct arena *arena, const struct experiments_settings *settings,
                   const struct platform_request *request, struct platform_answer *answer);

#endif
