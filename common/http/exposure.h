/*
 * Protection of an open service: it binds to an address that only this host reaches, and accepts
 * only known names in Host. Each service defines which settings make it open.
 */
#ifndef ASSAY_HTTP_EXPOSURE_H
#define ASSAY_HTTP_EXPOSURE_H

#include "http/policy.h"
#include "http/request.h"

/* Refuses a service that is open (policy->open_by) at an address that is not loopback, unless
 * `allowed` (ASSAY_ALLOW_OPEN), which is logged. ERROR_INVALID says which setting opens it. */
MUST_CHECK enum error exposure_check(const struct http_policy *policy, bool allowed,
                                     struct problem *problem);

/* Whether the request's Host is this host, the address that it came to, the service's origin
 * (ASSAY_ORIGIN_...) or one of ASSAY_HOSTS. This refuses DNS rebinding. True where the request
 * names no host. */
bool exposure_knows_host(const struct request *request);

/* Whether the request was meant for this host alone: no proxy forwarded it, and its Host and the
 * service's origin are loopback. Operations for the owner of the machine require it. */
bool exposure_is_local(const struct request *request);

#endif
