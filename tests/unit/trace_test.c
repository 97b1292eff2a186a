/* Trace contexts by the rules of W3C Trace Context, and the bytes of protocol buffers. */
#include "telemetry/trace.h"

#include "test.h"

#include "base/protobuf.h"

#include <string.h>

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"

TEST(callers_that_count)
{
    static const struct {
        const char *header;
        bool sampled;
    } cases[] = {{"00-" TRACE "-" SPAN "-01", true},
                 {"00-" TRACE "-" SPAN "-00", false},
                 {"00-" TRACE "-" SPAN "-ff", true},
                 {"cc-" TRACE "-" SPAN "-01", true},
                 {"01-" TRACE "-" SPAN "-01-what-the-future-will-be-like", true}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace_context caller;

        CHECK(trace_context_read(cases[i].header, &caller));
        CHECK_INT(caller.sampled, cases[i].sampled);
        CHECK_INT(caller.trace_id[0], 0x0a);
        CHECK_INT(caller.span_id[SPAN_ID_BYTES - 1], 0x31);
    }
}

TEST(sampling_goes_by_the_trace_id)
{
    static const char traceparent[] = "00-0af7651916cd43dd8448eb211c80319c-" SPAN "-01";
    struct trace_context context;

    CHECK(trace_context_read(traceparent, &context));
    trace_context_sample(&context, 0.28); /* 0x48eb211c80319c of 2^56 is 0.2848 */
    CHECK(!context.sampled);
    trace_context_sample(&context, 0.29);
    CHECK(context.sampled);
    trace_context_sample(&context, 0);
    CHECK(!context.sampled);
}

TEST(callers_that_do_not_count)
{
    static const char *const headers[] = {
        NULL,
        "",
        "00",
        "00-" TRACE "-" SPAN,
        "00-" TRACE "-" SPAN "-01-what",
        "00-" TRACE "-" SPAN "-01.",
        "01-" TRACE "-" SPAN "-01.what",
        "ff-" TRACE "-" SPAN "-01",
        "00-00000000000000000000000000000000-" SPAN "-01",
        "00-" TRACE "-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01",
        "00-0af7651916cd43dd8448eb211c80319z-" SPAN "-01",
        "00_" TRACE "-" SPAN "-01",
        "00-" TRACE "_" SPAN "-01",
        "00-" TRACE "-" SPAN "_01",
        "00-" TRACE "-" SPAN "-0g",
    };

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct trace_context caller = {.sampled = true};

        CHECK(!trace_context_read(headers[i], &caller));
        CHECK(!caller.sampled);
    }
}

TEST(what_is_written_is_read)
{
    struct trace_context context, child, read;
    char header[TRACEPARENT_MAX];

    trace_context_begin(&context, 1);
    trace_context_begin_child(&context, &child);
    CHECK(context.sampled && child.sampled);
    CHECK(memcmp(context.trace_id, child.trace_id, TRACE_ID_BYTES) == 0);
    CHECK(memcmp(context.span_id, child.span_id, SPAN_ID_BYTES) != 0);
    trace_context_write(&child, header);
    CHECK_INT(strlen(header), TRACEPARENT_MAX - 1);
    CHECK(trace_context_read(header, &read));
    CHECK(memcmp(&read, &child, sizeof read) == 0);
}

TEST(samples_are_the_share_that_is_wanted)
{
    int sampled = 0;

    for (int i = 0; i < 20000; i++) {
        struct trace_context context;

        trace_context_begin(&context, 0.25);
        sampled += context.sampled;
    }
    CHECK(sampled > 4700 && sampled < 5300);
    for (int i = 0; i < 100; i++) {
        struct trace_context context;

        trace_context_begin(&context, 0);
        CHECK(!context.sampled);
    }
}

TEST(bytes_of_protocol_buffers)
{
    static const char expected[] = "\x08\x96\x01"
                                   "\x12\x07testing"
                                   "\x1a\x83\x80\x80\x00\x08\x96\x01"
                                   "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f"
                                   "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    struct arena *arena = arena_create(1 << 20);
    struct text out;
    size_t place;

    text_start(&out, arena, 1000);
    protobuf_integer(&out, 1, 150);
    protobuf_string(&out, 2, "testing");
    place = protobuf_begin(&out, 3);
    protobuf_integer(&out, 1, 150);
    protobuf_end(&out, place);
    protobuf_number(&out, 4, 1.5);
    protobuf_integer(&out, 5, (uint64_t)-1);
    CHECK_INT(out.length, sizeof expected - 1);
    CHECK(memcmp(out.bytes, expected, sizeof expected - 1) == 0);
    arena_destroy(arena);
}

TEST_MAIN(CASE(callers_that_count), CASE(sampling_goes_by_the_trace_id),
          CASE(callers_that_do_not_count), CASE(what_is_written_is_read),
          CASE(samples_are_the_share_that_is_wanted), CASE(bytes_of_protocol_buffers))
