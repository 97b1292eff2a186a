/*
 * Answers that begin before they end: server-sent events and lines of JSON (NDJSON). The head goes
 * out with stream_open(); from then on there is no error envelope, and what goes wrong is said by
 * an event `error`, which the pipeline sends for an error that the handler returns. The request is
 * counted and logged when the stream has ended. One worker serves one stream: streams that wait for
 * long belong to a hub (hub.h).
 *
 * The request's arena keeps what every turn of a long stream allocates: such a handler works in an
 * arena of its own that it resets at each turn.
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
 * reply's own), no buffering on the way, and the reply's headers. ERROR_UNAVAILABLE when the client
 * has left or the transport has no streams; then nothing was sent. */
MUST_CHECK enum error stream_open(struct request *request, struct reply *reply,
                                  enum stream_kind kind, struct stream *stream);

/* The same, but the head waits for the first event, line or comment and goes out with it in one
 * write: whoever passes it on is woken once. For those who send one at once. */
MUST_CHECK enum error stream_open_with_first(struct request *request, struct reply *reply,
                                             enum stream_kind kind, struct stream *stream);

/* Sends one event; `name` and `id` may be NULL. `data` is one line of JSON, or text whose lines
 * become `data:` lines each. All of these return false when the client is gone; what is sent after
 * that goes nowhere. */
bool stream_event(struct stream *stream, const char *name, const char *id, const char *data);

/* Sends one line of JSON. */
bool stream_line(struct stream *stream, const char *json);

/* Sends bytes as they are. */
bool stream_bytes(struct stream *stream, const char *bytes, size_t length);

/* A comment that keeps the connection alive; `word` has no line end. */
bool stream_ping(struct stream *stream, const char *word);

/* Whether the client has left; to be asked while nothing is sent. */
bool stream_gone(struct stream *stream);

#endif
