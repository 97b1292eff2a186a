/*
 * Random batches of all kinds of records, for tests of what is kept of running experiments: few
 * users with many records each, links, repetitions, values that are too large to be squared.
 */
#ifndef ASSAY_LIVE_BATCHES_H
#define ASSAY_LIVE_BATCHES_H

#include "db/db_internal.h"
#include "db/distribute.h"
#include "experiments/live/ingest.h"
#include "experiments/projects/project_store.h"
#include "math/random.h"
#include "storage_fixture.h"

enum {
    LIVE_BATCHES_RECORDS = 6,
    LIVE_BATCHES_USERS = 7,
    LIVE_BATCHES_CLUSTERS = 10,
    LIVE_BATCHES_SPIKE = 6
};

struct live_batches_step {
    enum live_kind kind;
    size_t count;
    uint64_t seed; /* of its records */
};

static const char *const live_batches_users[LIVE_BATCHES_USERS] = {"u1", "u2", "u3",      "a1",
                                                                   "a2", "a3", "\xd0\xb7"};
static const char *const live_batches_metrics[] = {"conversion", "clicks", "views"};
static const char *const live_batches_names[] = {"x", "y", "z"};

static const char *live_batches_pick(struct random *random, const char *const *from, uint64_t count)
{
    return from[random_below(random, count)];
}

static inline struct optional_integer live_batches_moment(struct random *random)
{
    if (random_below(random, 4) == 0)
        return (struct optional_integer){0};
    return GIVEN_INTEGER(INT64_C(1770000000000000) +
                         (int64_t)random_below(random, 30) * 24 * 3600 * 1000000);
}

static inline double live_batches_value(struct random *random)
{
    static const double values[] = {1, 0, -2.5, 1e9, 1e9 + 1, 0.1, 1e200, 3};

    return values[random_below(random, sizeof values / sizeof values[0])];
}

static inline struct object_list live_batches_exposures(struct arena *arena, struct random *random,
                                                        size_t count)
{
    struct live_exposure *records = ARENA_ARRAY(arena, struct live_exposure, count);

    for (size_t i = 0; i < count; i++) {
        struct live_dimension *dimension = ARENA_NEW(arena, struct live_dimension);

        *dimension =
            (struct live_dimension){"platform", live_batches_pick(random, live_batches_names, 3)};
        records[i] = (struct live_exposure){
            .user_id = live_batches_pick(random, live_batches_users, LIVE_BATCHES_USERS),
            .variation_index = (int64_t)random_below(random, 3),
            .occurred_at = live_batches_moment(random),
            .dimensions = {random_below(random, 2), dimension}};
    }
    return (struct object_list){count, records};
}

static inline struct object_list live_batches_conversions(struct arena *arena,
                                                          struct random *random, size_t count)
{
    struct live_conversion *records = ARENA_ARRAY(arena, struct live_conversion, count);

    for (size_t i = 0; i < count; i++) {
        const char *key = arena_print(arena, "k%d", (int)random_below(random, 20));

        records[i] = (struct live_conversion){
            live_batches_pick(random, live_batches_users, LIVE_BATCHES_USERS),
            live_batches_pick(random, live_batches_metrics, 3), live_batches_value(random),
            random_below(random, 2) ? key : NULL, live_batches_moment(random)};
    }
    return (struct object_list){count, records};
}

/* Records of two texts have one layout. */
static inline struct object_list live_batches_pairs(struct arena *arena, struct random *random,
                                                    size_t count, const char *const *second,
                                                    uint64_t seconds)
{
    struct live_identity *records = ARENA_ARRAY(arena, struct live_identity, count);

    for (size_t i = 0; i < count; i++)
        records[i] = (struct live_identity){
            live_batches_pick(random, live_batches_users, LIVE_BATCHES_USERS),
            live_batches_pick(random, second, seconds)};
    return (struct object_list){count, records};
}

static inline struct object_list live_batches_pre_periods(struct arena *arena,
                                                          struct random *random, size_t count)
{
    struct live_pre_period *records = ARENA_ARRAY(arena, struct live_pre_period, count);

    for (size_t i = 0; i < count; i++)
        records[i] = (struct live_pre_period){
            live_batches_pick(random, live_batches_users, LIVE_BATCHES_USERS),
            live_batches_value(random),
            live_batches_pick(random, live_batches_names, 1 + random_below(random, 3))};
    return (struct object_list){count, records};
}

