/* Rates: one script does what shm/rate.c does, by the clock of the server. */
#include "limits/limits_internal.h"

/* KEYS[1] = the key. ARGV = "allow", "charge", "peek" or "forget", the max, the window in
 * microseconds, the units; or "token", the capacity, the refill per minute. Returns whether the
 * call fits, what remains, and the seconds until it would fit and until the key is as new.
 *
 * The members of a window: s = its start, e = calls of the window before, c = calls of this one, n
 * = the newest. A token bucket is the generic cell rate algorithm (ITU-T I.371): d = the debt at
 * the time n, in tokens times 60e6; its theoretical arrival time is n + d / refill. */
#define ARITHMETIC                                                                                 \
    "local key, kind, max = KEYS[1], ARGV[1], tonumber(ARGV[2])\n"                                 \
    "if kind == 'forget' then\n"                                                                   \
    "  redis.call('DEL', key)\n"                                                                   \
    "  return {1, 0, 0, 0}\n"                                                                      \
    "end\n"                                                                                        \
    "local v = redis.call('HMGET', key, 's', 'e', 'c', 'n', 'd')\n"                                \
    "local newest = tonumber(v[4])\n"                                                              \
    "if newest and newest > now + 1000000 then newest = nil end\n"                                 \
    "if newest and newest > now then now = newest end\n"                                           \
    "local function whole(x) return string.format('%.0f', x) end\n"                                \
    "local function seconds(us, longest)\n"                                                        \
    "  return math.min(math.max(math.ceil(us / 1000000), 1), longest)\n"                           \
    "end\n"                                                                                        \
    "if kind == 'token' then\n"                                                                    \
    "  local refill, token, longest = tonumber(ARGV[3]), 60000000, 4294967295\n"                   \
    "  local capacity, debt = max * token, 0\n"                                                    \
    "  if newest and v[5] then\n"                                                                  \
    "    debt = math.max(math.min(v[5] - (now - newest) * refill, capacity), 0)\n"                 \
    "  end\n"                                                                                      \
    "  local fits = debt + token <= capacity\n"                                                    \
    "  local wait = 0\n"                                                                           \
    "  if fits then\n"                                                                             \
    "    debt = debt + token\n"                                                                    \
    "  else\n"                                                                                     \
    "    wait = seconds(math.floor((debt + token - capacity + refill - 1) / refill), longest)\n"   \
    "  end\n"                                                                                      \
    "  local reset = debt > 0 and seconds(math.floor(debt / refill), longest) or 0\n"              \
    "  redis.call('DEL', key)\n"                                                                   \
    "  if debt > 0 then\n"                                                                         \
    "    redis.call('HSET', key, 'n', whole(now), 'd', whole(debt))\n"                             \
    "    redis.call('PEXPIRE', key, reset * 1000 + 1000)\n"                                        \
    "  end\n"                                                                                      \
    "  return {fits and 1 or 0, math.floor((capacity - debt) / token), wait, reset}\n"             \
    "end\n"                                                                                        \
    "local window, units = tonumber(ARGV[3]), tonumber(ARGV[4])\n"                                 \
    "local function left_for(earlier, most)\n"                                                     \
    "  return most + 1 >= earlier and window or math.floor(window * (most + 1) / earlier)\n"       \
    "end\n"                                                                                        \
    "local start, earlier, current, used = now, 0, 0, 0\n"                                         \
    "if newest and v[1] and now - newest < window and tonumber(v[1]) <= now then\n"                \
    "  local elapsed = now - v[1]\n"                                                               \
    "  start = v[1] + math.floor(elapsed / window) * window\n"                                     \
    "  if elapsed < window then\n"                                                                 \
    "    earlier, current = tonumber(v[2]), tonumber(v[3])\n"                                      \
    "  else\n"                                                                                     \
    "    earlier = tonumber(v[3])\n"                                                               \
    "  end\n"                                                                                      \
    "  used = current\n"                                                                           \
    "  if earlier > 0 then\n"                                                                      \
    "    used = used + math.ceil(earlier * (start + window - now) / window) - 1\n"                 \
    "  end\n"                                                                                      \
    "  if used == 0 then start, earlier, current = now, 0, 0 end\n"                                \
    "end\n"                                                                                        \
    "local fits = units <= max and used <= max - units\n"                                          \
    "if units > 0 and (kind == 'charge' or (kind == 'allow' and fits)) then\n"                     \
    "  local added = math.min(units, 500000000 - current)\n"                                       \
    "  current, used, newest = current + added, used + added, now\n"                               \
    "  redis.call('HDEL', key, 'd')\n"                                                             \
    "  redis.call('HSET', key, 's', whole(start), 'e', whole(earlier), 'c', whole(current),\n"     \
    "             'n', whole(now))\n"                                                              \
    "  redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1000)\n"                              \
    "end\n"                                                                                        \
    "local longest, wait, reset = window / 1000000, 0, 0\n"                                        \
    "if used > 0 then\n"                                                                           \
    "  local old, ends = used - current, start + window\n"                                         \
    "  local at = old > 0 and ends - left_for(earlier, old - 1) or ends\n"                         \
    "  reset = seconds(math.min(at, newest + window) - now, longest)\n"                            \
    "end\n"                                                                                        \
    "if not fits and units > max then\n"                                                           \
    "  wait = longest\n"                                                                           \
    "elseif not fits then\n"                                                                       \
    "  local room, at = max - units\n"                                                             \
    "  if current <= room then\n"                                                                  \
    "    at = start + window - left_for(earlier, room - current)\n"                                \
    "  else\n"                                                                                     \
    "    at = start + 2 * window - left_for(current, room)\n"                                      \
    "  end\n"                                                                                      \
    "  wait = seconds(math.min(at, newest + window) - now, longest)\n"                             \
    "end\n"                                                                                        \
    "return {fits and 1 or 0, math.max(max - used, 0), wait, reset}"

