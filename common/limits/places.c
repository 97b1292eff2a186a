/* Places in flight: leases in a sorted set of the server, by the time at which they run out. */
#include "base/clock.h"
#include "crypto/token.h"
#include "limits/limits_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    RENEWALS_OF_LEASE = 3,
    ASK_AGAIN_US = 25000 /* for a place that was refused */
};

/* KEYS[1] = the places of a name. ARGV = "hold" or "release", the lease, how many places there are,
 * its microseconds, 1 = hold it even if there are none left. Returns whether the lease is held. */
const char limits_places_script[] =
    "if ARGV[1] == 'release' then\n"
    "  redis.call('ZREM', KEYS[1], ARGV[2])\n"
    "  return {0}\n"
    "end\n"
    "local t = redis.call('TIME')\n"
    "local now = t[1] * 1000000 + t[2]\n"
    "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))\n"
    "if not redis.call('ZSCORE', KEYS[1], ARGV[2]) and ARGV[5] ~= '1'\n"
    "   and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then\n"
    "  return {0}\n"
    "end\n"
    "redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[4]), ARGV[2])\n"
    "redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[4] / 1000) + 1000)\n"
    "return {1}";

enum lease_answer { LEASE_HELD, LEASE_REFUSED, LEASE_UNKNOWN };

static enum lease_answer ask(struct limits *limits, const char *name, const char *what,
                             const char *member, uint32_t count_max, bool by_force)
{
    struct limits_text most, lease;
    const struct redis_arguments arguments = {
        .items = {what, member, limits_number(&most, count_max),
                  limits_number(&lease, limits->lease_us), by_force ? "1" : "0"},
        .count = 5};
    char key[LIMITS_KEY_MAX];
    int64_t is_held;

    limits_key(limits, "places", name, key);
    if (!limits_run(limits, &limits->places, key, &arguments, &is_held, 1))
        return LEASE_UNKNOWN;
    return is_held ? LEASE_HELD : LEASE_REFUSED;
}

/* The number of a lease: no other one ever has it. */
static void name_lease(const struct limits *limits, struct limits_place *place)
{
    uint64_t drawn;

    token_random_bytes(&drawn, sizeof drawn);
    snprintf(place->member, sizeof place->member, "%s-%016" PRIx64, limits->host, drawn);
}

static int64_t next_renewal(const struct limits *limits)
{
    return clock_monotonic_microseconds() + limits->lease_us / RENEWALS_OF_LEASE;
}

bool limits_place_take(struct shm_region *region, const char *name, uint32_t count_max,
                       struct limits_place *place)
{
    struct limits *limits = limits_of(region);
    struct limits_place taken = {.is_held = true, .renew_after = INT64_MAX};
    enum lease_answer answer = LEASE_HELD;

    if (place->is_held)
        return true;
    if (clock_monotonic_microseconds() < place->renew_after)
        return false;
    if (limits) {
        name_lease(limits, &taken);
        taken.renewed_at = limits_now();
        answer = ask(limits, name, "hold", taken.member, count_max, false);
        taken.renew_after = next_renewal(limits);
    }
    if (answer == LEASE_REFUSED) {
        place->renew_after = clock_monotonic_microseconds() + ASK_AGAIN_US;
        return false;
    }
    if (answer == LEASE_UNKNOWN)
        shm_number_add(region, LIMITS_ALONE, 1);
    *place = taken;
    return true;
}

/* The server may have lost a lease that has not run out, or may never have heard of one that was
 * taken while it was away: such a place stays, as it is in use. One that has run out needs room. */
bool limits_place_renew(struct shm_region *region, const char *name, uint32_t count_max,
                        struct limits_place *place)
{
    struct limits *limits = limits_of(region);
    int64_t now = limits_now();
    enum lease_answer answer;

    if (!place->is_held || !limits || clock_monotonic_microseconds() < place->renew_after)
        return true;
    answer = ask(limits, name, "hold", place->member, count_max,
                 now - place->renewed_at < limits->lease_us);
    if (answer == LEASE_REFUSED) {
        *place = (struct limits_place){0};
        return false;
    }
    place->renewed_at = now;
    place->renew_after = next_renewal(limits);
    return true;
}

void limits_place_release(struct shm_region *region, const char *name, struct limits_place *place)
{
    struct limits *limits = limits_of(region);

    if (limits && place->is_held)
        (void)ask(limits, name, "release", place->member, 0, false);
    *place = (struct limits_place){0};
}
