/*
 * A divided experiment shows what an undivided one does: the same random batches of all kinds of
 * records, with links that move users to other buckets, go into both.
 */
#include "experiments/live/assign.h"
#include "experiments/live/buckets.h"
#include "experiments/live/clear.h"
#include "experiments/live/rebuild.h"
#include "experiments/live/series.h"
#include "experiments/live/view.h"
#include "live_batches.h"

#include <math.h>

enum { SEQUENCES = 200, QUICK = 40, BATCHES = 14 };

/* The same records in two experiments. */
struct pair {
    struct bench *bench;
    struct live_call call;
    const char *whole, *divided;
    size_t differences;
};

static void differ(struct pair *pair, const char *what)
{
    if (pair->differences++ == 0)
        printf("differs: %s\n", what);
}

static bool same(double one, double other)
{
    return fabs(one - other) <= 1e-12 * fmax(fabs(one), fabs(other));
}

static const char *make(struct bench *bench, struct arena *arena,
                        const struct live_batches_design *kind, int64_t buckets)
{
    const struct project_call call = {bench->db, arena, &bench->actor, &bench->problem};
    const struct live_call live = live_batches_call(bench, arena);
    struct project project = {0};

    CHECK_OK(project_create(&call, live_batches_payload(arena, kind), &project));
    CHECK_OK(live_choose_buckets(&live, &bench->actor,
                                 &(struct live_division_choice){project.id, buckets}));
    return project.id;
}

static struct live_view *view_of(struct pair *pair, const char *id)
{
    struct live_view *view = ARENA_NEW(pair->call.arena, struct live_view);
    const struct live_view_options options = {
        .dimension = "platform", .bins = true, .unknown = true};
    struct bench *bench = pair->bench;

    CHECK_OK(live_view_load(&pair->call, id, &options, view));
    return view;
}

static int64_t number_of(const struct live_name_list *names, const char *name)
{
    return name ? live_name_number(names, name) : 0;
}

static void compare_cells(struct pair *pair, struct live_view *one, int64_t metric, int64_t slice,
                          struct live_view *other, int64_t other_metric, int64_t other_slice)
{
    for (int arm = LIVE_HOLDOUT; arm < LIVE_ARMS_MAX; arm++) {
        const struct live_cell *a = live_rollup_cell(&one->rollup, metric, slice, arm);
        const struct live_cell *b =
            live_rollup_cell(&other->rollup, other_metric, other_slice, arm);
        double size = sqrt(fmax(a->squares.high, 0) * (double)(1 + a->people));

        if (a->people != b->people || a->huge != b->huge || a->events != b->events ||
            a->early != b->early || a->late != b->late ||
            fabs(a->sum.high - b->sum.high) > 1e-12 * size ||
            !same(a->squares.high, b->squares.high))
            differ(pair, "a cell");
    }
}

/* All cells of a metric: of everybody, of strata and slices, bins. */
static void compare_metric(struct pair *pair, struct live_view *one, int64_t metric,
                           struct live_view *other, int64_t other_metric)
{
    const struct live_name_list *lists[] = {&one->strata, &one->slices};
    const struct live_name_list *others[] = {&other->strata, &other->slices};

    compare_cells(pair, one, metric, LIVE_EVERYBODY, other, other_metric, LIVE_EVERYBODY);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            compare_cells(pair, one, metric, lists[i]->items[k].number, other, other_metric,
                          number_of(others[i], lists[i]->items[k].name));
    for (size_t i = 0; metric > 0 && i < one->rollup.cell_slots; i++)
        if (one->rollup.cells[i] && one->rollup.cells[i]->metric == metric &&
            one->rollup.cells[i]->slice < 0)
            compare_cells(pair, one, metric, one->rollup.cells[i]->slice, other, other_metric,
                          one->rollup.cells[i]->slice);
}

static void compare_products(struct pair *pair, const struct live_view *one,
                             const struct live_view *other)
{
    static const struct live_products nothing = {0};

    for (int family = 0; family < LIVE_FAMILY__MAX; family++)
        for (int arm = 0; arm < LIVE_ARMS_MAX; arm++) {
            const struct live_products *a = one->rollup.products[family][arm];
            const struct live_products *b = other->rollup.products[family][arm];

            a = a ? a : &nothing;
            b = b ? b : &nothing;
            if (a->huge != b->huge)
                differ(pair, "huge products");
            for (int i = 0; i < LIVE_FACTORS_MAX; i++)
                for (int j = i; j < LIVE_FACTORS_MAX; j++)
                    if (fabs(a->at[i][j].sum.high - b->at[i][j].sum.high) >
                        1e-12 * sqrt(fabs(a->at[i][i].sum.high)) * sqrt(fabs(a->at[j][j].sum.high)))
                        differ(pair, "a product");
        }
}

