/*
 * Client of Chromium's DevTools protocol over two descriptors (`--remote-debugging-pipe`): JSON
 * messages, each ended by a zero byte. Calls have ids and wait for their replies until a deadline;
 * events arrive in between. A waiting caller may watch one descriptor of its own and end the wait.
 *
 * All waiting functions return CDP_CLOSED for good after the browser has closed the connection.
 * Deadlines are monotonic microseconds.
 */
#ifndef ASSAY_BROWSER_CDP_H
#define ASSAY_BROWSER_CDP_H

#include "base/json.h"

enum cdp_outcome {
    CDP_OK,
    CDP_TIMED_OUT,
    CDP_CLOSED,    /* the pipe ended, or an invalid message was received */
    CDP_REFUSED,   /* the reply is an error: see cdp_fault() */
    CDP_NOT_FOUND, /* the object that the caller needs is missing */
    CDP_STOPPED,   /* the listener ended the wait */
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

/* Begins a message; the caller writes its params into the writer's open object. `session` is NULL
 * for the browser itself. */
struct json_writer *cdp_begin(struct cdp *cdp, const char *session, const char *method);

/* Sends the begun message and waits for the reply. *result (may be NULL) lives until the next
 * wait. */
MUST_CHECK enum cdp_outcome cdp_call(struct cdp *cdp, int64_t deadline, json_t **result);

/* Sends the begun message without waiting for the reply. */
void cdp_post(struct cdp *cdp);

/* Waits until the time `until`. Returns CDP_OK earlier if `done` (may be NULL), called after every
 * event, returns true. */
MUST_CHECK enum cdp_outcome cdp_wait(struct cdp *cdp, int64_t until, bool (*done)(void *context),
                                     void *context);

/* The reason why the last call was refused or the connection ended. */
const char *cdp_fault(const struct cdp *cdp);

#endif
