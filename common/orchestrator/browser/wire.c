/* Frames over a socket. Must not know what they say. */
#include "orchestrator/browser/wire.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 4, STEP = 65536 };

static size_t length_of(const char *head)
{
    const unsigned char *bytes = (const unsigned char *)head;

    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

bool wire_say(struct wire *wire, const char *json, size_t length)
{
    if (wire->out || length > WIRE_MESSAGE_MAX)
        return false;
    wire->out = malloc(length + HEAD);
    if (!wire->out)
        return false;
    for (int i = 0; i < HEAD; i++)
        wire->out[i] = (char)(length >> (24 - 8 * i) & 0xff);
    memcpy(wire->out + HEAD, json, length);
    wire->out_at = 0;
    wire->out_length = length + HEAD;
    return wire_push(wire);
}

bool wire_is_pushing(const struct wire *wire)
{
    return wire->out_at < wire->out_length;
}

bool wire_push(struct wire *wire)
{
    while (wire_is_pushing(wire)) {
        ssize_t count = send(wire->fd, wire->out + wire->out_at, wire->out_length - wire->out_at,
                             MSG_NOSIGNAL | MSG_DONTWAIT);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return true;
        if (count <= 0)
            return false;
        wire->out_at += (size_t)count;
    }
    return true;
}

bool wire_pull(struct wire *wire)
{
    for (;;) {
        ssize_t count;

        if (wire->in_capacity - wire->in_length < STEP) {
            char *larger = wire->in_capacity > (size_t)WIRE_MESSAGE_MAX + STEP
                               ? NULL
                               : realloc(wire->in, wire->in_capacity * 2 + STEP);

            if (!larger)
                return false;
            wire->in = larger;
            wire->in_capacity = wire->in_capacity * 2 + STEP;
        }
        count = recv(wire->fd, wire->in + wire->in_length, wire->in_capacity - wire->in_length,
                     MSG_DONTWAIT);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            break;
        if (count <= 0)
            return false;
        wire->in_length += (size_t)count;
    }
    return wire->in_length < HEAD || length_of(wire->in) <= WIRE_MESSAGE_MAX;
}

bool wire_heard(const struct wire *wire, const char **json, size_t *length)
{
    if (wire->in_length < HEAD || wire->in_length - HEAD < length_of(wire->in))
        return false;
    *json = wire->in + HEAD;
    *length = length_of(wire->in);
    return true;
}

void wire_end(struct wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    free(wire->in);
    free(wire->out);
    *wire = (struct wire){.fd = -1};
}
