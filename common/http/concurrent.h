/*
 * Private to common/http: a worker that serves many requests side by side, each in a fiber, for
 * families whose handlers wait for others (struct http_family, .concurrent). Every request has its
 * own memory, its own state and its own connection; between two waits nothing else happens.
 *
 * Above the limit of requests, and above the limit of their memory, a request is answered 503 with
 * Retry-After at once. A worker that is asked to leave, or has served as many as it should, accepts
 * no more and ends what it has begun.
 */
#ifndef ASSAY_HTTP_CONCURRENT_H
#define ASSAY_HTTP_CONCURRENT_H

#include "http/fastcgi.h"
#include "http/listener.h"
#include "http/server.h"

struct concurrent_limits {
    size_t requests;     /* side by side */
    size_t memory;       /* bytes of all requests */
    double hang_seconds; /* without a turn of the loop, after which other workers kill this one; 0 =
                            never */
    int64_t served_most; /* requests after which the worker leaves; 0 = never */
    int workers;         /* of the family */
    struct fastcgi_timeouts timeouts;
};

/* Serves until the worker must stop and its last request has been answered. */
void concurrent_serve(struct server *server, const struct listener *listener,
                      const struct concurrent_limits *limits);

#endif
