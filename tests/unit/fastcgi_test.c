/* The FastCGI protocol over a pair of sockets: what nginx sends, what it never sends, and peers
 * that stop half way. */
#include "base/clock.h"
#include "base/schema.h"
#include "http/fastcgi.h"
#include "test.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct fastcgi request;
static unsigned char sent[512 * 1024];
static size_t sent_length;

static void add(const void *bytes, size_t length)
{
    memcpy(sent + sent_length, bytes, length);
    sent_length += length;
}

static void record_of(int type, int id, const void *content, size_t length, size_t padding)
{
    static const unsigned char zeros[255];
    const unsigned char header[8] = {1,
                                     (unsigned char)type,
                                     (unsigned char)(id >> 8),
                                     (unsigned char)id,
                                     (unsigned char)(length >> 8),
                                     (unsigned char)length,
                                     (unsigned char)padding,
                                     0};

    add(header, sizeof header);
    add(content, length);
    add(zeros, padding);
}

static void begin_of(int id)
{
    static const unsigned char responder_that_keeps[8] = {0, 1, 1};

    sent_length = 0;
    record_of(1, id, responder_that_keeps, 8, 0);
}

#define PARAMS(id, bytes) record_of(4, id, bytes, sizeof(bytes) - 1, 0)
#define STDIN(id, bytes) record_of(5, id, bytes, sizeof(bytes) - 1, 0)

/* Sends what was added and receives it; the other end of the connection, -1 when nothing came of
 * it. */
static int receive(bool close_after)
{
    int pair[2];
    int room = 1024 * 1024;
    bool received;

    request.timeouts = (struct fastcgi_timeouts){.receive = 50, .send = 50, .linger = 50};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
        abort();
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    CHECK_INT(write(pair[1], sent, sent_length), sent_length);
    if (close_after)
        shutdown(pair[1], SHUT_WR);
    received = fastcgi_receive(&request, pair[0]);
    if (received)
        return pair[1];
    close(pair[1]);
    return -1;
}

static bool refused(void)
{
    int peer = receive(false);

    if (peer < 0)
        return true;
    fastcgi_finish(&request);
    close(peer);
    return false;
}

TEST(parameters_become_strings)
{
    int peer;

    begin_of(258);
    record_of(4, 258,
              "\x01\x01"
              "ab"
              "\x02\x00",
              6, 3); /* cut inside a pair, padded */
    record_of(4, 258,
              "cd"
              "\x80\x00\x00\x03\x02"
              "efggh"
              "\x01\x02"
              "axx",
              17, 0);
    PARAMS(258, "");
    STDIN(258, "");
    peer = receive(false);
    CHECK(peer >= 0);
    CHECK_TEXT(fastcgi_variable(&request, "a"), "b"); /* the first of two */
    CHECK_TEXT(fastcgi_variable(&request, "cd"), "");
    CHECK_TEXT(fastcgi_variable(&request, "efg"), "gh");
    CHECK(fastcgi_variable(&request, "b") == NULL);
    CHECK(fastcgi_variable(&request, "") == NULL);
    fastcgi_finish(&request);
    close(peer);
}

TEST(lengths_beyond_the_parameters_are_refused)
{
    static const char *const bad[] = {"\x05\x01"
                                      "ab",
                                      "\x01\x05"
                                      "ab",
                                      "\xff\xff\xff\xff\xff\xff\xff\xff",
                                      "\xff\xff\xff\xff\x01"
                                      "a",
                                      "\xbf\xff\xff\xff\xbf\xff\xff\xff"
                                      "a",
                                      "\x80\x01",
                                      "\x01",
                                      "\x01\x80\x01\x01"};

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        size_t length = i == 5 ? 2 : strlen(bad[i]);

        begin_of(1);
        record_of(4, 1, bad[i], length, 0);
        PARAMS(1, "");
        STDIN(1, "");
        CHECK(refused());
    }
}

TEST(a_nul_in_a_parameter_is_refused)
{
    begin_of(1);
    record_of(4, 1,
              "\x01\x05"
              "ab\0c\0d",
              8, 0);
    PARAMS(1, "");
    CHECK(refused());
}