static inline struct object_list live_batches_holdouts(struct arena *arena, struct random *random,
                                                       size_t count)
{
    struct live_holdout_member *records = ARENA_ARRAY(arena, struct live_holdout_member, count);

    for (size_t i = 0; i < count; i++)
        records[i].user_id = live_batches_pick(random, live_batches_users, LIVE_BATCHES_USERS);
    return (struct object_list){count, records};
}

static inline struct object_list live_batches_records(struct arena *arena,
                                                      const struct live_batches_step *step)
{
    struct random random = random_start(step->seed, 1);

    switch (step->kind) {
    case LIVE_EXPOSURES:
        return live_batches_exposures(arena, &random, step->count);
    case LIVE_CONVERSIONS:
        return live_batches_conversions(arena, &random, step->count);
    case LIVE_IDENTITIES:
        return live_batches_pairs(arena, &random, step->count, live_batches_users,
                                  LIVE_BATCHES_USERS);
    case LIVE_PRE_PERIODS:
        return live_batches_pre_periods(arena, &random, step->count);
    case LIVE_HOLDOUTS:
        return live_batches_holdouts(arena, &random, step->count);
    default: /* exclusions and strata */
        return live_batches_pairs(arena, &random, step->count, live_batches_names, 3);
    }
}

static inline struct live_call live_batches_call(struct bench *bench, struct arena *arena)
{
    return (struct live_call){.db = bench->db,
                              .arena = arena,
                              .spike_events = LIVE_BATCHES_SPIKE,
                              .clusters_max = LIVE_BATCHES_CLUSTERS,
                              .problem = &bench->problem};
}

/* What the sequences differ in besides. */
struct live_batches_design {
    int metric_type;
    int window; /* enum conversion_window */
    struct optional_number days;
};

/* Capped values and bins of two metrics besides, of which one is the primary one. */
static inline struct experiment_payload *live_batches_payload(
    struct arena *arena, const struct live_batches_design *kind)
{
    static struct robust_metric robust[] = {{"conversion", ROBUST_CAPPED_MEAN, 2, false},
                                            {"views", ROBUST_QUANTILE, 50, false},
                                            {"views", ROBUST_WINSORIZED_MEAN, 90, true},
                                            {"views", ROBUST_CAPPED_MEAN, 0.5, false}};
    struct experiment_payload *payload = bench_payload(arena, "A", kind->metric_type);
    struct payload_metrics *block = ARENA_NEW(arena, struct payload_metrics);

    *block = *payload->metrics;
    block->robust_metrics = (struct object_list){4, robust};
    block->conversion_window = kind->window;
    block->conversion_window_days = kind->days;
    payload->metrics = block;
    return payload;
}

static const struct live_batches_design live_batches_designs[] = {
    {METRIC_BINARY, WINDOW_ALL, {0}},
    {METRIC_CONTINUOUS, WINDOW_AFTER_EXPOSURE, {true, 9}},
    {METRIC_RATIO, WINDOW_AFTER_EXPOSURE, {0}},
    {METRIC_CONTINUOUS, WINDOW_ALL, {0}},
};
enum { LIVE_BATCHES_DESIGNS = sizeof live_batches_designs / sizeof live_batches_designs[0] };

static inline struct live_batches_step live_batches_step(struct random *random)
{
    return (struct live_batches_step){(enum live_kind)random_below(random, LIVE_KIND__MAX),
                                      1 + random_below(random, LIVE_BATCHES_RECORDS),
                                      random_u64(random)};
}

/* A server takes a tenth of a second for a sequence: all of them only then. */
static inline bool live_batches_soak(void)
{
    const char *soak = getenv("ASSAY_TEST_SOAK");

    return soak && strcmp(soak, "1") == 0;
}

static inline void live_batches_run_file(struct bench *bench, const char *path)
{
    char script[8192] = "";
    FILE *file = fopen(path, "r");

    CHECK(file && fread(script, 1, sizeof script - 1, file) > 0);
    if (file)
        fclose(file);
    CHECK_OK(db_begin(bench->db, DB_WRITE, &bench->problem));
    CHECK_OK(db_finish(bench->db, bench->db->engine->script(bench->db, script, &bench->problem),
                       &bench->problem));
}

/* As a distributed server would have them: the tables of sql/experiments/distribution are divided
 * by hash into eight parts (tests/db/citus_stand_in.sql). */
static inline void live_batches_distribute(struct bench *bench)
{
    struct db_distribution done;

    live_batches_run_file(bench, "tests/db/citus_stand_in.sql");
    CHECK_OK(db_distribute(bench->db, "sql/experiments", &done, &bench->problem));
}

#endif
