/*
 * A running responder: what it counts, its transport, and the way of one request through it. What
 * a program in fcgi-bin/ declares is in service.h.
 */
#ifndef ASSAY_HTTP_SERVER_H
#define ASSAY_HTTP_SERVER_H

#include "http/policy.h"
#include "http/service.h"
#include "shm/counters.h"
#include "shm/region.h"

/* What every family of a service counts in shared memory; SHM_SERVICE_VERSION goes with it. */
enum http_counter {
    COUNTER_REQUESTS,
    COUNTER_SUCCESS, /* below 400 */
    COUNTER_CLIENT_ERROR,
    COUNTER_SERVER_ERROR,
    COUNTER_AUTH_REJECTION,
    COUNTER_RATE_LIMITED,
    COUNTER_BODY_REJECTION,
    COUNTER_CAPACITY_REJECTION,
    COUNTER_KEY_CHANGES, /* times at which keys may have begun to count */
    COUNTER__MAX
};
enum http_stamp {
    STAMP_LAST_REQUEST,
    STAMP_LAST_ERROR,
    STAMP_KNOWN_OPEN, /* no time: COUNTER_KEY_CHANGES + 1 when no keys were found; 0 = never */
    STAMP__MAX
};
enum http_note { NOTE_LAST_ERROR_CODE, NOTE__MAX };
enum http_histogram { HISTOGRAM_REQUEST, HISTOGRAM__MAX };

/* A running responder. */
struct server {
    const struct http_family *family;
    struct http_policy policy;
    struct document_info info;
    const void *settings;
    void *state;
    struct shm_region *region;
    struct shm_family *counters;
    struct metrics *metrics;   /* NULL where the service has none */
    const char *run_directory; /* where the workers of a host meet; NULL in tests */
    struct hub_state *hub;     /* of a family of streams that wait (hub.h), else NULL */
    struct arena *arena;       /* of the request being served */
    uint32_t watch;            /* its place among those watched (shm/watch.h) */
    double idle_seconds;       /* without a request, before idle() is called */
    double limit;              /* seconds for one request; 0 = no end */
    int64_t served_at;         /* end of the last request; 0 = idle() has been called since */
    struct serving *serving;   /* the request at hand, until server_after() */
};

/* What a transport hands in and takes back. The FastCGI loop has one, and so have the tests. */
struct exchange {
    void *transport;
    /* Value of a CGI variable (REQUEST_METHOD, HTTP_ACCEPT...), NULL when absent. */
    const char *(*variable)(void *transport, const char *name);
    /* Up to `size` bytes of the body; 0 at its end, negative when the peer is gone. */
    long (*read)(void *transport, char *bytes, size_t size);
    /* The whole answer, header and body. False when the peer is gone. */
    bool (*write)(void *transport, const char *head, size_t head_length, const char *body,
                  size_t body_length);
    /* The same in pieces, for streams: any number of appends, then the end. NULL where a transport
     * has whole answers only. */
    bool (*append)(void *transport, const char *bytes, size_t length);
    bool (*end)(void *transport);
    /* Whether the client has left. */
    bool (*gone)(void *transport);
};

/* Serves one request: the fixed pipeline. Never fails; every way out is an answer. */
void server_serve(struct server *server, struct exchange *exchange);

/* What is left to do for the request just served, once the client has its answer. */
void server_after(struct server *server);

/* Opens what workers share and the catalogues. `run_directory` holds <service>.shm; NULL keeps it
 * in this process (tests). */
MUST_CHECK enum error server_start(struct server *server, struct arena *arena,
                                   const char *run_directory, const char *locales_directory,
                                   struct problem *problem);
void server_stop(struct server *server);

/* Whether the stack is about to stop: what balances between hosts should send elsewhere what comes
 * now. Nothing is refused for that. */
bool server_draining(const struct server *server);

/* This responder's part of the OpenAPI document. */
void server_describe(const struct server *server, struct text *out);

#endif
