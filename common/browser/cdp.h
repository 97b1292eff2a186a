/*
 * A conversation with Chromium in its DevTools protocol, over two descriptors
 * (`--remote-debugging-pipe`): JSON messages, each ended by a zero byte. Calls have ids and wait
 * for their replies until a deadline; events arrive in between. Whoever waits may watch a
 * descriptor of his own meanwhile and end the wait.
 *
 * All that waits gives CDP_CLOSED when the other side is gone, for good. Deadlines are monotonic
 * microseconds.
 */
#ifndef ASSAY_BROWSER_CDP_H
#define ASSAY_BROWSER_CDP_H

#include "base/json.h"

enum cdp_outcome {
    CDP_OK,
    CDP_TIMED_OUT,
    CDP_CLOSED,    /* the pipe ended, or brought what is no message */
    CDP_REFUSED,   /* the reply is an error: cdp_fault() */
    CDP_NOT_FOUND, /* what was to be used is not there */
    CDP_STOPPED,   /* the listener wants no more */
    CDP_OUTCOME__MAX
};

enum { CDP_FAULT_MAX = 240 };

/* Members may be NULL. None of them may make calls; cdp_post() is allowed. */
struct cdp_listener {
    void (*on_event)(const char *method, const char *session, const json_t *params, void *context);
    int fd; /* watched during waits; -1 = none */
    void (*on_ready)(void *context);
    bool (*must_stop)(void *context);
    void *context;
};

struct cdp;

/* Takes over both descriptors. `message_max` bounds the bytes of one message, in and out. NULL when
 * there is no memory. */
struct cdp *cdp_open(int reading, int writing, size_t message_max);
void cdp_close(struct cdp *cdp);

/* Sets the listener of events and waits; it is copied. */
void cdp_listen(struct cdp *cdp, const struct cdp_listener *listener);

/* Begins a message; its params are members of the object that is open in the writer. `session` is
 * NULL for the browser itself. */
struct json_writer *cdp_begin(struct cdp *cdp, const char *session, const char *method);

/* Sends what was begun and waits for the reply. *result (may be NULL) lives until the next wait. */
MUST_CHECK enum cdp_outcome cdp_call(struct cdp *cdp, int64_t deadline, json_t **result);

/* Sends what was begun without waiting for the reply. */
void cdp_post(struct cdp *cdp);

/* Waits until `until`, or until `done` (called after every event; may be NULL) returns true, which
 * is CDP_OK. */
MUST_CHECK enum cdp_outcome cdp_wait(struct cdp *cdp, int64_t until, bool (*done)(void *context),
                                     void *context);

/* Why the last call was refused, or the conversation ended. */
const char *cdp_fault(const struct cdp *cdp);

#endif
