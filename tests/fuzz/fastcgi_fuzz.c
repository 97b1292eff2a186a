/* Any bytes from the web server's side of a FastCGI connection. What makes a request has names and
 * values that end, a body no longer than what was sent, and an answer of whole records. */
#include "fuzz.h"

#include "http/fastcgi.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INPUT_MAX = 60000, ANSWER_MAX = 1 << 17, HEADER = 8, STDOUT = 6, END_REQUEST = 3 };

static struct fastcgi request = {.timeouts = {.receive = 50, .send = 50, .linger = 1}};

/* Every record is of this request, output until an empty record, then the end and nothing more. */
static void check_answer(const unsigned char *bytes, size_t length, size_t expected)
{
    size_t at = 0, output = 0;
    bool ended = false;

    while (at + HEADER <= length) {
        const unsigned char *header = bytes + at;
        size_t content = header[4] * 256U + header[5];

        PROMISE(!ended, "nothing follows the end");
        PROMISE(header[0] == 1 && header[2] * 256U + header[3] == request.id,
                "a record is of this request");
        PROMISE(header[1] == STDOUT || header[1] == END_REQUEST, "a record is of an answer");
        ended = header[1] == END_REQUEST;
        output += ended ? 0 : content;
        at += HEADER + content + header[6];
    }
    PROMISE(at == length && ended, "an answer is whole records to its end");
    PROMISE(output == expected, "an answer holds what was given");
}

static size_t read_all(int connection, unsigned char *bytes, size_t size)
{
    size_t length = 0;
    ssize_t count;

    while (length < size && (count = read(connection, bytes + length, size - length)) > 0)
        length += (size_t)count;
    return length;
}

static void serve(int connection, size_t sent)
{
    static const char *const names[] = {"REQUEST_METHOD", "QUERY_STRING", "HTTP_HOST", ""};
    static unsigned char answer[ANSWER_MAX];
    static char body[INPUT_MAX + 1];
    size_t length = 0, shown = 0;
    long count;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = fastcgi_variable(&request, names[i]);

        shown += value ? strlen(value) : 0;
    }
    PROMISE(shown <= sent, "values are no longer than what was sent");
    while ((count = fastcgi_read(&request, body + length, sizeof body - length)) > 0)
        length += (size_t)count;
    PROMISE(length <= sent, "a body is no longer than what was sent");
    if (fastcgi_answer(&request, "Status: 200\r\n\r\n", 15, body, length)) {
        fastcgi_finish(&request);
        check_answer(answer, read_all(connection, answer, sizeof answer), 15 + length);
    } else {
        fastcgi_finish(&request);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int pair[2];

    if (size > INPUT_MAX || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 0;
    if (send(pair[0], data, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size) {
        shutdown(pair[0], SHUT_WR);
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
        if (fastcgi_receive(&request, pair[1]))
            serve(pair[0], size);
    } else {
        close(pair[1]);
    }
    close(pair[0]);
    return 0;
}
