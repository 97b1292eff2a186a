/* A stream to a client that is told of a chat: opened late, kept alive, and watched for its end. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_EVENT_WRITER_H
#define ASSAY_ORCHESTRATOR_STREAMS_EVENT_WRITER_H

#include "base/json.h"
#include "http/stream.h"
#include "net/fetch.h"

struct event_writer {
    struct request *request;
    struct reply *reply;
    struct stream stream;
    bool open;
    int64_t sent_at; /* monotonic microseconds */
    struct fetch_watch watch;
    /* Of the event that is being written. */
    struct text text;
    struct json_writer writer;
};

/* Nothing is sent yet; the watch says when the client has left, and pings in silence. */
void event_writer_start(struct event_writer *events, struct request *request, struct reply *reply);

/* The head of the answer, which goes out with the first event; false when the client has left
 * already. */
bool event_writer_open(struct event_writer *events);

/* An event: begun, filled in through the writer, sent. `name` NULL = data alone. */
struct json_writer *event_writer_begin(struct event_writer *events, bool spaced);
bool event_writer_send(struct event_writer *events, const char *name);

/* Data that is no JSON of ours. */
bool event_writer_send_text(struct event_writer *events, const char *text);

#endif
