/*
 * Private to common/net: the attempts of calls in flight, driven together by one loop of libcurl.
 * Those of fibers are driven by the event loop of the process, and an attempt wakes the fiber that
 * started it; all others make progress only in transfers_drive(). Connections stay open between
 * them, for this process only. No arena is used while libcurl runs, because an arena's jump would
 * interrupt it.
 */
#ifndef ASSAY_NET_TRANSFER_H
#define ASSAY_NET_TRANSFER_H

#include "net/fetch.h"

enum { FETCH_HEADER_LINE_MAX = 4096 }; /* bytes of a request header, with a NUL */

struct transfer;

/* The state of an attempt. The transfer owns the bytes. */
struct transfer_view {
    bool over; /* ended: `outcome` is final, and so are the others if answered */
    enum fetch_outcome outcome;
    int status;       /* 0 until the headers are complete */
    const char *head; /* header lines, each with its CRLF; NUL-terminated */
    const char *body; /* the part that has not been dropped yet */
    size_t length;
    size_t received; /* bytes of the body, dropped ones included */
    double retry_after;
};

/* Call it before using libcurl; further calls do nothing. */
bool transfers_start_library(void);

/* One attempt of at most `seconds` with this traceparent ("" = none); NULL when there is no memory
 * for it. The URL, the body and the values of headers must stay valid until the transfer is ended.
 */
struct transfer *transfer_start(const struct fetch_request *request, const char *trace,
                                double seconds);

/* Drives the attempts that were started outside of fibers until an event occurs, at most for
 * `seconds`, or until `fd` (-1 = none) is readable: then it returns true. */
bool transfers_drive(double seconds, int fd);

void transfer_look(const struct transfer *transfer, struct transfer_view *view);

/* Drops the part of the body that was read. */
void transfer_drop_body(struct transfer *transfer);

/* Ends the attempt wherever it is and frees it. Harmless on NULL. */
void transfer_end(struct transfer *transfer);

/* Ends the attempts that a jump out of a call has left behind outside of fibers. */
void transfers_end_all(void);

/* Sets the maximum number of connections to one host, and of idle connections, outside of fibers.
 * Fibers have a connection for each call; libcurl keeps some of them. */
void transfers_limit(uint32_t per_host, uint32_t kept);

/* "scheme://host:port" of a URL, the name of its breaker. False when the URL cannot be called. */
bool fetch_origin(const char *url, char origin[BREAKER_NAME_MAX]);

/* Seconds to wait after attempt number `attempt` (from 1); negative = give up. `left` is what
 * remains of the total. */
double fetch_pause(const struct fetch_policy *policy, uint32_t attempt, double retry_after,
                   double left);

#endif
