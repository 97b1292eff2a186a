/* POST /api/auth/...: sign-in, token refresh, conversion of a token into a cookie, sign-out. */
#ifndef ASSAY_SUPPORT_ACCOUNTS_SESSION_H
#define ASSAY_SUPPORT_ACCOUNTS_SESSION_H

#include "http/cookie.h"
#include "http/route.h"
#include "support/service.h"

SCHEMA_OF(login_schema, struct login);
SCHEMA_OF(refresh_schema, struct refresh);
SCHEMA_OF(tokens_schema, struct token_pair);
SCHEMA_OF(done_schema, struct done);

/* Starts a sign-in of the account: two tokens, in the answer and in cookies. */
MUST_CHECK enum error session_give_tokens(struct request *request, struct reply *reply,
                                          const struct account *account, enum same_site same_site);

enum error login_handle(struct request *request, struct reply *reply);
enum error refresh_handle(struct request *request, struct reply *reply);
enum error session_handle(struct request *request, struct reply *reply);
enum error logout_handle(struct request *request, struct reply *reply);

#endif
