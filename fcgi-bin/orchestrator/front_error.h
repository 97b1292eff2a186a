/* Errors of the gateway, for everything below /v1: in OpenAI's form, and in Anthropic's below
 * /v1/messages. */
#ifndef ASSAY_ORCHESTRATOR_FRONT_ERROR_H
#define ASSAY_ORCHESTRATOR_FRONT_ERROR_H

#include "base/schema.h"
#include "http/request.h"
#include "orchestrator/dispatch/run.h"

/* Whether a path belongs to that API, known or not. */
bool front_has_path(const char *path);

/* One error. Members that are NULL become null, except the type, which follows from the status, and
 * the request's id, which events do not have. */
struct front_error {
    int status;
    const char *message, *type, *param, *code, *request_id;
};
/* `{"error": ...}`. */
struct front_error_answer {
    struct front_error *error;
};
SCHEMA_OF(front_error_schema, struct front_error_answer);

/* `{"type":"error","error":{"type":...,"message":...}}`, Anthropic's form. */
struct message_error {
    const char *type, *message;
};
struct message_error_answer {
    const char *type;
    const struct message_error *error;
    const char *request_id;
};
SCHEMA_OF(message_error_schema, struct message_error_answer);
const struct message_error_answer *front_message_error(const struct request *request,
                                                       const struct front_error *error);

/* The status of a failed call whose answer has begun with another one. */
int front_status_of(int failure_code);

/* Writes the error in the form of the request's path. */
void front_error_write(struct json_writer *writer, const struct request *request,
                       const struct front_error *error);

/* Passes on a provider's refusal: Retry-After of a rate limit, and the whole error of an invalid
 * request. True when the reply is complete. */
bool front_pass_on(const struct request *request, struct reply *reply,
                   const struct provider_refusal *refusal);

/* Refuses a call that a limit of the caller's key refused: 429 with Retry-After; insufficient_quota
 * for a budget, with the header that keeps clients of OpenAI from trying again at once. */
MUST_CHECK enum error key_refuse(struct request *request, struct reply *reply,
                                 const struct key_refusal *refusal);

#endif
