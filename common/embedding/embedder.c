/* Calls the embedder over its sockets. */
#include "embedding/embedder.h"
#include "base/clock.h"
#include "embedding/protocol.h"
#include "net/local_socket.h"
#include "search/vector.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char embedder_questions_socket[] = "embedder.sock";
const char embedder_passages_socket[] = "embedder-passages.sock";

enum {
    SOCKET_PATH_MAX = 4096,
    PASSAGE_MILLISECONDS = 60000, /* at idle priority on a busy machine */
    REQUEST_MAX = (int)sizeof(struct embedder_request) + EMBEDDER_TEXT_MAX
};

static int64_t end_after(int64_t milliseconds)
{
    return clock_monotonic_microseconds() + milliseconds * 1000;
}

static int reach(const char *run_directory, const char *name)
{
    char path[SOCKET_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", run_directory ? run_directory : "run", name);
    return local_socket_connect(path, SOCK_NONBLOCK | LOCAL_MESSAGES);
}

static bool send_text(int socket, const char *text)
{
    char message[REQUEST_MAX];
    size_t length = strnlen(text, EMBEDDER_TEXT_MAX);
    const struct embedder_request request = {EMBEDDER_PROTOCOL, (uint32_t)length};

    memcpy(message, &request, sizeof request);
    memcpy(message + sizeof request, text, length);
    length += sizeof request;
    return send(socket, message, length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)length;
}

static bool is_whole(const struct embedder_reply *reply)
{
    return reply->protocol == EMBEDDER_PROTOCOL &&
           memchr(reply->vector.model, '\0', sizeof reply->vector.model) != NULL &&
           *reply->vector.model && (!reply->embedded || search_vector_present(reply->vector.row));
}

static const char *exchange(int socket, const char *text, int64_t end, struct embedder_reply *reply)
{
    ssize_t length;

    if (!send_text(socket, text))
        return "away";
    if (!local_socket_wait(socket, POLLIN, end))
        return "timeout";
    length = recv(socket, reply, sizeof *reply, MSG_DONTWAIT);
    if (length <= 0) /* the process has ended */
        return "away";
    return length == (ssize_t)sizeof *reply && is_whole(reply) ? NULL : "malformed";
}

static const char *ask(const char *run_directory, const char *text, struct embedder_reply *reply)
{
    const int64_t end = end_after(EMBEDDER_QUESTION_MILLISECONDS);
    int socket = reach(run_directory, embedder_questions_socket);
    const char *failure;

    if (socket < 0)
        return "away";
    failure = exchange(socket, text, end, reply);
    close(socket);
    return failure;
}

const char *embedder_question(const char *run_directory, const char *text,
                              struct embedder_vector *vector)
{
    struct embedder_reply reply;
    const char *failure = ask(run_directory, text, &reply);

    if (failure)
        return failure;
    *vector = reply.vector;
    return reply.embedded ? NULL : "malformed";
}

bool embedder_model(const char *run_directory, char model[EMBEDDER_MODEL_MAX])
{
    struct embedder_reply reply;

    if (ask(run_directory, "", &reply))
        return false;
    memcpy(model, reply.vector.model, EMBEDDER_MODEL_MAX);
    return true;
}

const char *embedder_passages(const char *run_directory, const char *const *texts, size_t count,
                              struct embedder_vector *vectors, size_t *done)
{
    int socket = reach(run_directory, embedder_passages_socket);
    const char *failure = socket < 0 ? "away" : NULL;
    struct embedder_reply reply;

    for (*done = 0; !failure && *done < count;) {
        failure = exchange(socket, *texts[*done] ? texts[*done] : " ",
                           end_after(PASSAGE_MILLISECONDS), &reply);
        if (!failure && !reply.embedded)
            failure = "malformed";
        if (!failure)
            vectors[(*done)++] = reply.vector;
    }
    if (socket >= 0)
        close(socket);
    return failure;
}
