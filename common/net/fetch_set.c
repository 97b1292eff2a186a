/* Runs calls: asks the breaker, makes an attempt, evaluates it, and repeats it if needed. */
#include "net/fetch_set.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "crypto/token.h"
#include "net/egress.h"
#include "net/transfer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

enum { MICROSECONDS_PER_SECOND = 1000000, PROBE_MARGIN_MS = 1000, STATUS_TEXT = 16 };

/* Seconds between two polls of a watch: without a descriptor, and in a fiber (there are thousands)
 * without and with one. */
static const double watch_interval = 0.02, fiber_interval = 0.2, fiber_descriptor_interval = 1;
static const double forever = 3600;

struct call {
    struct call *next;
    const struct fetch_request *request;
    struct fetch_answer *answer;
    struct transfer *transfer; /* NULL between attempts */
    int64_t started;           /* monotonic microseconds, as the next ones */
    int64_t resumes;           /* when the next attempt begins */
    int64_t attempt_ends;
    int64_t heard; /* when the last byte came */
    size_t received;
    bool head_told;
    bool ended, told;
    char origin[BREAKER_NAME_MAX];
    struct breaker_permit pass;
};

struct fetch_set {
    struct arena *arena;
    struct arena_guard *guard; /* ends the calls when memory runs out */
    struct call *calls;
    struct call **last;
    bool cancelled;
};

/* A random number between .5 and 1.5. */
static double by_chance(void)
{
    uint32_t word;

    token_random_bytes(&word, sizeof word);
    return 0.5 + (double)word / UINT32_MAX;
}

