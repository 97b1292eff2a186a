/* Where a program wants the browser to be sent after the consent (redirect URIs). No SQL. */
#ifndef ASSAY_ACCOUNTS_OAUTH_REDIRECT_H
#define ASSAY_ACCOUNTS_OAUTH_REDIRECT_H

#include "base/arena.h"
#include "base/string_list.h"

enum { OAUTH_REDIRECTS_MAX = 10, OAUTH_REDIRECT_MAX = 500 /* bytes */ };

enum oauth_redirect_kind {
    OAUTH_REDIRECT_NONE,     /* none that may be registered */
    OAUTH_REDIRECT_WEB,      /* https */
    OAUTH_REDIRECT_LOOPBACK, /* http at 127.0.0.1, [::1] or localhost (RFC 8252 section 7.3) */
    OAUTH_REDIRECT_APP       /* a scheme of the program's own (RFC 8252 section 7.1) */
};

/* Visible ASCII without a fragment and a user name. Schemes that browsers run or open themselves
 * (javascript, data, file, ...) are none of a program's own. */
enum oauth_redirect_kind oauth_redirect_kind_of(const char *uri);

/* Whether a request may use `uri`: one of the registered ones, byte by byte; of loopback addresses
 * the port may differ (RFC 8252 section 7.3). */
bool oauth_redirect_is_among(const struct string_list *registered, const char *uri);

/* What the person is shown of it: "https://host:port", "http://127.0.0.1:port", "scheme:". From the
 * arena. */
const char *oauth_redirect_shown(struct arena *arena, const char *uri);

/* The URI with one more parameter; `value` NULL = unchanged. From the arena. */
const char *oauth_redirect_with(struct arena *arena, const char *uri, const char *name,
                                const char *value);

/* Whether a host ("127.0.0.1", "[::1]", "localhost"; `length` bytes) is this computer. */
bool oauth_host_is_loopback(const char *host, size_t length);

#endif
