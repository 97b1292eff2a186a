/*
 * HTTP calls to external services, with bounded duration whatever the server does. They have
 * time-outs for connecting, for an attempt, for silence and for the whole call; a limit on the
 * answer; retries with growing pauses that honor Retry-After; a check of every address that is
 * connected to; and a circuit breaker shared by all workers. Connections are kept for the next call
 * of the same process. Each attempt carries a traceparent where the work at hand has one
 * (base/cause.h). Redirects are not followed, proxies are not used, nothing is decompressed,
 * certificates are checked. This module must not depend on the content of calls, and logs nothing.
 * For concurrent calls use fetch_all() here, or net/fetch_set.h to add and cancel calls while
 * others run.
 */
#ifndef ASSAY_NET_FETCH_H
#define ASSAY_NET_FETCH_H

#include "base/arena.h"
#include "base/cause.h"
#include "shm/breaker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FETCH_HEADERS_MAX = 32, FETCH_HEADER_BYTES_MAX = 65536 /* of an answer */ };

enum fetch_outcome {
    FETCH_ANSWERED,  /* with any status; the whole body is there */
    FETCH_UNUSABLE,  /* answered 2xx, but `usable` rejected every answer */
    FETCH_TIMED_OUT, /* an attempt or the whole call took too long, or the server was silent for too
                        long */
    FETCH_UNREACHABLE, /* no address, no connection, no trusted certificate */
    FETCH_BROKEN,      /* the answer ended early or is not HTTP */
    FETCH_TOO_LARGE,   /* the answer exceeded its limit */
    FETCH_FORBIDDEN,   /* the address is not allowed */
    FETCH_SUSPENDED,   /* not tried: the breaker is open */
    FETCH_INVALID,     /* a URL, a method or a header that cannot be sent */
    FETCH_CANCELLED, /* by the caller, by one of its functions, or because enough others have ended
                      */
    FETCH_OUTCOME__MAX
};

/* "answered", "timed_out"... for logs. */
const char *fetch_outcome_name(enum fetch_outcome outcome);

struct fetch_header {
    const char *name;
    const char *value; /* printable ASCII; anything else is FETCH_INVALID */
};

struct fetch_policy {
    double connect_seconds;
    double attempt_seconds;     /* for one attempt, connecting included */
    double total_seconds;       /* for all attempts and the pauses between them */
    double silence_seconds;     /* without a byte from the server; 0 = as long as the attempt */
    uint32_t attempts;          /* at least 1 */
    double first_pause_seconds; /* before the second attempt */
    double pause_factor;        /* each further pause is longer by this factor */
    double most_pause_seconds;  /* the longest pause; 0 = no limit */
    bool jitter;                /* multiplies each pause by a random factor of 0.5 to 1.5 */
    double retry_after_seconds; /* a Retry-After beyond it ends the call */
};

struct fetch_attempt {
    int64_t started_at, ended_at; /* monotonic microseconds */
    enum fetch_outcome outcome;
    int status;              /* 0 when there was no answer */
    char trace[CAUSE_TRACE]; /* the traceparent that was sent; "" = none was */
};

struct fetch_answer {
    enum fetch_outcome outcome;
    int status;       /* 0 when there was no answer */
    const char *head; /* header lines of the last answer, from the arena; "" when there was none */
    const char *body; /* `length` bytes and a NUL, from the arena */
    size_t length;
    bool cut;                      /* at answer_max: the answer was longer */
    size_t streamed;               /* bytes that were passed to on_bytes instead */
    uint32_t attempts;             /* made */
    struct fetch_attempt *history; /* of each of them, from the arena */
    uint32_t given_up;  /* attempts that timed out before the answer was complete, and were followed
                           by another one */
    double retry_after; /* seconds, from the last answer; 0 = none */
};

struct fetch_request {
    const char *url;    /* http or https, without user and password */
    const char *method; /* upper case; NULL = POST with a body, else GET */
    const char *body;   /* NULL = none */
    size_t body_length;
    struct fetch_header headers[FETCH_HEADERS_MAX];
    size_t header_count;
    size_t answer_max; /* bytes of the body, streamed or not */
    bool may_be_cut;   /* a longer answer is cut at answer_max instead of being an error */
    bool once; /* on a new connection: when a kept one is closed without an answer, libcurl sends
                  the request again */
    bool private_too;  /* loopback and private addresses are allowed as well */
    bool loopback_too; /* loopback addresses are allowed */
    struct fetch_policy policy;
    struct shm_region *region; /* holds the breakers; NULL = none */
    uint32_t breaker_failures; /* failures in a row until calls to this host are refused */
    double breaker_seconds;    /* how long calls are refused */
    /* Whether a 2xx answer is acceptable; false is treated as a transient failure. NULL accepts
     * all. */
    bool (*usable)(const struct fetch_answer *answer, void *context);
    /* Called once per attempt when the head of an answer is complete (status and head are filled
     * in), before its body; NULL = not needed. False cancels the call. */
    bool (*on_headers)(const struct fetch_answer *answer, void *context);
    /* Receives the body of a 2xx answer in parts, instead of `body`; NULL = collect it. False
     * cancels the call. After the first bytes no attempt is repeated. May allocate from the
     * caller's arena, must not make calls itself. */
    bool (*on_bytes)(const char *bytes, size_t length, void *context);
    void *context;
    const char *trace_parent; /* the span above those of the attempts; NULL = of the work at hand */
    bool told_by_caller;      /* who makes the spans of the attempts, from their history */
};

/* Cancels calls early. `cancelled` is called when `fd` becomes readable, or periodically when it is
 * -1. */
struct fetch_watch {
    bool (*cancelled)(void *context);
    void *context;
    int fd;
};

/* Makes the call; always fills in the answer. Statuses 408, 425, 429 and 5xx (but 501 and 505),
 * failed connections, time-outs, broken answers and unusable answers are retried. */
void fetch(struct arena *arena, const struct fetch_request *request, struct fetch_answer *answer);

/* Makes `count` calls concurrently, each with its own policy, and returns when all have ended.
 * `enough` (or NULL) is called after each end; true cancels those that still run. `watch` (or NULL)
 * cancels them as well. */
void fetch_all(struct arena *arena, const struct fetch_request *requests,
               struct fetch_answer *answers, size_t count,
               bool (*enough)(const struct fetch_answer *answers, size_t count, void *context),
               void *context, const struct fetch_watch *watch);

/* Connections of this process: at most so many to one host at a time (further calls wait in line,
 * their time running), and so many kept while they are unused. 16 and 16 unless said otherwise. */
void fetch_limit_connections(uint32_t per_host, uint32_t kept);

/* The value of a header of an answer, without blanks around it; NULL when it has none. */
const char *fetch_find_header(struct arena *arena, const struct fetch_answer *answer,
                              const char *name);

/* The state of the breaker for the host of a URL. */
enum breaker_state fetch_breaker_state(struct shm_region *region, const char *url);

#endif
