/* Server-sent events to one client: the stream is opened late, pinged in silence, and watched for
 * the client's leaving. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_EVENT_WRITER_H
#define ASSAY_ORCHESTRATOR_STREAMS_EVENT_WRITER_H

#include "base/schema.h"
#include "http/stream.h"
#include "net/fetch.h"

struct event_writer {
    struct request *request;
    struct reply *reply;
    struct stream stream;
    bool open;
    bool spaced;     /* a blank behind each comma and colon */
    int64_t sent_at; /* monotonic microseconds */
    struct fetch_watch watch;
    struct text event, piece; /* of the event that is being written */
};

/* Sends nothing yet. The watch reports when the client has left, and sends pings in silence. */
void event_writer_start(struct event_writer *events, struct request *request, struct reply *reply,
                        bool spaced);

/* Writes the head of the answer, which goes out with the first event. False when the client has
 * left already. */
bool event_writer_open(struct event_writer *events);

/* Sends an object as an event; `name` NULL = data alone. False when the client has left. */
bool event_writer_send(struct event_writer *events, const char *name, const struct schema *schema,
                       const void *object);

/* Bytes as a text that lives until the next call. */
const char *event_writer_piece(struct event_writer *events, const char *bytes, size_t length);

/* Sends data that is no JSON. */
bool event_writer_send_text(struct event_writer *events, const char *text);

#endif
