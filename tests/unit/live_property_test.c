/*
 * Whatever comes in, and in whatever order: what is kept beside the raw rows equals what the raw
 * rows say. Random sequences of batches over all kinds of records, with repetitions, are checked
 * after every few batches; one that fails is made as short as possible before it is shown.
 */
#include "db/db_internal.h"
#include "db/distribute.h"
#include "experiments/live/ingest.h"
#include "experiments/live/rebuild.h"
#include "experiments/projects/project_store.h"
#include "math/random.h"
#include "storage_fixture.h"

enum { SEQUENCES = 500, BATCHES = 14, RECORDS = 6, USERS = 7, SPIKE_EVENTS = 6 };

struct step {
    enum live_kind kind;
    size_t count;
    uint64_t seed; /* of its records */
};

static const char *const users[USERS] = {"u1", "u2", "u3", "a1", "a2", "a3", "\xd0\xb7"};
static const char *const metrics[] = {"conversion", "clicks", "views"};
static const char *const names[] = {"x", "y", "z"};

static const char *pick(struct random *random, const char *const *from, uint64_t count)
{
    return from[random_below(random, count)];
}

static struct optional_integer moment(struct random *random)
{
    if (random_below(random, 4) == 0)
        return (struct optional_integer){0};
    return GIVEN_INTEGER(INT64_C(1770000000000000) +
                         (int64_t)random_below(random, 30) * 24 * 3600 * 1000000);
}

static double value(struct random *random)
{
    static const double values[] = {1, 0, -2.5, 1e9, 1e9 + 1, 0.1, 1e200, 3};

    return values[random_below(random, sizeof values / sizeof values[0])];
}

static struct object_list exposures(struct arena *arena, struct random *random, size_t count)
{
    struct live_exposure *records = ARENA_ARRAY(arena, struct live_exposure, count);

    for (size_t i = 0; i < count; i++) {
        struct live_dimension *dimension = ARENA_NEW(arena, struct live_dimension);

        *dimension = (struct live_dimension){"platform", pick(random, names, 3)};
        records[i] = (struct live_exposure){pick(random, users, USERS),
                                            (int64_t)random_below(random, 3),
                                            moment(random),
                                            {{random_below(random, 2), dimension}}};
    }
    return (struct object_list){count, records};
}

static struct object_list conversions(struct arena *arena, struct random *random, size_t count)
{
    struct live_conversion *records = ARENA_ARRAY(arena, struct live_conversion, count);

    for (size_t i = 0; i < count; i++) {
        const char *key = arena_print(arena, "k%d", (int)random_below(random, 20));

        records[i] = (struct live_conversion){pick(random, users, USERS), pick(random, metrics, 3),
                                              value(random), random_below(random, 2) ? key : NULL,
                                              moment(random)};
    }
    return (struct object_list){count, records};
}

/* Records of two texts have one layout. */
static struct object_list pairs(struct arena *arena, struct random *random, size_t count,
                                const char *const *second, uint64_t seconds)
{
    struct live_identity *records = ARENA_ARRAY(arena, struct live_identity, count);

    for (size_t i = 0; i < count; i++)
        records[i] =
            (struct live_identity){pick(random, users, USERS), pick(random, second, seconds)};
    return (struct object_list){count, records};
}

static struct object_list pre_periods(struct arena *arena, struct random *random, size_t count)
{
    struct live_pre_period *records = ARENA_ARRAY(arena, struct live_pre_period, count);

    for (size_t i = 0; i < count; i++)
        records[i] = (struct live_pre_period){pick(random, users, USERS), value(random),
                                              pick(random, names, 1 + random_below(random, 3))};
    return (struct object_list){count, records};
}

static struct object_list holdouts(struct arena *arena, struct random *random, size_t count)
{
    struct live_holdout_member *records = ARENA_ARRAY(arena, struct live_holdout_member, count);

    for (size_t i = 0; i < count; i++)
        records[i].user_id = pick(random, users, USERS);
    return (struct object_list){count, records};
}

static struct object_list make_records(struct arena *arena, const struct step *step)
{
    struct random random = random_start(step->seed, 1);

    switch (step->kind) {
    case LIVE_EXPOSURES:
        return exposures(arena, &random, step->count);
    case LIVE_CONVERSIONS:
        return conversions(arena, &random, step->count);
    case LIVE_IDENTITIES:
        return pairs(arena, &random, step->count, users, USERS);
    case LIVE_PRE_PERIODS:
        return pre_periods(arena, &random, step->count);
    case LIVE_HOLDOUTS:
        return holdouts(arena, &random, step->count);
    default: /* exclusions and strata */
        return pairs(arena, &random, step->count, names, 3);
    }
}

static struct live_call call_of(struct bench *bench, struct arena *arena)
{
    return (struct live_call){bench->db, arena, SPIKE_EVENTS, &bench->problem};
}

