/*
 * Signatures of requests to object stores that speak the S3 protocol: AWS Signature Version 4, in
 * the Authorization header ("Authenticating Requests: Using the Authorization Header", Amazon S3
 * API Reference). Makes no calls and keeps nothing.
 */
#ifndef ASSAY_NET_SIGV4_H
#define ASSAY_NET_SIGV4_H

#include "base/arena.h"

#include <stdint.h>

enum { SIGV4_DATE_TEXT = 17 /* "20130524T000000Z" and the NUL */ };

struct sigv4_key {
    const char *access, *secret; /* the id, which is sent; the secret, which is not */
    const char *region;
};

struct sigv4_header {
    const char *name;  /* lower case */
    const char *value; /* without blanks around it */
};

struct sigv4_request {
    const char *method;
    const char *path;                   /* encoded as it is sent, with its leading slash */
    const char *query;                  /* encoded and sorted, each name with `=`; "" = none */
    const struct sigv4_header *headers; /* that are signed, sorted by name; with host, x-amz-date
                                           and x-amz-content-sha256 */
    size_t header_count;
    const char *date;         /* that of x-amz-date */
    const char *payload_hash; /* SHA-256 of the body, in hexadecimal */
};

/* The value of the Authorization header, from the arena. */
const char *sigv4_authorization(struct arena *arena, const struct sigv4_key *key,
                                const struct sigv4_request *request);

/* A time as the protocol writes it. */
void sigv4_date(int64_t unix_seconds, char text[SIGV4_DATE_TEXT]);

/* A key as a path: `/` stays, all other reserved characters and bytes above 127 become %XX. */
const char *sigv4_path(struct arena *arena, const char *key);

#endif
