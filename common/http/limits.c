/* Limits: calls per window, bytes per body, computation in flight. */
#include "base/number.h"
#include "http/http_internal.h"

#include <string.h>

static bool too_many(struct serving *serving, uint32_t retry_after)
{
    counters_add(serving->server->family, COUNTER_RATE_LIMITED, 1);
    answer_error(serving, 429, "rate_limited", "Too many requests");
    answer_retry_after(serving, retry_after);
    return false;
}

/* Calls by an issued key have a bucket of their own, wherever they come from. */
static const char *bucket_name(const struct request *request)
{
    if (request->who.key_id)
        return arena_print(request->arena, "api_key:%s", request->who.key_id);
    return arena_print(request->arena, "api:%s", request->client.resolved);
}

static struct rate_rule bucket_rule(const struct http_policy *policy, const struct credentials *who)
{
    struct rate_rule rule = policy->rate;

    if (who->key_id && who->key_rate.max)
        rule.max = who->key_rate.max;
    if (who->key_id && who->key_rate.window_seconds)
        rule.window_seconds = who->key_rate.window_seconds;
    return rule;
}

bool step_rate(struct serving *serving)
{
    const struct http_policy *policy = serving->policy;
    const struct route *route = serving->match.route;
    struct request *request = &serving->request;
    struct shm_region *region = serving->server->region;
    struct rate_decision heavy;
    const char *key;

    if (!policy->rate_limit_enabled || request->method == METHOD_OPTIONS ||
        !path_has_prefix(request->path, policy->api_prefix))
        return true;
    key = bucket_name(request);
    serving->rate = rate_allow(region, key, bucket_rule(policy, &request->who));
    if (!serving->rate.allowed)
        return too_many(serving, serving->rate.retry_after_seconds);
    if (!route || route->lane != LANE_HEAVY)
        return true;
    heavy = rate_allow(region, arena_print(request->arena, "heavy:%s", key), policy->heavy_rate);
    return heavy.allowed || too_many(serving, heavy.retry_after_seconds);
}

static bool too_large(struct serving *serving, size_t limit)
{
    counters_add(serving->server->family, COUNTER_BODY_REJECTION, 1);
    answer_error(
        serving, 413, "request_body_too_large",
        arena_print(serving->request.arena, "Request body exceeds limit of %zu bytes", limit));
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
            return too_large(serving, limit);
    }
    if (announced > 0 && body.length < (size_t)announced) {
        answer_error(serving, 400, "bad_request",
                     "Request body is shorter than its Content-Length");
        return false;
    }
    serving->body_bytes = body.bytes;
    serving->body_length = body.length;
    return true;
}

bool step_body(struct serving *serving)
{
    const struct route *route = serving->match.route;
    enum method method = serving->request.method;
    size_t limit = serving->policy->body_limits[route ? route->body_limit : BODY_STANDARD];
    const char *length =
        serving->exchange->variable(serving->exchange->transport, "CONTENT_LENGTH");
    int64_t announced = 0;

    if (method != METHOD_POST && method != METHOD_PUT && method != METHOD_PATCH)
        return true;
    if (length && *length && integer_parse(length, &announced) && announced > 0 &&
        (uint64_t)announced > limit)
        return too_large(serving, limit);
    return read_body(serving, limit, announced);
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
                                cost.analyzer, &serving->ticket);
    if (outcome == ADMISSION_GRANTED)
        return true;
    counters_add(serving->server->family, COUNTER_CAPACITY_REJECTION, 1);
    answer_error(serving, 429, "compute_capacity_exceeded",
                 "Server is at compute capacity; retry shortly");
    answer_retry_after(serving, policy->admission_retry_after);
    return false;
}

void request_leave_admission(struct request *request)
{
    struct server *server = request->server;

    admission_release(server->region, &server->serving->ticket);
}
