/* One delivery attempt: composes, signs and sends an event, and judges the answer. Stores nothing.
 */
#include "webhook/webhook_internal.h"

#include "base/cause.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "jobs/main_loop.h"

#include <stdio.h>
#include <string.h>

static const double connect_seconds = 5, retry_after_most_seconds = 10;

static bool is_stopping(void *context)
{
    (void)context;
    return main_loop_must_stop();
}

const struct fetch_watch webhook_until_stopped = {.cancelled = is_stopping, .fd = -1};

void webhook_sign(const char *secret, const char *body, char signature[WEBHOOK_SIGNATURE_TEXT])
{
    char digest[DIGEST_SHA256_TEXT];

    digest_hmac_sha256_hex(secret, strlen(secret), body, strlen(body), digest);
    (void)!snprintf(signature, WEBHOOK_SIGNATURE_TEXT, "sha256=%s", digest);
}

static void add_header(struct fetch_request *request, const char *name, const char *value)
{
    if (name && value)
        request->headers[request->header_count++] = (struct fetch_header){name, value};
}

/* The request that has caused the event, for whoever compares logs. What clients call their
 * requests may be more than a header can hold. */
static void add_request_id(struct fetch_request *request)
{
    const char *id = cause_request_id(), *at = id;

    while (at && *at > ' ' && *at <= '~')
        at++;
    if (at && at > id && !*at)
        add_header(request, "X-Request-ID", id);
}

/* "X-Live-Event" as "X-<brand>-Event" for each brand. */
static void add_branded(struct arena *arena, const struct webhook_delivery_config *config,
                        struct fetch_request *request, const char *name, const char *value)
{
    const char *rest = name && strncmp(name, "X-", 2) == 0 ? strchr(name + 2, '-') : NULL;

    add_header(request, name, value);
    for (size_t i = 0;
         rest && config->brands && i < config->brands->count && i < WEBHOOK_BRANDS_MAX; i++)
        add_header(request, arena_print(arena, "X-%s%s", config->brands->items[i], rest), value);
}

/* For people who do not run the service: no address, no text of a library. */
static const char *error_of(struct arena *arena, const struct fetch_answer *answer)
{
    static const char *const texts[FETCH_OUTCOME__MAX] = {
        [FETCH_UNUSABLE] = "the answer could not be used",
        [FETCH_TIMED_OUT] = "no answer in time",
        [FETCH_UNREACHABLE] = "no connection",
        [FETCH_BROKEN] = "the answer broke off",
        [FETCH_TOO_LARGE] = "the answer is too large",
        [FETCH_FORBIDDEN] = "the host resolves to a non-public address",
        [FETCH_SUSPENDED] = "suspended after failures in a row",
        [FETCH_INVALID] = "the URL cannot be called",
    };

    if (answer->outcome != FETCH_ANSWERED)
        return texts[answer->outcome];
    if (answer->status >= 200 && answer->status < 300)
        return NULL;
    return arena_print(arena, "HTTP %d", answer->status);
}

/* What is kept of the body; the mark of one that was cut short is inside of that, if there is room
 * for it. */
static const char *kept_of(struct arena *arena, const struct webhook_answer_limits *limits,
                           const struct fetch_answer *answer)
{
    size_t room = (size_t)limits->kept, length;
    const char *mark =
        answer->cut ? arena_print(arena, " …[truncated at %lld bytes]", (long long)limits->read)
                    : "";

    if (strlen(mark) > room)
        mark = "";
    room -= strlen(mark);
    length = answer->length < room ? answer->length : room;

    return arena_print(arena, "%s%s",
                       arena_copy(arena, answer->body, utf8_valid_prefix(answer->body, length)),
                       mark);
}

static bool is_final(const struct webhook_kind *kind, const struct fetch_answer *answer)
{
    int status = answer->status;

    if (answer->outcome == FETCH_FORBIDDEN || answer->outcome == FETCH_INVALID)
        return true;
    return kind->client_errors_are_final && answer->outcome == FETCH_ANSWERED && status < 500 &&
           status != 408 && status != 425 && status != 429;
}

static struct fetch_request request_of(const struct webhook_delivery_config *config,
                                       const struct webhook_target *target,
                                       const struct webhook_event *event)
{
    const struct webhook_kind *kind = config->kind;
    double longest = kind->attempt_seconds;

    for (uint32_t i = 1; i < kind->tries; i++)
        longest += kind->attempt_seconds + retry_after_most_seconds;
    return (struct fetch_request){
        .url = target->url,
        .body = event->body,
        .body_length = strlen(event->body),
        .answer_max = (size_t)config->answers.read,
        .may_be_cut = true, /* a receiver has answered, however much it went on to say */
        .private_too = egress_private_too(target->url, config->egress),
        .loopback_too = config->egress->loopback_too,
        .policy = {.connect_seconds = connect_seconds,
                   .attempt_seconds = kind->attempt_seconds,
                   .total_seconds = longest,
                   .attempts = kind->tries,
                   .first_pause_seconds = kind->first_pause_seconds,
                   .pause_factor = kind->pause_factor,
                   .retry_after_seconds = retry_after_most_seconds},
    };
}

void webhook_attempt(struct arena *arena, const struct webhook_delivery_config *config,
                     const struct webhook_target *target, const struct webhook_event *event,
                     struct webhook_result *result, bool *final, double *pause)
{
    const struct webhook_kind *kind = config->kind;
    struct fetch_request request = request_of(config, target, event);
    char signature[WEBHOOK_SIGNATURE_TEXT];
    struct fetch_answer answer;

    add_header(&request, "Content-Type", "application/json");
    add_header(&request, "User-Agent", kind->user_agent);
    add_request_id(&request);
    add_branded(arena, config, &request, kind->event_header, event->event_type);
    add_branded(arena, config, &request, kind->delivery_header, result->shown_id);
    if (target->secret) {
        webhook_sign(target->secret, event->body, signature);
        add_branded(arena, config, &request, kind->signature_header, signature);
    }
    fetch_all(arena, &request, &answer, 1, NULL, NULL, config->watch);
    result->broken_off = answer.outcome == FETCH_CANCELLED;
    result->attempts = answer.attempts;
    result->success = answer.outcome == FETCH_ANSWERED && answer.status / 100 == 2;
    if (answer.outcome == FETCH_ANSWERED)
        result->status_code = GIVEN_INTEGER(answer.status);
    result->error = error_of(arena, &answer);
    result->answer = kept_of(arena, &config->answers, &answer);
    *final = is_final(kind, &answer);
    *pause = answer.retry_after;
}
