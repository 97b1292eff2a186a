/*
 * Private to common/http: one request of the FastCGI protocol (version 1, role responder) on a
 * connection of its own. It handles bytes, records and deadlines; the pipeline interprets the
 * request.
 *
 * A peer that is stopped or silent costs at most the times of `struct fastcgi_timeouts`. The answer
 * ends with an END_REQUEST record in the same write, so that a web server that asks for kept
 * connections (`fastcgi_keep_conn on`) can distinguish a complete answer from one whose worker
 * died. The connection is closed all the same, because a worker must not wait on an idle one.
 */
#ifndef ASSAY_HTTP_FASTCGI_H
#define ASSAY_HTTP_FASTCGI_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FASTCGI_PARAMETERS_MAX =
        128 * 1024,             /* bytes of all names and values; nginx sends up to 64 kB */
    FASTCGI_BUFFER = 16 * 1024, /* bytes read ahead */
    FASTCGI_NAMES_MAX = 128     /* parameters that are indexed; further ones are searched for */
};

/* Milliseconds. */
struct fastcgi_timeouts {
    int receive; /* for the whole request, counted from its connection */
    int send;    /* without the peer reading a byte of the answer */
    int linger;  /* for the rest of a body that the handler did not read */
};

/* One per worker, used again for each request: too large for the stack. */
struct fastcgi {
    struct fastcgi_timeouts timeouts;
    int connection;
    int64_t deadline; /* for reading; monotonic microseconds */
    unsigned id;
    size_t content_left; /* of the record being read */
    size_t padding_left;
    bool body_ended;
    bool broken;       /* the peer is gone or violates the protocol */
    size_t begin, end; /* in `buffer` */
    size_t parameters_length;
    size_t name_count;
    struct fastcgi_name {
        size_t at; /* in `parameters` */
        size_t length;
    } names[FASTCGI_NAMES_MAX];
    /* Large and mostly untouched. */
    char parameters[FASTCGI_PARAMETERS_MAX]; /* name NUL value NUL, repeated */
    unsigned char buffer[FASTCGI_BUFFER];
};

/* Reads a request up to its body. `connection` is non-blocking and belongs to the request from now
 * on. False: no valid request came, and the connection is closed. */
bool fastcgi_receive(struct fastcgi *request, int connection) MUST_CHECK;

/* The first parameter of that name, NULL when there is none; valid until the next receive. */
const char *fastcgi_variable(const struct fastcgi *request, const char *name);

/* Up to `size` bytes of the body; 0 at its end, -1 when the peer is gone or late. */
long fastcgi_read(struct fastcgi *request, char *bytes, size_t size);

/* Writes the whole answer. False when the peer is gone or does not read. */
bool fastcgi_answer(struct fastcgi *request, const char *head, size_t head_length, const char *body,
                    size_t body_length);

/* The same in parts: any number of appends, then the end. */
bool fastcgi_append(struct fastcgi *request, const char *bytes, size_t length);
bool fastcgi_end(struct fastcgi *request);

/* Whether the peer has closed the connection or aborted the request. Does not wait. */
bool fastcgi_gone(struct fastcgi *request);

/* Closes the connection, after reading the rest of the body. */
void fastcgi_finish(struct fastcgi *request);

#endif
