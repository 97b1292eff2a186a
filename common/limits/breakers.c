/* Breakers of several hosts: each host decides by its own, and tells the others once a second how
 * often in a row it has failed lately, which breakers refuse calls, and which were reset. */
#include "limits/limits_internal.h"

enum {
    NOTICES_MAX = 64,
    WORDS_OF_NOTICE = 4,
    NUMBERS_OF_NOTICE = 3,
    KEPT_US = 10000000, /* after which what a silent host has said is forgotten */
};

_Static_assert(2 + NOTICES_MAX * WORDS_OF_NOTICE <= REDIS_SCRIPT_ARGUMENTS_MAX,
               "all breakers of a host go into one call");

/* KEYS[1] = what all hosts say, "host:breaker" = "failures:open until:reset at:said at". ARGV =
 * this host, microseconds until a word is forgotten, then of each breaker its digest, its failures,
 * the microseconds for which it is open, and those since its reset (negative = none). Returns of
 * each the failures of the other hosts, the microseconds for which one of them is open, and those
 * since the last reset by one of them. */
const char limits_breakers_script[] =
    "local t = redis.call('TIME')\n"
    "local now = t[1] * 1000000 + t[2]\n"
    "local host, kept = ARGV[1], tonumber(ARGV[2])\n"
    "local said = redis.call('HGETALL', KEYS[1])\n"
    "local failures, open, reset = {}, {}, {}\n"
    "for i = 1, #said, 2 do\n"
    "  local who, what = string.match(said[i], '^(%x+):(.*)$')\n"
    "  local count, till, again, at = string.match(said[i + 1], '^(%d+):(%d+):(%d+):(%d+)$')\n"
    "  if who == host or not at or now - at > kept then\n"
    "    redis.call('HDEL', KEYS[1], said[i])\n"
    "  else\n"
    "    failures[what] = (failures[what] or 0) + count\n"
    "    open[what] = math.max(open[what] or 0, till - now)\n"
    "    reset[what] = math.max(reset[what] or 0, tonumber(again))\n"
    "  end\n"
    "end\n"
    "local answer = {}\n"
    "for i = 3, #ARGV, 4 do\n"
    "  local what, count, left = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])\n"
    "  local ago, again = tonumber(ARGV[i + 3]), reset[ARGV[i]] or 0\n"
    "  if count > 0 or left > 0 or ago >= 0 then\n"
    "    redis.call('HSET', KEYS[1], host .. ':' .. what, string.format('%.0f:%.0f:%.0f:%.0f',\n"
    "      count, left > 0 and now + left or 0, ago >= 0 and now - ago or 0, now))\n"
    "  end\n"
    "  answer[#answer + 1] = math.min(failures[what] or 0, 1000000)\n"
    "  answer[#answer + 1] = open[what] or 0\n"
    "  answer[#answer + 1] = again > 0 and now - again or -1\n"
    "end\n"
    "redis.call('PEXPIRE', KEYS[1], math.ceil(kept / 1000))\n"
    "return answer";

void limits_exchange_breakers(struct limits *limits)
{
    struct breaker_notice notices[NOTICES_MAX];
    size_t count = breaker_list(limits->region, notices, NOTICES_MAX);
    struct limits_text failures[NOTICES_MAX], open[NOTICES_MAX], reset[NOTICES_MAX], kept;
    char names[NOTICES_MAX][LIMITS_KEY_MAX], key[LIMITS_KEY_MAX];
    struct redis_arguments arguments = {.items = {limits->host, limits_number(&kept, KEPT_US)},
                                        .count = 2};
    int64_t numbers[NUMBERS_OF_NOTICE * NOTICES_MAX];

    if (!count)
        return;
    for (size_t i = 0; i < count; i++) {
        const char **items = &arguments.items[arguments.count];

        limits_key(limits, "breaker", notices[i].name, names[i]);
        items[0] = names[i];
        items[1] = limits_number(&failures[i], notices[i].failures);
        items[2] = limits_number(&open[i], notices[i].open_us);
        items[3] = limits_number(&reset[i], notices[i].reset_us);
        arguments.count += WORDS_OF_NOTICE;
    }
    limits_key(limits, "breakers", limits->service, key);
    if (!limits_run(limits, &limits->breakers, key, &arguments, numbers, NUMBERS_OF_NOTICE * count))
        return;
    for (size_t i = 0; i < count; i++) {
        notices[i].failures = (uint32_t)numbers[NUMBERS_OF_NOTICE * i];
        notices[i].open_us = numbers[NUMBERS_OF_NOTICE * i + 1];
        notices[i].reset_us = numbers[NUMBERS_OF_NOTICE * i + 2];
        breaker_hear(limits->region, &notices[i]);
    }
}
