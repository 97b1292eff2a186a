/* Calls to the chat platform. Stores and logs nothing. */
#ifndef ASSAY_EXPERIMENTS_CHAT_PLATFORM_H
#define ASSAY_EXPERIMENTS_CHAT_PLATFORM_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "experiments/settings.h"

/* Whether a message may go to that URL: on a host of the platform, by https unless the platform
 * itself is at http. ERROR_INVALID chatapp_response_url. */
MUST_CHECK enum error platform_check_response_url(const struct experiments_settings *settings,
                                                  const char *url, struct problem *problem);

struct platform_request {
    const char *url;  /* one that may be called, or NULL: */
    const char *path; /* below AB_CHATAPP_BASE_URL, where answers say whether they are `ok` */
    const char *type; /* of the body */
    const char *body;
    const char *token; /* shown as Authorization: Bearer; NULL = none */
};

struct platform_answer {
    const char *problem; /* in words that may be shown; NULL = it was taken */
    bool may_pass;       /* trying again may help */
    double retry_after;  /* seconds; 0 = as one likes */
    json_t *document;    /* of an answer below the base URL that is an object, else NULL */
};

/* One attempt of at most AB_CHATAPP_TIMEOUT_SECONDS, to public addresses unless private ones are
 * allowed. */
void platform_post(struct arena *arena, const struct experiments_settings *settings,
                   const struct platform_request *request, struct platform_answer *answer);

#endif
