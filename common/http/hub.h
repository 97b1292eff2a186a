/*
 * Many event streams that mostly wait. A family with a `hub` has one worker, and that one process
 * keeps all streams. A request for a stream goes through the same pipeline as any other; its
 * handler opens the stream, sends what the client has missed, and suspends it. From then on the hub
 * sends every new event to the streams that subscribe to it.
 *
 * Events come from the service's journal. Its numbers rise, and no gap is filled later. The hub
 * reads new events when a worker of this host notifies it (hub_notify), and every few hundred
 * milliseconds for those of other hosts. A client that reads too slowly is disconnected at a limit;
 * it reconnects with Last-Event-ID, as after the death of the hub.
 *
 * A suspended request is counted and logged when it is suspended. A stream that a session or a
 * personal token has opened ends after a minute, so that nobody reads on for long after the end of
 * the session.
 */
#ifndef ASSAY_HTTP_HUB_H
#define ASSAY_HTTP_HUB_H

#include "http/stream.h"

enum { HUB_EVENTS_MAX = 256 /* read at a time */ };

struct server;

struct hub_event {
    int64_t sequence; /* rising */
    const char *tenant;
    const char *name;   /* of the event; NULL = none */
    const char *data;   /* one line of JSON */
    const void *detail; /* for `wants` */
};

struct hub {
    /* The number of the last event in the journal. */
    enum error (*newest)(struct server *server, int64_t *sequence, struct problem *problem);
    /* The next events after `after`, in order, at most HUB_EVENTS_MAX; memory from `arena`. */
    enum error (*read)(struct server *server, struct arena *arena, int64_t after,
                       struct hub_event *events, size_t *count, struct problem *problem);
    /* Whether a stream with this filter takes an event of its tenant. NULL = it takes all. */
    bool (*wants)(const struct hub_event *event, const void *filter);
    int poll_ms;        /* without a notification; 0 = 250 */
    int ping_seconds;   /* of silence, after which a comment is sent; 0 = 15 */
    int person_seconds; /* after which a stream of a person ends; 0 = 60 */
    const char *ping;   /* its text; NULL = "keepalive" */
    size_t backlog_max; /* bytes that a client may leave unread; 0 = 1 MiB */
    size_t streams_max; /* of all tenants; 0 = 1000 */
};

/* How many streams of a tenant (NULL = of all) are suspended. A CGI program has none, and opens
 * none. */
size_t hub_count(const struct request *request, const char *tenant);

/* Whether the tenant may open one more stream, of at most `most`: over all hosts that share their
 * limits (limits/limits.h). The next stream that hub_suspend() suspends takes that place; without
 * one the place comes back when the request ends. */
MUST_CHECK bool hub_admit(const struct request *request, const char *tenant, size_t most);

/* The last event that the hub has sent: a handler replays up to it. */
int64_t hub_sequence(const struct request *request);

/* Suspends the stream that the handler has opened; the handler then returns ERROR_NONE. The hub
 * sends events of `tenant` after `after`. `filter` is copied, `filter_size` bytes. ERROR_BUSY
 * (`hub_full`) when there is no room: the handler calls hub_admit() before it opens a stream. */
MUST_CHECK enum error hub_suspend(struct stream *stream, const char *tenant, int64_t after,
                                  const void *filter, size_t filter_size);

/* Notifies the hub of a service on this host of new events. Cheap, never waits, never fails:
 * without it the hub finds them at its next poll. `run_directory` may be NULL. */
void hub_notify(const char *run_directory, const char *service);

#endif
