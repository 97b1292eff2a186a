/* Reads aggregates, adds to them in memory and writes them back under the experiment's lock,
 * because neither engine can add pairs of doubles. */
#include "experiments/live/rollup_store.h"

#include "base/json.h"
#include "experiments/live/rows.h"

enum { KEYS_BYTES_MAX = 16 * 1024 * 1024 };

static const struct statement cells_by_key = {
    .name = "live_cells_by_key",
    FOUND_BY_KEYS("metric, slice, arm, people, huge, sum_high, sum_low, squares_high, squares_low,"
                  " peak, events, early, late",
                  "(SELECT CAST(value ->> 0 AS BIGINT) AS one, CAST(value ->> 1 AS BIGINT) AS two,"
                  " CAST(value ->> 2 AS BIGINT) AS three FROM {json_rows:?}) AS keys",
                  "live_cells c",
                  "c.experiment = ? AND c.metric = keys.one"
                  " AND c.slice = keys.two AND c.arm = keys.three"),
};
static const struct statement cells_of_experiment = {
    .name = "live_cells",
    .sql = "SELECT metric, slice, arm, people, huge, sum_high, sum_low, squares_high,"
           " squares_low, peak, events, early, late FROM live_cells WHERE experiment = ?",
    .streams = true,
};
static const struct statement cells_of_metrics = {
    .name = "live_cells_of_metrics",
    .sql = "SELECT c.metric, c.slice, c.arm, c.people, c.huge, c.sum_high, c.sum_low,"
           " c.squares_high, c.squares_low, c.peak, c.events, c.early, c.late"
           " FROM (SELECT CAST(value ->> 0 AS BIGINT) AS metric FROM {json_rows:?}) AS wanted"
           " CROSS JOIN live_cells c WHERE c.experiment = ? AND c.metric = wanted.metric"
           " AND c.slice = 0",
};
static const struct statement bins_of_metrics = {
    .name = "live_bins_of_metrics",
    .sql = "SELECT c.metric, c.slice, c.arm, c.people, c.huge, c.sum_high, c.sum_low,"
           " c.squares_high, c.squares_low, c.peak, c.events, c.early, c.late"
           " FROM (SELECT CAST(value ->> 0 AS BIGINT) AS metric FROM {json_rows:?}) AS wanted"
           " CROSS JOIN live_cells c WHERE c.experiment = ? AND c.metric = wanted.metric"
           " AND c.slice < 0 AND c.slice > " LIVE_BINS_BEGIN,
    .streams = true,
};
static const struct statement cells_of_dimension = {
    .name = "live_cells_of_dimension",
    .sql = "SELECT c.metric, c.slice, c.arm, c.people, c.huge, c.sum_high, c.sum_low,"
           " c.squares_high, c.squares_low, c.peak, c.events, c.early, c.late"
           " FROM (SELECT CAST(value ->> 0 AS BIGINT) AS metric FROM {json_rows:?}) AS wanted"
           " CROSS JOIN live_slices s CROSS JOIN live_cells c WHERE s.experiment = ?"
           " AND s.dimension = ? AND c.experiment = ? AND c.metric = wanted.metric"
           " AND c.slice = s.slice",
    .streams = true,
};
#define CELLS                                                                                      \
    "live_cells (experiment, metric, slice, arm, people, huge, sum_high, sum_low, squares_high,"   \
    " squares_low, peak, events, early, late)"
#define CELLS_STAND                                                                                \
    " ON CONFLICT (experiment, metric, slice, arm) DO UPDATE SET people = excluded.people,"        \
    " huge = excluded.huge, sum_high = excluded.sum_high, sum_low = excluded.sum_low,"             \
    " squares_high = excluded.squares_high, squares_low = excluded.squares_low,"                   \
    " peak = excluded.peak, events = excluded.events, early = excluded.early,"                     \
    " late = excluded.late"

