/*
 * Rate limits: admits or refuses calls, records them, and computes the values for the client's
 * headers. A key has one cell of one set of the table (layout.h). After the death of a worker
 * nothing has to be repaired: a cell is valid in every state, and no cell refers to another.
 */
#include "shm/rate.h"

#include "shm/layout.h"

#include <math.h>
#include <string.h>

/* So that the debt falls by refill_per_minute each microsecond. */
#define TOKEN_DEBT INT64_C(60000000)

enum call_kind { CALL_ALLOW, CALL_CHARGE, CALL_PEEK, CALL_TOKEN, CALL_FORGET };

struct call {
    enum call_kind kind;
    struct rate_rule rule; /* max within bounds, window at least 1 */
    uint32_t units;        /* within bounds */
    struct rate_bucket bucket;
    unsigned char digest[DIGEST_SHORT_BYTES];
    struct rate_shard *shard;
    struct rate_set *set;
    int64_t now;
};

/* The counts of a key at a point in time. */
struct window_state {
    int64_t start;
    uint32_t earlier, current;
    uint32_t used; /* the weighted count of both */
};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint32_t min32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whole seconds, rounded up, from 1 to `longest`. */
static uint32_t seconds_up(int64_t microseconds, uint32_t longest)
{
    int64_t seconds = microseconds / MICROSECONDS + (microseconds % MICROSECONDS > 0);

    return seconds < 1 ? 1 : seconds > longest ? longest : (uint32_t)seconds;
}

/* A time in the future is damage, but the clocks of two processors may differ a little. */
static bool is_sane(const struct rate_cell *cell, int64_t now)
{
    return cell->newest >= 0 && cell->newest <= now + MICROSECONDS;
}

static bool is_expired(const struct rate_cell *cell, int64_t now)
{
    return !is_sane(cell, now) || now - cell->newest >= cell->window * MICROSECONDS;
}

static struct rate_cell *find_cell(const struct call *call, enum rate_kind kind)
{
    for (int i = 0; i < RATE_SET_CELLS; i++) {
        struct rate_cell *cell = &call->set->cells[i];

        if (cell->kind == kind && memcmp(cell->digest, call->digest, DIGEST_SHORT_BYTES) == 0)
            return cell;
    }
    return NULL;
}

static void free_cell(struct rate_shard *shard, struct rate_cell *cell)
{
    cell->kind = RATE_FREE;
    shm_checkpoint("rate.freed");
    shard->keys -= shard->keys > 0;
}

/* A free cell, else one that has expired, else the one idle longest. */
static struct rate_cell *cell_to_take(const struct call *call)
{
    struct rate_cell *best = &call->set->cells[0];

    for (int i = 0; i < RATE_SET_CELLS; i++) {
        struct rate_cell *cell = &call->set->cells[i];

        if (cell->kind == RATE_FREE)
            return cell;
        if (is_expired(best, call->now))
            continue;
        if (is_expired(cell, call->now) || cell->used < best->used)
            best = cell;
    }
    return best;
}

/* A cell for the key, with only the time set. */
static struct rate_cell *add_cell(struct call *call, enum rate_kind kind)
{
    struct rate_cell *cell = cell_to_take(call);

    if (cell->kind != RATE_FREE) {
        call->shard->evicted += !is_expired(cell, call->now);
        free_cell(call->shard, cell);
    }
    memset(cell, 0, sizeof *cell);
    memcpy(cell->digest, call->digest, DIGEST_SHORT_BYTES);
    cell->used = cell->newest = call->now;
    shm_checkpoint("rate.filled");
    cell->kind = kind;
    call->shard->keys++;
    return cell;
}

/* Finds the key. If the time of the key is slightly later than that of the call, the call takes the
 * time of the key. NULL when there is no key of that kind. */
static struct rate_cell *find_key(struct call *call, enum rate_kind kind)
{
    struct rate_cell *cell = find_cell(call, kind);

    if (!cell) {
        struct rate_cell *other = find_cell(call, kind == RATE_WINDOW ? RATE_BUCKET : RATE_WINDOW);

        if (other)
            free_cell(call->shard, other);
        return NULL;
    }
    if (is_sane(cell, call->now) && cell->newest > call->now)
        call->now = cell->newest;
    return cell;
}

static int64_t window_of(const struct call *call)
{
    return call->rule.window_seconds * MICROSECONDS;
}

