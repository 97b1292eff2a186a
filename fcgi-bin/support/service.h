/* What all responders of the support service share: its life cycle, its wire format, who may do
 * what. No route, no formula. */
#ifndef ASSAY_SUPPORT_SERVICE_H
#define ASSAY_SUPPORT_SERVICE_H

#include "http/server.h"
#include "support/accounts/accounts.h"
#include "support/models/models.h"
#include "support/store.h"

extern const struct http_service support_service;

/* Traits of its routes: the window that they are limited by, per client address and route; and who
 * may see them. */
enum {
    TRAIT_SIGN_IN = 1, /* 5 a minute */
    TRAIT_UPLOAD = 2,  /* 10 a minute */
    TRAIT_ASK = 4,     /* 60 a minute */
    TRAIT_METRICS = 8  /* for administrators only where PROMETHEUS_METRICS_REQUIRE_AUTH is set */
};

/* The caps of bodies, as positions of the policy's list. The body of an upload has room for what
 * lies round the file. */
enum { LIMIT_STANDARD, LIMIT_UPLOAD_BODY, LIMIT_UPLOAD_FILE };

const struct support_settings *service_settings(const struct request *request);
struct store *service_store(const struct request *request);
struct models *service_models(const struct request *request);

/* The database, ready for use; errors go into the request's problem. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);

/* Notes in the audit log what the asking one has done. `detail` is JSON or NULL. */
void service_audit(struct request *request, const char *action, const char *resource,
                   const char *detail);

/* Two tokens for an account. */
struct token_pair {
    const char *access_token;
    const char *refresh_token;
    const char *token_type; /* "bearer" */
    struct token_family family;
};
/* `family` NULL = a new one. They are good when the family is kept. */
struct token_pair service_issue_tokens(struct request *request, const struct account *account,
                                       const char *family);

/* The account of a token of that type ("access", "refresh") that is valid and not revoked; `claims`
 * (or NULL) gets what it says. ERROR_FORBIDDEN for any other. */
MUST_CHECK enum error service_read_token(struct request *request, const char *token,
                                         const char *type, struct account *account,
                                         json_t **claims);

#endif
