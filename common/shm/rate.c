/*
 * Rate limits: the rules. Which calls fit, what is recorded, and what the caller may tell its
 * client. Where keys and events live is the business of rate_table.c.
 */
#include "shm/rate.h"

#include "shm/layout.h"

#include <string.h>

/* Keys looked at in each call to find those that have had their time: a shard that is full is
 * passed through once in RATE_SHARD_KEYS / SWEPT_PER_CALL calls. */
enum { SWEPT_PER_CALL = 2 };

#define TOKEN_DEBT                                                                                 \
    INT64_C(60000000) /* so that debt falls by refill_per_minute each microsecond                  \
                       */

enum call_kind { CALL_ALLOW, CALL_CHARGE, CALL_PEEK, CALL_TOKEN, CALL_FORGET };

struct call {
    enum call_kind kind;
    struct rate_rule rule; /* max within bounds, window at least 1 */
    uint32_t units;
    struct rate_bucket bucket;
    unsigned char digest[DIGEST_SHORT_BYTES];
    struct rate_shard *shard;
    int64_t now;
};

/* Whole seconds, rounded up, from 1 to the longest that makes sense. */
static uint32_t seconds_up(int64_t microseconds, uint32_t longest)
{
    int64_t seconds = microseconds / MICROSECONDS + (microseconds % MICROSECONDS > 0);

    return seconds < 1 ? 1 : seconds > longest ? longest : (uint32_t)seconds;
}

/* Seconds until the event with that index leaves the window. */
static bool seconds_until_gone(const struct call *call, uint32_t reference, uint32_t index,
                               uint32_t *seconds)
{
    int64_t time;

    if (!rate_shard_event_time(call->shard, reference, index, &time))
        return false;
    if (time > call->now || time < 0)
        time = call->now;
    *seconds = seconds_up(time + call->rule.window_seconds * MICROSECONDS - call->now,
                          call->rule.window_seconds);
    return true;
}

/* Finds the key of the right kind and brings its log up to date. */
static bool find_key(struct call *call, enum rate_key_kind kind, uint32_t *reference)
{
    const struct rate_key *key;

    if (!rate_shard_find(call->shard, call->digest, reference))
        return false;
    if (!*reference)
        return true;
    key = rate_shard_key(call->shard, *reference);
    if (!rate_key_is_sane(key, call->now))
        return false;
    if (key->newest > call->now)
        call->now = key->newest;
    if (key->kind != kind) {
        uint32_t other = *reference;

        *reference = 0;
        return rate_shard_remove(call->shard, other);
    }
    return kind != RATE_KEY_LOG ||
           rate_shard_expire(call->shard, *reference,
                             call->now - call->rule.window_seconds * MICROSECONDS);
}

static bool record(struct call *call, uint32_t *reference, uint32_t count, bool *stored)
{
    struct rate_key *key;

    if (*reference) {
        if (!rate_shard_touch(call->shard, *reference, call->now))
            return false;
    } else if (!rate_shard_add(call->shard, call->digest, call->now, RATE_KEY_LOG, reference)) {
        return false;
    }
    key = rate_shard_key(call->shard, *reference);
    if (key->window < call->rule.window_seconds)
        key->window = call->rule.window_seconds;
    if (!rate_shard_append(call->shard, *reference, call->now, count, stored))
        return false;
    call->shard->overflow += !*stored;
    return true;
}

/* How many events this call adds to a log of `events`. */
static uint32_t events_to_record(const struct call *call, uint32_t events, bool fits)
{
    uint32_t room = events < RATE_EVENTS_PER_KEY_MAX ? RATE_EVENTS_PER_KEY_MAX - events : 0;

    if (call->kind == CALL_CHARGE)
        return call->units < room ? call->units : room;
    return call->kind == CALL_ALLOW && fits ? call->units : 0;
}

static bool fill_times(const struct call *call, uint32_t reference, uint32_t events,
                       struct rate_decision *decision)
{
    uint32_t limit = decision->limit;

    if (events > 0 && !seconds_until_gone(call, reference, 0, &decision->reset_seconds))
        return false;
    if (decision->allowed)
        return true;
    decision->retry_after_seconds = call->rule.window_seconds;
    if (call->units > limit)
        return true; /* never fits */
    if (events + call->units > limit)
        return seconds_until_gone(call, reference, events + call->units - limit - 1,
                                  &decision->retry_after_seconds);
    decision->retry_after_seconds = 1; /* there was no memory for it */
    return true;
}

/* False when damage was met; the decision is then not to be used. */
static bool decide_by_log(struct call *call, struct rate_decision *decision)
{
    uint32_t reference, events, added, limit = call->rule.max;
    bool fits, stored = true;

    if (!find_key(call, RATE_KEY_LOG, &reference))
        return false;
    events = reference ? rate_shard_key(call->shard, reference)->events : 0;
    fits = call->units <= limit && events <= limit - call->units;
    added = events_to_record(call, events, fits);
    if (added > 0) {
        if (!record(call, &reference, added, &stored))
            return false;
    } else if (reference && call->kind != CALL_PEEK &&
               !rate_shard_touch(call->shard, reference, call->now)) {
        return false;
    }
    events += stored ? added : 0;
    *decision = (struct rate_decision){.allowed = fits && stored,
                                       .limit = limit,
                                       .remaining = events < limit ? limit - events : 0};
    return fill_times(call, reference, events, decision);
}

/* The debt of the bucket after what has flowed back since it was last reckoned. */
static int64_t debt_now(const struct call *call, const struct rate_key *key)
{
    int64_t refill = call->bucket.refill_per_minute;
    int64_t elapsed = call->now - key->newest;

    return elapsed > key->debt / refill ? 0 : key->debt - elapsed * refill;
}

