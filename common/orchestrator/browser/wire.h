/* Private to common/orchestrator/browser: messages between workers and the browser's process, over
 * a Unix socket that never blocks: four bytes of length, the highest first, and a JSON document;
 * open files go with the first of them. */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_WIRE_H
#define ASSAY_ORCHESTRATOR_BROWSER_WIRE_H

#include "net/local_socket.h"

#include <stdbool.h>
#include <stddef.h>

enum { WIRE_MESSAGE_MAX = 32 << 20, WIRE_FILES_MAX = LOCAL_SOCKET_FILES_MAX };

/* Zeroed but for the descriptor, it has received and sent nothing. */
struct wire {
    int fd;
    char *in;
    size_t in_length, in_capacity;
    int in_files[WIRE_FILES_MAX]; /* that have come, closed with the wire */
    size_t in_file_count;
    char *out;
    size_t out_at, out_length;
    int out_files[WIRE_FILES_MAX]; /* the caller's, until the message is out */
    size_t out_file_count;
};

/* Files that go with the next message; false when they are too many. */
bool wire_attach(struct wire *wire, const int *files, size_t count);

/* Sends a message; wire_flush() sends what the socket does not take at once. One at a time. False
 * when it is too long or the other side is gone. */
bool wire_send(struct wire *wire, const char *json, size_t length);
bool wire_flush(struct wire *wire);
bool wire_is_sending(const struct wire *wire);

/* Takes what has come; false when the other side is gone or talks nonsense. */
bool wire_receive(struct wire *wire);

/* The message that has come, once it is whole; the wire's until it is ended. */
bool wire_message(const struct wire *wire, const char **json, size_t *length);

/* Closes and forgets all. */
void wire_close(struct wire *wire);

#endif