/* What the sequences differ in besides. */
struct kind_of_design {
    int metric_type;
    int window; /* enum conversion_window */
    struct optional_number days;
};

/* Capped values and bins of two metrics besides, of which one is the primary one. */
static struct experiment_payload *design(struct arena *arena, const struct kind_of_design *kind)
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

/* Whether the steps, on an experiment of their own, leave what they should. */
static bool holds(struct bench *bench, const struct step *steps, size_t count,
                  const struct kind_of_design *kind)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    const struct project_call make = {bench->db, arena, &bench->actor, &bench->problem};
    struct live_call call = call_of(bench, arena);
    struct live_rebuild check = {0};
    struct project project = {0};
    bool right = true;

    CHECK_OK(project_create(&make, design(arena, kind), &project));
    for (size_t i = 0; right && i < count; i++) {
        struct object_list records = make_records(arena, &steps[i]);
        struct live_outcome outcome;

        CHECK_OK(live_ingest(&call, project.id, steps[i].kind, &records, &outcome));
        if (i % 7 == 6 || i + 1 == count) {
            CHECK_OK(live_verify_experiment(&call, project.id, &check));
            right = check.differences == 0;
        }
    }
    if (right) {
        CHECK_OK(live_rebuild_experiment(&call, project.id, &check));
        CHECK_OK(live_verify_experiment(&call, project.id, &check));
        right = check.differences == 0;
    }
    if (!right)
        printf("%zu steps: %lld differences, first %s\n", count, (long long)check.differences,
               check.first);
    arena_destroy(arena);
    return right;
}

/* Leaves out one step after the other as long as it fails without it. */
static void shrink(struct bench *bench, struct step *steps, size_t count,
                   const struct kind_of_design *kind)
{
    for (size_t i = count; i-- > 0;) {
        struct step without = steps[i];

        memmove(&steps[i], &steps[i + 1], (count - i - 1) * sizeof *steps);
        if (holds(bench, steps, count - 1, kind)) {
            memmove(&steps[i + 1], &steps[i], (count - i - 1) * sizeof *steps);
            steps[i] = without;
        } else {
            count--;
        }
    }
    for (size_t i = 0; i < count; i++)
        printf("  kind %d, %zu records of seed %llu\n", (int)steps[i].kind, steps[i].count,
               (unsigned long long)steps[i].seed);
}

/* Random sequences from a first number on. */
static void check_sequences(struct bench *bench, uint64_t first, uint64_t count)
{
    static const struct kind_of_design kinds[] = {
        {METRIC_BINARY, WINDOW_ALL, {0}},
        {METRIC_CONTINUOUS, WINDOW_AFTER_EXPOSURE, {true, 9}},
        {METRIC_RATIO, WINDOW_AFTER_EXPOSURE, {0}},
        {METRIC_CONTINUOUS, WINDOW_ALL, {0}},
    };

    for (uint64_t i = first; i < first + count; i++) {
        struct random random = random_start(2026, i);
        struct step steps[BATCHES];
        const struct kind_of_design *kind = &kinds[i % 4];

        for (size_t k = 0; k < BATCHES; k++) {
            steps[k] = (struct step){(enum live_kind)random_below(&random, LIVE_KIND__MAX),
                                     1 + random_below(&random, RECORDS), random_u64(&random)};
            if (k > 2 && random_below(&random, 5) == 0)
                steps[k] = steps[random_below(&random, k)];
        }
        if (holds(bench, steps, BATCHES, kind))
            continue;
        printf("sequence %d fails; the shortest that does:\n", (int)i);
        shrink(bench, steps, BATCHES, kind);
        CHECK(false);
        return;
    }
}

/* A server takes a tenth of a second for a sequence: all of them only with ASSAY_TEST_SOAK=1. */
static uint64_t sequences(const struct bench *bench)
{
    const char *soak = getenv("ASSAY_TEST_SOAK");
    bool all = bench->engine == DB_SQLITE || (soak && strcmp(soak, "1") == 0);

    return all ? SEQUENCES : SEQUENCES / 5;
}

ON_BOTH(what_is_kept_is_what_the_raw_rows_say)
{
    check_sequences(bench, 0, sequences(bench));
}

static void run_file(struct bench *bench, const char *path)
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
static void distribute_tables(struct bench *bench)
{
    struct db_distribution done;

    run_file(bench, "tests/db/citus_stand_in.sql");
    CHECK_OK(db_distribute(bench->db, "sql/experiments", &done, &bench->problem));
}

ON_BOTH(tables_in_parts_hold_the_same)
{
    if (bench->engine != DB_POSTGRES)
        return;
    distribute_tables(bench);
    CHECK_INT(COUNT_OF_ROWS(bench, "pg_partitioned_table"), 10);
    check_sequences(bench, SEQUENCES, sequences(bench) / 4);
}

TEST_MAIN(CASE(what_is_kept_is_what_the_raw_rows_say), CASE(tables_in_parts_hold_the_same))
