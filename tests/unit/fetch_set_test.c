/* Calls side by side: they take as long as the longest, streams come as they are sent, and what is
 * cancelled is closed at once. */
#include "net/fetch_set.h"

#include "http_peer.h"
#include "test.h"

#include "base/clock.h"

#include <setjmp.h>

enum { CALLS = 8, MANY = 1000, PIECES = 3 };

static struct arena *arena;
static struct peer peer;

static struct fetch_request call_to(const char *path)
{
    return (struct fetch_request){.url =
                                      arena_print(arena, "http://127.0.0.1:%d%s", peer.port, path),
                                  .answer_max = 10000,
                                  .private_too = true,
                                  .policy = {.connect_seconds = 5,
                                             .attempt_seconds = 20,
                                             .total_seconds = 20,
                                             .attempts = 1,
                                             .first_pause_seconds = 0.001,
                                             .pause_factor = 2}};
}

static double milliseconds_since(int64_t started)
{
    return (double)(clock_monotonic_microseconds() - started) / 1000;
}

TEST(eight_calls_take_as_long_as_one)
{
    struct fetch_request requests[CALLS];
    struct fetch_answer answers[CALLS];
    int64_t started;

    for (int i = 0; i < CALLS; i++)
        requests[i] = call_to("/wait/500");
    started = clock_monotonic_microseconds();
    fetch_all(arena, requests, answers, CALLS, NULL, NULL, NULL);
    CHECK(milliseconds_since(started) < 2000); /* one after the other they take 4000 */
    for (int i = 0; i < CALLS; i++) {
        CHECK_INT(answers[i].status, 200);
        CHECK_TEXT(answers[i].body, "ok");
    }
}

static bool two_are_enough(const struct fetch_answer *answers, size_t count, void *context)
{
    size_t done = 0;

    (void)context;
    for (size_t i = 0; i < count; i++)
        done += answers[i].status == 200;
    return done >= 2;
}

TEST(an_early_end_cancels_the_rest)
{
    struct fetch_request requests[] = {call_to("/wait/5000"), call_to("/wait/10"),
                                       call_to("/wait/5000"), call_to("/wait/30")};
    struct fetch_answer answers[4];
    int64_t started = clock_monotonic_microseconds();

    fetch_all(arena, requests, answers, 4, two_are_enough, NULL, NULL);
    CHECK(milliseconds_since(started) < 2000);
    CHECK_INT(answers[0].outcome, FETCH_CANCELLED);
    CHECK_INT(answers[1].status, 200);
    CHECK_TEXT(fetch_outcome_name(answers[2].outcome), "cancelled");
    CHECK_INT(answers[3].status, 200);
}

static int64_t cancel_at;

static bool time_is_up(void *context)
{
    (void)context;
    return clock_monotonic_microseconds() >= cancel_at;
}

/* Whether it ends, and the peer sees it end, within 50 ms of `cancel_at`. */
static bool ends_promptly(const struct fetch_watch *watch)
{
    int64_t latest;
    struct fetch_request request = call_to("/stall/10000");
    struct fetch_answer answer;

    peer.seen->closed_at = 0;
    fetch_all(arena, &request, &answer, 1, NULL, NULL, watch);
    CHECK_INT(answer.outcome, FETCH_CANCELLED);
    latest = clock_monotonic_microseconds();
    for (int i = 0; i < 2000 && !peer.seen->closed_at; i++)
        peer_nap(5);
    CHECK(peer.seen->closed_at);
    if (peer.seen->closed_at > latest)
        latest = peer.seen->closed_at;
    return latest - cancel_at <= 50000;
}

/* A machine with much else to do may hold up one try or another. */
#define TRIES 10

TEST(cancelling_closes_within_50_ms)
{
    bool polled = false, woken = false;

    for (int i = 0; i < TRIES && !polled; i++) {
        cancel_at = clock_monotonic_microseconds() + 100000;
        polled = ends_promptly(&(struct fetch_watch){.cancelled = time_is_up, .fd = -1});
    }
    for (int i = 0; i < TRIES && !woken; i++) {
        int ends[2];

        CHECK_INT(pipe(ends), 0);
        cancel_at = clock_monotonic_microseconds() + 100000;
        if (fork() == 0) {
            peer_nap(101);
            _exit(write(ends[1], "x", 1) != 1);
        }
        woken = ends_promptly(&(struct fetch_watch){.cancelled = time_is_up, .fd = ends[0]});
        close(ends[0]);
        close(ends[1]);
    }
    CHECK(polled && woken);
}

