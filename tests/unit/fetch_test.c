/* Calls to services outside, against a scripted server on the loopback interface: what comes back
 * of every way in which the other side can misbehave, and that it comes back in time. */
#include "net/fetch.h"

#include "base/clock.h"
#include "net/transfer.h"
#include "shm_children.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#define OK_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

/* Answers the n-th connection with the n-th text, the last one for all that follow; "hang" answers
 * nothing. What was asked last stands in shared memory. */
struct server {
    pid_t pid;
    int port;
    struct heard {
        int connections;
        char request[4096];
    } * heard;
};

static void answer_one(int connection, const char *answer, struct heard *heard)
{
    ssize_t count = read(connection, heard->request, sizeof heard->request - 1);

    heard->request[count > 0 ? count : 0] = '\0';
    heard->connections++;
    if (strcmp(answer, "hang") == 0)
        pause();
    if (write(connection, answer, strlen(answer)) >= 0)
        shutdown(connection, SHUT_WR);
    while (read(connection, heard->request + 2048, 1) > 0)
        continue;
    close(connection);
}

static int listen_anywhere(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 16) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        abort();
    *port = ntohs(address.sin_port);
    return listener;
}

static struct server serve(const char *const *answers, int count)
{
    struct server server;
    int listener = listen_anywhere(&server.port);

