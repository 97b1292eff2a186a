/* Private to common/net: one attempt of a call, and the pause after it. */
#ifndef ASSAY_NET_FETCH_INTERNAL_H
#define ASSAY_NET_FETCH_INTERNAL_H

#include "net/fetch.h"

enum { FETCH_HEADER_LINE_MAX = 4096 }; /* bytes of a header that is sent, with a NUL */

/* One attempt of at most `seconds`. The body goes to `buffer` (answer_max + 1 bytes). Must not
 * allocate from an arena: its jump would leave the connection behind. */
void fetch_attempt(const struct fetch_request *request, double seconds, char *buffer,
                   struct fetch_answer *answer);

/* "scheme://host:port" of a URL, the name of its breaker. False when the URL is none to call. */
bool fetch_origin(const char *url, char origin[BREAKER_NAME_MAX]);

/* Seconds to wait after attempt number `attempt` (from 1); negative = give up. `left` is what
 * remains of the total. */
double fetch_pause(const struct fetch_patience *patience, uint32_t attempt, double retry_after,
                   double left);

#endif
