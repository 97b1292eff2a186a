/* The server of the limits: its connection, its breaker, and the hosts that live. */
#include "limits/limits.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "limits/limits_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BEAT_US = 1000000 };

/* The breaker on the server. */
static const char breaker_name[] = "limits";

/* Not a secret: all hosts must find the same key. */
static const unsigned char digest_key[DIGEST_SHORT_KEY_BYTES] = "limits of hosts";

/* KEYS[1] = the hosts, with the time of their beat. ARGV = this host, microseconds until a silent
 * one counts as gone. Returns how many live, and since when the server remembers anything. */
static const char beat_script[] = "local t = redis.call('TIME')\n"
                                  "local now = t[1] * 1000000 + t[2]\n"
                                  "local text = string.format('%.0f', now)\n"
                                  "redis.call('HSETNX', KEYS[1], 'epoch', text)\n"
                                  "redis.call('HSET', KEYS[1], ARGV[1], text)\n"
                                  "redis.call('EXPIRE', KEYS[1], 604800)\n"
                                  "local all, count, epoch = redis.call('HGETALL', KEYS[1]), 0, 0\n"
                                  "for i = 1, #all, 2 do\n"
                                  "  if all[i] == 'epoch' then\n"
                                  "    epoch = tonumber(all[i + 1])\n"
                                  "  elseif now - all[i + 1] > tonumber(ARGV[2]) then\n"
                                  "    redis.call('HDEL', KEYS[1], all[i])\n"
                                  "  else\n"
                                  "    count = count + 1\n"
                                  "  end\n"
                                  "end\n"
                                  "return {count, epoch}";

struct limits *limits_of(const struct shm_region *region)
{
    return region ? shm_region_attached(region) : NULL;
}

int64_t limits_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

const char *limits_number(struct limits_text *text, int64_t number)
{
    snprintf(text->text, sizeof text->text, "%" PRId64, number);
    return text->text;
}