static const struct statement put_cell = {
    .name = "live_cell_put",
    .sql = "INSERT INTO " CELLS " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" CELLS_STAND,
};
static const struct statement put_cells = {
    .name = "live_cell_put_all",
    INTO_AT_ONCE(CELLS,
                 INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE
                                  ", " INTEGERS_AT_ONCE ", " NUMBERS_AT_ONCE ", " NUMBERS_AT_ONCE
                                  ", " NUMBERS_AT_ONCE ", " NUMBERS_AT_ONCE ", " NUMBERS_AT_ONCE
                                  ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE,
                 CELLS_STAND),
};
static const struct statement add_to_arm = {
    .name = "live_arm_add",
    .sql = "INSERT INTO live_arms (experiment, arm, exposures, people, excluded, spiked, crossed)"
           " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (experiment, arm) DO UPDATE SET"
           " exposures = live_arms.exposures + excluded.exposures,"
           " people = live_arms.people + excluded.people,"
           " excluded = live_arms.excluded + excluded.excluded,"
           " spiked = live_arms.spiked + excluded.spiked,"
           " crossed = live_arms.crossed + excluded.crossed",
};
static const struct statement arms_of_experiment = {
    .name = "live_arms",
    .sql = "SELECT arm, exposures, people, excluded, spiked, crossed FROM live_arms"
           " WHERE experiment = ?",
};
static const struct statement totals_of_experiment = {
    .name = "live_totals",
    .sql = "SELECT metric, events, huge, sum_high, sum_low FROM live_metrics WHERE experiment = ?",
    .streams = true,
};
static const struct statement put_total = {
    .name = "live_total_put",
    .sql = "UPDATE live_metrics SET events = ?, huge = ?, sum_high = ?, sum_low = ?"
           " WHERE experiment = ? AND metric = ?",
};
static const struct statement clear_statements[] = {
    {"live_cells_clear", "DELETE FROM live_cells WHERE experiment = ?"},
    {"live_arms_clear", "DELETE FROM live_arms WHERE experiment = ?"},
    {"live_products_clear", "DELETE FROM live_products WHERE experiment = ?"},
    {"live_totals_clear", "UPDATE live_metrics SET events = 0, huge = 0, sum_high = 0, sum_low = 0"
                          " WHERE experiment = ?"},
    {"live_covered_clear", "UPDATE live_covariates SET people = 0 WHERE experiment = ?"},
};
static const struct statement add_to_covered = {
    .name = "live_covered_add",
    .sql = "UPDATE live_covariates SET people = people + ? WHERE experiment = ? AND covariate = ?",
};
static const struct statement covered_of_experiment = {
    .name = "live_covered",
    .sql = "SELECT covariate, people FROM live_covariates WHERE experiment = ?",
    .streams = true,
};
/* What another bucket has under the same key is added. */
static void read_cell(struct query *query, struct live_rollup *rollup)
{
    struct live_cell *cell = live_rollup_cell(
        rollup, query_integer(query, 0), query_integer(query, 1), (int)query_integer(query, 2));
    struct live_cell read = *cell;

    read.people = query_integer(query, 3);
    read.huge = query_integer(query, 4);
    read.sum = (struct sum){query_number(query, 5), query_number(query, 6)};
    read.squares = (struct sum){query_number(query, 7), query_number(query, 8)};
    read.peak = query_number(query, 9);
    read.events = query_integer(query, 10);
    read.early = query_integer(query, 11);
    read.late = query_integer(query, 12);
    if (rollup->experiment->buckets > 1)
        (void)live_cell_add(cell, &read); /* each bucket looks after its own digits */
    else
        *cell = read;
}

