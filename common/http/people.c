/* Who sent a request, from the account store. Most workers are never asked by a person, so the
 * store is opened by the first request that needs it. */
#include "http/people.h"

#include "accounts/tokens.h"
#include "http/cookie.h"

#include <stdlib.h>
#include <string.h>

enum error people_open(struct server *server, struct arena *arena,
                       const struct accounts_settings *settings, const char *sql_directory,
                       const char *state_directory, struct problem *problem)
{
    enum error error = accounts_open(arena, settings, sql_directory, state_directory,
                                     getenv("ASSAY_RUN_DIR"), &server->accounts, problem);

    if (!error)
        server->policy.shared_directory = accounts_folder(server->accounts, arena);
    return error;
}

void people_each_second(struct server *server)
{
    if (server->accounts_needed)
        accounts_attach(server->accounts);
}

void people_end_of_request(struct server *server)
{
    if (server->accounts_needed)
        accounts_end_of_request(server->accounts);
}

void people_idle(struct server *server)
{
    if (server->accounts_needed)
        accounts_idle(server->accounts);
}

void people_close(struct server *server)
{
    if (server->accounts)
        accounts_close(server->accounts);
    server->accounts = NULL;
}

/* While the store is unavailable, people_each_second() tries again. */
static void need_store(struct server *server)
{
    if (server->accounts_needed)
        return;
    server->accounts_needed = true;
    accounts_attach(server->accounts);
}

static bool is_personal(const char *credential)
{
    return credential &&
           strncmp(credential, PERSONAL_TOKEN_PREFIX, strlen(PERSONAL_TOKEN_PREFIX)) == 0;
}

enum error request_person(struct request *request, const char *credential,
                          struct account_caller *caller)
{
    struct server *server = request->server;
    const struct presented presented = {
        .bearer = credential,
        .session = credential && *credential ? NULL : request_session_cookie(request)};
    enum error error;

    *caller = (struct account_caller){.kind = CALLER_NONE};
    if (!server->accounts || (!presented.session && !is_personal(credential)))
        return ERROR_NONE;
    need_store(server);
    error = caller_find(server->accounts, request->arena, &presented, caller, &request->problem);
    caller_check_service(caller, server->family->service->name);
    people_end_of_request(server); /* the handler may take minutes */
    request->by_person = !error && caller->person;
    return error;
}

enum error request_named_person(struct request *request, const char *subject,
                                struct named_person *named)
{
    struct server *server = request->server;
    enum error error;

    *named = (struct named_person){0};
    if (!server->accounts)
        return ERROR_NONE;
    need_store(server);
    error = caller_named(server->accounts, request->arena, subject, named, &request->problem);
    people_end_of_request(server); /* the handler may take minutes */
    return error;
}

bool caller_may_send(const struct account_caller *caller, const struct request *request)
{
    enum method method = request->method;

    return !caller->read_only || method == METHOD_GET || method == METHOD_HEAD ||
           method == METHOD_OPTIONS ||
           (request->route &&
            route_reads(request->route, request->server->family->service->reading_traits));
}

bool caller_has_own_password(const struct account_caller *caller, struct http_refusal *refusal)
{
    if (!caller->person->must_change_password)
        return true;
    http_refuse(refusal, 403, "password_change_required",
                "Change the password that you were given first");
    refusal->counts = false; /* the caller is known */
    return false;
}

enum error request_accounts(struct request *request, struct accounts_call *call)
{
    need_store(request->server);
    return accounts_begin(request->server->accounts, request->arena, &request->problem, call);
}
