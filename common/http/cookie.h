/*
 * Cookies for the sessions of a service, and the check whether a page of this site made a request
 * that carries one.
 */
#ifndef ASSAY_HTTP_COOKIE_H
#define ASSAY_HTTP_COOKIE_H

#include "http/request.h"

/* The value of the first cookie of that name that the request carries; NULL when there is none. */
const char *request_cookie(const struct request *request, const char *name);

enum same_site { SAME_SITE_STRICT, SAME_SITE_LAX };

/* Always HttpOnly and Path=/. A max_age of 0 deletes the cookie. */
struct cookie {
    const char *name;
    const char *value; /* only characters that cookies may hold (RFC 6265): tokens, base64url */
    int64_t max_age;   /* seconds */
    enum same_site same_site;
    bool secure;
};

void reply_set_cookie(struct request *request, struct reply *reply, const struct cookie *cookie);

/* Whether a cookie may authenticate the client. True for a method that changes nothing, for an
 * Origin that is this site (its host and port are those of Host, or it is the configured one; below
 * a prefix of the portal its scheme is that of the configured one), and without an Origin unless
 * Sec-Fetch-Site names another site. */
bool request_is_of_own_page(const struct request *request);

/* The cookie of the suite's session. It counts only below a prefix of the portal, never on the port
 * of a service, and with a method that changes something only if Origin names this site. NULL
 * otherwise. */
const char *request_session_cookie(const struct request *request);

/* Whether request_is_of_own_page(), or the policy lists the Origin by name. Check it before a
 * client is admitted by its address alone (no key is needed, or a loopback address is trusted):
 * otherwise any page that its user visits could write in the user's place. */
bool request_is_of_known_page(const struct request *request);

#endif
