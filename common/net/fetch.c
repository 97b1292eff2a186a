/* The course of a call: the breaker is asked, an attempt made, judged, and perhaps made again. */
#include "net/fetch.h"

#include "base/clock.h"
#include "net/fetch_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { MICROSECONDS_PER_SECOND = 1000000, PROBE_MARGIN_MS = 1000 };

const char *fetch_outcome_name(enum fetch_outcome outcome)
{
    static const char *const names[FETCH_OUTCOME__MAX] = {
        [FETCH_ANSWERED] = "answered",   [FETCH_UNUSABLE] = "unusable",
        [FETCH_TIMED_OUT] = "timed_out", [FETCH_UNREACHABLE] = "unreachable",
        [FETCH_BROKEN] = "broken",       [FETCH_TOO_LARGE] = "too_large",
        [FETCH_FORBIDDEN] = "forbidden", [FETCH_SUSPENDED] = "suspended",
        [FETCH_INVALID] = "invalid",
    };

    return names[outcome];
}

static double seconds_since(int64_t started)
{
    return (double)(clock_monotonic_microseconds() - started) / MICROSECONDS_PER_SECOND;
}

double fetch_pause(const struct fetch_patience *patience, uint32_t attempt, double retry_after,
                   double left)
{
    double pause = patience->first_pause_seconds * pow(patience->pause_factor, attempt - 1);

    if (attempt >= patience->attempts || retry_after > patience->retry_after_seconds)
        return -1;
    if (pause < retry_after)
        pause = retry_after;
    return pause < left ? pause : -1; /* an attempt needs time too */
}

static void sleep_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static bool status_may_pass(int status)
{
    return status == 408 || status == 425 || status == 429 ||
           (status >= 500 && status != 501 && status != 505);
}

static bool may_pass(const struct fetch_answer *answer)
{
    switch (answer->outcome) {
    case FETCH_ANSWERED:
        return status_may_pass(answer->status);
    case FETCH_UNUSABLE:
    case FETCH_TIMED_OUT:
    case FETCH_UNREACHABLE:
    case FETCH_BROKEN:
        return true;
    default:
        return false;
    }
}

/* Whether the service does its work, whatever it thinks of this request. */
static bool is_well(const struct fetch_answer *answer)
{
    return answer->outcome == FETCH_TOO_LARGE ||
           (answer->outcome == FETCH_ANSWERED && answer->status < 500);
}

/* Printable ASCII, so that nothing of it can end the line. */
static bool can_be_sent(const struct fetch_header *header)
{
    if (strlen(header->name) + strlen(header->value) + sizeof ": " > FETCH_HEADER_LINE_MAX)
        return false;
    for (const char *at = header->value; *at; at++)
        if (*at < 0x20 || *at > 0x7e)
            return false;
    return true;
}

static bool headers_can_be_sent(const struct fetch_request *request)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (!can_be_sent(&request->headers[i]))
            return false;
    return true;
}

static struct breaker_rule breaker_rule_of(const struct fetch_request *request)
{
    return (struct breaker_rule){.failures = request->region ? request->breaker_failures : 0,
                                 .open_ms = (uint32_t)(request->breaker_seconds * 1000),
                                 .probe_ms = (uint32_t)(request->patience.attempt_seconds * 1000) +
                                             PROBE_MARGIN_MS};
}

/* One attempt, with the breaker told of it. */
static void attempt_guarded(const struct fetch_request *request, const char *origin, double seconds,
                            char *buffer, struct fetch_answer *answer)
{
    const struct breaker_rule rule = breaker_rule_of(request);
    struct breaker_pass pass;

    answer->status = 0;
    answer->length = 0;
    answer->retry_after = 0;
    if (!rule.failures) {
        fetch_attempt(request, seconds, buffer, answer);
    } else if (breaker_ask(request->region, origin, &rule, &pass)) {
        fetch_attempt(request, seconds, buffer, answer);
        breaker_tell(request->region, &rule, &pass, is_well(answer));
    } else {
        answer->outcome = FETCH_SUSPENDED;
        return;
    }
    answer->attempts++;
    buffer[answer->length] = '\0';
}

static void judge(const struct fetch_request *request, struct fetch_answer *answer)
{
    if (answer->outcome == FETCH_ANSWERED && answer->status >= 200 && answer->status < 300 &&
        request->usable && !request->usable(answer, request->context))
        answer->outcome = FETCH_UNUSABLE;
}

void fetch(struct arena *arena, const struct fetch_request *request, struct fetch_answer *answer)
{
    const struct fetch_patience *patience = &request->patience;
    int64_t started = clock_monotonic_microseconds();
    char *buffer = arena_alloc(arena, request->answer_max + 1);
    char origin[BREAKER_NAME_MAX];

    *answer = (struct fetch_answer){.outcome = FETCH_INVALID, .body = buffer};
    if (!fetch_origin(request->url, origin) || !headers_can_be_sent(request))
        return;
    for (;;) {
        double left = patience->total_seconds - seconds_since(started);
        double pause;

        if (left <= 0) {
            answer->outcome = FETCH_TIMED_OUT;
            return;
        }
        attempt_guarded(request, origin, fmin(left, patience->attempt_seconds), buffer, answer);
        judge(request, answer);
        if (!may_pass(answer))
            return;
        pause = fetch_pause(patience, answer->attempts, answer->retry_after,
                            patience->total_seconds - seconds_since(started));
        if (pause < 0)
            return;
        sleep_for(pause);
    }
}

enum breaker_state fetch_breaker_state(struct shm_region *region, const char *url)
{
    char origin[BREAKER_NAME_MAX];

    return fetch_origin(url, origin) ? breaker_read_state(region, origin) : BREAKER_CLOSED;
}