static void compare_views(struct pair *pair)
{
    struct live_view *one = view_of(pair, pair->whole), *other = view_of(pair, pair->divided);

    if (memcmp(one->rollup.arms, other->rollup.arms, sizeof one->rollup.arms) != 0)
        differ(pair, "the arms");
    if (one->experiment.links != other->experiment.links ||
        one->experiment.alias_exposures != other->experiment.alias_exposures ||
        one->experiment.alias_conversions != other->experiment.alias_conversions ||
        one->experiment.merged_people != other->experiment.merged_people)
        differ(pair, "the links");
    if (one->strata.count != other->strata.count || one->slices.count != other->slices.count ||
        one->covered.count != other->covered.count ||
        one->covered.exposed != other->covered.exposed ||
        one->covariates.count != other->covariates.count ||
        one->unknown.names != other->unknown.names || one->unknown.events != other->unknown.events)
        differ(pair, "the names");
    for (size_t i = 0; i < one->covered.count && i < other->covered.count; i++)
        if (strcmp(one->covered.items[i].name, other->covered.items[i].name) != 0 ||
            one->covered.items[i].people != other->covered.items[i].people)
            differ(pair, "the coverage");
    compare_metric(pair, one, LIVE_PRESENCE, other, LIVE_PRESENCE);
    for (size_t i = 0; i < one->metrics.count; i++)
        if (one->metrics.items[i].number)
            compare_metric(pair, one, one->metrics.items[i].number, other,
                           number_of(&other->metrics, one->metrics.items[i].name));
    for (size_t i = 0; i < one->experiment.robust_count; i++)
        if (one->experiment.robust[i].capped)
            compare_metric(pair, one, live_capped_metric(i), other, live_capped_metric(i));
    compare_products(pair, one, other);
}

static void compare_series(struct pair *pair)
{
    struct bench *bench = pair->bench;
    struct live_series one, other;

    CHECK_OK(live_series_load(&pair->call, view_of(pair, pair->whole), INT64_MAX, &one));
    CHECK_OK(live_series_load(&pair->call, view_of(pair, pair->divided), INT64_MAX, &other));
    if (one.days.count != other.days.count)
        differ(pair, "the days");
    for (size_t i = 0; i < one.days.count && i < other.days.count; i++) {
        const struct live_day *a = (const struct live_day *)one.days.items + i;
        const struct live_day *b = (const struct live_day *)other.days.items + i;

        if (a->day != b->day || a->arm != b->arm || a->people != b->people ||
            a->converted != b->converted || a->huge != b->huge ||
            !same(a->value_squares, b->value_squares))
            differ(pair, "a day");
    }
}

static void compare_counts(struct pair *pair)
{
    struct bench *bench = pair->bench;
    struct live_ingestion one, other;
    const struct live_metric_count *a, *b;

    CHECK_OK(live_read_ingestion(&pair->call, pair->whole, &one));
    CHECK_OK(live_read_ingestion(&pair->call, pair->divided, &other));
    a = one.conversion_counts.items;
    b = other.conversion_counts.items;
    if (one.exposures_total != other.exposures_total ||
        one.conversions_total != other.conversions_total ||
        one.conversion_counts.count != other.conversion_counts.count)
        differ(pair, "what was received");
    for (size_t i = 0; i < one.conversion_counts.count && i < other.conversion_counts.count; i++)
        if (strcmp(a[i].metric, b[i].metric) != 0 || a[i].count != b[i].count ||
            a[i].value_sum.given != b[i].value_sum.given)
            differ(pair, "the counts of a metric");
}

/* Users keep the arm that they were seen in, wherever they lie. */
static void compare_assignments(struct pair *pair)
{
    struct bench *bench = pair->bench;

    for (size_t i = 0; i < LIVE_BATCHES_USERS; i++) {
        const struct live_asked asked = {.user_id = live_batches_users[i],
                                         .version = HASH_VERSION_2};
        struct live_assignment one, other;

        CHECK_OK(live_assign(&pair->call, pair->whole, &asked, &one));
        CHECK_OK(live_assign(&pair->call, pair->divided, &asked, &other));
        if (one.sticky != other.sticky || (one.sticky && one.variation != other.variation))
            differ(pair, "an assignment");
    }
}

static void verify(struct pair *pair)
{
    struct bench *bench = pair->bench;
    struct live_rebuild check = {0};

    CHECK_OK(live_verify_experiment(&pair->call, pair->divided, &check));
    if (check.differences)
        differ(pair, check.first);
}

static void send(struct pair *pair, const struct live_batches_step *step)
{
    struct bench *bench = pair->bench;
    struct object_list records = live_batches_records(pair->call.arena, step);
    struct live_outcome one, other;

    CHECK_OK(live_ingest(&pair->call, pair->whole, step->kind, &records, &one));
    CHECK_OK(live_ingest(&pair->call, pair->divided, step->kind, &records, &other));
    if (memcmp(&one, &other, sizeof one) != 0)
        differ(pair, "the outcome of a batch");
}

static void compare_everything(struct pair *pair)
{
    verify(pair);
    compare_views(pair);
    compare_counts(pair);
}

