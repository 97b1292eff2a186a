/* Shared by all responders of the support service: life cycle, wire format, access control. No
 * routes, no formulas. */
#ifndef ASSAY_SUPPORT_SERVICE_H
#define ASSAY_SUPPORT_SERVICE_H

#include "http/server.h"
#include "support/accounts/accounts.h"
#include "support/models/models.h"
#include "support/store.h"

extern const struct http_service support_service;

/* Traits of its routes: the rate limit per client address and route, and access rules. */
enum {
    TRAIT_SIGN_IN = 1,  /* 5 a minute */
    TRAIT_UPLOAD = 2,   /* 10 a minute */
    TRAIT_ASK = 4,      /* 60 a minute */
    TRAIT_METRICS = 8,  /* for administrators only where PROMETHEUS_METRICS_REQUIRE_AUTH is set */
    TRAIT_VISITOR = 16, /* also for visitors without an account, where HELP_VISITOR_TENANT is set */
    TRAIT_SSO = 32      /* 60 a minute */
};

/* The limits of body sizes, as indexes of the policy's list. The limit of an upload includes the
 * parts around the file. */
enum { LIMIT_STANDARD, LIMIT_UPLOAD_BODY, LIMIT_UPLOAD_FILE };

const struct support_settings *service_settings(const struct request *request);
struct store *service_store(const struct request *request);
struct models *service_models(const struct request *request);

/* The connected database; errors go into the request's problem. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);

/* Writes an action of the caller to the audit log. `detail` is JSON or NULL. */
void service_audit(struct request *request, const char *action, const char *resource,
                   const char *detail);

/* The subject of all visitors: it is no name of a person. */
#define SUPPORT_VISITOR "(visitor)"
bool service_is_visitor(const struct request *request);

/* Tells open pages of this host at once that the journal of conversations has grown. */
void service_notify(const struct request *request);

/* The `detail` of the identity of people who are in the account store. */
struct service_caller {
    const char *person_id;     /* NULL = to be looked up by his name */
    struct string_list groups; /* whose documents he may read */
};

/* The id of the caller in the account store; NULL = a program, or unknown there. */
MUST_CHECK enum error service_person_id(struct request *request, const char **id);

/* Two tokens for an account. */
struct token_pair {
    const char *access_token;
    const char *refresh_token;
    const char *token_type; /* "bearer" */
    struct token_family family;
};
/* `family` NULL = a new one. The tokens are valid once the family is stored. */
struct token_pair service_issue_tokens(struct request *request, const struct account *account,
                                       const char *family);

/* The account of a token of that type ("access", "refresh") that is valid and not revoked; `claims`
 * (or NULL) receives its claims. ERROR_FORBIDDEN for any other. */
MUST_CHECK enum error service_read_token(struct request *request, const char *token,
                                         const char *type, struct account *account,
                                         json_t **claims);

/* An access token, with what its person may do now (account_update()). While the account store is
 * unavailable, the token's claims hold. */
MUST_CHECK enum error service_read_access_token(struct request *request, const char *token,
                                                struct account *account);

#endif
