/*
 * The client's side of FastCGI (FastCGI Specification 1.0): the records of one request, and what
 * the records of its answer hold. Whoever calls has the connection, and sends and receives.
 */
#ifndef ASSAY_NET_FASTCGI_RECORDS_H
#define ASSAY_NET_FASTCGI_RECORDS_H

#include "base/text.h"

enum { FASTCGI_PARAMETERS_MAX = 65535 /* bytes of all parameters, as a responder takes them */ };

/* Appends a parameter of a request; none for a NULL value. */
void fastcgi_append_parameter(struct text *out, const char *name, const char *value);

/* Appends the whole request: these parameters, and this body. */
void fastcgi_append_request(struct text *out, const struct text *parameters, const char *body,
                            size_t length);

/* Takes the whole records out of what has come and keeps the rest. Their contents are appended to
 * `answer`. True once the answer is complete. */
bool fastcgi_take(struct text *incoming, struct text *answer);

struct fastcgi_answer {
    int status;
    const char *content_type; /* "" = none */
    const char *body;         /* within the answer; ended by a NUL that `length` does not count */
    size_t length;
};

/* Splits "Status: 200 OK", other lines, an empty line, the body. False when that is not what the
 * answer is. */
bool fastcgi_split(struct arena *arena, const struct text *whole, struct fastcgi_answer *answer);

#endif