TEST(many_calls_share_few_connections)
{
    struct fetch_request *requests = ARENA_ARRAY(arena, struct fetch_request, MANY);
    struct fetch_answer *answers = ARENA_ARRAY(arena, struct fetch_answer, MANY);
    struct peer own = peer = start_peer();
    int answered = 0;

    fetch_limit_connections(4, 4);
    for (int i = 0; i < MANY; i++)
        requests[i] = call_to("/wait/0");
    fetch_all(arena, requests, answers, MANY, NULL, NULL, NULL);
    for (int i = 0; i < MANY; i++)
        answered += answers[i].status == 200;
    CHECK_INT(answered, MANY);
    CHECK_INT(own.seen->requests, MANY);
    CHECK(own.seen->connections <= 4);
    fetch(arena, &requests[0], &answers[0]); /* kept for the next call */
    CHECK(own.seen->connections <= 4);
    fetch_limit_connections(16, 16);
    stop_peer(&own);
}

/* The address was judged for the call that opened the connection, and is for each that uses it. */
TEST(kept_connections_are_guarded_too)
{
    struct fetch_request request = call_to("/wait/0");
    struct fetch_answer answer;
    int requests;

    fetch(arena, &request, &answer);
    CHECK_INT(answer.status, 200);
    requests = peer.seen->requests;
    request.private_too = false;
    fetch(arena, &request, &answer);
    CHECK_TEXT(fetch_outcome_name(answer.outcome), "forbidden");
    CHECK_INT(peer.seen->requests, requests);
}

struct heard {
    char text[1000];
    int pieces;
    int most; /* pieces wanted */
    char kind[40];
};

static bool hear(const char *bytes, size_t length, void *context)
{
    struct heard *heard = context;

    size_t held = strlen(heard->text);

    if (held + length < sizeof heard->text)
        memcpy(heard->text + held, bytes, length);
    return ++heard->pieces != heard->most;
}

static bool note_kind(const struct fetch_answer *answer, void *context)
{
    struct heard *heard = context;
    const char *kind = fetch_find_header(arena, answer, "x-kind");

    snprintf(heard->kind, sizeof heard->kind, "%d %s", answer->status, kind ? kind : "none");
    return heard->most != -1;
}

static struct fetch_answer stream(const char *path, struct heard *heard, uint32_t attempts)
{
    struct fetch_request request = call_to(path);
    struct fetch_answer answer;

    request.on_headers = note_kind;
    request.on_bytes = hear;
    request.context = heard;
    request.policy.attempts = attempts;
    fetch(arena, &request, &answer);
    return answer;
}

TEST(streams_come_as_they_are_sent)
{
    struct heard heard = {.most = 0};
    struct fetch_answer answer = stream("/pieces/4/30", &heard, 3);

    CHECK_INT(answer.outcome, FETCH_ANSWERED);
    CHECK_INT(answer.length, 0);
    CHECK_INT(answer.streamed, strlen("piece1 piece2 piece3 piece4 "));
    CHECK_TEXT(heard.text, "piece1 piece2 piece3 piece4 ");
    CHECK_INT(heard.pieces, 4);
    CHECK_TEXT(heard.kind, "200 pieces");
}

/* The next piece is in the connection before this one is done with. */
static bool hear_and_wait(const char *bytes, size_t length, void *context)
{
    hear(bytes, length, context);
    peer.seen->heard++;
    for (int i = 0; i < 5000 && peer.seen->heard < PIECES && peer.seen->sent <= peer.seen->heard;
         i++)
        peer_nap(1);
    return true;
}

/* The other side sends no more until it was heard: what one look at the connection brings must not
 * wait for a second. */
TEST(pieces_do_not_wait_for_those_after_them)
{
    struct fetch_request first = call_to("/wait/0");
    struct fetch_request request = call_to(arena_print(arena, "/heard/%d", PIECES));
    struct heard heard = {.most = 0};
    struct fetch_answer answer;

    fetch(arena, &first, &answer); /* no connecting, whose timers would look again */
    peer.seen->sent = peer.seen->heard = 0;
    request.on_bytes = hear_and_wait;
    request.context = &heard;
    request.policy.attempt_seconds = 3; /* a piece that is held back comes when they are over */
    fetch(arena, &request, &answer);
    CHECK_INT(answer.outcome, FETCH_ANSWERED);
    CHECK_TEXT(heard.text, "piece1 piece2 piece3 ");
}

TEST(streams_are_cut_by_those_who_hear_them)
{
    struct heard heard = {.most = 2};

    CHECK_INT(stream("/pieces/50/30", &heard, 3).outcome, FETCH_CANCELLED);
    CHECK_INT(heard.pieces, 2);
    heard = (struct heard){.most = -1};
    CHECK_INT(stream("/pieces/50/30", &heard, 3).outcome, FETCH_CANCELLED);
    CHECK_INT(heard.pieces, 0);
}

