/*
 * Streams that mostly wait, and are many: one process of one worker keeps all of them. A family
 * with a `hub` is such a process. A request for a stream goes through the same pipeline as any
 * other; its handler opens the stream, sends what the client has missed, and parks it. From then on
 * the hub hands every new event to the streams that want it.
 *
 * Events come from the service's own journal, which numbers them without gaps being filled later;
 * the hub asks for what is new when somebody has rung (hub_ring), and every few hundred
 * milliseconds for what other hosts have written. A client that is too slow is closed at a limit;
 * it comes back with Last-Event-ID, as after the death of the hub.
 *
 * A parked request is counted and logged when it is parked.
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
    const void *detail; /* what `wants` looks at */
};

struct hub {
    /* The number of the last event that there is now. */
    enum error (*newest)(struct server *server, int64_t *sequence, struct problem *problem);
    /* The next events after `after`, in order, at most HUB_EVENTS_MAX; memory from `arena`. */
    enum error (*read)(struct server *server, struct arena *arena, int64_t after,
                       struct hub_event *events, size_t *count, struct problem *problem);
    /* Whether an event of its tenant is for a stream with this filter. NULL = all are. */
    bool (*wants)(const struct hub_event *event, const void *filter);
    int poll_ms;        /* without having been rung; 0 = 250 */
    int ping_seconds;   /* of silence, after which a comment is sent; 0 = 15 */
    const char *ping;   /* its word; NULL = "keepalive" */
    size_t backlog_max; /* bytes that a client may leave untaken; 0 = 1 MiB */
    size_t streams_max; /* of all tenants; 0 = 1000 */
};

/* How many streams of a tenant (NULL = of all) are parked. A CGI program has none, and opens none.
 */
size_t hub_count(const struct request *request, const char *tenant);

/* Up to here the hub has handed events out: what a handler replays ends here. */
int64_t hub_sequence(const struct request *request);

/* Parks the stream that the handler has opened, which then returns ERROR_NONE. Events of `tenant`
 * after `after` follow. `filter` is copied, `filter_size` bytes. ERROR_BUSY (`hub_full`) when there
 * is no room: the handler asks hub_count() before it opens a stream. */
MUST_CHECK enum error hub_park(struct stream *stream, const char *tenant, int64_t after,
                               const void *filter, size_t filter_size);

/* Tells the hubs of a service on this host that there is something new. Cheap, never waits, never
 * fails: without it they find it a little later. `run_directory` may be NULL. */
void hub_ring(const char *run_directory, const char *service);

#endif
