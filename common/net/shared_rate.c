/* A sliding window in Redis. Nothing is allocated from an arena while a reply is held. */
#include "net/shared_rate.h"

#include "crypto/token.h"
#include "net/redis.h"
#include "shm/breaker.h"

#include <hiredis/hiredis.h>
#include <stdio.h>

enum { KEPT_SECONDS = 1 };

/* The name of its breaker; a service has one Redis. */
static const char breaker_name[] = "cache";

/* KEYS[1] = the log of a client; ARGV = the limit, the window in seconds, a unique member. Returns
 * whether the call was admitted, how many are in the window, and the age of the oldest one. */
static const char script[] =
    "local t = redis.call('TIME')\n"
    "local now = t[1] + t[2] / 1000000\n"
    "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.6f', now - ARGV[2]))\n"
    "local n = redis.call('ZCARD', KEYS[1])\n"
    "local fits = n < tonumber(ARGV[1])\n"
    "if fits then\n"
    "  local moment = string.format('%.6f', now)\n"
    "  redis.call('ZADD', KEYS[1], moment, moment .. ':' .. ARGV[3])\n"
    "  redis.call('EXPIRE', KEYS[1], ARGV[2] + 1)\n"
    "  n = n + 1\n"
    "end\n"
    "local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')\n"
    "local age = first[2] and math.floor(now - first[2]) or 0\n"
    "return {fits and 1 or 0, n, age}";

struct shared_rate {
    struct redis *redis;
    struct breaker_rule rule;
};

enum error shared_rate_open(struct arena *arena, const struct shared_rate_config *config,
                            struct shared_rate **rate, struct problem *problem)
{
    struct shared_rate *made = ARENA_NEW(arena, struct shared_rate);

    if (redis_open(arena, config->url, config->timeout, &made->redis, problem))
        return problem_set(problem, ERROR_INVALID, "cache_url", "%s", redis_url_form);
    made->rule = (struct breaker_rule){.failures = 1,
                                       .open_ms = (uint32_t)(config->retry_seconds * 1000),
                                       .probe_ms = redis_probe_ms(config->timeout),
                                       .is_own = true};
    *rate = made;
    return ERROR_NONE;
}

void shared_rate_close(struct shared_rate *rate)
{
    if (rate)
        redis_close(rate->redis);
}

/* The reply of Redis if the breaker allows the command. */
static redisReply *guarded_command(struct shared_rate *rate, struct shm_region *region, int count,
                                   const char **arguments)
{
    struct breaker_permit pass = {0};
    redisReply *reply;

    if (region && !breaker_allow(region, breaker_name, &rate->rule, &pass))
        return NULL;
    reply = redis_command(rate->redis, count, arguments);
    if (region)
        breaker_record(region, &rate->rule, &pass, reply != NULL);
    return reply;
}

static bool holds_integers(const redisReply *reply, size_t count)
{
    bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements == count;

    for (size_t i = 0; good && i < count; i++)
        good = reply->element[i]->type == REDIS_REPLY_INTEGER;
    return good;
}

bool shared_rate_allow(struct shared_rate *rate, struct shm_region *region, const char *key,
                       struct rate_rule rule, struct rate_decision *decision)
{
    char limit[16], window[16], word[32];
    const char *arguments[] = {"EVAL", script, "1", key, limit, window, word};
    redisReply *reply;
    bool good;

    snprintf(limit, sizeof limit, "%u", rule.max);
    snprintf(window, sizeof window, "%u", rule.window_seconds);
    token_random_text(12, word, sizeof word);
    reply = guarded_command(rate, region, sizeof arguments / sizeof arguments[0], arguments);
    if (!reply)
        return false;
    good = holds_integers(reply, 3);
    if (good) {
        uint32_t used = (uint32_t)reply->element[1]->integer;
        uint32_t age = (uint32_t)reply->element[2]->integer;
        uint32_t left = age < rule.window_seconds ? rule.window_seconds - age : KEPT_SECONDS;
        bool fits = reply->element[0]->integer == 1;

        *decision = (struct rate_decision){.allowed = fits,
                                           .limit = rule.max,
                                           .remaining = used < rule.max ? rule.max - used : 0,
                                           .retry_after_seconds = fits ? 0 : left,
                                           .reset_seconds = left};
    }
    freeReplyObject(reply);
    return good;
}

bool shared_rate_answers(struct shared_rate *rate, struct shm_region *region)
{
    const char *arguments[] = {"PING"};
    redisReply *reply = guarded_command(rate, region, 1, arguments);

    if (reply)
        freeReplyObject(reply);
    return reply != NULL;
}
