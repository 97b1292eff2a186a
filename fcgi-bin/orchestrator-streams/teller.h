/* A stream to a client that is told of a chat: opened late, kept alive, and watched for its end. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_TELLER_H
#define ASSAY_ORCHESTRATOR_STREAMS_TELLER_H

#include "base/json.h"
#include "http/stream.h"
#include "net/fetch.h"

struct teller {
    struct request *request;
    struct reply *reply;
    struct stream stream;
    bool open;
    int64_t told_at; /* monotonic microseconds */
    struct fetch_watch watch;
    /* Of the event that is being written. */
    struct text text;
    struct json_writer writer;
};

/* Nothing is sent yet; the watch says when the client has left, and pings in silence. */
void teller_start(struct teller *teller, struct request *request, struct reply *reply);

/* The head of the answer, which goes out with the first event; false when the client has left
 * already. */
bool teller_open(struct teller *teller);

/* An event: begun, filled in through the writer, sent. `name` NULL = data alone. */
struct json_writer *teller_begin(struct teller *teller, bool spaced);
bool teller_send(struct teller *teller, const char *name);

/* Data that is no JSON of ours. */
bool teller_send_text(struct teller *teller, const char *text);

#endif