TEST(streams_are_not_begun_twice)
{
    struct heard heard = {.most = 0};
    struct fetch_answer answer = stream("/cut", &heard, 3);

    CHECK_INT(answer.outcome, FETCH_BROKEN);
    CHECK_INT(answer.attempts, 1);
    CHECK_TEXT(heard.text, "half");
    heard = (struct heard){.most = 0};
    answer = stream("/status/503", &heard, 3); /* nothing has been handed on yet */
    CHECK_INT(answer.status, 503);
    CHECK_INT(answer.attempts, 3);
    CHECK_TEXT(answer.body, "no");
    CHECK_INT(heard.pieces, 0);
}

TEST(silence_ends_a_call_before_its_time)
{
    struct fetch_request request = call_to("/stall/10000");
    struct fetch_answer answer;
    struct heard heard = {.most = 0};
    int64_t started = clock_monotonic_microseconds();

    request.policy.silence_seconds = 0.1;
    request.on_bytes = hear;
    request.context = &heard;
    fetch(arena, &request, &answer);
    CHECK_INT(answer.outcome, FETCH_TIMED_OUT);
    CHECK_TEXT(heard.text, "begun ");
    CHECK(milliseconds_since(started) >= 100 && milliseconds_since(started) < 5000);
}

TEST(methods)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    struct fetch_request request = call_to("/echo");
    struct fetch_answer answer;

    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        for (int with_body = 0; with_body < 2; with_body++) {
            request.method = methods[i];
            request.body = with_body ? "a body" : NULL;
            request.body_length = with_body ? 6 : 0;
            fetch(arena, &request, &answer);
            CHECK_INT(answer.status, 200);
            CHECK(strncmp(answer.body, arena_print(arena, "%s /echo ", methods[i]),
                          strlen(methods[i]) + 7) == 0);
            CHECK_INT(strstr(answer.body, "\r\n\r\na body") != NULL, with_body);
        }
    }
    request = call_to("/status/404");
    request.method = "HEAD";
    fetch(arena, &request, &answer);
    CHECK_INT(answer.status, 404);
    CHECK_INT(answer.length, 0);
    request.method = "GET /other HTTP/1.1\r\nX: y";
    fetch(arena, &request, &answer);
    CHECK_INT(answer.outcome, FETCH_INVALID);
}

TEST(calls_are_added_and_ended_on_the_way)
{
    struct fetch_request slow = call_to("/wait/5000"), quick = call_to("/wait/10");
    struct fetch_answer first, second, third;
    struct fetch_set *set = fetch_set_begin(arena);
    int64_t started = clock_monotonic_microseconds();

    fetch_set_add(set, &slow, &first);
    fetch_set_add(set, &quick, &second);
    CHECK(fetch_set_wait(set, 0, NULL) == &second);
    fetch_set_add(set, &quick, &third);
    CHECK(fetch_set_wait(set, 0, NULL) == &third);
    CHECK_INT(fetch_set_running(set), 1);
    CHECK(!fetch_set_wait(set, clock_monotonic_microseconds() + 20000, NULL));
    fetch_set_cancel(set, &first);
    CHECK_INT(first.outcome, FETCH_CANCELLED);
    CHECK(!fetch_set_wait(set, 0, NULL));
    CHECK_INT(fetch_set_running(set), 0);
    CHECK(milliseconds_since(started) < 2000);
}

static bool use_up_memory(const char *bytes, size_t length, void *context)
{
    (void)bytes;
    (void)length;
    arena_alloc(context, 1 << 20);
    return true;
}

/* Memory that runs out in the middle of a call leaves nothing that the next one minds. */
TEST(jumping_out_of_a_call)
{
    struct arena *small = arena_create(256 * 1024);
    struct fetch_request request = call_to("/pieces/50/10");
    struct fetch_answer answer;
    jmp_buf recovery;

    request.on_bytes = use_up_memory;
    request.context = small;
    arena_on_exhausted(small, &recovery);
    if (setjmp(recovery) == 0) {
        fetch(small, &request, &answer);
        CHECK(false);
    }
    arena_destroy(small);
    request = call_to("/wait/0");
    fetch(arena, &request, &answer);
    CHECK_INT(answer.status, 200);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(eight_calls_take_as_long_as_one),        CASE(an_early_end_cancels_the_rest),
        CASE(cancelling_closes_within_50_ms),         CASE(kept_connections_are_guarded_too),
        CASE(streams_come_as_they_are_sent),          CASE(pieces_do_not_wait_for_those_after_them),
        CASE(streams_are_cut_by_those_who_hear_them), CASE(streams_are_not_begun_twice),
        CASE(silence_ends_a_call_before_its_time),    CASE(methods),
        CASE(calls_are_added_and_ended_on_the_way),   CASE(jumping_out_of_a_call),
        CASE(many_calls_share_few_connections),
    };
    struct peer shared = peer = start_peer();
    int failed;

    arena = arena_create(64 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    stop_peer(&shared);
    return failed;
}