TEST(parameters_whose_places_are_not_kept_are_found)
{
    unsigned char pair[] = {2, 2, 'n', 0, 'v', 0};
    int peer;

    begin_of(1);
    for (int i = 0; i < 2 * FASTCGI_NAMES_MAX; i++) {
        pair[3] = pair[5] = (unsigned char)(i % 255 + 1);
        record_of(4, 1, pair, sizeof pair, 0);
    }
    PARAMS(1, "\x04\x01lastx");
    PARAMS(1, "");
    STDIN(1, "");
    peer = receive(false);
    CHECK(peer >= 0);
    CHECK_TEXT(fastcgi_variable(&request, "n\x01"), "v\x01");
    CHECK_TEXT(fastcgi_variable(&request, "n\xff"), "v\xff");
    CHECK_TEXT(fastcgi_variable(&request, "last"), "x");
    CHECK(fastcgi_variable(&request, "n") == NULL);
    fastcgi_finish(&request);
    close(peer);
}

TEST(too_many_parameters_are_refused)
{
    static char large[65535];

    begin_of(1);
    for (int i = 0; i < 3; i++)
        record_of(4, 1, large, sizeof large, 0);
    CHECK(refused());
}

TEST(what_is_no_request_is_refused)
{
    static const unsigned char authorizer[8] = {0, 2};
    static const unsigned char http[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    sent_length = 0;
    record_of(1, 1, authorizer, 8, 0);
    PARAMS(1, "");
    CHECK(refused());
    sent_length = 0;
    PARAMS(1, ""); /* without a beginning */
    CHECK(refused());
    begin_of(1);
    PARAMS(2, ""); /* of another request */
    CHECK(refused());
    begin_of(1);
    STDIN(1, ""); /* before the end of the parameters */
    CHECK(refused());
    sent_length = 0;
    add(http, sizeof http - 1);
    CHECK(refused());
    sent_length = 0;
    CHECK(receive(true) < 0); /* nothing at all */
}

TEST(questions_about_ourselves_are_passed_over)
{
    int peer;

    begin_of(1);
    record_of(9, 0,
              "\x0e\x00"
              "FCGI_MAX_CONNS",
              16, 0);
    PARAMS(1, "\x01\x01"
              "ab");
    PARAMS(1, "");
    record_of(9, 0, "", 0, 8);
    STDIN(1, "");
    peer = receive(false);
    CHECK(peer >= 0);
    CHECK_TEXT(fastcgi_variable(&request, "a"), "b");
    fastcgi_finish(&request);
    close(peer);
}

TEST(a_silent_peer_is_left_after_its_time)
{
    int64_t started = clock_monotonic_microseconds();
    int64_t taken;

    begin_of(1);
    PARAMS(1, "\x01\x01"
              "ab");
    CHECK(refused());
    taken = clock_monotonic_microseconds() - started;
    CHECK(taken >= 50000 && taken < 5000000);
}

static long read_all(char *bytes, size_t size)
{
    long total = 0;

    for (;;) {
        long count = fastcgi_read(&request, bytes + total, size - (size_t)total);

        if (count < 0)
            return -1;
        if (count == 0)
            return total;
        total += count;
    }
}

TEST(a_body_is_read_over_its_records)
{
    static char large[60000];
    static char body[200000];
    int peer;

    memset(large, 'x', sizeof large);
    begin_of(7);
    PARAMS(7, "");
    STDIN(7, "hello ");
    record_of(5, 7, large, sizeof large, 7);
    STDIN(7, "end");
    STDIN(7, "");
    peer = receive(false);
    CHECK(peer >= 0);
    CHECK_INT(read_all(body, sizeof body), 6 + sizeof large + 3);
    CHECK(memcmp(body, "hello x", 7) == 0 && memcmp(body + 6 + sizeof large, "end", 3) == 0);
    CHECK_INT(fastcgi_read(&request, body, 1), 0);
    fastcgi_finish(&request);
    close(peer);
}

TEST(a_body_that_breaks_off_is_told_from_one_that_ends)
{
    char body[100];

    for (int closed = 0; closed < 2; closed++) {
        int peer;

        begin_of(7);
        PARAMS(7, "");
        STDIN(7, "hello");
        peer = receive(closed);
        CHECK(peer >= 0);
        CHECK_INT(read_all(body, sizeof body), -1);
        fastcgi_finish(&request);
        close(peer);
    }
    begin_of(7);
    PARAMS(7, "");
    STDIN(7, "hello");
    record_of(2, 7, "", 0, 0); /* the web server gives up */
    {
        int peer = receive(false);

        CHECK_INT(read_all(body, sizeof body), -1);
        fastcgi_finish(&request);
        close(peer);
    }
}

static int simple_request(void)
{
    begin_of(0x1234);
    PARAMS(0x1234, "");
    STDIN(0x1234, "");
    return receive(false);
}

TEST(an_answer_is_one_write_with_its_end)
{
    static const unsigned char expected[] =
        "\1\6\x12\x34\0\4\0\0head\1\6\x12\x34\0\4\0\0body"
        "\1\6\x12\x34\0\0\0\0\1\3\x12\x34\0\x08\0\0\0\0\0\0\0\0\0\0";
    unsigned char got[256];
    int peer = simple_request();

    CHECK(fastcgi_answer(&request, "head", 4, "body", 4));
    CHECK_INT(recv(peer, got, sizeof got, 0), sizeof expected - 1);
    CHECK(memcmp(got, expected, sizeof expected - 1) == 0);
    fastcgi_finish(&request);
    CHECK_INT(recv(peer, got, sizeof got, 0), 0);
    close(peer);
}

TEST(a_large_answer_waits_in_the_socket_while_nobody_reads)
{
    enum { LARGE = 150 * 1024 };
    static char body[LARGE], got[LARGE + 4096];
    int peer = simple_request();
    size_t total = 0;
    ssize_t count;

    memset(body, 'b', sizeof body);
    CHECK(fastcgi_answer(&request, "head", 4, body, sizeof body));
    fastcgi_finish(&request);
    while ((count = recv(peer, got + total, sizeof got - total, 0)) > 0)
        total += (size_t)count;
    CHECK_INT(total, 12 + LARGE + 3 * 8 + 8 + 16);
    CHECK(memcmp(got + total - 16, "\1\3\x12\x34\0\x08\0\0", 8) == 0);
    close(peer);
}

TEST(a_peer_that_takes_nothing_is_left_after_its_time)
{
    static char body[32 * 1024 * 1024];
    int peer = simple_request();
    int64_t started = clock_monotonic_microseconds();

    CHECK(!fastcgi_answer(&request, "head", 4, body, sizeof body));
    fastcgi_finish(&request);
    CHECK(clock_monotonic_microseconds() - started < 5000000);
    close(peer);
}

TEST(a_peer_that_is_gone_is_noticed)
{
    int peer = simple_request();

    close(peer);
    CHECK(!fastcgi_answer(&request, "head", 4, "body", 4));
    fastcgi_finish(&request);
}

TEST(an_unread_body_is_taken_before_closing)
{
    static char large[60000];
    char got[4096];
    int peer;

    begin_of(1);
    PARAMS(1, "");
    for (int i = 0; i < 4; i++)
        record_of(5, 1, large, sizeof large, 0);
    STDIN(1, "");
    peer = receive(false);
    CHECK(fastcgi_answer(&request, "head", 4, "body", 4));
    fastcgi_finish(&request);
    CHECK(recv(peer, got, sizeof got, 0) > 0);
    CHECK_INT(recv(peer, got, sizeof got, 0), 0); /* an end, not a reset */
    close(peer);
}

TEST_MAIN(CASE(parameters_become_strings), CASE(lengths_beyond_the_parameters_are_refused),
          CASE(a_nul_in_a_parameter_is_refused),
          CASE(parameters_whose_places_are_not_kept_are_found),
          CASE(too_many_parameters_are_refused), CASE(what_is_no_request_is_refused),
          CASE(questions_about_ourselves_are_passed_over),
          CASE(a_silent_peer_is_left_after_its_time), CASE(a_body_is_read_over_its_records),
          CASE(a_body_that_breaks_off_is_told_from_one_that_ends),
          CASE(an_answer_is_one_write_with_its_end),
          CASE(a_large_answer_waits_in_the_socket_while_nobody_reads),
          CASE(a_peer_that_takes_nothing_is_left_after_its_time),
          CASE(a_peer_that_is_gone_is_noticed), CASE(an_unread_body_is_taken_before_closing))