/* How many of the `earlier` calls of the previous window still count when `left` microseconds of
 * this window remain. At the start of a window all but one count, because the first of them is as
 * old as the window. */
static uint32_t carried(uint32_t earlier, int64_t left, int64_t window)
{
    return earlier == 0 ? 0 : (uint32_t)ceil(earlier * (double)left / (double)window) - 1;
}

/* The longest remaining time of a window at which at most `most` of the `earlier` calls count. */
static int64_t left_for(uint32_t earlier, uint32_t most, int64_t window)
{
    return most + 1 >= earlier ? window : (int64_t)((double)window * (most + 1) / earlier);
}

/* The window that `now` is in. If no call counts, a new window begins now. */
static struct window_state state_of(const struct rate_cell *cell, const struct call *call)
{
    const struct window_state empty = {.start = call->now};
    struct window_state state;
    int64_t window = window_of(call), elapsed;

    if (!cell || !is_sane(cell, call->now) || call->now - cell->newest >= window ||
        cell->start < 0 || cell->start > call->now)
        return empty;
    elapsed = call->now - cell->start;
    state = (struct window_state){.start = cell->start + elapsed / window * window};
    if (elapsed < window)
        state.current = min32(cell->current, RATE_COUNT_MAX);
    state.earlier = min32(elapsed < window ? cell->earlier : cell->current, RATE_COUNT_MAX);
    state.used = state.current + carried(state.earlier, state.start + window - call->now, window);
    return state.used > 0 ? state : empty;
}

/* When calls of `units` would fit if no further call came, in microseconds of the clock. */
static int64_t fits_at(const struct window_state *state, const struct call *call, int64_t newest)
{
    uint32_t room = call->rule.max - call->units;
    int64_t window = window_of(call), at;

    if (state->current <= room)
        at = state->start + window - left_for(state->earlier, room - state->current, window);
    else /* when this window is the previous one */
        at = state->start + 2 * window - left_for(state->current, room, window);
    return min64(at, newest + window);
}

/* When the oldest call that counts expires. */
static int64_t resets_at(const struct window_state *state, const struct call *call, int64_t newest)
{
    uint32_t old = state->used - state->current;
    int64_t window = window_of(call), end = state->start + window;

    return min64(old > 0 ? end - left_for(state->earlier, old - 1, window) : end, newest + window);
}

/* `newest` is stored first: if the process is killed after it, the limit is stricter. The same
 * holds for a new window with old counts. */
static void record(struct rate_cell *cell, const struct call *call,
                   const struct window_state *state)
{
    cell->newest = call->now;
    cell->window = call->rule.window_seconds;
    shm_checkpoint("rate.dated");
    cell->start = state->start;
    shm_checkpoint("rate.moved");
    cell->earlier = state->earlier;
    shm_checkpoint("rate.carried");
    cell->current = state->current;
    shm_checkpoint("rate.counted");
}

static void decide_by_window(struct call *call, struct rate_decision *decision)
{
    struct rate_cell *cell = find_key(call, RATE_WINDOW);
    struct window_state state = state_of(cell, call);
    uint32_t limit = call->rule.max;
    bool fits = call->units <= limit && state.used <= limit - call->units;

    if ((call->kind == CALL_CHARGE || (call->kind == CALL_ALLOW && fits)) && call->units > 0) {
        uint32_t added = min32(call->units, RATE_COUNT_MAX - state.current);

        if (!cell)
            cell = add_cell(call, RATE_WINDOW);
        state.current += added;
        state.used += added;
        record(cell, call, &state);
    }
    if (cell && call->kind != CALL_PEEK)
        cell->used = call->now;
    *decision = (struct rate_decision){
        .allowed = fits, .limit = limit, .remaining = state.used < limit ? limit - state.used : 0};
    if (state.used > 0)
        decision->reset_seconds = seconds_up(resets_at(&state, call, cell->newest) - call->now,
                                             call->rule.window_seconds);
    if (!fits)
        decision->retry_after_seconds =
            call->units > limit ? call->rule.window_seconds /* never fits */
                                : seconds_up(fits_at(&state, call, cell->newest) - call->now,
                                             call->rule.window_seconds);
}

