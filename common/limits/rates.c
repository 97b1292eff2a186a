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

enum call_kind { CALL_ALLOW, CALL_CHARGE, CALL_PEEK, CALL_TOKEN, CALL_FORGET };

static const char *const kind_names[] = {"allow", "charge", "peek", "token", "forget"};

struct call {
    enum call_kind kind;
    const char *key;
    struct rate_rule rule;
    uint32_t units;
    struct rate_bucket bucket; /* of CALL_TOKEN */
};

/* How long a call counts, in microseconds. */
static int64_t window_of(const struct call *call)
{
    if (call->kind == CALL_TOKEN)
        return call->bucket.capacity * INT64_C(60) * MICROSECONDS_PER_SECOND /
               call->bucket.refill_per_minute;
    return (call->rule.window_seconds ? call->rule.window_seconds : INT64_C(1)) *
           MICROSECONDS_PER_SECOND;
}

static uint32_t limit_of(const struct call *call)
{
    uint32_t limit = call->kind == CALL_TOKEN ? call->bucket.capacity : call->rule.max;

    return call->kind != CALL_TOKEN && limit > RATE_COUNT_MAX ? RATE_COUNT_MAX : limit;
}

/* False when the server does not answer. */
static bool count_together(struct limits *limits, const struct call *call,
                           struct rate_decision *decision)
{
    bool is_token = call->kind == CALL_TOKEN;
    struct limits_text limit, pace, units;
    const struct redis_arguments arguments = {
        .items = {kind_names[call->kind], limits_number(&limit, limit_of(call)),
                  limits_number(&pace, is_token ? call->bucket.refill_per_minute : window_of(call)),
                  limits_number(&units, call->units)},
        .count = 4};
    char key[LIMITS_KEY_MAX];
    int64_t numbers[4];

    limits_key(limits, "rate", call->key, key);
    if (!limits_run(limits, &limits->rates, key, &arguments, numbers, 4)) {
        shm_number_add(limits->region, LIMITS_ALONE, 1);
        return false;
    }
    *decision = (struct rate_decision){.allowed = numbers[0] == 1,
                                       .limit = limit_of(call),
                                       .remaining = (uint32_t)numbers[1],
                                       .retry_after_seconds = (uint32_t)numbers[2],
                                       .reset_seconds = (uint32_t)numbers[3]};
    return true;
}

static struct rate_decision allow_units(struct shm_region *region, const struct call *call,
                                        struct rate_rule rule)
{
    struct rate_decision decision;

    if (call->units == 1)
        return rate_allow(region, call->key, rule);
    decision = rate_peek(region, call->key, rule);
    decision.allowed = decision.remaining >= call->units;
    return decision.allowed ? rate_charge(region, call->key, rule, call->units) : decision;
}

/* What fits the limit, fits an empty share of it, too. */
static struct rate_decision allow_here(struct shm_region *region, const struct call *call,
                                       struct rate_rule rule)
{
    struct call held = *call;

    if (held.units <= held.rule.max && held.units > rule.max)
        held.units = rule.max;
    return allow_units(region, &held, rule);
}

/* On this host, one of so many. */
static struct rate_decision count_here(struct shm_region *region, const struct call *call,
                                       int64_t hosts)
{
    const struct rate_rule rule = {limits_part(call->rule.max, hosts), call->rule.window_seconds};
    const struct rate_bucket bucket = {limits_part(call->bucket.capacity, hosts),
                                       limits_part(call->bucket.refill_per_minute, hosts)};

    switch (call->kind) {
    case CALL_ALLOW:
        return allow_here(region, call, rule);
    case CALL_CHARGE:
        return rate_charge(region, call->key, rule, call->units);
    case CALL_PEEK:
        return rate_peek(region, call->key, rule);
    case CALL_TOKEN:
        return rate_take_token(region, call->key, bucket);
    default:
        rate_forget(region, call->key);
        return (struct rate_decision){.allowed = true};
    }
}

/* In the window in which the server has come back it may have lost what it knew. */
static bool was_alone(struct shm_region *region, const struct call *call)
{
    int64_t back_at = shm_number(region, LIMITS_BACK_AT);

    return back_at && limits_now() - back_at < window_of(call);
}

static struct rate_decision count(struct shm_region *region, const struct call *call)
{
    struct limits *limits = limits_of(region);
    struct rate_decision own, decision;
    bool counted_here;
    int64_t hosts;

    if (!limits)
        return count_here(region, call, 1);
    hosts = shm_number(region, LIMITS_HOSTS);
    counted_here = call->kind == CALL_FORGET || was_alone(region, call);
    if (counted_here) {
        own = count_here(region, call, hosts);
        if (!own.allowed && call->kind != CALL_CHARGE)
            return own;
    }
    if (count_together(limits, call, &decision))
        return decision;
    return counted_here ? own : count_here(region, call, hosts);
}

struct rate_decision limits_allow(struct shm_region *region, const char *key, struct rate_rule rule)
{
    return limits_allow_units(region, key, rule, 1);
}

struct rate_decision limits_allow_units(struct shm_region *region, const char *key,
                                        struct rate_rule rule, uint32_t units)
{
    return count(region, &(struct call){CALL_ALLOW, key, .rule = rule, .units = units});
}

struct rate_decision limits_charge(struct shm_region *region, const char *key,
                                   struct rate_rule rule, uint32_t units)
{
    return count(region, &(struct call){CALL_CHARGE, key, .rule = rule, .units = units});
}

struct rate_decision limits_peek(struct shm_region *region, const char *key, struct rate_rule rule)
{
    return count(region, &(struct call){CALL_PEEK, key, .rule = rule, .units = 1});
}

struct rate_decision limits_take_token(struct shm_region *region, const char *key,
                                       struct rate_bucket bucket)
{
    if (!bucket.refill_per_minute)
        bucket.refill_per_minute = 1;
    return count(region, &(struct call){CALL_TOKEN, key, .units = 1, .bucket = bucket});
}

void limits_forget(struct shm_region *region, const char *key)
{
    (void)count(region, &(struct call){.kind = CALL_FORGET, .key = key});
}
