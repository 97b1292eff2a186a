/* POST /api/auth/...: signing in, renewing, carrying a token over into a cookie, signing out. */
#ifndef ASSAY_SUPPORT_ACCOUNTS_SESSION_H
#define ASSAY_SUPPORT_ACCOUNTS_SESSION_H

#include "http/route.h"

extern const struct schema login_schema;
extern const struct schema refresh_schema;
extern const struct schema tokens_schema;
extern const struct schema done_schema;

enum error login_handle(struct request *request, struct reply *reply);
enum error refresh_handle(struct request *request, struct reply *reply);
enum error session_handle(struct request *request, struct reply *reply);
enum error logout_handle(struct request *request, struct reply *reply);

#endif
