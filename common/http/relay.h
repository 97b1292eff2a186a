/*
 * Sends a request on to another family of the stack, over that family's own socket, as nginx would:
 * the route runs in its own pool, with its own checks and limits. Whoever is asking is the client
 * of the request at hand: its address and its credentials go along; its cookies do not, so that
 * no page of a browser acts through this. Waits as fibers wait.
 */
#ifndef ASSAY_HTTP_RELAY_H
#define ASSAY_HTTP_RELAY_H

#include "http/request.h"

enum { RELAY_HEADERS_MAX = 16 };

struct relay_header {
    const char *name; /* of CGI: "HTTP_IF_MATCH" */
    const char *value;
};

struct relay_call {
    const char *pool;   /* "experiments-projects" */
    const char *prefix; /* below which the portal shows its service; NULL = as the request's own */
    enum method method;
    const char *path;         /* decoded */
    const char *query;        /* encoded, without `?` */
    const char *content_type; /* NULL = there is no body */
    const char *body;
    size_t length;
    size_t header_count;
    struct relay_header headers[RELAY_HEADERS_MAX];
    size_t answer_max; /* bytes of the answer, with its head */
    double seconds;    /* for the whole of it */
};

struct relay_answer {
    int status;
    const char *content_type; /* "" = none */
    const char *body;         /* ended by a NUL that `length` does not count */
    size_t length;
    bool sent; /* of an error: the route may have done it, though nobody knows */
};

/* ERROR_UNAVAILABLE when the family does not answer (`family_unavailable`), or not in time
 * (`family_too_slow`), or when the client has left meanwhile (`client_gone`): the family then sees
 * its client leave. ERROR_TOO_LARGE when its answer is longer than allowed, or the parameters of
 * the request are. The answer is the arena's of the request. */
MUST_CHECK enum error relay(struct request *request, const struct relay_call *call,
                            struct relay_answer *answer);

#endif
