/*
 * What a service allows: limits, origins, trusted proxies. The service fills it in from its
 * settings at start, and it then never changes. The pipeline reads it on every request.
 * Authentication and roles are in service.h.
 */
#ifndef ASSAY_HTTP_POLICY_H
#define ASSAY_HTTP_POLICY_H

#include "base/confine.h"
#include "base/error.h"
#include "base/optional.h"
#include "shm/admission.h"
#include "shm/rate.h"

#include <netinet/in.h>

enum { POLICY_NETWORKS_MAX = 64, POLICY_BODY_LIMITS_MAX = 8 };

struct http_network {
    struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d */
    int prefix;              /* bits of the 128 */
};

struct http_networks {
    size_t count;
    struct http_network items[POLICY_NETWORKS_MAX];
};

/* What a client of MCP gets at once (mcp/mcp.h). */
struct http_tool_limits {
    int64_t answer;  /* bytes of an answer; a longer one is cut, with a way to go on */
    int64_t fetched; /* bytes of the route's own answer */
    int64_t page;    /* tools on one page of the list */
};

struct http_policy {
    bool production; /* texts of value errors are replaced by "Invalid value" */

    /* The worker may change files below its run directory and below this one (NULL = none). */
    enum confine_mode confine;
    const char *data_directory;
    const char *shared_directory; /* and below this one, which several services use */

    const char *headers; /* lines of every answer; NULL = those of the wire format */

    /* Failed authentications, by address. A max of 0 = not counted. */
    struct rate_rule auth_failures;
    bool success_clears_failures; /* a successful authentication resets the count */

    size_t body_limits[POLICY_BODY_LIMITS_MAX]; /* bytes; routes name theirs by its position */
    bool digests_forms;                         /* whether request->form_sha256 is computed */
    size_t memory_limit;                        /* bytes of memory of one request */
    int json_depth;

    bool admission_enabled;
    struct admission_limits admission;
    uint32_t admission_retry_after; /* seconds */

    /* Where the service listens, the setting for that, and why the service is open: "ORCH_API_KEY
     * is not set"; NULL = it is not open. */
    const char *host, *host_setting, *open_by;
    struct string_list hosts; /* further names of this host */

    struct string_list cors_origins;
    struct string_list cors_methods;
    struct string_list cors_headers;

    /* The sockets of the run directory that take spans and errors; NULL = none are sent. A service
     * that sets none for spans has the settings of the suite (telemetry/otlp_settings.h). */
    const char *span_socket, *error_socket;
    double trace_share; /* of the requests whose caller does not decide */
    /* Callers whose traceparent decides whether their requests have spans. */
    struct http_networks trace_callers;

    struct http_tool_limits tools;

    int64_t trusted_proxy_hops;
    struct http_networks trusted_proxies; /* none = any peer */
};

/* Reads "10.0.0.0/8", "2001:db8::/32" or a single address. False for anything else. */
bool policy_parse_network(const char *text, struct http_network *network);

/* Reads the list of a setting. ERROR_INVALID names the setting. */
MUST_CHECK enum error policy_read_networks(struct http_networks *networks,
                                           const struct string_list *list, const char *setting,
                                           struct problem *problem);
/* False for a text that is no address. */
bool policy_networks_contain(const struct http_networks *networks, const char *address);

#endif