/* The debt of the bucket after the refill since it was last computed. */
static int64_t debt_now(const struct call *call, const struct rate_cell *cell, int64_t capacity)
{
    int64_t refill = call->bucket.refill_per_minute;
    int64_t elapsed;

    if (!is_sane(cell, call->now) || cell->debt < 0)
        return 0;
    elapsed = call->now - cell->newest;
    if (elapsed > cell->debt / refill)
        return 0;
    return min64(cell->debt - elapsed * refill, capacity); /* it may have become smaller */
}

static void decide_by_bucket(struct call *call, struct rate_decision *decision)
{
    int64_t capacity = call->bucket.capacity * TOKEN_DEBT, refill = call->bucket.refill_per_minute;
    struct rate_cell *cell = find_key(call, RATE_BUCKET);
    int64_t debt = cell ? debt_now(call, cell, capacity) : 0;
    bool allowed = debt + TOKEN_DEBT <= capacity;

    debt += allowed ? TOKEN_DEBT : 0;
    *decision = (struct rate_decision){.allowed = allowed,
                                       .limit = call->bucket.capacity,
                                       .remaining = (uint32_t)((capacity - debt) / TOKEN_DEBT)};
    if (debt > 0)
        decision->reset_seconds = seconds_up(debt / refill, UINT32_MAX);
    if (!allowed)
        decision->retry_after_seconds =
            seconds_up((debt + TOKEN_DEBT - capacity + refill - 1) / refill, UINT32_MAX);
    if (!cell && allowed)
        cell = add_cell(call, RATE_BUCKET);
    if (!cell)
        return;
    cell->used = call->now;
    cell->debt = debt;
    shm_checkpoint("rate.debt_written");
    cell->newest = call->now;
    cell->window = decision->reset_seconds;
}

static void forget(struct call *call)
{
    struct rate_cell *cell = find_cell(call, RATE_WINDOW);

    if (!cell)
        cell = find_cell(call, RATE_BUCKET);
    if (cell)
        free_cell(call->shard, cell);
}

static void find_set(struct shm_region *region, const char *key, struct call *call)
{
    uint32_t bits;

    digest_short(region->layout->header.rate_secret, key, strlen(key), call->digest);
    memcpy(&bits, call->digest, sizeof bits);
    call->shard = &region->layout->rate_shards[call->digest[DIGEST_SHORT_BYTES - 1] % RATE_SHARDS];
    call->set = &call->shard->sets[bits % RATE_SHARD_SETS];
}

/* No call is admitted without a lookup. */
static struct rate_decision run(struct shm_region *region, const char *key, struct call *call)
{
    struct rate_decision decision = {
        .limit = call->rule.max, .retry_after_seconds = 1, .reset_seconds = 1};
    bool inherited; /* irrelevant: see the head of this file */

    find_set(region, key, call);
    if (!shm_lock_take(&call->shard->lock, &inherited)) {
        atomic_fetch_add(&call->shard->unchecked, 1);
        return decision;
    }
    call->now = region->now();
    switch (call->kind) {
    case CALL_TOKEN:
        decide_by_bucket(call, &decision);
        break;
    case CALL_FORGET:
        forget(call);
        break;
    default:
        decide_by_window(call, &decision);
    }
    shm_lock_give(&call->shard->lock);
    return decision;
}

static struct rate_decision run_window(struct shm_region *region, const char *key,
                                       struct rate_rule rule, enum call_kind kind, uint32_t units)
{
    struct call call = {.kind = kind,
                        .rule = {.max = min32(rule.max, RATE_COUNT_MAX),
                                 .window_seconds = rule.window_seconds ? rule.window_seconds : 1},
                        .units = min32(units, RATE_COUNT_MAX + 1)};

    return run(region, key, &call);
}

struct rate_decision rate_allow(struct shm_region *region, const char *key, struct rate_rule rule)
{
    return run_window(region, key, rule, CALL_ALLOW, 1);
}

struct rate_decision rate_charge(struct shm_region *region, const char *key, struct rate_rule rule,
                                 uint32_t units)
{
    return run_window(region, key, rule, CALL_CHARGE, units);
}

struct rate_decision rate_peek(struct shm_region *region, const char *key, struct rate_rule rule)
{
    return run_window(region, key, rule, CALL_PEEK, 1);
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

        figures->unchecked += atomic_load(&shard->unchecked);
        if (!shm_lock_take(&shard->lock, &inherited))
            continue;
        figures->keys += shard->keys;
        figures->evicted += shard->evicted;
        shm_lock_give(&shard->lock);
    }
}
