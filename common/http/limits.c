/* Limits: calls per window, bytes per body, computation in flight. */
#include "limits/limits.h"
#include "base/number.h"
#include "http/http_internal.h"

#include <string.h>

static struct rate_decision charge(struct serving *serving, const struct http_bucket *bucket)
{
    const struct http_service *service = serving->server->family->service;
    struct shm_region *region = serving->server->region;
    struct rate_decision decision;

    if (service->charge && service->charge(&serving->request, bucket, &decision))
        return decision;
    return bucket->tokens.capacity ? limits_take_token(region, bucket->name, bucket->tokens)
                                   : limits_allow(region, bucket->name, bucket->rule);
}

static bool charge_buckets(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;
    struct http_bucket buckets[HTTP_BUCKETS_MAX] = {{0}};
    size_t count = service->buckets(&serving->request, buckets);
    const char *detail;

    for (size_t i = 0; i < count; i++) {
        struct rate_decision decision = charge(serving, &buckets[i]);

        if (i == 0)
            serving->rate = decision;
        if (decision.allowed)
            continue;
        server_count(serving->server, HTTP_METRIC_RATE_LIMITED);
        detail = buckets[i].detail;
        answer_error(serving, 429, failure_message(serving->format, FAILURE_RATE).error_code,
                     detail ? detail : failure_message(serving->format, FAILURE_RATE).detail);
        answer_retry_after(serving, buckets[i].retry_after ? buckets[i].retry_after
                                                           : decision.retry_after_seconds);
        return false;
    }
    return true;
}

bool step_rate(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;

    return !service->buckets || (cors_is_preflight(serving) && !service->limits_preflights) ||
           charge_buckets(serving);
}

static size_t body_limit(const struct serving *serving)
{
    const struct route *route = serving->match.route;

    return serving->policy->body_limits[route ? route->body_limit : 0];
}

bool answer_too_large(struct serving *serving, size_t announced, size_t limit)
{
    const struct wire_format *format = serving->format;
    struct failure_message words = failure_message(format, FAILURE_BODY_TOO_LARGE);

    server_count(serving->server, HTTP_METRIC_BODY_REJECTIONS);
    answer_error(serving, 413, words.error_code,
                 format->too_large ? format->too_large(&serving->request, announced, limit)
                                   : words.detail);
    return false;
}

/* Reads to the end of the body, or to the first byte over the limit. */
static bool read_body(struct serving *serving, size_t limit, int64_t announced)
{
    struct exchange *exchange = serving->exchange;
    struct text body;
    char chunk[16 * 1024];

    text_start(&body, serving->request.arena, limit);
    for (;;) {
        long count = exchange->read(exchange->transport, chunk, sizeof chunk);

        if (count <= 0)
            break;
        text_append(&body, chunk, (size_t)count);
        if (body.overflowed)
            return answer_too_large(serving, 0, limit);
    }
    if (announced > 0 && body.length < (size_t)announced) {
        answer_failure(serving, 400, FAILURE_BODY_SHORT);
        return false;
    }
    serving->request.bytes = body.bytes;
    serving->request.length = body.length;
    return true;
}

/* Whether the handler reads the body itself: in parts, or as parts of a form. */
static bool is_read_later(const struct route *route)
{
    return route && (route->reads_body || route->form);
}

static bool takes_body(const struct serving *serving)
{
    enum method method = serving->request.method;
    const struct route *route = serving->match.route;

    return method == METHOD_POST || method == METHOD_PUT || method == METHOD_PATCH ||
           (method == METHOD_DELETE && route && route->body);
}

static int64_t announced_length(const struct serving *serving)
{
    const char *length =
        serving->exchange->variable(serving->exchange->transport, "CONTENT_LENGTH");
    int64_t announced = 0;

    return length && *length && integer_parse(length, &announced) && announced > 0 ? announced : 0;
}

bool step_length(struct serving *serving)
{
    size_t limit = body_limit(serving);
    uint64_t announced = (uint64_t)announced_length(serving);

    return !takes_body(serving) || announced <= limit ||
           answer_too_large(serving, announced, limit);
}

bool step_body(struct serving *serving)
{
    if (!takes_body(serving))
        return true;
    if (!step_length(serving))
        return false;
    return is_read_later(serving->match.route) ||
           read_body(serving, body_limit(serving), announced_length(serving));
}

long request_read(struct request *request, char *bytes, size_t size)
{
    struct serving *serving = serving_of(request);
    struct exchange *exchange = request->exchange;
    long count = exchange->read(exchange->transport, bytes, size);

    if (count <= 0)
        return count;
    serving->body_read += (size_t)count;
    if (serving->body_read <= body_limit(serving))
        return count;
    if (!request->streaming)
        answer_too_large(serving, 0, body_limit(serving));
    return -2;
}

bool step_admission(struct serving *serving)
{
    const struct http_policy *policy = serving->policy;
    const struct route *route = serving->match.route;
    struct compute_cost cost = {.units = 1};
    enum admission_outcome outcome;

    if (!route->cost || !policy->admission_enabled)
        return true;
    route->cost(serving->request.body, &cost);
    outcome = admission_acquire(serving->server->region, &policy->admission, cost.units, cost.heavy,
                                &serving->ticket);
    if (outcome == ADMISSION_GRANTED)
        return true;
    server_count(serving->server, HTTP_METRIC_CAPACITY_REJECTIONS);
    answer_failure(serving,
                   serving->format->capacity_status ? serving->format->capacity_status : 429,
                   FAILURE_CAPACITY);
    answer_retry_after(serving, policy->admission_retry_after);
    return false;
}

void request_release_admission(struct request *request)
{
    struct server *server = request->server;

    semaphore_release(server->region, &serving_of(request)->ticket);
}
