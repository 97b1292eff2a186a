/*
 * Whatever comes in, and in whatever order: what is kept beside the raw rows equals what the raw
 * rows say. Random sequences of batches over all kinds of records, with repetitions, are checked
 * after every few batches; one that fails is made as short as possible before it is shown.
 */
#include "experiments/live/rebuild.h"
#include "live_batches.h"

enum { SEQUENCES = 500, BATCHES = 14 };

/* Whether the steps, on an experiment of their own, leave what they should. */
static bool holds(struct bench *bench, const struct live_batches_step *steps, size_t count,
                  const struct live_batches_design *kind)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    const struct project_call make = {bench->db, arena, &bench->actor, &bench->problem};
    struct live_call call = live_batches_call(bench, arena);
    struct live_rebuild check = {0}, again = {.only_if_stale = true};
    struct project project = {0};
    bool right = true;

    CHECK_OK(project_create(&make, live_batches_payload(arena, kind), &project));
    for (size_t i = 0; right && i < count; i++) {
        struct object_list records = live_batches_records(arena, &steps[i]);
        struct live_outcome outcome;

        CHECK_OK(live_ingest(&call, project.id, steps[i].kind, &records, &outcome));
        if (i % 7 == 6 || i + 1 == count) {
            CHECK_OK(live_verify_experiment(&call, project.id, &check));
            right = check.differences == 0;
        }
    }
    if (right) {
        CHECK_OK(live_rebuild_experiment(&call, project.id, &check));
        CHECK_OK(live_rebuild_experiment(&call, project.id, &again));
        CHECK_INT(again.people, 0);
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
static void shrink(struct bench *bench, struct live_batches_step *steps, size_t count,
                   const struct live_batches_design *kind)
{
    for (size_t i = count; i-- > 0;) {
        struct live_batches_step without = steps[i];

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
    for (uint64_t i = first; i < first + count; i++) {
        struct random random = random_start(2026, i);
        struct live_batches_step steps[BATCHES];
        const struct live_batches_design *kind = &live_batches_designs[i % LIVE_BATCHES_DESIGNS];

        for (size_t k = 0; k < BATCHES; k++) {
            steps[k] = live_batches_step(&random);
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

static uint64_t sequences(const struct bench *bench)
{
    return bench->engine == DB_SQLITE || live_batches_soak() ? SEQUENCES : SEQUENCES / 5;
}

ON_BOTH(what_is_kept_is_what_the_raw_rows_say)
{
    check_sequences(bench, 0, sequences(bench));
}

ON_BOTH(tables_in_parts_hold_the_same)
{
    if (bench->engine != DB_POSTGRES)
        return;
    live_batches_distribute(bench);
    CHECK_INT(COUNT_OF_ROWS(bench, "pg_partitioned_table"), 12);
    check_sequences(bench, SEQUENCES, sequences(bench) / 4);
}

TEST_MAIN(CASE(what_is_kept_is_what_the_raw_rows_say), CASE(tables_in_parts_hold_the_same))