void limits_key(const struct limits *limits, const char *kind, const char *name,
                char key[LIMITS_KEY_MAX])
{
    unsigned char digest[DIGEST_SHORT_BYTES];
    char hex[2 * DIGEST_SHORT_BYTES + 1];

    digest_short(digest_key, name, strlen(name), digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    snprintf(key, LIMITS_KEY_MAX, "assay:{%s}:%.16s:%s", hex, limits->service, kind);
}

enum error limits_check_url(struct arena *arena, const char *url, struct problem *problem)
{
    struct redis *redis;

    if (redis_open(arena, url, 1, &redis, NULL))
        return problem_set(problem, ERROR_INVALID, "limits_url", "ASSAY_LIMITS_URL %s",
                           redis_url_form);
    return ERROR_NONE;
}

/* The first worker of the host draws the number that identifies it. */
static void identify_host(struct limits *limits)
{
    int64_t drawn;

    token_random_bytes(&drawn, sizeof drawn);
    (void)shm_number_replace(limits->region, LIMITS_HOST, 0, drawn | 1);
    snprintf(limits->host, sizeof limits->host, "%016" PRIx64,
             (uint64_t)shm_number(limits->region, LIMITS_HOST));
}

enum error limits_attach(struct arena *arena, struct shm_region *region,
                         const struct limits_config *config, struct problem *problem)
{
    struct limits *limits = ARENA_NEW(arena, struct limits);

    if (redis_open(arena, config->url, config->timeout, &limits->redis, NULL))
        return limits_check_url(arena, config->url, problem);
    limits->region = region;
    limits->service = config->service;
    limits->rule = (struct breaker_rule){.failures = 1,
                                         .open_ms = (uint32_t)(config->retry_seconds * 1000),
                                         .probe_ms = redis_probe_ms(config->timeout),
                                         .is_own = true};
    limits->host_us = (int64_t)(config->host_seconds * MICROSECONDS_PER_SECOND);
    limits->lease_us = (int64_t)(config->lease_seconds * MICROSECONDS_PER_SECOND);
    identify_host(limits);
    redis_script_init(&limits->rates, limits_rates_script);
    redis_script_init(&limits->places, limits_places_script);
    redis_script_init(&limits->breakers, limits_breakers_script);
    redis_script_init(&limits->beat, beat_script);
    shm_region_attach(region, limits);
    return ERROR_NONE;
}

void limits_detach(struct shm_region *region)
{
    struct limits *limits = limits_of(region);

    if (!limits)
        return;
    redis_close(limits->redis);
    shm_region_attach(region, NULL);
}

static bool answers(const struct limits *limits)
{
    return breaker_read_state(limits->region, breaker_name) == BREAKER_CLOSED;
}

bool limits_probe(struct limits *limits, const struct redis_script *script, const char *key,
                  const struct redis_arguments *arguments, int64_t *numbers, size_t count)
{
    struct breaker_permit permit;
    bool good;

    if (!breaker_allow(limits->region, breaker_name, &limits->rule, &permit))
        return false;
    good = redis_run_script(limits->redis, script, key, arguments, numbers, count);
    breaker_record(limits->region, &limits->rule, &permit, good);
    return good;
}

/* Of all workers, one finds that something has changed; which one does not matter. */
static void set_number(struct shm_region *region, enum limits_number number, int64_t value)
{
    (void)shm_number_replace(region, number, shm_number(region, number), value);
}

/* In a while after its return the server does not know all hosts yet. */
static void note_hosts(struct limits *limits, int64_t hosts)
{
    int64_t back_at = shm_number(limits->region, LIMITS_BACK_AT);
    bool may_be_few = back_at && limits_now() - back_at < limits->host_us;

    if (!may_be_few || hosts > shm_number(limits->region, LIMITS_HOSTS))
        set_number(limits->region, LIMITS_HOSTS, hosts);
}

/* Tells the server that this host lives. False when it does not answer, or has forgotten what it
 * knew since this host heard it last. */
static bool greet(struct limits *limits, bool *answers_now)
{
    bool is_back = !answers(limits);
    struct limits_text host_us;
    const struct redis_arguments arguments = {
        .items = {limits->host, limits_number(&host_us, limits->host_us)}, .count = 2};
    char key[LIMITS_KEY_MAX];
    int64_t numbers[2], epoch = shm_number(limits->region, LIMITS_EPOCH);

    limits_key(limits, "hosts", limits->service, key);
    *answers_now = limits_probe(limits, &limits->beat, key, &arguments, numbers, 2);
    if (!*answers_now)
        return false;
    if (is_back || (epoch && epoch != numbers[1]))
        set_number(limits->region, LIMITS_BACK_AT, limits_now());
    note_hosts(limits, numbers[0]);
    set_number(limits->region, LIMITS_EPOCH, numbers[1]);
    return !epoch || epoch == numbers[1];
}

static void complain(void)
{
    log_event(LOG_WARNING, "limits_server_away",
              "the server of ASSAY_LIMITS_URL does not answer; this host counts its share alone");
}

/* What must not wait in a fiber is decided on this host. The answer on a new connection may be that
 * of a server that has started again. */
bool limits_run(struct limits *limits, const struct redis_script *script, const char *key,
                const struct redis_arguments *arguments, int64_t *numbers, size_t count)
{
    unsigned connections = redis_connections(limits->redis);
    bool answers_now = false;

    if (!answers(limits) || (fiber_current() && !fiber_may_wait()))
        return false;
    if (limits_probe(limits, script, key, arguments, numbers, count) &&
        (connections == redis_connections(limits->redis) || greet(limits, &answers_now)))
        return true;
    if (!answers_now)
        complain();
    return false;
}

uint32_t limits_part(uint32_t most, int64_t hosts)
{
    uint32_t part = hosts > 1 ? (uint32_t)(most / hosts) : most;

    return part || !most ? part : 1;
}

uint32_t limits_share(struct shm_region *region, uint32_t most)
{
    struct limits *limits = limits_of(region);

    return !limits || answers(limits) ? most : limits_part(most, shm_number(region, LIMITS_HOSTS));
}

/* Of all workers, the first whose turn it is. */
static bool is_due(struct shm_region *region)
{
    int64_t now = limits_now(), last = shm_number(region, LIMITS_BEAT_AT);

    return (now - last >= BEAT_US || last > now) &&
           shm_number_replace(region, LIMITS_BEAT_AT, last, now);
}

void limits_beat(struct shm_region *region)
{
    struct limits *limits = limits_of(region);
    bool answered, answers_now;

    if (!limits || !is_due(region))
        return;
    answered = answers(limits);
    (void)greet(limits, &answers_now);
    if (answers_now && !answered)
        log_event(LOG_INFO, "limits_server_back", "the server of ASSAY_LIMITS_URL answers again");
    if (answers_now)
        limits_exchange_breakers(limits);
    else if (answered)
        complain();
}

void limits_read_state(struct shm_region *region, struct limits_state *state)
{
    const struct limits *limits = limits_of(region);
    int64_t hosts;

    *state = (struct limits_state){.hosts = 1};
    if (!limits)
        return;
    hosts = shm_number(region, LIMITS_HOSTS);
    *state = (struct limits_state){.is_shared = true,
                                   .answers = answers(limits),
                                   .hosts = hosts > 1 ? (uint32_t)hosts : 1,
                                   .alone = (uint64_t)shm_number(region, LIMITS_ALONE)};
}

const struct metric limits_metrics[LIMITS_METRIC__MAX] = {
    [LIMITS_METRIC_SHARED] = {"assay_limits_shared", METRIC_GAUGE,
                              "1 while limits hold over all hosts, 0 while this host counts its "
                              "share alone."},
    [LIMITS_METRIC_HOSTS] = {"assay_limits_hosts", METRIC_GAUGE, "Hosts that share the limits."},
    [LIMITS_METRIC_ALONE] = {"assay_limits_alone_total", METRIC_COUNTER,
                             "Decisions on limits that this host made alone."},
};

void limits_write_metrics(struct shm_region *region, struct text *out)
{
    struct limits_state state;

    limits_read_state(region, &state);
    if (!state.is_shared)
        return;
    for (int i = 0; i < LIMITS_METRIC__MAX; i++) {
        const uint64_t values[] = {[LIMITS_METRIC_SHARED] = state.answers,
                                   [LIMITS_METRIC_HOSTS] = state.hosts,
                                   [LIMITS_METRIC_ALONE] = state.alone};

        metric_write_head(&limits_metrics[i], out);
        text_append_format(out, "%s %" PRIu64 "\n", limits_metrics[i].name, values[i]);
    }
}

const char *limits_sentence(struct arena *arena, const struct limits_state *state)
{
    if (!state->is_shared)
        return NULL;
    if (state->answers)
        return state->hosts == 1
                   ? "The limits are shared; one host lives."
                   : arena_print(arena, "The limits hold over %u hosts together.", state->hosts);
    return arena_print(arena,
                       "The server of ASSAY_LIMITS_URL does not answer: this host counts alone, "
                       "with 1/%u of each limit.",
                       state->hosts);
}
