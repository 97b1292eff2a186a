/*
 * The person who sent a request, by a personal token or by a session, in every service; and the
 * handle of the account store in a worker. Each service decides what the person may do.
 */
#ifndef ASSAY_HTTP_PEOPLE_H
#define ASSAY_HTTP_PEOPLE_H

#include "accounts/caller.h"
#include "http/server.h"

/* For start() of a service: makes the handle (server->accounts), which connects to nothing before
 * the first request that needs it. */
MUST_CHECK enum error people_open(struct server *server, struct arena *arena,
                                  const struct accounts_settings *settings,
                                  const char *sql_directory, const char *state_directory,
                                  struct problem *problem);

/* For the responder: once a second, after each request, when no request comes, and at the end. */
void people_each_second(struct server *server);
void people_end_of_request(struct server *server);
void people_idle(struct server *server);
void people_close(struct server *server);

/*
 * Who is asking: `credential` is what the request shows by the rules of its service (NULL or "" =
 * nothing); only without one the session counts (request_session_cookie()). Errors are those of the
 * store, for 503: the caller is then unknown. Without a personal token or a session the store is
 * not asked.
 */
MUST_CHECK enum error request_person(struct request *request, const char *credential,
                                     struct account_caller *caller);

/* Whom a signed token names, by username or id: caller_named(). */
MUST_CHECK enum error request_named_person(struct request *request, const char *subject,
                                           struct named_person *named);

/* Whether the token admits this request: one that only reads admits GET, HEAD, OPTIONS, and POST to
 * routes that change nothing (reading_traits). */
bool caller_may_send(const struct account_caller *caller, const struct request *request);

/* Whether the person may use a service: whoever was given a password changes it first, and a
 * personal token does not help. False with a refusal (403 password_change_required). */
bool caller_has_own_password(const struct account_caller *caller, struct http_refusal *refusal);

/* The handle for calls of the store, as accounts_begin(); errors go into the request's problem. */
MUST_CHECK enum error request_accounts(struct request *request, struct accounts_call *call);

#endif
