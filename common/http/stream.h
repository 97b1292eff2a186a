/*
 * Streamed answers: server-sent events and lines of JSON (NDJSON). The head goes out with
 * stream_open(); after it there is no error envelope. If the handler returns an error, the pipeline
 * sends an event `error`. The request is counted and logged when the stream has ended. One worker
 * serves one stream: streams that are idle for long belong to a hub (hub.h).
 *
 * The request's arena is not reset while a stream lasts: the handler of a long stream uses a
 * separate arena and resets it at each iteration.
 */
#ifndef ASSAY_HTTP_STREAM_H
#define ASSAY_HTTP_STREAM_H

#include "http/request.h"

enum stream_kind { STREAM_EVENTS, STREAM_LINES, STREAM_BYTES };

struct stream {
    struct request *request;
    enum stream_kind kind;
    bool broken; /* the client is gone */
};

/* Sends the head: status 200 (or reply->status), the content type of the kind (STREAM_BYTES: the
 * reply's own), no buffering by proxies, and the reply's headers. ERROR_UNAVAILABLE when the client
 * has left or the transport does not support streams; nothing was sent then. */
MUST_CHECK enum error stream_open(struct request *request, struct reply *reply,
                                  enum stream_kind kind, struct stream *stream);

/* The same, but the head waits for the first event, line or comment and is sent with it in one
 * write, so that a proxy wakes once. For handlers that send an event at once. */
MUST_CHECK enum error stream_open_with_first(struct request *request, struct reply *reply,
                                             enum stream_kind kind, struct stream *stream);

/* Sends one event; `name` and `id` may be NULL. `data` is one line of JSON, or text whose lines
 * become `data:` lines each. All of these functions return false when the client is gone; later
 * output is dropped. */
bool stream_event(struct stream *stream, const char *name, const char *id, const char *data);

/* Sends bytes as they are. */
bool stream_bytes(struct stream *stream, const char *bytes, size_t length);

/* A comment that keeps the connection alive; `word` has no line end. */
bool stream_ping(struct stream *stream, const char *word);

/* Whether the client has left; call it while nothing is sent. */
bool stream_gone(struct stream *stream);

#endif
