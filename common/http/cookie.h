/*
 * Cookies of a service's own sessions, and the question whether a request that carries one was made
 * by a page of ours.
 */
#ifndef ASSAY_HTTP_COOKIE_H
#define ASSAY_HTTP_COOKIE_H

#include "http/request.h"

/* The value of the first cookie of that name that the request carries; NULL when there is none. */
const char *request_cookie(const struct request *request, const char *name);

enum same_site { SAME_SITE_STRICT, SAME_SITE_LAX };

/* HttpOnly and Path=/ always. A max_age of 0 takes the cookie away. */
struct cookie {
    const char *name;
    const char *value; /* of characters that cookies may hold (RFC 6265): tokens, base64url */
    int64_t max_age;   /* seconds */
    enum same_site same_site;
    bool secure;
};

void reply_set_cookie(struct request *request, struct reply *reply, const struct cookie *cookie);

/* Whether a cookie may speak for the client: a method that changes nothing, an Origin that is this
 * site (its host and port are those of Host, or it is the configured one), or neither an Origin nor
 * a browser's word (Sec-Fetch-Site) that another site asks. */
bool request_is_of_own_page(const struct request *request);

/* The same, or an Origin that the policy lists by name. To be asked before a client is served for
 * where it stands (no key is needed, or a loopback address is trusted): otherwise any page that its
 * user visits could write in its place. */
bool request_is_of_known_page(const struct request *request);

#endif
