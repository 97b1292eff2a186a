/*
 * What a service allows: limits, origins, trusted proxies. Filled in by the service from its
 * settings at start, read by the pipeline on every request; never changes in between. Who somebody
 * is and what he may do is not here: that is the service's own affair (service.h).
 */
#ifndef ASSAY_HTTP_POLICY_H
#define ASSAY_HTTP_POLICY_H

#include "base/confine.h"
#include "base/error.h"
#include "base/optional.h"
#include "shm/admission.h"
#include "shm/rate.h"

#include <netinet/in.h>

enum { POLICY_PROXIES_MAX = 64, POLICY_BODY_LIMITS_MAX = 8 };

struct http_network {
    struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d */
    int prefix;              /* bits of the 128 */
};

struct http_policy {
    bool production; /* texts of value errors are replaced by "Invalid value" */

    /* The worker may change files below its run directory and below this one (NULL = none). */
    enum confine_mode confine;
    const char *data_directory;

    const char *headers; /* lines of every answer; NULL = those of the wire format */

    /* Failures to prove who one is, by address. A max of 0 = not counted. */
    struct rate_rule auth_failures;
    bool success_clears_failures; /* whoever proves it has an empty record again */

    size_t body_limits[POLICY_BODY_LIMITS_MAX]; /* bytes; routes name theirs by its position */
    bool digests_forms;                         /* request->form_sha256 is wanted */
    size_t memory_limit;                        /* bytes a request may use in all */
    int json_depth;

    bool admission_enabled;
    struct admission_limits admission;
    uint32_t admission_retry_after; /* seconds */

    /* Where the service listens, by which setting, and what opens it to everybody who reaches it:
     * "ORCH_API_KEY is not set"; NULL = it is not open. */
    const char *host, *host_setting, *open_by;
    struct string_list hosts; /* names that this host has as well */

    struct string_list cors_origins;
    struct string_list cors_methods;
    struct string_list cors_headers;

    int64_t trusted_proxy_hops;
    size_t trusted_proxy_count; /* 0 = any peer */
    struct http_network trusted_proxies[POLICY_PROXIES_MAX];
};

/* Reads "10.0.0.0/8", "2001:db8::/32" or a single address. False for anything else. */
bool policy_parse_network(const char *text, struct http_network *network);

/* Fills the trusted proxies from the list of a setting. ERROR_INVALID names the setting. */
MUST_CHECK enum error policy_read_proxies(struct http_policy *policy,
                                          const struct string_list *networks, const char *setting,
                                          struct problem *problem);

#endif
