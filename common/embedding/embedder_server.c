/* Reads texts from a socket and answers with their vectors. */
#include "embedding/embedder_server.h"
#include "base/clock.h"
#include "embedding/protocol.h"
#include "net/local_socket.h"
#include "search/vector.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    QUEUE = 64,
    SOCKET_PATH_MAX = 4096,
    ACCEPT_MILLISECONDS = 1000,
    QUESTION_MILLISECONDS = 50,   /* a caller sends its question at once */
    PASSAGE_MILLISECONDS = 10000, /* between two passages it writes to its database */
    MESSAGE_MAX = (int)sizeof(struct embedder_request) + EMBEDDER_TEXT_MAX
};

enum error embedder_listen(const char *run_directory, bool questions, int *listener,
                           struct problem *problem)
{
    char path[SOCKET_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", run_directory,
             questions ? embedder_questions_socket : embedder_passages_socket);
    return local_socket_listen(path, SOCK_NONBLOCK | LOCAL_MESSAGES, QUEUE, listener, problem);
}

static bool is_ready(int socket, int milliseconds)
{
    return local_socket_wait(socket, POLLIN,
                             clock_monotonic_microseconds() + milliseconds * INT64_C(1000));
}

/* A caller that has stopped waiting has closed its socket. */
static bool has_gone(int peer)
{
    struct pollfd look = {.fd = peer};

    return poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
}

static bool is_finite(const float floats[EMBEDDER_DIMENSION])
{
    double squares = 0;

    for (size_t i = 0; i < EMBEDDER_DIMENSION; i++)
        squares += (double)floats[i] * (double)floats[i];
    return isfinite(squares) && squares > 0;
}

static bool embed(struct encoder *encoder, const char *text, size_t length, bool is_question,
                  struct embedder_reply *reply)
{
    static char prepared[ENCODER_TEXT_BYTES];
    float floats[EMBEDDER_DIMENSION];

    encoder_prepare(text, length, prepared);
    if (!encoder_embed(encoder, prepared, is_question, floats) || !is_finite(floats))
        return false;
    search_vector_pack(floats, EMBEDDER_DIMENSION, reply->vector.row);
    return true;
}

/* One text. False when the caller has no more, or breaks the protocol. */
static bool answer(int peer, bool questions, struct encoder *encoder)
{
    static char message[MESSAGE_MAX];
    struct embedder_reply reply = {.protocol = EMBEDDER_PROTOCOL};
    struct embedder_request request;
    ssize_t length = is_ready(peer, questions ? QUESTION_MILLISECONDS : PASSAGE_MILLISECONDS)
                         ? recv(peer, message, sizeof message, MSG_DONTWAIT | MSG_TRUNC)
                         : 0;

    if (length < (ssize_t)sizeof request || length > (ssize_t)sizeof message || has_gone(peer))
        return false;
    memcpy(&request, message, sizeof request);
    if (request.protocol != EMBEDDER_PROTOCOL || request.length + sizeof request != (size_t)length)
        return false;
    snprintf(reply.vector.model, sizeof reply.vector.model, "%s", encoder_model(encoder));
    reply.embedded = request.length &&
                     embed(encoder, message + sizeof request, request.length, questions, &reply);
    return send(peer, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof reply;
}

void embedder_serve(int listener, bool questions, struct encoder *encoder)
{
    int peer =
        is_ready(listener, ACCEPT_MILLISECONDS) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;

    if (peer < 0)
        return;
    while (answer(peer, questions, encoder) && !questions)
        continue;
    close(peer);
}
