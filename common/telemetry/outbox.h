/*
 * Messages from the workers of a stack to one of its exporters, over a socket of the run directory.
 * Sending never waits: without an exporter, or with one that is slow, messages are dropped, and
 * the log says how many. The kernel bounds what is under way (some 200 KiB for each worker).
 */
#ifndef ASSAY_TELEMETRY_OUTBOX_H
#define ASSAY_TELEMETRY_OUTBOX_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTBOX_MESSAGE_MAX = 65536 /* bytes; longer messages are dropped */ };

struct outbox {
    char path[108];
    int socket;       /* -1 = not connected */
    int64_t tried_at; /* monotonic microseconds */
    uint64_t dropped; /* messages that the log has not told yet */
    int64_t told_at;  /* monotonic microseconds, of the line, or of the first drop */
};

/* For the socket `name` of the run directory. Connects with the first message. */
void outbox_open(struct outbox *outbox, const char *run_directory, const char *name);
void outbox_close(struct outbox *outbox);

/* False when the message was dropped. */
bool outbox_send(struct outbox *outbox, const void *bytes, size_t length);

/* The exporter's side. */
struct inbox;

/* ERROR_SYSTEM socket_not_open. */
MUST_CHECK enum error inbox_open(const char *run_directory, const char *name, struct inbox **inbox,
                                 struct problem *problem);
void inbox_close(struct inbox *inbox);

/* Waits at most so long for messages, and takes those that are there, at most `most`. Returns their
 * number. */
size_t inbox_receive(struct inbox *inbox, int milliseconds, size_t most,
                     void (*take)(const void *bytes, size_t length, void *context), void *context);

#endif
