/* Private to common/orchestrator/browser: messages between workers and the browser's process, over
 * a non-blocking Unix socket: four bytes of length in big-endian order, then a JSON document. Open
 * files are sent with the first bytes. */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_WIRE_H
#define ASSAY_ORCHESTRATOR_BROWSER_WIRE_H

#include "net/local_socket.h"

#include <stdbool.h>
#include <stddef.h>

enum { WIRE_MESSAGE_MAX = 32 << 20, WIRE_FILES_MAX = LOCAL_SOCKET_FILES_MAX };

/* Zeroed except for the descriptor, it has received and sent nothing. */
struct wire {
    int fd;
    char *in;
    size_t in_length, in_capacity;
    int in_files[WIRE_FILES_MAX]; /* received files, closed with the wire */
    size_t in_file_count;
    char *out;
    size_t out_at, out_length;
    int out_files[WIRE_FILES_MAX]; /* owned by the caller, until the message is sent */
    size_t out_file_count;
};

/* Adds files to the next message; false when there are too many. */
bool wire_attach(struct wire *wire, const int *files, size_t count);

/* Sends a message; wire_flush() sends the part that the socket does not accept at once. One message
 * at a time. False when it is too long or the peer has disconnected. */
bool wire_send(struct wire *wire, const char *json, size_t length);
bool wire_flush(struct wire *wire);
bool wire_is_sending(const struct wire *wire);

/* Receives available bytes; false when the peer has disconnected or sent an invalid message. */
bool wire_receive(struct wire *wire);

/* The received message, once it is complete; valid until the wire is closed. */
bool wire_message(const struct wire *wire, const char **json, size_t *length);

/* Closes the socket and the files, and resets the wire. */
void wire_close(struct wire *wire);

#endif
