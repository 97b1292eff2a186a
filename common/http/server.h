/*
 * A running responder: its metrics, its transport, and the lifecycle of a request. service.h
 * declares what a program in fcgi-bin/ defines.
 */
#ifndef ASSAY_HTTP_SERVER_H
#define ASSAY_HTTP_SERVER_H

#include "http/policy.h"
#include "http/service.h"
#include "http/tracing.h"
#include "shm/metrics.h"
#include "shm/region.h"

/* The metrics of http in server->metrics, for a service whose table begins with HTTP_METRICS. */
enum http_metric {
    HTTP_METRIC_REQUESTS, /* by class of the answer and by family */
    HTTP_METRIC_SECONDS,  /* by family */
    HTTP_METRIC_AUTH_REJECTIONS,
    HTTP_METRIC_RATE_LIMITED,
    HTTP_METRIC_BODY_REJECTIONS,
    HTTP_METRIC_CAPACITY_REJECTIONS,
    HTTP_METRIC_LAST_REQUEST, /* Unix microseconds */
    HTTP_METRIC_LAST_ERROR,   /* the same, by error code */
    HTTP_METRIC__MAX
};

#define HTTP_METRICS(prefix)                                                                       \
    [HTTP_METRIC_REQUESTS] = {prefix "http_requests_total", METRIC_COUNTER,                        \
                              "Requests that were answered, by family and kind of answer.",        \
                              .labels = {"class", "family"}},                                      \
    [HTTP_METRIC_SECONDS] = {prefix "http_request_duration_seconds", METRIC_TIMES,                 \
                             "Time from the request to its answer.", .labels = {"family"},         \
                             .buckets = {.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5,   \
                                         5, 10}},                                                  \
    [HTTP_METRIC_AUTH_REJECTIONS] = {prefix "auth_rejections_total", METRIC_COUNTER,               \
                                     "Requests whose credentials were wrong."},                    \
    [HTTP_METRIC_RATE_LIMITED] = {prefix "rate_limited_total", METRIC_COUNTER,                     \
                                  "Requests above a rate limit."},                                 \
    [HTTP_METRIC_BODY_REJECTIONS] = {prefix "body_rejections_total", METRIC_COUNTER,               \
                                     "Requests with a body that is too large."},                   \
    [HTTP_METRIC_CAPACITY_REJECTIONS] = {prefix "capacity_rejections_total", METRIC_COUNTER,       \
                                         "Computations refused because too many were running."},   \
    [HTTP_METRIC_LAST_REQUEST] = {prefix "last_request", METRIC_GAUGE, .internal = true},          \
    [HTTP_METRIC_LAST_ERROR] = {prefix "last_error", METRIC_GAUGE, .labels = {"code"},             \
                                .internal = true}

struct limits_config;

/* A running responder. */
struct server {
    const struct http_family *family;
    struct http_policy policy;
    const struct limits_config *limits; /* NULL = the limits are those of this host */
    struct document_info info;
    const void *settings;
    void *state;
    struct shm_region *region;
    struct metrics *metrics;   /* NULL if the service has none */
    struct outbox errors;      /* tracing.h */
    const char *run_directory; /* shared by the workers of a host; NULL in tests */
    struct accounts *accounts; /* people.h; NULL = the service knows no people */
    bool accounts_needed;      /* by a request of this worker */
    struct hub_state *hub;     /* of a family with suspended streams (hub.h), else NULL */
    struct arena *arena;       /* of the request of a worker that serves one at a time */
    struct serving *serving;   /* and its state */
    uint32_t watch;            /* its index in the table of watched workers (shm/watch.h) */
    double idle_seconds;       /* without a request, before idle() is called */
    double limit;              /* seconds for one request; 0 = no end */
    int64_t served_at;         /* end of the last request; 0 = idle() has been called since */
    size_t running;            /* requests that are being served */
};

/* Adds one to a metric without labels. Does nothing in a service without HTTP_METRICS. */
void server_count(struct server *server, enum http_metric metric);

/* The functions of a transport. The FastCGI loop has one, and so have the tests. */
struct exchange {
    void *transport;
    /* Value of a CGI variable (REQUEST_METHOD, HTTP_ACCEPT...), NULL when absent. */
    const char *(*variable)(void *transport, const char *name);
    /* Up to `size` bytes of the body; 0 at its end, negative when the peer is gone. */
    long (*read)(void *transport, char *bytes, size_t size);
    /* The whole answer, header and body. False when the peer is gone. */
    bool (*write)(void *transport, const char *head, size_t head_length, const char *body,
                  size_t body_length);
    /* The same in parts, for streams: any number of appends, then the end. NULL where a transport
     * supports only whole answers. */
    bool (*append)(void *transport, const char *bytes, size_t length);
    bool (*end)(void *transport);
    /* Whether the client has left. */
    bool (*gone)(void *transport);
    /* The descriptor that shows it; NULL = none. */
    int (*descriptor)(void *transport);
};

/* Serves one request through the pipeline. Never fails: every request gets an answer. */
void server_serve(struct server *server, struct exchange *exchange);

/* Finishes the request just served, after the client has its answer. */
void server_after(struct server *server);

/* Opens the shared memory of the workers and the catalogs. `run_directory` holds <service>.shm;
 * NULL keeps it in this process (tests). */
MUST_CHECK enum error server_start(struct server *server, struct arena *arena,
                                   const char *run_directory, const char *locales_directory,
                                   struct problem *problem);
void server_stop(struct server *server);

/* Whether the stack is about to stop: load balancers should then send new requests elsewhere. The
 * service still answers every request. */
bool server_draining(const struct server *server);

/* This responder's part of the OpenAPI document. */
void server_describe(const struct server *server, struct text *out);

#endif
