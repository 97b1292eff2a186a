/*
 * What a service allows: tokens, limits, origins, trusted proxies. Filled in by the service from
 * its settings at start, read by the pipeline on every request; never changes in between.
 */
#ifndef ASSAY_HTTP_POLICY_H
#define ASSAY_HTTP_POLICY_H

#include "base/confine.h"
#include "base/optional.h"
#include "shm/admission.h"
#include "shm/rate.h"

#include <netinet/in.h>

/* Which cap a route's body is held to. */
enum body_limit { BODY_STANDARD, BODY_WORKSPACE, BODY_CHATAPP, BODY_LIMIT__MAX };

enum { POLICY_PATHS_MAX = 4, POLICY_PROXIES_MAX = 64 };

struct http_network {
    struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d */
    int prefix;              /* bits of the 128 */
};

struct http_policy {
    bool production; /* texts of value errors are replaced by "Invalid value" */

    /* The worker may change files below its run directory and below this one (NULL = none). */
    enum confine_mode confine;
    const char *data_directory;

    const char *admin_token; /* NULL = not configured, as the next two */
    const char *write_token;
    const char *read_token;
    bool public_demo;      /* reading without a token */
    bool readonly_compute; /* read scope may also POST to stateless computations */

    /* Paths by prefix. Protected ones need credentials once any are configured; operator ones
     * always need the admin token; admin ones also take it. Rate limits go by the first list. */
    const char *api_prefix;
    const char *protected_path; /* one more protected path, compared whole */
    const char *operator_prefixes[POLICY_PATHS_MAX];
    const char *admin_prefix;

    bool rate_limit_enabled;
    struct rate_rule rate;
    struct rate_rule heavy_rate;
    struct rate_rule auth_failures;

    size_t body_limits[BODY_LIMIT__MAX]; /* bytes */
    size_t memory_limit;                 /* bytes a request may use in all */
    int json_depth;

    bool admission_enabled;
    struct admission_limits admission;
    uint32_t admission_retry_after; /* seconds */

    struct string_list cors_origins;
    struct string_list cors_methods;
    struct string_list cors_headers;

    int64_t trusted_proxy_hops;
    size_t trusted_proxy_count; /* 0 = any peer */
    struct http_network trusted_proxies[POLICY_PROXIES_MAX];
};

/* Reads "10.0.0.0/8", "2001:db8::/32" or a single address. False for anything else. */
bool policy_parse_network(const char *text, struct http_network *network);

#endif
