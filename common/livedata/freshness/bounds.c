/* Bounds parsed, met, and said in answers. */
#include "livedata/freshness/bounds.h"

#include "base/clock.h"
#include "base/number.h"
#include "livedata/columnar/columnar.h"
#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWNER struct answer_freshness
static const struct field freshness_fields[] = {
    TIME(OWNER, as_of, .time = TIME_Z,
         .help = "Writes that were acknowledged by then are included; by the database's clock."),
    STRING(OWNER, position, .nullable = true, .help = "Everything up to it is included."),
    NULLABLE_NUMBER(OWNER, event_age_seconds,
                    .help = "How far the slowest source of the data lags behind."),
    TIME(OWNER, valid_until, .time = TIME_Z,
         .help = "Until then the answer may be shown again within its bounds."),
};
#undef OWNER
SCHEMA(answer_freshness_schema, struct answer_freshness, "Freshness", freshness_fields);

bool duration_parse(const char *text, int64_t *microseconds)
{
    static const struct {
        const char *unit;
        double microseconds;
    } units[] = {{"ms", 1e3}, {"s", 1e6}, {"m", 60e6}, {"h", 3600e6}};
    size_t length = strspn(text, "0123456789.");
    char number[16];
    double value;

    if (!length || length >= sizeof number || *text == '.')
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    if (!number_parse(number, &value))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text + length, units[i].unit) == 0 && value * units[i].microseconds < 1e15) {
            *microseconds = llround(value * units[i].microseconds);
            return true;
        }
    return false;
}

static bool parse_optional(const char *text, struct optional_integer *bound)
{
    bound->given = text != NULL;
    return !text || duration_parse(text, &bound->value);
}

const char *bounds_parse(const struct bound_texts *texts, struct read_bounds *bounds)
{
    *bounds = (struct read_bounds){0};
    if (texts->at_least && !position_parse(texts->at_least, &bounds->at_least))
        return "at_least";
    if (!parse_optional(texts->max_staleness, &bounds->max_staleness))
        return "max_staleness";
    if (!parse_optional(texts->max_event_age, &bounds->max_event_age))
        return "max_event_age";
    if (texts->wait &&
        (!duration_parse(texts->wait, &bounds->wait) || bounds->wait > BOUND_WAIT_MAX_US))
        return "wait";
    return NULL;
}

/* "<applied_at> <event_at> <seq> <at>" */
static bool take_mark(const char *kept, struct live_mark *mark)
{
    char *rest;

    mark->newest.applied_at = strtoll(kept, &rest, 10);
    mark->newest.event_at = strtoll(rest, &rest, 10);
    mark->position.seq = strtoll(rest, &rest, 10);
    mark->position.at = strtoll(rest, NULL, 10);
    return true;
}

bool mark_read(const struct storage_call *call, struct live_cache *cache, struct live_mark *mark)
{
    const char *key = arena_print(call->arena, "mark:%s", call->tenant), *kept;
    struct shm_cache_ticket ticket;

    if (live_cache_find(cache, call, key, "pipeline_events", &ticket, &kept))
        return take_mark(kept, mark);
    if (position_read(call, &mark->position) || newest_applied(call, &mark->newest))
        return false;
    if (cache)
        live_cache_witness(cache, call);
    live_cache_keep(cache, key, &ticket, 60,
                    arena_print(call->arena, "%lld %lld %lld %lld",
                                (long long)mark->newest.applied_at,
                                (long long)mark->newest.event_at, (long long)mark->position.seq,
                                (long long)mark->position.at));
    return true;
}

static bool is_close(const struct live_cache *cache, const struct read_bounds *bounds)
{
    return shm_cache_mark(cache->shared) > bounds->at_least.seq &&
           (!bounds->max_staleness.given ||
            shm_cache_looked(cache->shared) < bounds->max_staleness.value);
}

/* Whether the cache includes everything that the bounds demand, after a poll if need be. */
static bool cache_follows(struct live_cache *cache, const struct storage_call *call,
                          const struct read_bounds *bounds)
{
    int64_t began = clock_monotonic_microseconds();

    if (!cache->shared || !cache->poll_microseconds || is_close(cache, bounds))
        return true;
    (void)live_cache_follow(cache, call);
    return shm_cache_looked(cache->shared) <= clock_monotonic_microseconds() - began &&
           shm_cache_mark(cache->shared) > bounds->at_least.seq;
}

static enum error check_position(const struct storage_call *call, const struct read_state *state,
                                 int64_t kept_since)
{
    const struct live_position *wanted = &state->bounds.at_least;

    if (wanted->seq == state->mark.position.seq && wanted->at == state->mark.position.at)
        return ERROR_NONE;
    return position_check(call, *wanted, kept_since);
}