double fetch_pause(const struct fetch_policy *policy, uint32_t attempt, double retry_after,
                   double left)
{
    double pause = policy->first_pause_seconds * pow(policy->pause_factor, attempt - 1);

    if (attempt >= policy->attempts || retry_after > policy->retry_after_seconds)
        return -1;
    if (policy->jitter)
        pause *= by_chance();
    if (policy->most_pause_seconds > 0)
        pause = fmin(pause, policy->most_pause_seconds);
    if (pause < retry_after)
        pause = retry_after;
    return pause < left ? pause : -1; /* the next attempt needs time too */
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

/* Whether the service works, even if it refuses this request. */
static bool is_well(const struct fetch_answer *answer)
{
    return answer->outcome == FETCH_TOO_LARGE ||
           (answer->outcome == FETCH_ANSWERED && answer->status < 500);
}

/* Printable ASCII, so that no byte can end the line. */
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

/* A token of upper-case letters; libcurl would send any text. */
static bool method_can_be_sent(const char *method)
{
    return !method || (*method && strlen(method) <= 16 &&
                       strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(method));
}

static struct breaker_rule breaker_rule_of(const struct fetch_request *request)
{
    return (struct breaker_rule){.failures = request->region ? request->breaker_failures : 0,
                                 .open_ms = (uint32_t)(request->breaker_seconds * 1000),
                                 .probe_ms = (uint32_t)(request->policy.attempt_seconds * 1000) +
                                             PROBE_MARGIN_MS};
}

static double seconds_left(const struct call *call, int64_t now)
{
    return call->request->policy.total_seconds -
           (double)(now - call->started) / MICROSECONDS_PER_SECOND;
}

static int64_t later(int64_t now, double seconds)
{
    return now + (int64_t)(fmin(seconds, forever * 24) * MICROSECONDS_PER_SECOND);
}

/* Memory ran out: requests and answers, which may be on the stack, are gone. */
static void abandon_set(void *thing)
{
    for (const struct call *call = ((const struct fetch_set *)thing)->calls; call;
         call = call->next)
        transfer_end(call->transfer);
}

struct fetch_set *fetch_set_begin(struct arena *arena)
{
    struct fetch_set *set = ARENA_NEW(arena, struct fetch_set);

    if (!fiber_current())
        transfers_end_all();
    set->guard = arena_guard(arena, abandon_set);
    set->guard->thing = set;
    set->arena = arena;
    set->last = &set->calls;
    return set;
}

void fetch_set_add(struct fetch_set *set, const struct fetch_request *request,
                   struct fetch_answer *answer)
{
    struct call *call = ARENA_NEW(set->arena, struct call);

    *answer = (struct fetch_answer){.outcome = FETCH_INVALID, .head = "", .body = ""};
    answer->history =
        ARENA_ARRAY(set->arena, struct fetch_attempt, (size_t)request->policy.attempts + 1);
    call->request = request;
    call->answer = answer;
    call->started = call->resumes = clock_monotonic_microseconds();
    call->ended = !fetch_origin(request->url, call->origin) || !headers_can_be_sent(request) ||
                  !method_can_be_sent(request->method);
    *set->last = call;
    set->last = &call->next;
}

/* A word of few, as error.type has them; NULL = the attempt went well. Who cancels an attempt has
 * not made it fail. */
static const char *failure_of(const struct fetch_attempt *attempt, char status[STATUS_TEXT])
{
    if (attempt->outcome == FETCH_CANCELLED)
        return NULL;
    if (attempt->outcome != FETCH_ANSWERED)
        return fetch_outcome_name(attempt->outcome);
    if (attempt->status < 400)
        return NULL;
    (void)snprintf(status, STATUS_TEXT, "%d", attempt->status);
    return status;
}

static void tell(const struct call *call, const struct fetch_attempt *attempt)
{
    const struct fetch_request *request = call->request;
    char status[STATUS_TEXT];
    const struct cause_call told = {.trace = attempt->trace,
                                    .parent = request->trace_parent,
                                    .method = request->method ? request->method
                                              : request->body ? "POST"
                                                              : "GET",
                                    .origin = call->origin,
                                    .started_at = attempt->started_at,
                                    .ended_at = attempt->ended_at,
                                    .status = attempt->status,
                                    .number = call->answer->attempts,
                                    .failure = failure_of(attempt, status)};

    if (!request->told_by_caller)
        cause_call_ended(&told);
}

/* The answer says how the attempt has ended. */
static void note_end(const struct call *call)
{
    const struct fetch_answer *answer = call->answer;
    struct fetch_attempt *attempt = &answer->history[answer->attempts - 1];

    attempt->ended_at = clock_monotonic_microseconds();
    attempt->outcome = answer->outcome;
    attempt->status = answer->status;
    tell(call, attempt);
}

static void end_call(struct call *call, enum fetch_outcome outcome)
{
    const struct breaker_rule rule = breaker_rule_of(call->request);
    bool in_attempt = call->transfer != NULL;

    transfer_end(call->transfer);
    call->transfer = NULL;
    call->answer->outcome = outcome;
    if (in_attempt)
        note_end(call);
    call->ended = true;
    if (rule.failures && call->pass.cell)
        breaker_cancel(call->request->region, &call->pass);
}

static void begin_attempt(struct call *call, int64_t now)
{
    const struct fetch_request *request = call->request;
    struct fetch_attempt *attempt = &call->answer->history[call->answer->attempts];
    struct breaker_rule rule = breaker_rule_of(request);
    double left = seconds_left(call, now);
    double seconds = fmin(left, request->policy.attempt_seconds);

    call->answer->status = 0;
    call->answer->length = 0;
    call->answer->retry_after = 0;
    if (left <= 0) {
        end_call(call, FETCH_TIMED_OUT);
        return;
    }
    rule.is_own = rule.failures && egress_is_local(call->origin);
    if (rule.failures && !breaker_allow(request->region, call->origin, &rule, &call->pass)) {
        end_call(call, FETCH_SUSPENDED);
        return;
    }
    cause_call_begins(request->trace_parent, attempt->trace);
    call->transfer = transfer_start(request, attempt->trace, seconds);
    if (!call->transfer) {
        end_call(call, FETCH_INVALID);
        return;
    }
    attempt->started_at = now;
    call->answer->attempts++;
    call->attempt_ends = later(now, seconds);
    call->heard = now;
    call->received = 0;
    call->head_told = false;
}

/* Copies the result of the attempt into the answer. */
static void take_over(struct fetch_set *set, struct call *call, const struct transfer_view *view)
{
    struct fetch_answer *answer = call->answer;
    bool cut = view->outcome == FETCH_TOO_LARGE && view->status && call->request->may_be_cut;
    bool answered = view->outcome == FETCH_ANSWERED || cut;

    answer->outcome = answered ? FETCH_ANSWERED : view->outcome;
    answer->cut = cut;
    answer->status = answered ? view->status : 0;
    answer->retry_after = answered ? view->retry_after : 0;
    answer->head = arena_copy_string(set->arena, view->head);
    answer->length = answered ? view->length : 0;
    answer->body = arena_copy(set->arena, view->body, answer->length);
}

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

/* Ends an attempt: records it in the breaker, then starts another one or ends the call. */
static void conclude(struct fetch_set *set, struct call *call, const struct transfer_view *view,
                     int64_t now)
{
    const struct fetch_request *request = call->request;
    const struct breaker_rule rule = breaker_rule_of(request);
    struct fetch_answer *answer = call->answer;
    double pause = -1;

    take_over(set, call, view);
    transfer_end(call->transfer);
    call->transfer = NULL;
    if (rule.failures)
        breaker_record(request->region, &rule, &call->pass, is_well(answer));
    if (answer->outcome == FETCH_ANSWERED && is_success(answer->status) && request->usable &&
        !request->usable(answer, request->context))
        answer->outcome = FETCH_UNUSABLE;
    note_end(call);
    if (may_pass(answer) && !answer->streamed)
        pause = fetch_pause(&request->policy, answer->attempts, answer->retry_after,
                            seconds_left(call, now));
    if (pause < 0) {
        call->ended = true;
        return;
    }
    answer->given_up += answer->outcome == FETCH_TIMED_OUT;
    call->resumes = later(now, pause);
}

/* Passes on the received bytes; false when the caller cancels. */
static bool deliver(struct fetch_set *set, struct call *call, const struct transfer_view *view)
{
    const struct fetch_request *request = call->request;
    struct fetch_answer *answer = call->answer;

    if (!view->status)
        return true;
    if (!call->head_told && request->on_headers) {
        call->head_told = true;
        answer->status = view->status;
        answer->head = arena_copy_string(set->arena, view->head);
        if (!request->on_headers(answer, request->context))
            return false;
    }
    if (!request->on_bytes || !view->length || !is_success(view->status))
        return true;
    answer->streamed += view->length;
    return request->on_bytes(view->body, view->length, request->context);
}

static void listen_to(struct fetch_set *set, struct call *call, int64_t now)
{
    double silence = call->request->policy.silence_seconds;
    struct transfer_view view;

    transfer_look(call->transfer, &view);
    if (view.received != call->received) {
        call->received = view.received;
        call->heard = now;
    }
    if (!deliver(set, call, &view)) {
        end_call(call, FETCH_CANCELLED);
        return;
    }
    if (call->request->on_bytes && is_success(view.status)) {
        transfer_drop_body(call->transfer);
        view.length = 0;
    }
    if (!view.over &&
        (now >= call->attempt_ends || (silence > 0 && now >= later(call->heard, silence)))) {
        view.over = true;
        view.outcome = FETCH_TIMED_OUT;
    }
    if (view.over)
        conclude(set, call, &view, now);
}

static void advance(struct fetch_set *set, struct call *call, int64_t now)
{
    if (!call->ended && !call->transfer && now >= call->resumes)
        begin_attempt(call, now);
    if (!call->ended && call->transfer)
        listen_to(set, call, now);
}

/* When the next event is due at the latest. */
static int64_t next_moment(const struct fetch_set *set, int64_t now)
{
    int64_t moment = later(now, forever);

    for (const struct call *call = set->calls; call; call = call->next) {
        double silence = call->request->policy.silence_seconds;
        int64_t due = call->transfer ? call->attempt_ends : call->resumes;

        if (call->transfer && silence > 0 && later(call->heard, silence) < due)
            due = later(call->heard, silence);
        if (!call->ended && due < moment)
            moment = due;
    }
    return moment;
}

static struct call *find_end(const struct fetch_set *set)
{
    for (struct call *call = set->calls; call; call = call->next)
        if (call->ended && !call->told)
            return call;
    return NULL;
}

size_t fetch_set_running(const struct fetch_set *set)
{
    size_t running = 0;

    for (const struct call *call = set->calls; call; call = call->next)
        running += !call->told;
    return running;
}

bool fetch_set_was_cancelled(const struct fetch_set *set)
{
    return set->cancelled;
}

static void rest_in_fiber(double seconds, const struct fetch_watch *watch, int *fd)
{
    if (watch)
        seconds = fmin(seconds, *fd < 0 ? fiber_interval : fiber_descriptor_interval);
    if (fiber_wait(*fd, EPOLLIN | EPOLLRDHUP, later(clock_monotonic_microseconds(), seconds)) ==
        FIBER_READY)
        *fd = -1;
}

/* Waits for the next event. A descriptor that is readable although nothing was cancelled is not
 * watched again during this call, because it would always be ready. */
static void rest(const struct fetch_set *set, int64_t until, const struct fetch_watch *watch,
                 int *fd)
{
    int64_t now = clock_monotonic_microseconds();
    int64_t moment = next_moment(set, now);
    double seconds;

    if (until && until < moment)
        moment = until;
    seconds = fmax(0, (double)(moment - now) / MICROSECONDS_PER_SECOND);
    if (fiber_current()) {
        rest_in_fiber(seconds, watch, fd);
        return;
    }
    if (watch && *fd < 0)
        seconds = fmin(seconds, watch_interval);
    if (transfers_drive(seconds, *fd))
        *fd = -1;
}

struct fetch_answer *fetch_set_wait(struct fetch_set *set, int64_t until,
                                    const struct fetch_watch *watch)
{
    int fd = watch ? watch->fd : -1;

    set->cancelled = false;
    for (;;) {
        int64_t now = clock_monotonic_microseconds();
        struct call *ended;

        for (struct call *call = set->calls; call; call = call->next)
            advance(set, call, now);
        ended = find_end(set);
        if (ended) {
            ended->told = true;
            return ended->answer;
        }
        set->cancelled = watch && watch->cancelled(watch->context);
        if (set->cancelled || (until && now >= until) || !fetch_set_running(set))
            return NULL;
        rest(set, until, watch, &fd);
    }
}

void fetch_set_cancel(struct fetch_set *set, struct fetch_answer *answer)
{
    for (struct call *call = set->calls; call; call = call->next) {
        if (call->answer != answer || call->told)
            continue;
        if (!call->ended)
            end_call(call, FETCH_CANCELLED);
        call->told = true;
    }
}

void fetch_set_end(struct fetch_set *set)
{
    set->guard->thing = NULL;
    for (struct call *call = set->calls; call; call = call->next) {
        if (!call->ended)
            end_call(call, FETCH_CANCELLED);
        call->told = true;
    }
}
