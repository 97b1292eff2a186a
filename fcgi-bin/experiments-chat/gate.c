/* Checks that the integration is configured, the call is signed, and the workspace is allowed. */
#include "experiments-chat/gate.h"

#include "base/clock.h"
#include "base/string_list.h"
#include "experiments/chat/signature.h"
#include "limits/limits.h"

enum { MICROSECONDS = 1000000 };

enum error gate_configured(struct request *request)
{
    if (experiments_has_chat(service_settings(request)))
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "chatapp_not_configured",
                       "The chat integration is not configured");
}

/* Failures have a separate rate limit, which signed calls do not use. */
static enum error refuse(struct request *request, struct reply *reply)
{
    const struct experiments_settings *settings = service_settings(request);
    struct rate_decision decision = {.allowed = true};

    if (settings->rate_limit_enabled)
        decision = limits_allow(
            request->server->region,
            arena_print(request->arena, "chatapp_bad_sig:%s", request->client.network),
            (struct rate_rule){(uint32_t)settings->chatapp_invalid_signature_limit,
                               (uint32_t)settings->chatapp_invalid_signature_window_seconds});
    if (decision.allowed)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "chatapp_signature",
                           "Missing, old or wrong signature");
    server_count(request->server, HTTP_METRIC_RATE_LIMITED);
    reply_add_header(reply, "Retry-After",
                     arena_print(request->arena, "%u",
                                 decision.retry_after_seconds ? decision.retry_after_seconds : 1));
    return problem_set(&request->problem, ERROR_FORBIDDEN, "chatapp_invalid_signature_rate_limited",
                       "Too many invalid signatures");
}

enum error gate_signed(struct request *request, struct reply *reply)
{
    const struct experiments_settings *settings = service_settings(request);
    const struct chat_call call = {request_header(request, "HTTP_X_CHATAPP_REQUEST_TIMESTAMP"),
                                   request_header(request, "HTTP_X_CHATAPP_SIGNATURE"),
                                   request->bytes, request->length};
    enum error error = gate_configured(request);

    if (error)
        return error;
    if (chat_is_signed(&call, settings->chatapp_signing_secret,
                       clock_unix_microseconds() / MICROSECONDS,
                       settings->chatapp_signature_seconds))
        return ERROR_NONE;
    return refuse(request, reply);
}

enum error gate_team(struct request *request, const char *team_id)
{
    const struct string_list *teams = &service_settings(request)->chatapp_teams;

    if (!teams->count || (team_id && string_list_has(teams, team_id)))
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_FORBIDDEN, "chatapp_team",
                       "This workspace may not use the app");
}