static enum error check_event_age(const struct storage_call *call, const struct read_state *state)
{
    const struct watermark *watermark = &state->watermark;
    double age = timestamp_seconds(watermark->at, call->now);

    if (!watermark->at)
        return problem_set(call->problem, ERROR_INVALID, "source_silent",
                           "No source has sent an event or a heartbeat for this answer yet.");
    if (age * 1e6 <= (double)state->bounds.max_event_age.value)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "events_too_old",
                       "%s%.64s%s sent everything up to %.3f seconds ago; at most %.3f were "
                       "demanded.",
                       watermark->source ? "The source '" : "The sources",
                       watermark->source ? watermark->source : "", watermark->source ? "'" : "",
                       age, (double)state->bounds.max_event_age.value / 1e6);
}

static enum error check_data_age(const struct storage_call *call, const struct read_state *state)
{
    const struct optional_integer *most = &state->bounds.max_staleness;

    if (!state->data_age || !most->given || state->data_age <= most->value)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_UNAVAILABLE, "data_too_old",
                       "The data may be older than was demanded.");
}

/* When the cache was compared with the database last; without other hosts it always is. */
static int64_t complete_at(const struct storage_call *call, const struct live_cache *cache)
{
    int64_t looked = 0;

    if (cache && cache->shared && cache->poll_microseconds)
        looked = shm_cache_looked(cache->shared);
    return looked < call->now ? call->now - looked : call->now;
}

/* What was acknowledged until then must be part of the answer; 0 = nothing was demanded. */
static int64_t demanded_until(const struct storage_call *call, const struct read_bounds *bounds)
{
    return bounds->max_staleness.given ? call->now - bounds->max_staleness.value : 0;
}

enum error bounds_meet(const struct storage_call *call, struct live_cache **cache,
                       const struct string_list *tables, int64_t kept_since,
                       struct read_state *state)
{
    enum error error = check_data_age(call, state);

    if (error)
        return error;
    if (*cache && !cache_follows(*cache, call, &state->bounds))
        *cache = NULL;
    state->complete_at = complete_at(call, *cache) - state->data_age;
    if (!mark_read(call, *cache, &state->mark))
        return call->problem->error;
    error = watermark_read(call, *cache, tables, &state->watermark);
    if (!error && state->bounds.at_least.seq)
        error = check_position(call, state, kept_since);
    if (!error && state->bounds.max_event_age.given)
        error = check_event_age(call, state);
    if (call->columnar) {
        call->columnar->at_least = state->bounds.at_least.seq;
        call->columnar->complete_at = demanded_until(call, &state->bounds);
    }
    state->known = !error;
    return error;
}

/* An answer from a copy that lags contains less than the database: by how many microseconds. */
static int64_t less_what_is_missing(const struct storage_call *call, struct live_position *position,
                                    int64_t *complete_at)
{
    const struct columnar_read *read = call->columnar;
    int64_t before = *complete_at;

    if (!read || !read->behind)
        return 0;
    if (read->position < position->seq)
        *position = (struct live_position){read->position, read->position_at};
    if (read->contained_at < before)
        *complete_at = read->contained_at;
    return before - *complete_at;
}

const struct answer_freshness *freshness_show(const struct storage_call *call,
                                              const struct read_state *state, double budget_seconds)
{
    struct answer_freshness *shown = ARENA_NEW(call->arena, struct answer_freshness);
    const struct read_bounds *bounds = &state->bounds;
    struct live_position position = state->mark.position;
    int64_t stale = (int64_t)(budget_seconds * 1e6);
    char *text = arena_alloc(call->arena, POSITION_TEXT);
    int64_t complete_at = state->complete_at, missing;

    if (!state->known)
        return NULL;
    if (bounds->at_least.seq > position.seq)
        position = bounds->at_least;
    missing = less_what_is_missing(call, &position, &complete_at);
    position_format(position, text);
    if (bounds->max_staleness.given)
        stale = bounds->max_staleness.value;
    *shown = (struct answer_freshness){
        .as_of = complete_at, .position = *text ? text : NULL, .valid_until = complete_at + stale};
    if (state->watermark.at)
        shown->event_age_seconds =
            GIVEN_NUMBER(fmax(0, timestamp_seconds(state->watermark.at - missing, call->now)));
    if (bounds->max_event_age.given &&
        state->watermark.at + bounds->max_event_age.value < shown->valid_until)
        shown->valid_until = state->watermark.at + bounds->max_event_age.value;
    return shown;
}