static const char *keys_as_json(const struct live_rollup *rollup)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, rollup->arena, KEYS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < rollup->cell_slots; i++) {
        const struct live_cell *cell = rollup->cells[i];

        if (!cell)
            continue;
        writer_open_array(&writer);
        writer_integer(&writer, cell->metric);
        writer_integer(&writer, cell->slice);
        writer_integer(&writer, cell->arm);
        writer_close_array(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}

static bool is_nothing(const struct live_cell *cell)
{
    return cell->people == 0 && cell->huge == 0 && cell->sum.high == 0 && cell->sum.low == 0 &&
           cell->squares.high == 0 && cell->squares.low == 0 && cell->events == 0 &&
           cell->early == 0 && cell->late == 0;
}

static void put_one_cell(struct live_rows *rows, const struct live_cell *cell)
{
    live_rows_integer(rows, cell->metric);
    live_rows_integer(rows, cell->slice);
    live_rows_integer(rows, cell->arm);
    live_rows_integer(rows, cell->people);
    live_rows_integer(rows, cell->huge);
    live_rows_number(rows, cell->sum.high);
    live_rows_number(rows, cell->sum.low);
    live_rows_number(rows, cell->squares.high);
    live_rows_number(rows, cell->squares.low);
    live_rows_number(rows, cell->peak);
    live_rows_integer(rows, cell->events);
    live_rows_integer(rows, cell->early);
    live_rows_integer(rows, cell->late);
    live_rows_next(rows);
}

static enum error save_cells(const struct live_call *call, struct live_experiment *experiment,
                             const struct live_rollup *changes)
{
    struct live_rollup stored;
    struct live_rows rows;
    struct query *query;
    enum error error;

    if (changes->cell_count == 0)
        return ERROR_NONE;
    live_rollup_start(&stored, experiment, changes->arena);
    query = db_query(call->db, &cells_by_key);
    query_bind_json(query, keys_as_json(changes));
    query_bind_integer(query, experiment->number);
    while (query_next(query))
        read_cell(query, &stored);
    error = query_end(query, call->problem);
    if (error)
        return error;
    live_rows_start(&rows, call, experiment->number, &put_cell, &put_cells);
    for (size_t i = 0; i < changes->cell_slots; i++) {
        const struct live_cell *change = changes->cells[i];
        struct live_cell *cell;

        if (!change || is_nothing(change))
            continue;
        cell = live_rollup_cell(&stored, change->metric, change->slice, change->arm);
        if (!live_cell_add(cell, change))
            experiment->stale = true;
        put_one_cell(&rows, cell);
    }
    return live_rows_end(&rows);
}

static enum error save_arms(const struct live_call *call, int64_t experiment,
                            const struct live_rollup *changes)
{
    struct query *query = NULL;

    for (int i = 0; i < 1 + LIVE_ARMS_MAX; i++) {
        const struct live_arm *arm = &changes->arms[i];

        if (!arm->exposures && !arm->people && !arm->excluded && !arm->spiked && !arm->crossed)
            continue;
        query = query ? query : db_query(call->db, &add_to_arm);
        query_bind_integer(query, experiment);
        query_bind_integer(query, i - 1);
        query_bind_integer(query, arm->exposures);
        query_bind_integer(query, arm->people);
        query_bind_integer(query, arm->excluded);
        query_bind_integer(query, arm->spiked);
        query_bind_integer(query, arm->crossed);
        query_repeat(query, NULL);
    }
    return query ? query_end(query, call->problem) : ERROR_NONE;
}

static enum error save_covered(const struct live_call *call, int64_t experiment,
                               const struct live_rollup *changes)
{
    struct query *query = NULL;

    for (size_t i = 0; i < changes->covered_count; i++) {
        if (changes->covered[i] == 0)
            continue;
        query = query ? query : db_query(call->db, &add_to_covered);
        query_bind_integer(query, changes->covered[i]);
        query_bind_integer(query, experiment);
        query_bind_integer(query, (int64_t)i);
        query_repeat(query, NULL);
    }
    return query ? query_end(query, call->problem) : ERROR_NONE;
}

/* Reads something of one bucket, or of an experiment that is not divided. */
typedef enum error bucket_reader(const struct live_call *call, int64_t number,
                                 struct live_rollup *rollup);

static enum error read_buckets(const struct live_call *call, bucket_reader *reader,
                               struct live_rollup *rollup)
{
    const struct live_experiment *experiment = rollup->experiment;
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && i < live_bucket_count(experiment); i++)
        error = reader(call, live_bucket_number(experiment, i), rollup);
    return error;
}

static enum error read_covered(const struct live_call *call, int64_t number,
                               struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, &covered_of_experiment);

    query_bind_integer(query, number);
    while (query_next(query))
        *live_rollup_covered(rollup, query_integer(query, 0)) += query_integer(query, 1);
    return query_end(query, call->problem);
}

enum error live_read_coverage(const struct live_call *call, struct live_rollup *rollup)
{
    return read_buckets(call, read_covered, rollup);
}

static enum error read_totals(const struct live_call *call, int64_t number,
                              struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, &totals_of_experiment);

    query_bind_integer(query, number);
    while (query_next(query)) {
        struct live_total *total = live_rollup_total(rollup, query_integer(query, 0));
        const struct sum sum = {query_number(query, 3), query_number(query, 4)};

        total->events += query_integer(query, 1);
        total->huge += query_integer(query, 2);
        sum_merge(&total->sum, &sum);
    }
    return query_end(query, call->problem);
}

static enum error save_totals(const struct live_call *call,
                              const struct live_experiment *experiment,
                              const struct live_rollup *changes)
{
    struct live_rollup stored;
    struct query *query;
    enum error error;

    if (changes->total_count == 0)
        return ERROR_NONE;
    live_rollup_start(&stored, experiment, changes->arena);
    error = read_totals(call, experiment->number, &stored);
    if (error)
        return error;
    query = NULL;
    for (size_t i = 0; i < changes->total_count; i++) {
        const struct live_total *change = &changes->totals[i];
        struct live_total *total;

        if (!change->events && !change->huge && !change->sum.high && !change->sum.low)
            continue;
        total = live_rollup_total(&stored, change->metric);
        total->events += change->events;
        total->huge += change->huge;
        sum_merge(&total->sum, &change->sum);
        query = query ? query : db_query(call->db, &put_total);
        query_bind_integer(query, total->events);
        query_bind_integer(query, total->huge);
        query_bind_number(query, total->sum.high);
        query_bind_number(query, total->sum.low);
        query_bind_integer(query, experiment->number);
        query_bind_integer(query, total->metric);
        query_repeat(query, NULL);
    }
    return query ? query_end(query, call->problem) : ERROR_NONE;
}

