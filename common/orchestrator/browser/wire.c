/* Frames over a socket. Does not depend on their content. */
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

bool wire_send(struct wire *wire, const char *json, size_t length)
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
    return wire_flush(wire);
}

bool wire_is_sending(const struct wire *wire)
{
    return wire->out_at < wire->out_length;
}

bool wire_attach(struct wire *wire, const int *files, size_t count)
{
    if (count > WIRE_FILES_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        wire->out_files[i] = files[i];
    wire->out_file_count = count;
    return true;
}

static ssize_t send_part(const struct wire *wire)
{
    return local_socket_send(wire->fd, wire->out + wire->out_at, wire->out_length - wire->out_at,
                             wire->out_files, wire->out_at ? 0 : wire->out_file_count,
                             MSG_DONTWAIT);
}

bool wire_flush(struct wire *wire)
{
    while (wire_is_sending(wire)) {
        ssize_t count = send_part(wire);

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

bool wire_receive(struct wire *wire)
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
        count = local_socket_receive(wire->fd, wire->in + wire->in_length,
                                     wire->in_capacity - wire->in_length, wire->in_files,
                                     &wire->in_file_count, MSG_DONTWAIT);
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

bool wire_message(const struct wire *wire, const char **json, size_t *length)
{
    if (wire->in_length < HEAD || wire->in_length - HEAD < length_of(wire->in))
        return false;
    *json = wire->in + HEAD;
    *length = length_of(wire->in);
    return true;
}

void wire_close(struct wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    for (size_t i = 0; i < wire->in_file_count; i++)
        close(wire->in_files[i]);
    free(wire->in);
    free(wire->out);
    *wire = (struct wire){.fd = -1};
}