    server.heard =
        mmap(NULL, sizeof *server.heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(stdout);
    server.pid = fork();
    for (int n = 0; server.pid == 0; n++) {
        int connection = accept(listener, NULL, NULL);

        if (connection >= 0)
            answer_one(connection, answers[n < count ? n : count - 1], server.heard);
    }
    close(listener);
    return server;
}

#define SERVE(...)                                                                                 \
    serve((const char *const[]){__VA_ARGS__},                                                      \
          (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

static void stop(struct server *server)
{
    end_child(server->pid);
    munmap(server->heard, sizeof *server->heard);
}

static struct arena *arena;
static double seconds_taken;
static volatile bool names_hang;

/* What a name server says of rebind*.test, once each; the last goes on. */
static const char *const *volatile rebinding;
static volatile int lookups;

/* Stands before libc's, under its symbol: looking a name up takes long while `names_hang`, and one
 * name is somewhere else each time. */
int look_up_slowly(const char *name, const char *service, const struct addrinfo *hints,
                   struct addrinfo **found) __asm__("getaddrinfo");

int look_up_slowly(const char *name, const char *service, const struct addrinfo *hints,
                   struct addrinfo **found)
{
    int (*genuine)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (__typeof__(genuine))dlsym(RTLD_NEXT, "getaddrinfo");

    if (names_hang)
        nanosleep(&(struct timespec){.tv_sec = 30}, NULL);
    if (rebinding && name && strncmp(name, "rebind", 6) == 0) {
        lookups++;
        name = rebinding[0];
        if (rebinding[1])
            rebinding++;
    }
    return genuine(name, service, hints, found);
}

static struct fetch_request request_to(int port)
{
    static char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%d/path", port);
    return (struct fetch_request){.url = url,
                                  .body = "{}",
                                  .body_length = 2,
                                  .answer_max = 1000,
                                  .private_too = true,
                                  .policy = {.connect_seconds = 5,
                                             .attempt_seconds = 5,
                                             .total_seconds = 10,
                                             .attempts = 3,
                                             .first_pause_seconds = 0.001,
                                             .pause_factor = 2,
                                             .retry_after_seconds = 1}};
}

static struct fetch_answer run(const struct fetch_request *request)
{
    struct fetch_answer answer;
    int64_t started = clock_monotonic_microseconds();

    fetch(arena, request, &answer);
    seconds_taken = (double)(clock_monotonic_microseconds() - started) / 1e6;
    return answer;
}

TEST(an_answer)
{
    struct server server = SERVE(OK_ANSWER);
    struct fetch_request request = request_to(server.port);
    struct fetch_answer answer;

    request.headers[0] = (struct fetch_header){"Authorization", "Bearer abc"};
    request.headers[1] = (struct fetch_header){"Content-Type", "application/json"};
    request.header_count = 2;
    answer = run(&request);
    CHECK_TEXT(fetch_outcome_name(answer.outcome), "answered");
    CHECK_INT(answer.status, 200);
    CHECK_INT(answer.length, 2);
    CHECK_TEXT(answer.body, "ok");
    CHECK_INT(answer.attempts, 1);
    CHECK(strncmp(server.heard->request, "POST /path HTTP/1.1\r\n", 21) == 0);
    CHECK(strstr(server.heard->request, "\r\nAuthorization: Bearer abc\r\n"));
    CHECK(strstr(server.heard->request, "\r\nContent-Type: application/json\r\n"));
    CHECK(!strstr(server.heard->request, "Expect"));
    CHECK(!strstr(server.heard->request, "Accept-Encoding"));
    stop(&server);
}

TEST(get_without_a_body)
{
    struct server server = SERVE(OK_ANSWER);
    struct fetch_request request = request_to(server.port);

    request.body = NULL;
    CHECK_INT(run(&request).status, 200);
    CHECK(strncmp(server.heard->request, "GET /path ", 10) == 0);
    stop(&server);
}

/* Statuses, and whether a second attempt follows. */
TEST(statuses_that_may_pass_are_tried_again)
{
    static const struct {
        int status;
        bool again;
    } cases[] = {{302, false}, {400, false}, {401, false}, {403, false}, {404, false}, {408, true},
                 {413, false}, {422, false}, {425, true},  {429, true},  {500, true},  {501, false},
                 {502, true},  {503, true},  {504, true},  {505, false}, {529, true}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char first[160];
        struct server server;
        struct fetch_answer answer;
        struct fetch_request request;

        snprintf(first, sizeof first,
                 "HTTP/1.1 %d X\r\nContent-Length: 1\r\nLocation: /other\r\n\r\nx",
                 cases[i].status);
        server = SERVE(first, OK_ANSWER);
        request = request_to(server.port);
        answer = run(&request);
        CHECK_INT(answer.outcome, FETCH_ANSWERED);
        CHECK_INT(answer.status, cases[i].again ? 200 : cases[i].status);
        CHECK_INT(answer.attempts, cases[i].again ? 2 : 1);
        CHECK_INT(server.heard->connections, answer.attempts);
        stop(&server);
    }
}

TEST(attempts_end)
{
    struct server server = SERVE("HTTP/1.1 500 X\r\nContent-Length: 5\r\n\r\nsorry");
    struct fetch_request request = request_to(server.port);
    struct fetch_answer answer = run(&request);

    CHECK_INT(answer.status, 500);
    CHECK_INT(answer.attempts, 3);
    CHECK_TEXT(answer.body, "sorry");
    CHECK_INT(server.heard->connections, 3);
    stop(&server);
}

TEST(pauses_grow_and_keep_to_what_is_left)
{
    const struct fetch_policy policy = {
        .attempts = 5, .first_pause_seconds = 0.1, .pause_factor = 2, .retry_after_seconds = 20};
    const struct fetch_policy capped = {
        .attempts = 4, .first_pause_seconds = 1, .pause_factor = 2, .most_pause_seconds = 3};
    const struct fetch_policy jittered = {.attempts = 4,
                                          .first_pause_seconds = 1,
                                          .pause_factor = 2,
                                          .most_pause_seconds = 1.25,
                                          .jitter = true};
    double least = 60, most = 0;

    CHECK_NEAR(fetch_pause(&policy, 1, 0, 60), 0.1, 1e-12);
    CHECK_NEAR(fetch_pause(&policy, 2, 0, 60), 0.2, 1e-12);
    CHECK_NEAR(fetch_pause(&policy, 4, 0, 60), 0.8, 1e-12);
    CHECK_NEAR(fetch_pause(&policy, 1, 7, 60), 7, 1e-12);
    CHECK_NEAR(fetch_pause(&policy, 1, 20, 60), 20, 1e-12);
    CHECK_NEAR(fetch_pause(&policy, 4, 0.5, 60), 0.8, 1e-12);
    CHECK(fetch_pause(&policy, 1, 21, 60) < 0); /* told to come back too late */
    CHECK_NEAR(fetch_pause(&capped, 1, 0, 60), 1, 1e-12);
    CHECK_NEAR(fetch_pause(&capped, 2, 0, 60), 2, 1e-12);
    CHECK_NEAR(fetch_pause(&capped, 3, 0, 60), 3, 1e-12);
    for (int i = 0; i < 100; i++) {
        double pause = fetch_pause(&jittered, 1, 0, 60);

        CHECK(pause >= 0.5 && pause <= 1.25);
        least = fmin(least, pause);
        most = fmax(most, pause);
    }
    CHECK(most > least);
    CHECK(fetch_pause(&policy, 1, 7, 7) < 0);  /* no time left for the attempt */
    CHECK(fetch_pause(&policy, 5, 0, 60) < 0); /* it was the last */
}

TEST(retry_after_is_honoured_up_to_its_cap)
{
    struct server server =
        SERVE("HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", OK_ANSWER);
    struct fetch_request request = request_to(server.port);
    struct fetch_answer answer = run(&request);

    CHECK_INT(answer.status, 200);
    CHECK(seconds_taken >= 0.99);
    stop(&server);

    server = SERVE("HTTP/1.1 429 X\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n", OK_ANSWER);
    request = request_to(server.port);
    answer = run(&request);
    CHECK_INT(answer.status, 429);
    CHECK_NEAR(answer.retry_after, 2, 0);
    CHECK_INT(answer.attempts, 1);
    stop(&server);
}

TEST(broken_answers)
{
    static const char *const answers[] = {
        "",
        "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    };

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct server server = SERVE(answers[i]);
        struct fetch_request request = request_to(server.port);
        struct fetch_answer answer = run(&request);

        CHECK_TEXT(fetch_outcome_name(answer.outcome), "broken");
        CHECK_INT(answer.status, 0);
        CHECK_INT(answer.length, 0);
        CHECK_INT(answer.attempts, 3);
        stop(&server);
    }
}

TEST(answers_have_a_cap)
{
    char large[2000];
    struct server server;
    struct fetch_request request;

    snprintf(large, sizeof large, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%01001d", 0);
    server = SERVE(large);
    request = request_to(server.port);
    CHECK_INT(run(&request).outcome, FETCH_TOO_LARGE);
    CHECK_INT(server.heard->connections, 1);
    request.may_be_cut = true;
    CHECK_INT(run(&request).outcome, FETCH_ANSWERED);
    CHECK_INT(run(&request).length, 1000);
    CHECK(run(&request).cut);
    request.answer_max = 1001;
    CHECK_INT(run(&request).length, 1001);
    CHECK(!run(&request).cut);
    stop(&server);
}

TEST(headers_have_a_cap)
{
    static char large[FETCH_HEADER_BYTES_MAX * 2];
    struct server server;
    struct fetch_request request;
    size_t length = (size_t)snprintf(large, sizeof large, "HTTP/1.1 200 OK\r\n");

    while (length < FETCH_HEADER_BYTES_MAX + 1000)
        length += (size_t)snprintf(large + length, sizeof large - length, "X-Long: %0500d\r\n", 0);
    snprintf(large + length, sizeof large - length, "Content-Length: 0\r\n\r\n");
    server = SERVE(large);
    request = request_to(server.port);
    CHECK_INT(run(&request).outcome, FETCH_TOO_LARGE);
    stop(&server);
}

TEST(silence_ends_the_attempt_and_all_of_it)
{
    struct server server = SERVE("hang");
    struct fetch_request request = request_to(server.port);

    request.policy.attempt_seconds = 0.1;
    request.policy.total_seconds = 0.25;
    CHECK_INT(run(&request).outcome, FETCH_TIMED_OUT);
    CHECK(seconds_taken >= 0.1 && seconds_taken < 5);
    request.policy.total_seconds = 0;
    CHECK_INT(run(&request).attempts, 0);
    stop(&server);
}

TEST(silent_name_servers_do_not_hold_the_call)
{
    struct fetch_request request = request_to(1);

    request.url = "http://names.invalid:1/";
    request.policy.attempt_seconds = 0.1;
    request.policy.attempts = 1;
    names_hang = true;
    CHECK_TEXT(fetch_outcome_name(run(&request).outcome), "timed_out");
    names_hang = false;
    CHECK(seconds_taken < 25);
}

TEST(nobody_listens)
{
    int port, listener = listen_anywhere(&port);
    struct fetch_request request = request_to(port);
    struct fetch_answer answer;

    close(listener);
    answer = run(&request);
    CHECK_TEXT(fetch_outcome_name(answer.outcome), "unreachable");
    CHECK_INT(answer.attempts, 3);
}

TEST(addresses_are_guarded_when_connecting)
{
    struct server server = SERVE(OK_ANSWER);
    struct fetch_request request = request_to(server.port);
    char url[80];

    request.private_too = false;
    CHECK_TEXT(fetch_outcome_name(run(&request).outcome), "forbidden");
    snprintf(url, sizeof url, "http://localhost:%d/", server.port); /* by name too */
    request.url = url;
    CHECK_INT(run(&request).outcome, FETCH_FORBIDDEN);
    snprintf(url, sizeof url, "http://0x7f000001:%d/", server.port);
    CHECK_INT(run(&request).outcome, FETCH_FORBIDDEN);
    snprintf(url, sizeof url, "http://[::ffff:127.0.0.1]:%d/", server.port);
    CHECK_INT(run(&request).outcome, FETCH_FORBIDDEN);
    request.private_too = true;
    request.url = "http://169.254.169.254/latest/";
    CHECK_INT(run(&request).outcome, FETCH_FORBIDDEN);
    CHECK_INT(server.heard->connections, 0);
    stop(&server);
}

/* The first look-up is harmless, as one that checks a name beforehand would find it; the next leads
 * elsewhere. What counts is the address of each connection: the one that was judged, or one that is
 * judged again. */
TEST(names_that_are_bound_anew_are_judged_again)
{
    static const char *const moves[][3] = {{"127.0.0.1", "169.254.169.254"},
                                           {"127.0.0.1", "0.0.0.0"},
                                           {"127.0.0.1", "224.0.0.1"},
                                           {"127.0.0.1", "::ffff:169.254.169.254"},
                                           {"127.0.0.1", "fe80::1"}};
    struct server server =
        SERVE("HTTP/1.1 200 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    struct fetch_request request = request_to(server.port);
    char url[64];

    request.url = url;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        int before = server.heard->connections;

        rebinding = moves[i];
        lookups = 0;
        snprintf(url, sizeof url, "http://rebind%zu.test:%d/", i, server.port);
        CHECK_INT(run(&request).status, 200);
        CHECK_INT(run(&request).status,
                  200); /* what was found is kept: the address that was judged */
        CHECK_INT(lookups, 1);
        CHECK_INT(server.heard->connections, before + 2);
        snprintf(url, sizeof url, "http://rebind%zu.test:1/", i); /* looked up anew */
        CHECK_TEXT(fetch_outcome_name(run(&request).outcome), "forbidden");
        CHECK_INT(lookups, 2);
    }
    rebinding = moves[0];
    snprintf(url, sizeof url, "http://rebind.test:%d/", server.port);
    request.private_too = false;
    CHECK_TEXT(fetch_outcome_name(run(&request).outcome), "forbidden");
    rebinding = NULL;
    stop(&server);
}

TEST(what_cannot_be_sent)
{
    static const char *const urls[] = {"",
                                       "no url",
                                       "ftp://127.0.0.1/",
                                       "file:///etc/passwd",
                                       "http://user:secret@127.0.0.1/",
                                       "http://user@127.0.0.1/",
                                       "http://",
                                       "http://127.0.0.1:99999/"};
    static const char *const values[] = {"a\r\nHost: b", "a\nb", "\xc3\xa9", "\x7f"};

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        struct fetch_request request = request_to(1);

        request.url = urls[i];
        CHECK_TEXT(fetch_outcome_name(run(&request).outcome), "invalid");
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct fetch_request request = request_to(1);

        request.headers[0] = (struct fetch_header){"X-Token", values[i]};
        request.header_count = 1;
        CHECK_TEXT(fetch_outcome_name(run(&request).outcome), "invalid");
    }
}

static bool third_time_lucky(const struct fetch_answer *answer, void *context)
{
    return answer->status == 200 && ++*(int *)context == 3;
}

static bool never(const struct fetch_answer *answer, void *context)
{
    (void)answer;
    (void)context;
    return false;
}

TEST(answers_that_are_not_usable_are_asked_for_again)
{
    struct server server = SERVE(OK_ANSWER);
    struct fetch_request request = request_to(server.port);
    struct fetch_answer answer;
    int calls = 0;

    request.usable = third_time_lucky;
    request.context = &calls;
    answer = run(&request);
    CHECK_INT(answer.outcome, FETCH_ANSWERED);
    CHECK_INT(answer.attempts, 3);
    request.usable = never;
    answer = run(&request);
    CHECK_TEXT(fetch_outcome_name(answer.outcome), "unusable");
    CHECK_INT(answer.attempts, 3);
    stop(&server);
}

TEST(the_breaker_spares_everybody_the_wait)
{
    struct shm_region *region = open_anonymous();
    int port, listener = listen_anywhere(&port);
    struct fetch_request request = request_to(port);
    struct breaker_notice notice;
    struct fetch_answer answer;

    close(listener);
    request.region = region;
    request.breaker_failures = 2;
    request.breaker_seconds = 30;
    answer = run(&request);
    CHECK_INT(answer.outcome, FETCH_SUSPENDED); /* it opened during the second attempt */
    CHECK_INT(answer.attempts, 2);
    answer = run(&request);
    CHECK_TEXT(fetch_outcome_name(answer.outcome), "suspended");
    CHECK_INT(answer.attempts, 0);
    CHECK_INT(breaker_list(region, &notice, 1), 0); /* no other host has this server */
    shm_region_close(region);
}

static int64_t breaker_time = 1;

static int64_t read_breaker_clock(void)
{
    return breaker_time;
}

TEST(the_breaker_is_tried_again_and_closes)
{
    struct shm_region *region = open_anonymous();
    struct server server = SERVE("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n", OK_ANSWER);
    struct fetch_request request = request_to(server.port);
    char origin[BREAKER_NAME_MAX];

    CHECK(fetch_origin(request.url, origin));
    request.region = region;
    request.policy.attempts = 1;
    request.breaker_failures = 1;
    request.breaker_seconds = 30;
    shm_region_set_clock(region, read_breaker_clock);
    CHECK_INT(run(&request).status, 503);
    CHECK_INT(run(&request).outcome, FETCH_SUSPENDED);
    breaker_time += 30000000;
    CHECK_INT(breaker_read_state(region, origin), BREAKER_HALF_OPEN);
    CHECK_INT(run(&request).status, 200);
    CHECK_INT(breaker_read_state(region, origin), BREAKER_CLOSED);
    stop(&server);
    shm_region_close(region);
}

TEST(refusals_of_the_request_leave_the_breaker_closed)
{
    struct shm_region *region = open_anonymous();
    struct server server = SERVE("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n");
    struct fetch_request request = request_to(server.port);

    request.region = region;
    request.breaker_failures = 1;
    request.breaker_seconds = 30;
    for (int i = 0; i < 3; i++)
        CHECK_INT(run(&request).status, 401);
    stop(&server);
    shm_region_close(region);
}

TEST(origins)
{
    char origin[BREAKER_NAME_MAX];

    CHECK(fetch_origin("https://api.example.org/v1/x?y", origin));
    CHECK_TEXT(origin, "https://api.example.org:443");
    CHECK(fetch_origin("http://localhost:8001", origin));
    CHECK_TEXT(origin, "http://localhost:8001");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(an_answer),
        CASE(get_without_a_body),
        CASE(statuses_that_may_pass_are_tried_again),
        CASE(attempts_end),
        CASE(pauses_grow_and_keep_to_what_is_left),
        CASE(retry_after_is_honoured_up_to_its_cap),
        CASE(broken_answers),
        CASE(answers_have_a_cap),
        CASE(headers_have_a_cap),
        CASE(silence_ends_the_attempt_and_all_of_it),
        CASE(silent_name_servers_do_not_hold_the_call),
        CASE(nobody_listens),
        CASE(addresses_are_guarded_when_connecting),
        CASE(names_that_are_bound_anew_are_judged_again),
        CASE(what_cannot_be_sent),
        CASE(answers_that_are_not_usable_are_asked_for_again),
        CASE(the_breaker_spares_everybody_the_wait),
        CASE(the_breaker_is_tried_again_and_closes),
        CASE(refusals_of_the_request_leave_the_breaker_closed),
        CASE(origins),
    };

    arena = arena_create(64 * 1024 * 1024);
    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