enum error live_save_rollup(const struct live_call *call, struct live_experiment *experiment,
                            const struct live_rollup *rollup)
{
    enum error error = save_cells(call, experiment, rollup);

    if (!error)
        error = save_arms(call, experiment->number, rollup);
    if (!error)
        error = save_totals(call, experiment, rollup);
    if (!error)
        error = save_covered(call, experiment->number, rollup);
    if (!error)
        error = live_save_products(call, experiment, rollup);
    experiment->alias_exposures += rollup->alias_exposures;
    experiment->alias_conversions += rollup->alias_conversions;
    experiment->merged_people += rollup->merged_people;
    return error;
}

enum error live_clear_rollup(const struct live_call *call, int64_t experiment)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof clear_statements / sizeof clear_statements[0]; i++) {
        struct query *query = db_query(call->db, &clear_statements[i]);

        query_bind_integer(query, experiment);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error read_cells(const struct live_call *call, int64_t number,
                             struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, &cells_of_experiment);

    query_bind_integer(query, number);
    while (query_next(query))
        read_cell(query, rollup);
    return query_end(query, call->problem);
}

static const char *metrics_as_json(const struct integer_list *metrics, struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, KEYS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < metrics->count; i++) {
        writer_open_array(&writer);
        writer_integer(&writer, metrics->items[i]);
        writer_close_array(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}

static enum error read_metrics(const struct live_call *call, int64_t number, const char *metrics,
                               const char *dimension, struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, dimension ? &cells_of_dimension : &cells_of_metrics);

    query_bind_json(query, metrics);
    query_bind_integer(query, number);
    if (dimension) {
        query_bind_text(query, dimension);
        query_bind_integer(query, number);
    }
    while (query_next(query))
        read_cell(query, rollup);
    return query_end(query, call->problem);
}

enum error live_read_metrics(const struct live_call *call, const struct integer_list *metrics,
                             const char *dimension, struct live_rollup *rollup)
{
    const struct live_experiment *experiment = rollup->experiment;
    const char *wanted = metrics_as_json(metrics, call->arena);
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && i < live_bucket_count(experiment); i++)
        error = read_metrics(call, live_bucket_number(experiment, i), wanted, dimension, rollup);
    return error;
}

static enum error read_cells_of(const struct live_call *call, const struct statement *statement,
                                int64_t number, const char *metrics, struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, statement);

    query_bind_json(query, metrics);
    query_bind_integer(query, number);
    while (query_next(query))
        read_cell(query, rollup);
    return query_end(query, call->problem);
}

enum error live_read_cells(const struct live_call *call, const struct statement *statement,
                           const struct integer_list *metrics, struct live_rollup *rollup)
{
    const struct live_experiment *experiment = rollup->experiment;
    const char *wanted = metrics_as_json(metrics, call->arena);
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && i < live_bucket_count(experiment); i++)
        error = read_cells_of(call, statement, live_bucket_number(experiment, i), wanted, rollup);
    return error;
}

enum error live_read_bins(const struct live_call *call, const struct integer_list *metrics,
                          struct live_rollup *rollup)
{
    return live_read_cells(call, &bins_of_metrics, metrics, rollup);
}

static enum error read_arms(const struct live_call *call, int64_t number,
                            struct live_rollup *rollup)
{
    struct query *query = db_query(call->db, &arms_of_experiment);

    query_bind_integer(query, number);
    while (query_next(query)) {
        struct live_arm *arm = &rollup->arms[1 + query_integer(query, 0)];

        arm->exposures += query_integer(query, 1);
        arm->people += query_integer(query, 2);
        arm->excluded += query_integer(query, 3);
        arm->spiked += query_integer(query, 4);
        arm->crossed += query_integer(query, 5);
    }
    return query_end(query, call->problem);
}

enum error live_read_arms(const struct live_call *call, bool products, struct live_rollup *rollup)
{
    enum error error = read_buckets(call, read_arms, rollup);

    if (!error && products)
        error = read_buckets(call, live_read_products, rollup);
    return error;
}

enum error live_read_totals(const struct live_call *call, struct live_rollup *rollup)
{
    enum error error = read_buckets(call, read_arms, rollup);

    return error ? error : read_buckets(call, read_totals, rollup);
}

enum error live_read_rollup(const struct live_call *call, struct live_rollup *rollup)
{
    enum error error = read_buckets(call, read_cells, rollup);

    rollup->alias_exposures = rollup->experiment->alias_exposures;
    rollup->alias_conversions = rollup->experiment->alias_conversions;
    rollup->merged_people = rollup->experiment->merged_people;
    if (!error)
        error = live_read_totals(call, rollup);
    if (!error)
        error = live_read_coverage(call, rollup);
    return error ? error : read_buckets(call, live_read_products, rollup);
}
