/*
 * Calls to HTTP services outside: functions that end in time whatever the other side does.
 * Time-outs for connecting, for an attempt, for silence and for all of it; a cap on the answer;
 * retries with growing pauses that honour Retry-After; a guard on every address that is connected
 * to; a circuit breaker shared by all workers. Connections are kept for the next call of the same
 * process. Redirects are not followed, proxies are not used, nothing is decompressed, certificates
 * are checked. It must not know what is asked, and logs nothing. Many calls side by side:
 * fetch_all() here, or net/fetch_set.h for those who add and end calls on the way.
 */
#ifndef ASSAY_NET_FETCH_H
#define ASSAY_NET_FETCH_H

#include "base/arena.h"
#include "shm/breaker.h"

#include <stdbool.h>
#include <stddef.h>

enum { FETCH_HEADERS_MAX = 32, FETCH_HEADER_BYTES_MAX = 65536 /* of an answer */ };

enum fetch_outcome {
    FETCH_ANSWERED,    /* with any status; the whole body is there */
    FETCH_UNUSABLE,    /* answered 2xx, but `usable` would not have any of the answers */
    FETCH_TIMED_OUT,   /* an attempt, or all of them together, or silence for too long */
    FETCH_UNREACHABLE, /* no address, no connection, no trusted certificate */
    FETCH_BROKEN,      /* the answer ended early or is not HTTP */
    FETCH_TOO_LARGE,   /* the answer passed its cap */
    FETCH_FORBIDDEN,   /* an address that calls must not go to */
    FETCH_SUSPENDED,   /* not tried: the breaker is open */
    FETCH_INVALID,     /* a URL, a method or a header that cannot be sent */
    FETCH_CANCELLED,   /* by the caller, one of its functions, or because others sufficed */
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
    double attempt_seconds;     /* of one attempt, connecting included */
    double total_seconds;       /* of all attempts and the pauses between them */
    double silence_seconds;     /* without a byte from the other side; 0 = as long as the attempt */
    uint32_t attempts;          /* at least 1 */
    double first_pause_seconds; /* before the second attempt */
    double pause_factor;        /* each further pause is so many times longer */
    double most_pause_seconds;  /* the longest of them; 0 = as they come */
    bool jitter;                /* pauses are half to one and a half times as long, by chance */
    double retry_after_seconds; /* a Retry-After beyond it ends the call */
};

struct fetch_answer {
    enum fetch_outcome outcome;
    int status;       /* 0 when there was no answer */
    const char *head; /* header lines of the last answer, from the arena; "" when there was none */
    const char *body; /* `length` bytes and a NUL, from the arena */
    size_t length;
    bool cut;           /* at answer_max: there was more */
    size_t streamed;    /* bytes that went to on_bytes instead */
    uint32_t attempts;  /* made */
    uint32_t given_up;  /* of those: ended for their time before there was a whole answer, and
                           followed by another one */
    double retry_after; /* seconds, as the last answer said; 0 = it did not */
};

struct fetch_request {
    const char *url;    /* http or https, without user and password */
    const char *method; /* upper case; NULL = POST with a body, else GET */
    const char *body;   /* NULL = none */
    size_t body_length;
    struct fetch_header headers[FETCH_HEADERS_MAX];
    size_t header_count;
    size_t answer_max; /* bytes of the body, streamed or not */
    bool may_be_cut;   /* a longer answer is one all the same, as far as it fits */
    bool private_too;  /* loopback and private addresses may be called as well */
    bool loopback_too; /* loopback addresses may */
    struct fetch_policy policy;
    struct shm_region *region; /* where breakers are; NULL = none */
    uint32_t breaker_failures; /* in a row, until calls to this host are refused */
    double breaker_seconds;    /* for how long */
    /* Whether a 2xx answer is what was wanted; false is as good as a failure that may pass. NULL
     * takes them all. */
    bool (*usable)(const struct fetch_answer *answer, void *context);
    /* The head of an answer is there (status and head are filled in), before its body; NULL = not
     * needed. False cancels the call. Once per attempt. */
    bool (*on_headers)(const struct fetch_answer *answer, void *context);
    /* The body of a 2xx answer as it comes, instead of `body`; NULL = collect it. False cancels the
     * call. After the first bytes nothing is tried again. May allocate from the caller's arena,
     * must not make calls itself. */
    bool (*on_bytes)(const char *bytes, size_t length, void *context);
    void *context;
};

/* When to give up before the end. `cancelled` is asked when `fd` can be read, or again and again
 * when it is -1. */
struct fetch_watch {
    bool (*cancelled)(void *context);
    void *context;
    int fd;
};

/* Makes the call; always fills in the answer. Statuses 408, 425, 429 and 5xx (but 501 and 505),
 * no connection, time-outs, broken answers and those that are not usable are tried again. */
void fetch(struct arena *arena, const struct fetch_request *request, struct fetch_answer *answer);

/* Makes `count` calls side by side, each by its own rules, and returns when all have ended.
 * `enough` (or NULL) is asked after each end; true cancels those that still run. So does `watch`
 * (or NULL). */
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

/* What the breaker of the host that a URL names is doing. */
enum breaker_state fetch_breaker_state(struct shm_region *region, const char *url);

#endif
