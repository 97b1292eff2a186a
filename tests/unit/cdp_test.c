/* The DevTools conversation against a peer of our own making. */
#include "browser/cdp.h"

#include "base/clock.h"
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_MAX = 4096, SHORT_US = 20000, LONG_US = 5000000 };

/* What the browser's side of both pipes holds. */
struct bench {
    struct cdp *cdp;
    int hears, says;
    int events;
    char last[64];
};

static void on_event(const char *method, const char *session, const json_t *params, void *context)
{
    struct bench *bench = context;

    (void)session;
    (void)params;
    bench->events++;
    snprintf(bench->last, sizeof bench->last, "%s", method);
}

static bool has_two(void *context)
{
    return ((struct bench *)context)->events >= 2;
}

static void open_bench(struct bench *bench)
{
    int to[2], from[2];

    *bench = (struct bench){0};
    CHECK_INT(pipe(to), 0);
    CHECK_INT(pipe(from), 0);
    bench->hears = to[0];
    bench->says = from[1];
    bench->cdp = cdp_open(from[0], to[1], MESSAGE_MAX);
    cdp_listen(bench->cdp,
               &(struct cdp_listener){.on_event = on_event, .fd = -1, .context = bench});
}

static void close_bench(struct bench *bench)
{
    cdp_close(bench->cdp);
    if (bench->hears >= 0)
        close(bench->hears);
    if (bench->says >= 0)
        close(bench->says);
}

/* As the browser, with the zero byte. */
static void say(const struct bench *bench, const char *message)
{
    CHECK_INT(write(bench->says, message, strlen(message) + 1), (ssize_t)strlen(message) + 1);
}

static int64_t soon(int64_t microseconds)
{
    return clock_monotonic_microseconds() + microseconds;
}

TEST(a_call_is_framed_and_finds_its_reply_among_others)
{
    struct bench bench;
    char heard[256] = "";
    json_t *result = NULL;

    open_bench(&bench);
    say(&bench, "{\"method\":\"Page.loadEventFired\",\"params\":{}}");
    say(&bench, "{\"id\":77,\"result\":{\"value\":\"of another\"}}");
    say(&bench, "{\"id\":1,\"result\":{\"value\":\"ours\"}}");
    writer_key_string(cdp_begin(bench.cdp, "S1", "Page.navigate"), "url", "http://x/\"");
    CHECK_INT(cdp_call(bench.cdp, soon(LONG_US), &result), CDP_OK);
    CHECK_TEXT(json_string_value(json_object_get(result, "value")), "ours");
    CHECK_TEXT(bench.last, "Page.loadEventFired");
    CHECK(read(bench.hears, heard, sizeof heard) > 0);
    CHECK_TEXT(heard, "{\"id\":1,\"sessionId\":\"S1\",\"method\":\"Page.navigate\","
                      "\"params\":{\"url\":\"http://x/\\\"\"}}");
    close_bench(&bench);
}

TEST(messages_may_come_in_pieces)
{
    static const char message[] = "{\"id\":1,\"result\":{}}";
    struct bench bench;

    open_bench(&bench);
    CHECK_INT(write(bench.says, message, 9), 9);
    (void)cdp_begin(bench.cdp, NULL, "Browser.getVersion");
    CHECK_INT(cdp_call(bench.cdp, soon(SHORT_US), NULL), CDP_TIMED_OUT);
    (void)cdp_begin(bench.cdp, NULL, "Browser.getVersion");
    CHECK_INT(write(bench.says, message + 9, sizeof message - 9), (ssize_t)sizeof message - 9);
    say(&bench, "{\"id\":2,\"result\":{}}"); /* the reply to the first came too late */
    CHECK_INT(cdp_call(bench.cdp, soon(LONG_US), NULL), CDP_OK);
    close_bench(&bench);
}

TEST(a_refusal_says_why)
{
    struct bench bench;

    open_bench(&bench);
    say(&bench, "{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"No such target\"}}");
    (void)cdp_begin(bench.cdp, NULL, "Target.attachToTarget");
    CHECK_INT(cdp_call(bench.cdp, soon(LONG_US), NULL), CDP_REFUSED);
    CHECK_TEXT(cdp_fault(bench.cdp), "No such target");
    close_bench(&bench);
}

TEST(events_end_a_wait)
{
    struct bench bench;

    open_bench(&bench);
    say(&bench, "{\"method\":\"A\"}");
    CHECK_INT(cdp_wait(bench.cdp, soon(SHORT_US), has_two, &bench), CDP_TIMED_OUT);
    say(&bench, "{\"method\":\"B\"}");
    CHECK_INT(cdp_wait(bench.cdp, soon(LONG_US), has_two, &bench), CDP_OK);
    CHECK_TEXT(bench.last, "B");
    close_bench(&bench);
}

/* Each of these ends the conversation for good. */
TEST(an_end_is_for_good)
{
    static const char *const endings[] = {"", "not JSON", NULL};

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct bench bench;

        open_bench(&bench);
        if (!endings[i]) {
            char much[2 * 65536 + MESSAGE_MAX];

            memset(much, ' ', sizeof much);
            CHECK(fcntl(bench.says, F_SETPIPE_SZ, 2 * sizeof much) > 0);
            CHECK_INT(write(bench.says, much, sizeof much), (ssize_t)sizeof much);
        } else if (*endings[i]) {
            say(&bench, endings[i]);
        } else {
            close(bench.says);
            bench.says = -1;
        }
        (void)cdp_begin(bench.cdp, NULL, "Browser.getVersion");
        CHECK_INT(cdp_call(bench.cdp, soon(LONG_US), NULL), CDP_CLOSED);
        (void)cdp_begin(bench.cdp, NULL, "Browser.getVersion");
        CHECK_INT(cdp_call(bench.cdp, soon(LONG_US), NULL), CDP_CLOSED);
        CHECK(*cdp_fault(bench.cdp) != 0);
        close_bench(&bench);
    }
}

/* Nobody reads: what the pipe does not take waits, and the deadline holds. */
TEST(a_browser_that_does_not_read_holds_up_nobody)
{
    struct bench bench;
    char long_text[MESSAGE_MAX / 2];

    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    open_bench(&bench);
    for (int i = 0; i < 60; i++) {
        writer_key_string(cdp_begin(bench.cdp, NULL, "Input.insertText"), "text", long_text);
        cdp_post(bench.cdp);
    }
    (void)cdp_begin(bench.cdp, NULL, "Browser.getVersion");
    CHECK(cdp_call(bench.cdp, soon(SHORT_US), NULL) != CDP_OK);
    close_bench(&bench);
}

TEST_MAIN(CASE(a_call_is_framed_and_finds_its_reply_among_others),
          CASE(messages_may_come_in_pieces), CASE(a_refusal_says_why), CASE(events_end_a_wait),
          CASE(an_end_is_for_good), CASE(a_browser_that_does_not_read_holds_up_nobody))
