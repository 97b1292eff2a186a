/* One call with a JSON body over HTTP. */
#include "llm/endpoint.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = 64 << 20, DEPTH_MAX = 8 };

static const char *failure_of(struct arena *arena, const struct fetch_answer *http)
{
    if (http->outcome == FETCH_ANSWERED)
        return http->status == 200 ? NULL : arena_print(arena, "http_%d", http->status);
    return http->outcome == FETCH_TIMED_OUT     ? "timeout"
           : http->outcome == FETCH_UNREACHABLE ? "unavailable"
           : http->outcome == FETCH_TOO_LARGE   ? "too_large"
           : http->outcome == FETCH_CANCELLED   ? "cancelled"
                                                : "request_failed";
}

struct llm_endpoint llm_endpoint_local(const char *url, const char *model, const char *token_name,
                                       double connect_seconds, double seconds)
{
    const char *token = getenv(token_name);

    return (struct llm_endpoint){.url = url,
                                 .model = model,
                                 .token = token && *token ? token : NULL,
                                 .policy = {.connect_seconds = connect_seconds,
                                            .attempt_seconds = seconds,
                                            .total_seconds = seconds,
                                            .attempts = 1,
                                            .pause_factor = 1},
                                 .private_too = true};
}

const char *llm_endpoint_post(struct arena *arena, const struct llm_endpoint *endpoint,
                              const char *body, const struct fetch_watch *watch, json_t **document)
{
    const struct fetch_request request = {
        .url = endpoint->url,
        .body = body,
        .body_length = strlen(body),
        .headers = {{"Content-Type", "application/json"},
                    {"Authorization",
                     endpoint->token ? arena_print(arena, "Bearer %s", endpoint->token) : ""}},
        .header_count = endpoint->token ? 2 : 1,
        .answer_max = ANSWER_MAX,
        .private_too = endpoint->private_too,
        .policy = endpoint->policy};
    struct fetch_answer http;
    struct json_fault fault;
    const char *failure;

    fetch_all(arena, &request, &http, 1, NULL, NULL, watch);
    failure = failure_of(arena, &http);
    if (!failure && json_read(arena, http.body, http.length, DEPTH_MAX, document, &fault))
        failure = "malformed";
    return failure;
}
