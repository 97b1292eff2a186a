/* The support service, family accounts: sign-in, in a pool of its own because comparing a password
 * takes a tenth of a second of computing. Routes only. */
#include "support-accounts/session.h"
#include "support/service.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/auth/login",
     .sets_cookie = true,
     .traits = TRAIT_SIGN_IN,
     .body = &login_schema,
     .reply = &tokens_schema,
     .errors = ERRORS(401, 429),
     .handler = login_handle,
     .name = "login",
     .tag = "auth",
     .summary = "Sign in",
     .help = "The answer holds the tokens; the same are set as cookies for pages."},
    {.method = METHOD_POST,
     .path = "/api/auth/refresh",
     .sets_cookie = true,
     .body = &refresh_schema,
     .reply = &tokens_schema,
     .errors = ERRORS(401, 429),
     .handler = refresh_handle,
     .name = "refresh",
     .tag = "auth",
     .summary = "Renew a sign-in"},
    {.method = METHOD_POST,
     .path = "/api/auth/session",
     .access = "session",
     .sets_cookie = true,
     .traits = TRAIT_SIGN_IN,
     .reply = &done_schema,
     .errors = ERRORS(401, 429),
     .headers = HEADERS("Authorization"),
     .handler = session_handle,
     .name = "session",
     .tag = "auth",
     .summary = "Put a bearer token into a cookie"},
    {.method = METHOD_POST,
     .path = "/api/auth/logout",
     .access = "sign out",
     .sets_cookie = true,
     .reply = &done_schema,
     .errors = ERRORS(429),
     .handler = logout_handle,
     .name = "logout",
     .tag = "auth",
     .summary = "Sign out",
     .help = "The tokens that were shown are refused from now on."},
};

static const struct http_family family = {
    .service = &support_service, .name = "accounts", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
