/*
 * Private to common/net: attempts of calls on their way, driven together by one loop of libcurl.
 * Connections stay open between them, for this process alone. Nothing of an arena is touched while
 * libcurl runs: an arena's jump would leave it in the middle.
 */
#ifndef ASSAY_NET_TRANSFER_H
#define ASSAY_NET_TRANSFER_H

#include "net/fetch.h"

enum { FETCH_HEADER_LINE_MAX = 4096 }; /* bytes of a header that is sent, with a NUL */

struct transfer;

/* How far an attempt has come. Bytes belong to the transfer. */
struct transfer_view {
    bool over; /* then `outcome` and, when answered, the rest are final */
    enum fetch_outcome outcome;
    int status;       /* 0 until the headers are complete */
    const char *head; /* header lines, each with its CRLF; NUL-terminated */
    const char *body; /* what has not been dropped yet */
    size_t length;
    size_t received; /* of the body, what was dropped included */
    double retry_after;
};

/* Before anything of libcurl is used; again: nothing. */
bool transfers_start_library(void);

/* One attempt of at most `seconds`; NULL when there is no memory for it. The URL, the body and the
 * values of headers must stay until the transfer is ended. */
struct transfer *transfer_start(const struct fetch_request *request, double seconds);

/* Lets all attempts go on until something has happened, but for at most `seconds`, or until `fd`
 * (-1 = none) can be read: then it says true. */
bool transfers_drive(double seconds, int fd);

void transfer_look(const struct transfer *transfer, struct transfer_view *view);

/* Forgets the part of the body that was looked at. */
void transfer_drop_body(struct transfer *transfer);

/* Ends the attempt wherever it is and frees it. Harmless on NULL. */
void transfer_end(struct transfer *transfer);

/* Ends whatever a jump out of a call has left behind. */
void transfers_end_all(void);

/* Fills in how many connections there may be to one host, and how many are kept. */
void transfers_limit(uint32_t per_host, uint32_t kept);

/* "scheme://host:port" of a URL, the name of its breaker. False when the URL is none to call. */
bool fetch_origin(const char *url, char origin[BREAKER_NAME_MAX]);

/* Seconds to wait after attempt number `attempt` (from 1); negative = give up. `left` is what
 * remains of the total. */
double fetch_pause(const struct fetch_policy *policy, uint32_t attempt, double retry_after,
                   double left);

#endif