/* One random sequence; true when both show the same throughout. */
static bool holds(struct bench *bench, uint64_t number)
{
    struct arena *arena = arena_create((size_t)1 << 29);
    struct random random = random_start(34, number);
    const struct live_batches_design *kind = &live_batches_designs[number % LIVE_BATCHES_DESIGNS];
    static const int64_t counts[] = {64, 2, 7, 3};
    struct pair pair = {bench, live_batches_call(bench, arena), make(bench, arena, kind, 1),
                        make(bench, arena, kind, counts[number / 4 % 4]), 0};
    struct live_rebuild rebuild = {0};

    for (size_t i = 0; pair.differences == 0 && i < BATCHES; i++) {
        struct live_batches_step step = live_batches_step(&random);

        send(&pair, &step);
        if (i % 5 == 4 || i + 1 == BATCHES)
            compare_everything(&pair);
    }
    compare_series(&pair);
    compare_assignments(&pair);
    CHECK_OK(live_rebuild_experiment(&pair.call, pair.divided, &rebuild));
    compare_everything(&pair);
    if (pair.differences)
        printf("sequence %d, %d buckets\n", (int)number, (int)counts[number / 4 % 4]);
    arena_destroy(arena);
    return pair.differences == 0;
}

static void check_sequences(struct bench *bench, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        bool right = holds(bench, i);

        CHECK(right);
        if (!right)
            return;
    }
}

/* A server takes longer for a sequence. */
static uint64_t sequences(const struct bench *bench)
{
    if (live_batches_soak())
        return SEQUENCES;
    return bench->engine == DB_SQLITE ? QUICK : QUICK / 8;
}

ON_BOTH(a_divided_experiment_shows_what_a_whole_one_does)
{
    check_sequences(bench, sequences(bench));
}

ON_BOTH(also_on_tables_that_are_divided_by_hash)
{
    if (bench->engine != DB_POSTGRES)
        return;
    live_batches_distribute(bench);
    check_sequences(bench, sequences(bench) / 2);
}

ON_BOTH(the_number_stays_after_the_first_record)
{
    struct arena *arena = bench->arena;
    const struct live_call call = live_batches_call(bench, arena);
    const char *id = make(bench, arena, &live_batches_designs[0], 8);
    struct live_exposure record = {.user_id = "u1", .variation_index = 1};
    const struct object_list records = {1, &record};
    struct live_clearing clearing;
    struct live_outcome outcome;

    CHECK_OK(live_choose_buckets(&call, &bench->actor, &(struct live_division_choice){id, 4}));
    CHECK_OK(live_ingest(&call, id, LIVE_EXPOSURES, &records, &outcome));
    CHECK_INT(COUNT_OF_ROWS(bench, "live_buckets"), 4);
    CHECK_FAILS(live_choose_buckets(&call, &bench->actor, &(struct live_division_choice){id, 8}),
                ERROR_CONFLICT, "experiment_started");
    CHECK_FAILS(live_choose_buckets(&call, &bench->actor, &(struct live_division_choice){"no", 8}),
                ERROR_NOT_FOUND, "project_not_found");
    CHECK_OK(live_clear(&call, &bench->actor, id, &clearing));
    CHECK_INT(clearing.exposures, 1);
    CHECK_INT(COUNT_OF_ROWS(bench, "live_units"), 0);
    CHECK_INT(COUNT_OF_ROWS(bench, "live_arms"), 0);
    CHECK_OK(live_ingest(&call, id, LIVE_EXPOSURES, &records, &outcome));
    CHECK_INT(outcome.recorded, 1);
}

/* Records an exposure of the first user that is in the bucket. */
static enum error expose_in(const struct live_call *call, const char *id, int64_t bucket)
{
    struct live_exposure record = {.variation_index = 1};
    const struct object_list records = {1, &record};
    struct live_outcome outcome;

    for (int i = 0; !record.user_id || live_bucket_of(record.user_id, 4) != bucket; i++)
        record.user_id = arena_print(call->arena, "user-%d", i);
    return live_ingest(call, id, LIVE_EXPOSURES, &records, &outcome);
}

/* SQLite has one writer in any case. */
ON_BOTH(writers_of_different_buckets_do_not_wait)
{
    const struct live_call call = live_batches_call(bench, bench->arena);
    const char *id = make(bench, bench->arena, &live_batches_designs[0], 4);
    struct live_call other = call;
    struct live_rebuild check = {0};
    struct store *store;

    if (bench->engine != DB_POSTGRES)
        return;
    CHECK_OK(expose_in(&call, id, 0)); /* makes the rows of the buckets */
    store = bench_open(bench, &other.db);
    CHECK_OK(db_begin(call.db, DB_WRITE, &bench->problem));
    CHECK_OK(expose_in(&call, id, 1));
    for (int64_t bucket = 0; bucket < 4; bucket++)
        if (bucket != 1)
            CHECK_OK(expose_in(&other, id, bucket));
    CHECK_OK(db_finish(call.db, ERROR_NONE, &bench->problem));
    store_close(store);
    CHECK_OK(live_verify_experiment(&call, id, &check));
    CHECK_INT(check.differences, 0);
    CHECK_INT(COUNT_OF_ROWS(bench, "live_units"), 4);
}

TEST_MAIN(CASE(a_divided_experiment_shows_what_a_whole_one_does),
          CASE(also_on_tables_that_are_divided_by_hash),
          CASE(the_number_stays_after_the_first_record),
          CASE(writers_of_different_buckets_do_not_wait))
