/* The fields of adaptive settings, and shares in whole units. */
#include "experiments/adaptive/adaptive.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

enum { STORED_BYTES_MAX = 4096 };

static const int64_t MINUTE = 60 * INT64_C(1000000);
static const double ROUND_GROWTH = 0.1; /* of all users */

#define OWNER struct adaptive_round
static const struct field round_fields[] = {
    INTEGER(OWNER, round),
    TIME(OWNER, started_at),
    INTEGER(OWNER, users, .help = "Exposed before the round."),
    NUMBERS(OWNER, shares, .help = "The probability of each variation, by its index."),
};
#undef OWNER
static SCHEMA(round_schema, struct adaptive_round, "AdaptiveRound", round_fields);

#define OWNER struct adaptive_document
static const struct field request_fields[] = {
    NUMBER(OWNER, floor, .required = true, .lower = ABOVE(0), .upper = AT_MOST(0.5),
           .help = "The least share of every arm; times the number of arms at most 1."),
    INTEGER(OWNER, update_minutes, .lower = AT_LEAST(1), .upper = AT_MOST(ADAPTIVE_MINUTES_MAX),
            .default_value = 60, .help = "The least time between two rounds."),
    BOOLEAN(OWNER, paused, .help = "The shares stay as they are."),
};
static const struct field document_fields[] = {
    STRING(OWNER, experiment_id),
    NUMBER(OWNER, floor),
    INTEGER(OWNER, update_minutes),
    BOOLEAN(OWNER, paused),
    INTEGER(OWNER, round, .help = "The newest round."),
    OBJECTS(OWNER, rounds, round_schema, .help = "Newest first."),
};
#undef OWNER
SCHEMA(adaptive_schema, struct adaptive_document, "Adaptive", document_fields,
       .help = "How the shares of an experiment's arms follow what was seen.");
SCHEMA(adaptive_request_schema, struct adaptive_document, "AdaptiveRequest", request_fields,
       .answer = &adaptive_schema, .help = "Makes an experiment adaptive.",
       .example = "{\"floor\":0.1,\"update_minutes\":60}");

struct stored_shares {
    struct integer_list units;
};
#define OWNER struct stored_shares
static const struct field stored_fields[] = {
    INTEGERS(OWNER, units, .required = true, .min_length = 2, .max_length = ADAPTIVE_ARMS_MAX),
};
#undef OWNER
static SCHEMA(stored_schema, struct stored_shares, "AdaptiveShares", stored_fields);

const char *adaptive_shares_json(const struct adaptive_shares *shares, struct arena *arena)
{
    const struct stored_shares stored = {{shares->count, (int64_t *)shares->units}};

    return schema_json(arena, STORED_BYTES_MAX, &stored_schema, &stored);
}

bool adaptive_shares_read(const char *json, struct arena *arena, struct adaptive_shares *shares)
{
    struct stored_shares stored = {0};

    if (!schema_from_json(arena, &stored_schema, json, &stored) ||
        stored.units.count > ADAPTIVE_ARMS_MAX)
        return false;
    shares->count = stored.units.count;
    memcpy(shares->units, stored.units.items, stored.units.count * sizeof shares->units[0]);
    return true;
}

/* Gives one unit each to the arms with the largest remainders, until all units are given. */
static void give_rest(const double *remainder, struct adaptive_shares *shares, int64_t rest)
{
    bool given[ADAPTIVE_ARMS_MAX] = {false};

    for (; rest > 0; rest--) {
        size_t most = shares->count;

        for (size_t i = 0; i < shares->count; i++)
            if (!given[i] && (most == shares->count || remainder[i] > remainder[most]))
                most = i;
        if (most == shares->count)
            most = 0;
        given[most] = true;
        shares->units[most]++;
    }
}

void adaptive_divide(const double *best, size_t count, double floor, struct adaptive_shares *shares)
{
    int64_t least = (int64_t)ceil(floor * ADAPTIVE_UNITS - 1e-9), given = 0, free_units;
    double sum = 0, remainder[ADAPTIVE_ARMS_MAX];

    if (least * (int64_t)count > ADAPTIVE_UNITS)
        least = ADAPTIVE_UNITS / (int64_t)count;
    free_units = ADAPTIVE_UNITS - least * (int64_t)count;
    for (size_t i = 0; i < count; i++)
        sum += best[i] > 0 ? best[i] : 0;
    shares->count = count;
    for (size_t i = 0; i < count; i++) {
        double part = sum > 0 ? (best[i] > 0 ? best[i] : 0) / sum : 1 / (double)count;
        double units = part * (double)free_units;

        shares->units[i] = least + (int64_t)units;
        remainder[i] = units - (double)(int64_t)units;
        given += shares->units[i];
    }
    give_rest(remainder, shares, ADAPTIVE_UNITS - given);
}

void adaptive_start(const struct payload_setup *setup, double floor, struct adaptive_shares *shares)
{
    size_t count = (size_t)setup->variants_count;
    double beyond[ADAPTIVE_ARMS_MAX], sum = 0;

    for (size_t i = 0; i < setup->traffic_split.count && i < count; i++)
        sum += setup->traffic_split.items[i];
    for (size_t i = 0; i < count; i++) {
        double share = setup->traffic_split.count == count && sum > 0
                           ? setup->traffic_split.items[i] / sum
                           : 1 / (double)count;

        beyond[i] = fmax(share - floor, 0);
    }
    adaptive_divide(beyond, count, floor, shares);
}

struct number_list adaptive_share_list(const struct adaptive_shares *shares, struct arena *arena)
{
    struct number_list list = {shares->count, ARENA_ARRAY(arena, double, shares->count)};

    for (size_t i = 0; i < shares->count; i++)
        list.items[i] = (double)shares->units[i] / ADAPTIVE_UNITS;
    return list;
}

bool adaptive_is_due(const struct adaptive_document *settings, const struct adaptive_round *newest,
                     int64_t users, int64_t now)
{
    double needed = fmax(ADAPTIVE_ROUND_USERS, ROUND_GROWTH * (double)newest->users);

    return !settings->paused && newest->round < ADAPTIVE_ROUNDS_MAX &&
           now - newest->started_at >= settings->update_minutes * MINUTE &&
           (double)(users - newest->users) >= needed;
}

const char *adaptive_seed(const char *experiment_id, int64_t round, struct arena *arena)
{
    return arena_print(arena, "%s/round/%lld", experiment_id, (long long)round);
}

int64_t adaptive_round_of(const char *name)
{
    int64_t round;

    return integer_parse(name, &round) && round >= 1 && round <= ADAPTIVE_ROUNDS_MAX ? round : 0;
}
