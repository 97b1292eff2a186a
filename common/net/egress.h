/*
 * Restricts the targets of calls whose URL a client provides. The URL is checked when it is
 * registered, so that its owner sees the error at once, and fetch() checks again when it connects.
 * The texts never name an address.
 */
#ifndef ASSAY_NET_EGRESS_H
#define ASSAY_NET_EGRESS_H

#include "base/error.h"
#include "base/optional.h"

enum { EGRESS_HOST_MAX = 256, EGRESS_URL_MAX = 2000 };

struct egress_policy {
    struct string_list allowed_hosts; /* exact names, in lower case, that need not be public */
    bool https_only;                  /* except for those hosts */
    bool private_too;                 /* any host may be private or loopback */
    bool loopback_too;                /* any host may be loopback: a local installation */
};

/* The lower-case host of an http or https URL without credentials; ERROR_INVALID with reason
 * url_malformed, url_scheme or url_host, or ERROR_SYSTEM. */
MUST_CHECK enum error egress_host(const char *url, char host[EGRESS_HOST_MAX],
                                  struct problem *problem);

/* Whether such a URL names this machine: a loopback address, or localhost. */
bool egress_is_local(const char *url);

/* Looks the name up, which may take seconds. ERROR_INVALID with one of the reasons above,
 * url_unresolved, or url_not_public when any address of the name is not public. */
MUST_CHECK enum error egress_check(const char *url, const struct egress_policy *policy,
                                   struct problem *problem);

/* Whether fetch() may go to private addresses for this URL. */
bool egress_private_too(const char *url, const struct egress_policy *policy);

#endif