const char limits_rates_arithmetic[] = ARITHMETIC;
const char limits_rates_script[] = "local t = redis.call('TIME')\n"
                                   "local now = t[1] * 1000000 + t[2]\n" ARITHMETIC;

enum { WORDS = 4 };

/* False when the server does not answer. */
static bool decide(struct limits *limits, const char *name, const char *const words[WORDS],
                   uint32_t limit, struct rate_decision *decision)
{
    struct redis_arguments arguments = {.items = {words[0], words[1], words[2], words[3]},
                                        .count = WORDS};
    char key[LIMITS_KEY_MAX];
    int64_t numbers[4];

    limits_key(limits, "rate", name, key);
    if (!limits_run(limits, &limits->rates, key, &arguments, numbers, 4)) {
        shm_number_add(limits->region, LIMITS_ALONE, 1);
        return false;
    }
    *decision = (struct rate_decision){.allowed = numbers[0] == 1,
                                       .limit = limit,
                                       .remaining = (uint32_t)numbers[1],
                                       .retry_after_seconds = (uint32_t)numbers[2],
                                       .reset_seconds = (uint32_t)numbers[3]};
    return true;
}

static bool decide_by_window(struct limits *limits, const char *name, const char *kind,
                             struct rate_rule rule, uint32_t units, struct rate_decision *decision)
{
    struct limits_text max, window, count;
    uint32_t limit = rule.max < RATE_COUNT_MAX ? rule.max : RATE_COUNT_MAX;
    int64_t seconds = rule.window_seconds ? rule.window_seconds : 1;

    return decide(limits, name,
                  (const char *[]){kind, limits_number(&max, limit),
                                   limits_number(&window, seconds * MICROSECONDS_PER_SECOND),
                                   limits_number(&count, units)},
                  limit, decision);
}

/* The rule of this host while it counts alone. */
static struct rate_rule own_rule(struct shm_region *region, struct rate_rule rule)
{
    rule.max = limits_part(rule.max, shm_number(region, LIMITS_HOSTS));
    return rule;
}

struct rate_decision limits_allow(struct shm_region *region, const char *key, struct rate_rule rule)
{
    struct limits *limits = limits_of(region);
    struct rate_decision decision;

    if (!limits)
        return rate_allow(region, key, rule);
    return decide_by_window(limits, key, "allow", rule, 1, &decision)
               ? decision
               : rate_allow(region, key, own_rule(region, rule));
}

struct rate_decision limits_allow_units(struct shm_region *region, const char *key,
                                        struct rate_rule rule, uint32_t units)
{
    struct limits *limits = limits_of(region);
    struct rate_decision decision;

    if (limits && decide_by_window(limits, key, "allow", rule, units, &decision))
        return decision;
    if (limits)
        rule = own_rule(region, rule);
    decision = rate_peek(region, key, rule);
    decision.allowed = decision.remaining >= units;
    return decision.allowed ? rate_charge(region, key, rule, units) : decision;
}

struct rate_decision limits_charge(struct shm_region *region, const char *key,
                                   struct rate_rule rule, uint32_t units)
{
    struct limits *limits = limits_of(region);
    struct rate_decision decision;

    if (!limits)
        return rate_charge(region, key, rule, units);
    return decide_by_window(limits, key, "charge", rule, units, &decision)
               ? decision
               : rate_charge(region, key, own_rule(region, rule), units);
}

struct rate_decision limits_peek(struct shm_region *region, const char *key, struct rate_rule rule)
{
    struct limits *limits = limits_of(region);
    struct rate_decision decision;

    if (!limits)
        return rate_peek(region, key, rule);
    return decide_by_window(limits, key, "peek", rule, 1, &decision)
               ? decision
               : rate_peek(region, key, own_rule(region, rule));
}

struct rate_decision limits_take_token(struct shm_region *region, const char *key,
                                       struct rate_bucket bucket)
{
    struct limits *limits = limits_of(region);
    uint32_t refill = bucket.refill_per_minute ? bucket.refill_per_minute : 1;
    struct limits_text capacity, per_minute;
    struct rate_decision decision;
    int64_t hosts;

    if (!limits)
        return rate_take_token(region, key, bucket);
    if (decide(limits, key,
               (const char *[]){"token", limits_number(&capacity, bucket.capacity),
                                limits_number(&per_minute, refill), "1"},
               bucket.capacity, &decision))
        return decision;
    hosts = shm_number(region, LIMITS_HOSTS);
    return rate_take_token(
        region, key,
        (struct rate_bucket){limits_part(bucket.capacity, hosts), limits_part(refill, hosts)});
}

void limits_forget(struct shm_region *region, const char *key)
{
    struct limits *limits = limits_of(region);
    struct rate_decision decision;

    if (limits)
        (void)decide_by_window(limits, key, "forget", (struct rate_rule){0}, 0, &decision);
    rate_forget(region, key);
}
