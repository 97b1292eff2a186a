/* Signing in by an identity provider. Whatever goes wrong, the browser ends at the page of sign-in,
 * which explains it; the log has the reason. */
#include "accounts-people/oidc.h"

#include "accounts/oidc/sign_in.h"
#include "base/log.h"
#include "http/cookie.h"

#include <string.h>

enum { NEXT_MAX = 2000 };

struct start_query {
    const char *next;
};

#define OWNER struct start_query
static const struct field start_fields[] = {
    STRING(OWNER, next, .nullable = true, .max_length = NEXT_MAX,
           .help = "Path of the portal to go to after sign-in; another address counts as `/`."),
};
#undef OWNER
SCHEMA(oidc_start_query_schema, struct start_query, "OidcStartQuery", start_fields);

/* Back to the page of sign-in, with the word that it explains. */
static enum error send_back(struct request *request, struct reply *reply, const char *next)
{
    const char *word = oidc_failure_word(&request->problem);
    struct log_line line;
    struct text place;

    log_begin(&line, LOG_WARNING, "oidc_sign_in_failed");
    log_text(&line, "detail", request->problem.text);
    log_text(&line, "reason", request->problem.reason);
    log_text(&line, "request_id", request->id);
    log_write(&line);
    service_audit(request, "unknown", "sign_in_failed", "oidc", word);
    text_start(&place, request->arena, NEXT_MAX * 4);
    text_append_format(&place, "/sign-in?problem=%s&next=", word);
    text_append_url(&place, next);
    reply_redirect(reply, 303, place.bytes);
    return ERROR_NONE;
}

/* The address of the portal, which the provider knows too; it has sign-in below the portal only,
 * because the ports of services take no cookies of it. */
static enum error find_client(struct request *request, struct oidc_client **client)
{
    *client = *request_prefix(request) ? service_oidc(request) : NULL;
    return *client ? ERROR_NONE
                   : problem_set(&request->problem, ERROR_NOT_FOUND, "oidc_not_configured",
                                 "There is no sign-in by a provider here");
}

enum error oidc_start_handle(struct request *request, struct reply *reply)
{
    const char *next = oidc_next_path(((const struct start_query *)request->query)->next);
    struct oidc_beginning beginning;
    struct oidc_client *client;
    struct accounts_call call;
    enum error error = find_client(request, &client);

    if (error)
        return error;
    error = service_call(request, &call);
    if (!error)
        error = oidc_sign_in_begin(&call, client, request_cookie(request, oidc_cookie),
                                   arena_print(request->arena, "%s%s/api/oidc/callback",
                                               service_portal(request), request_prefix(request)),
                                   next, &beginning);
    if (error)
        return send_back(request, reply, next);
    reply_set_cookie(
        request, reply,
        &(struct cookie){.name = oidc_cookie,
                         .value = beginning.browser,
                         .max_age = oidc_client_config(client)->sign_in_seconds,
                         .same_site = SAME_SITE_LAX,
                         .secure = strncmp(service_portal(request), "https://", 8) == 0});
    reply_redirect(reply, 303, beginning.address);
    return ERROR_NONE;
}

enum error oidc_callback_handle(struct request *request, struct reply *reply)
{
    struct person_session session;
    struct oidc_sign_in sign_in = {.next = "/"};
    struct oidc_client *client;
    struct accounts_call call;
    enum error error = find_client(request, &client);

    if (error)
        return error;
    error = service_call(request, &call);
    if (!error)
        error = oidc_sign_in_end(&call, client, request_cookie(request, oidc_cookie),
                                 request->query, &sign_in);
    if (!error && sign_in.is_new)
        service_audit(request, sign_in.person.username, "person_added",
                      arena_print(request->arena, "person:%s", sign_in.person.username), "oidc");
    if (!error)
        error = service_sign_in(request, reply, &sign_in.person, "oidc", &session);
    if (error)
        return send_back(request, reply, sign_in.next);
    reply_redirect(reply, 303, sign_in.next);
    return ERROR_NONE;
}
