/* Shared by all responders of the accounts service: life cycle, wire format, access control, and
 * the beginning of a session. No routes. */
#ifndef ASSAY_ACCOUNTS_SERVICE_H
#define ASSAY_ACCOUNTS_SERVICE_H

#include "accounts/oidc/client.h"
#include "accounts/sessions.h"
#include "accounts/settings.h"
#include "accounts/sign_in.h"
#include "http/server.h"

extern const struct http_service accounts_service;

enum accounts_access {
    ACCESS_ANYBODY,
    ACCESS_PERSON,       /* whoever is signed in, or shows a personal token */
    ACCESS_ADMINISTRATOR /* with the role admin of the suite */
};

/* Traits of its routes. */
enum {
    TRAIT_GUESSES = 1,  /* takes a secret from a stranger: few calls a minute for each network */
    TRAIT_SESSION = 2,  /* for sessions only: a personal token cannot make more of itself */
    TRAIT_PROVIDER = 4, /* stores something for a stranger: 300 calls a minute for each network */
    TRAIT_OAUTH = 16,   /* of programs: errors as RFC 6749 has them, and a limit of their own */
    TRAIT_GIVEN_PASSWORD = 8 /* also for whoever has to change the password first */
};

/* Limits of bodies: positions in policy->body_limits. */
enum { BODY_LIMIT, MESSAGE_LIMIT };

const struct accounts_service_settings *service_settings(const struct request *request);

/* The connected store; errors go into the request's problem. */
MUST_CHECK enum error service_call(struct request *request, struct accounts_call *call);

/* Who is signed in; NULL on routes for anybody. */
const struct person *service_person(const struct request *request);
const char *service_session_id(const struct request *request); /* NULL = by a personal token */
int64_t service_expires_at(const struct request *request);     /* 0 = never */

struct sign_in_rules service_sign_in_rules(const struct request *request);

/* Writes an action to the audit log: by the caller, or by `actor` where nobody is signed in. */
void service_audit(struct request *request, const char *actor, const char *action,
                   const char *resource, const char *detail);

/* Begins a session of the person: its row, the cookie, the audit log. `source` says how he signed
 * in: "password", "invitation", "oidc". The answer is the caller's. */
MUST_CHECK enum error service_sign_in(struct request *request, struct reply *reply,
                                      const struct person *person, const char *source,
                                      struct person_session *session);
/* Takes the cookie away. */
void service_forget_cookie(struct request *request, struct reply *reply);

/* The client of the identity provider; NULL when the settings name none. */
struct oidc_client *service_oidc(const struct request *request);

/* The address of the portal, without a slash at its end. */
const char *service_portal(const struct request *request);

#endif
