/* What a key may look like, and its encryption. */
#include "orchestrator/model_key.h"

#include "orchestrator/service.h"

static bool fits_a_header(const char *key)
{
    for (const char *at = key; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return true;
}

enum error model_key_of(struct request *request, const char *model_id, const char *api_key,
                        struct stored_key *stored)
{
    const char *secret = service_settings(request)->secrets_key;

    *stored = (struct stored_key){0};
    if (!api_key || !*api_key)
        return ERROR_NONE;
    if (!fits_a_header(api_key))
        return request_fault(request, "body", "api_key", "value_error",
                             "Value error, A key has no spaces and only ASCII characters.");
    if (!secret)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "keys_not_stored",
                           "Keys cannot be stored: ORCH_SECRETS_KEY is not set.");
    *stored = stored_key_close(request->arena, secret, model_id, api_key);
    return ERROR_NONE;
}