static bool decide_by_bucket(struct call *call, struct rate_decision *decision)
{
    int64_t capacity = call->bucket.capacity * TOKEN_DEBT, debt = 0;
    int64_t refill = call->bucket.refill_per_minute;
    uint32_t reference;
    bool allowed;

    if (!find_key(call, RATE_KEY_BUCKET, &reference))
        return false;
    if (reference)
        debt = debt_now(call, rate_shard_key(call->shard, reference));
    if (debt > capacity) /* the bucket has become smaller */
        debt = capacity;
    allowed = debt + TOKEN_DEBT <= capacity;
    debt += allowed ? TOKEN_DEBT : 0;
    if (reference ? !rate_shard_touch(call->shard, reference, call->now)
                  : allowed && !rate_shard_add(call->shard, call->digest, call->now,
                                               RATE_KEY_BUCKET, &reference))
        return false;
    *decision = (struct rate_decision){.allowed = allowed,
                                       .limit = call->bucket.capacity,
                                       .remaining = (uint32_t)((capacity - debt) / TOKEN_DEBT)};
    if (debt > 0)
        decision->reset_seconds = seconds_up(debt / refill, UINT32_MAX);
    if (!allowed)
        decision->retry_after_seconds =
            seconds_up((debt + TOKEN_DEBT - capacity + refill - 1) / refill, UINT32_MAX);
    if (reference) {
        struct rate_key *key = rate_shard_key(call->shard, reference);

        key->debt = debt;
        shm_checkpoint("rate.debt_written");
        key->newest = call->now;
        key->window = decision->reset_seconds;
    }
    return true;
}

static bool forget(struct call *call)
{
    uint32_t reference;

    return rate_shard_find(call->shard, call->digest, &reference) &&
           (!reference || rate_shard_remove(call->shard, reference));
}

static bool attempt(struct call *call, struct rate_decision *decision)
{
    if (!rate_shard_sweep(call->shard, call->now, SWEPT_PER_CALL))
        return false;
    switch (call->kind) {
    case CALL_TOKEN:
        return decide_by_bucket(call, decision);
    case CALL_FORGET:
        return forget(call);
    default:
        return decide_by_log(call, decision);
    }
}

static struct rate_decision refusal(uint32_t limit)
{
    return (struct rate_decision){.limit = limit, .retry_after_seconds = 1, .reset_seconds = 1};
}

/* Nothing is admitted without having been looked up: a lock that cannot be had, or a shard that is
 * damaged again right after its repair, means refusal. */
static struct rate_decision run(struct shm_region *region, const char *key, struct call *call)
{
    struct rate_decision decision = {0};
    bool inherited, done;

    digest_short(region->layout->header.rate_secret, key, strlen(key), call->digest);
    call->shard = &region->layout->rate_shards[call->digest[DIGEST_SHORT_BYTES - 1] % RATE_SHARDS];
    if (!shm_lock_take(&call->shard->lock, &inherited))
        return refusal(call->rule.max);
    call->now = region->now();
    if (inherited)
        rate_shard_repair(call->shard, call->now);
    done = attempt(call, &decision);
    if (!done) {
        rate_shard_repair(call->shard, call->now);
        done = attempt(call, &decision);
    }
    shm_lock_give(&call->shard->lock);
    return done ? decision : refusal(call->rule.max);
}

static struct rate_decision run_log(struct shm_region *region, const char *key,
                                    struct rate_rule rule, enum call_kind kind, uint32_t units)
{
    struct call call = {.kind = kind, .rule = rule, .units = units};

    if (call.rule.max > RATE_EVENTS_PER_KEY_MAX)
        call.rule.max = RATE_EVENTS_PER_KEY_MAX;
    if (call.rule.window_seconds == 0)
        call.rule.window_seconds = 1;
    return run(region, key, &call);
}

struct rate_decision rate_allow(struct shm_region *region, const char *key, struct rate_rule rule)
{
    return run_log(region, key, rule, CALL_ALLOW, 1);
}

struct rate_decision rate_allow_units(struct shm_region *region, const char *key,
                                      struct rate_rule rule, uint32_t units)
{
    return run_log(region, key, rule, CALL_ALLOW, units);
}

struct rate_decision rate_charge(struct shm_region *region, const char *key, struct rate_rule rule,
                                 uint32_t units)
{
    return run_log(region, key, rule, CALL_CHARGE, units);
}

struct rate_decision rate_peek(struct shm_region *region, const char *key, struct rate_rule rule)
{
    return run_log(region, key, rule, CALL_PEEK, 1);
}

struct rate_decision rate_take_token(struct shm_region *region, const char *key,
                                     struct rate_bucket bucket)
{
    struct call call = {.kind = CALL_TOKEN, .bucket = bucket};

    call.rule = (struct rate_rule){.max = bucket.capacity, .window_seconds = 1};
    if (bucket.refill_per_minute == 0)
        call.bucket.refill_per_minute = 1;
    return run(region, key, &call);
}

void rate_forget(struct shm_region *region, const char *key)
{
    struct call call = {.kind = CALL_FORGET};

    (void)run(region, key, &call);
}

void rate_read_figures(struct shm_region *region, struct rate_figures *figures)
{
    *figures = (struct rate_figures){0};
    for (int i = 0; i < RATE_SHARDS; i++) {
        struct rate_shard *shard = &region->layout->rate_shards[i];
        bool inherited;

        if (!shm_lock_take(&shard->lock, &inherited))
            continue;
        if (inherited)
            rate_shard_repair(shard, region->now());
        figures->keys += shard->key_count;
        figures->events += shard->event_count;
        figures->evicted += shard->evicted;
        figures->overflow += shard->overflow;
        figures->repairs += shard->repairs;
        figures->lost += shard->lost;
        shm_lock_give(&shard->lock);
    }
}
