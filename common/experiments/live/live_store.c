/* Reads by sets of ids and writes in batches, to avoid one round trip to the server per row. */
#include "experiments/live/live_store.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/list.h"
#include "experiments/live/rows.h"

#include <math.h>

/* Sums of the same values in another order. */
#define SAME_DIGITS 1e-12

enum { LIST_BYTES_MAX = 64 * 1024 * 1024 };

#define UNIT_COLUMNS                                                                               \
    "user_id, unit, variation, occurred_at, exposed_at, exposure_sequence, dimensions,"            \
    " canonical_id, linked_at, exclusion_reason, excluded_at, stratum, stratified_at,"             \
    " stratum_sequence, crossed, cluster, cluster_crossed"

#define TEXT_KEYS "(SELECT value AS wanted FROM {json_text_rows:?}) AS ids"
#define UNIT_KEYS                                                                                  \
    "(SELECT CAST(value ->> 0 AS BIGINT) AS unit, CAST(value ->> 1 AS BIGINT) AS place"            \
    " FROM {json_rows:?}) AS ids"

static const struct statement units_by_id = {
    .name = "live_units_by_id",
    FOUND_BY_KEYS(UNIT_COLUMNS, TEXT_KEYS, "live_units", "experiment = ? AND user_id = ids.wanted"),
};
static const struct statement units_by_canonical = {
    .name = "live_units_by_canonical",
    /* SQLite without statistics of this table would go over the whole experiment for each key. */
    .sql = "SELECT " UNIT_COLUMNS " FROM " TEXT_KEYS " CROSS JOIN live_units INDEXED BY"
           " live_units_aliases WHERE experiment = ? AND canonical_id = ids.wanted",
    .postgres = "SELECT " UNIT_COLUMNS " FROM " TEXT_KEYS " CROSS JOIN LATERAL (SELECT * FROM"
                " live_units WHERE experiment = ? AND canonical_id = ids.wanted OFFSET 0) AS found",
    .streams = true,
};
static const struct statement values_of_units = {
    .name = "live_values_of_units",
    FOUND_BY_KEYS("place, metric, events, huge, early, late, sum_high, sum_low, counted,"
                  " counted_huge, counted_high, counted_low",
                  UNIT_KEYS, "live_unit_metrics m", "m.experiment = ? AND m.unit = ids.unit"),
};
static const struct statement covariates_of_units = {
    .name = "live_covariates_of_units",
    FOUND_BY_KEYS("place, covariate, value", UNIT_KEYS, "live_unit_covariates c",
                  "c.experiment = ? AND c.unit = ids.unit"),
};
static const struct statement events_of_units = {
    .name = "live_events_of_units",
    FOUND_BY_KEYS("place, metric, value, occurred_at", UNIT_KEYS, "live_conversions c",
                  "c.experiment = ? AND c.unit = ids.unit"),
};
static const struct statement keys_taken = {
    .name = "live_keys_taken",
    FOUND_BY_KEYS("idempotency_key", TEXT_KEYS, "live_conversions",
                  "experiment = ? AND idempotency_key = ids.wanted"),
};
#define UNITS                                                                                      \
    "live_units (experiment, user_id, unit, variation, occurred_at, exposed_at,"                   \
    " exposure_sequence, dimensions, canonical_id, linked_at, exclusion_reason, excluded_at,"      \
    " stratum, stratified_at, stratum_sequence, crossed, cluster, cluster_crossed)"

static const struct statement insert_unit = {
    .name = "live_unit_insert",
    .sql = "INSERT INTO " UNITS " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
           " ?)",
};
static const struct statement insert_units = {
    .name = "live_unit_insert_all",
    INTO_AT_ONCE(UNITS,
                 TEXTS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE
                               ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " TEXTS_AT_ONCE
                               ", " TEXTS_AT_ONCE ", " INTEGERS_AT_ONCE ", " TEXTS_AT_ONCE
                               ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE
                               ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE
                               ", " INTEGERS_AT_ONCE,
                 ""),
};
static const struct statement update_unit = {
    .name = "live_unit_update",
    .sql = "UPDATE live_units SET variation = ?, occurred_at = ?, exposed_at = ?,"
           " exposure_sequence = ?, dimensions = ?, canonical_id = ?, linked_at = ?,"
           " exclusion_reason = ?, excluded_at = ?, stratum = ?, stratified_at = ?,"
           " stratum_sequence = ?, crossed = ?, cluster = ?, cluster_crossed = ?"
           " WHERE experiment = ? AND user_id = ?",
};
#define VALUES                                                                                     \
    "live_unit_metrics (experiment, unit, metric, events, huge, early, late, sum_high, sum_low,"   \
    " counted, counted_huge, counted_high, counted_low)"
#define VALUES_STAND                                                                               \
    " ON CONFLICT (experiment, unit, metric) DO UPDATE SET events = excluded.events,"              \
    " huge = excluded.huge, early = excluded.early, late = excluded.late,"                         \
    " sum_high = excluded.sum_high, sum_low = excluded.sum_low, counted = excluded.counted,"       \
    " counted_huge = excluded.counted_huge, counted_high = excluded.counted_high,"                 \
    " counted_low = excluded.counted_low"

static const struct statement put_value = {
    .name = "live_values_put",
    .sql = "INSERT INTO " VALUES " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" VALUES_STAND,
};
static const struct statement put_values = {
    .name = "live_values_put_all",
    INTO_AT_ONCE(VALUES,
                 INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE
                                  ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " NUMBERS_AT_ONCE
                                  ", " NUMBERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE
                                  ", " NUMBERS_AT_ONCE ", " NUMBERS_AT_ONCE,
                 VALUES_STAND),
};

#define COVARIATES "live_unit_covariates (experiment, unit, covariate, value, created_at)"

static const struct statement insert_covariate = {
    .name = "live_covariate_insert",
    .sql = "INSERT INTO " COVARIATES " VALUES (?, ?, ?, ?, ?)",
};
static const struct statement insert_covariates = {
    .name = "live_covariate_insert_all",
    INTO_AT_ONCE(COVARIATES,
                 INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " NUMBERS_AT_ONCE ", " INTEGERS_AT_ONCE,
                 ""),
};

#define EVENTS                                                                                     \
    "live_conversions (experiment, unit, sequence, metric, value, occurred_at, created_at,"        \
    " idempotency_key)"

static const struct statement insert_event = {
    .name = "live_event_insert",
    .sql = "INSERT INTO " EVENTS " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement insert_events = {
    .name = "live_event_insert_all",
    INTO_AT_ONCE(EVENTS,
                 INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " NUMBERS_AT_ONCE
                                  ", " INTEGERS_AT_ONCE ", " INTEGERS_AT_ONCE ", " TEXTS_AT_ONCE,
                 ""),
};
static const struct statement next_roots = {
    .name = "live_next_roots",
    .sql = "SELECT user_id FROM live_units WHERE experiment = ? AND user_id > ?"
           " AND canonical_id IS NULL ORDER BY user_id LIMIT ?",
};

static const struct statement exposure_of_user = {
    .name = "live_exposure_of_user",
    .sql = "SELECT variation FROM live_units WHERE experiment = ? AND user_id = ?",
};

void live_names_add(struct live_names *names, const char *name)
{
    *LIST_ADD(names->arena, names) = name;
}

static const char *texts_as_json(const struct live_names *names, struct arena *arena)
{
    return json_of_strings(arena, LIST_BYTES_MAX, names->items, names->count);
}

/* The units that `wanted` says, as pairs of their number and their index. */
static const char *positions_as_json(const struct live_units *units,
                                     bool (*wanted)(const struct live_unit *unit), size_t *count)
{
    struct json_writer writer;
    struct text text;

    *count = 0;
    text_start(&text, units->arena, LIST_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < units->count; i++) {
        if (!wanted(units->items[i]))
            continue;
        writer_open_array(&writer);
        writer_integer(&writer, units->items[i]->number);
        writer_integer(&writer, (int64_t)i);
        writer_close_array(&writer);
        ++*count;
    }
    writer_close_array(&writer);
    return text.bytes;
}

static int64_t integer_or_zero(struct query *query, int column)
{
    return query_is_null(query, column) ? 0 : query_integer(query, column);
}

static void read_unit(struct query *query, struct live_units *units)
{
    struct arena *arena = units->arena;
    struct live_unit *unit = live_units_add(units, query_text(query, 0, arena));

    unit->stored = true;
    unit->number = query_integer(query, 1);
    unit->exposed = !query_is_null(query, 2);
    unit->variation = integer_or_zero(query, 2);
    unit->occurred_at = integer_or_zero(query, 3);
    unit->exposed_at = integer_or_zero(query, 4);
    unit->exposure_sequence = integer_or_zero(query, 5);
    unit->dimensions = query_text_or_null(query, 6, arena);
    unit->canonical_id = query_text_or_null(query, 7, arena);
    unit->linked_at = integer_or_zero(query, 8);
    unit->exclusion_reason = query_text_or_null(query, 9, arena);
    unit->excluded_at = integer_or_zero(query, 10);
    unit->stratum = integer_or_zero(query, 11);
    unit->stratified_at = integer_or_zero(query, 12);
    unit->stratum_sequence = integer_or_zero(query, 13);
    unit->crossed = query_boolean(query, 14);
    unit->cluster = integer_or_zero(query, 15);
    unit->cluster_crossed = query_boolean(query, 16);
}

static enum error load_units(const struct live_load *load, const struct statement *statement,
                             const struct live_names *ids)
{
    struct query *query;

    if (ids->count == 0)
        return ERROR_NONE;
    query = db_query(load->call->db, statement);
    query_bind_json(query, texts_as_json(ids, load->units->arena));
    query_bind_integer(query, load->experiment->number);
    while (query_next(query))
        read_unit(query, load->units);
    return query_end(query, load->call->problem);
}

/* The canonical ids of those that are aliases, then the aliases of all: one hop each way. */
static enum error load_folded(const struct live_load *load)
{
    struct live_units *units = load->units;
    struct live_names canonical = {.arena = units->arena}, all = {.arena = units->arena};
    enum error error;

    for (size_t i = 0; i < units->count; i++) {
        const char *id = units->items[i]->canonical_id;

        if (id && !live_units_find(units, id))
            live_names_add(&canonical, id);
    }
    error = load_units(load, &units_by_id, &canonical);
    for (size_t i = 0; i < units->count; i++)
        if (!units->items[i]->canonical_id)
            live_names_add(&all, units->items[i]->user_id);
    if (!error)
        error = load_units(load, &units_by_canonical, &all);
    for (size_t i = 0; i < units->count; i++) {
        struct live_unit *unit = units->items[i];
        struct live_unit *root =
            unit->canonical_id ? live_units_find(units, unit->canonical_id) : NULL;

        if (root)
            live_unit_join(unit, root);
    }
    return error;
}

static bool is_stored(const struct live_unit *unit)
{
    return unit->stored;
}

static enum error load_values(const struct live_load *load)
{
    struct live_units *units = load->units;
    struct query *query;
    const char *positions;
    size_t count;

    positions = positions_as_json(units, is_stored, &count);
    if (count == 0)
        return ERROR_NONE;
    query = db_query(load->call->db, &values_of_units);
    query_bind_json(query, positions);
    query_bind_integer(query, load->experiment->number);
    while (query_next(query)) {
        struct live_values *values =
            live_unit_values(units, units->items[query_integer(query, 0)], query_integer(query, 1));

        values->stored = true;
        values->events = query_integer(query, 2);
        values->huge = query_integer(query, 3);
        values->early = query_integer(query, 4);
        values->late = query_integer(query, 5);
        values->sum = (struct sum){query_number(query, 6), query_number(query, 7)};
        values->counted = query_integer(query, 8);
        values->counted_huge = query_integer(query, 9);
        values->counted_sum = (struct sum){query_number(query, 10), query_number(query, 11)};
    }
    return query_end(query, load->call->problem);
}

static enum error load_covariates(const struct live_load *load)
{
    struct live_units *units = load->units;
    struct query *query;
    const char *positions;
    size_t count;

    positions = positions_as_json(units, is_stored, &count);
    if (count == 0)
        return ERROR_NONE;
    query = db_query(load->call->db, &covariates_of_units);
    query_bind_json(query, positions);
    query_bind_integer(query, load->experiment->number);
    while (query_next(query))
        live_unit_add_covariate(units, units->items[query_integer(query, 0)],
                                query_integer(query, 1), query_number(query, 2), true);
    return query_end(query, load->call->problem);
}

enum error live_load_units(const struct live_load *load, const struct live_names *user_ids)
{
    struct live_units *units = load->units;
    enum error error = load_units(load, &units_by_id, user_ids);

    if (!error && load->linked)
        error = load_folded(load);
    if (!error)
        error = load_values(load);
    if (!error && load->covariates)
        error = load_covariates(load);
    if (error || !load->create)
        return error;
    for (size_t i = 0; i < user_ids->count; i++) {
        struct live_unit *unit = live_units_add(units, user_ids->items[i]);

        if (unit->number == 0)
            unit->number = load->experiment->next_unit++;
    }
    return ERROR_NONE;
}

static struct live_timed_value read_moment(struct query *query, const struct live_load *load)
{
    return (struct live_timed_value){query_number(query, 2), query_integer(query, 3),
                                     live_metric_window(load->experiment, query_integer(query, 1))};
}

static bool is_out_of_time(const struct live_unit *unit)
{
    return unit->stored && unit->root->retime && unit->value_count > 0;
}

enum error live_load_times(const struct live_load *load)
{
    struct live_units *units = load->units;
    struct query *query;
    const char *positions;
    size_t count;

    positions = positions_as_json(units, is_out_of_time, &count);
    if (count == 0)
        return ERROR_NONE;
    for (size_t i = 0; i < units->count; i++) {
        struct live_unit *unit = units->items[i];

        for (size_t k = 0; is_out_of_time(unit) && k < unit->value_count; k++) {
            unit->values[k].early = unit->values[k].late = 0;
            unit->values[k].counted = unit->values[k].counted_huge = 0;
            unit->values[k].counted_sum = (struct sum){0};
            unit->values[k].changed = true;
        }
    }
    query = db_query(load->call->db, &events_of_units);
    query_bind_json(query, positions);
    query_bind_integer(query, load->experiment->number);
    while (query_next(query)) {
        struct live_unit *unit = units->items[query_integer(query, 0)];
        const struct live_timed_value moment = read_moment(query, load);

        live_values_classify(live_unit_values(units, unit, query_integer(query, 1)), &moment,
                             live_subject_exposure(unit->root));
    }
    return query_end(query, load->call->problem);
}

enum error live_visit_events(const struct live_load *load, live_event_visitor *event, void *context)
{
    struct live_units *units = load->units;
    struct query *query;
    const char *positions;
    size_t count;

    positions = positions_as_json(units, is_stored, &count);
    if (count == 0)
        return ERROR_NONE;
    query = db_query(load->call->db, &events_of_units);
    query_bind_json(query, positions);
    query_bind_integer(query, load->experiment->number);
    while (query_next(query)) {
        const struct live_timed_value moment = read_moment(query, load);

        event(units->items[query_integer(query, 0)], query_integer(query, 1), &moment, context);
    }
    return query_end(query, load->call->problem);
}

static bool same_values(const struct live_values *one, const struct live_values *other)
{
    return one->events == other->events && one->huge == other->huge && one->early == other->early &&
           one->late == other->late && one->counted == other->counted &&
           one->counted_huge == other->counted_huge &&
           fabs(one->counted_sum.high - other->counted_sum.high) <=
               SAME_DIGITS * fabs(other->counted_sum.high) &&
           fabs(one->sum.high - other->sum.high) <= SAME_DIGITS * fabs(other->sum.high);
}

enum error live_load_values_again(const struct live_load *load, int64_t *differences)
{
    struct live_units *units = load->units, kept = {.arena = units->arena};
    struct query *query;
    const char *positions;
    size_t count;
    enum error error;

    live_units_start(&kept, units->arena, units->count);
    for (size_t i = 0; i < units->count; i++) {
        struct live_unit *unit = units->items[i], *before = live_units_add(&kept, unit->user_id);

        before->values = unit->values;
        before->value_count = unit->value_count;
        unit->values = NULL;
        unit->value_count = unit->value_capacity = 0;
        for (size_t k = 0; k < before->value_count; k++)
            live_unit_values(units, unit, before->values[k].metric);
    }
    positions = positions_as_json(units, is_stored, &count);
    if (count == 0)
        return ERROR_NONE;
    query = db_query(load->call->db, &events_of_units);
    query_bind_json(query, positions);
    query_bind_integer(query, load->experiment->number);
    while (query_next(query)) {
        struct live_unit *unit = units->items[query_integer(query, 0)];
        struct live_values *values = live_unit_values(units, unit, query_integer(query, 1));
        const struct live_timed_value moment = read_moment(query, load);

        live_values_count(values, moment.value);
        live_values_classify(values, &moment, live_subject_exposure(unit->root));
    }
    error = query_end(query, load->call->problem);
    for (size_t i = 0; i < units->count; i++) {
        struct live_unit *unit = units->items[i];

        for (size_t k = 0; k < unit->value_count; k++) {
            struct live_values *values = &unit->values[k];

            values->changed =
                !same_values(values, live_unit_values(&kept, kept.items[i], values->metric));
            *differences += values->changed;
        }
    }
    return error;
}

static void bind_when(struct query *query, bool given, int64_t value)
{
    query_bind_optional_integer(query, (struct optional_integer){given, value});
}

static void bind_unit(struct query *query, const struct live_unit *unit, int64_t experiment)
{
    bind_when(query, unit->exposed, unit->variation);
    bind_when(query, unit->exposed, unit->occurred_at);
    bind_when(query, unit->exposed, unit->exposed_at);
    bind_when(query, unit->exposed, unit->exposure_sequence);
    query_bind_text(query, unit->dimensions);
    query_bind_text(query, unit->canonical_id);
    bind_when(query, unit->canonical_id, unit->linked_at);
    query_bind_text(query, unit->exclusion_reason);
    bind_when(query, unit->exclusion_reason, unit->excluded_at);
    bind_when(query, unit->stratum, unit->stratum);
    bind_when(query, unit->stratum, unit->stratified_at);
    bind_when(query, unit->stratum, unit->stratum_sequence);
    query_bind_boolean(query, unit->crossed);
    bind_when(query, unit->cluster, unit->cluster);
    query_bind_boolean(query, unit->cluster_crossed);
    query_bind_integer(query, experiment);
    query_bind_text(query, unit->user_id);
}

/* Something has been recorded under the id. */
static bool is_used(const struct live_unit *unit)
{
    return unit->changed || unit->value_count > 0 || unit->covariate_count > 0 || unit->aliases;
}

static enum error update_units(const struct live_call *call, int64_t experiment,
                               const struct live_units *units)
{
    struct query *query = NULL;

    for (size_t i = 0; i < units->count; i++) {
        const struct live_unit *unit = units->items[i];

        if (!unit->stored || !unit->changed)
            continue;
        query = query ? query : db_query(call->db, &update_unit);
        bind_unit(query, unit, experiment);
        query_repeat(query, NULL);
    }
    return query ? query_end(query, call->problem) : ERROR_NONE;
}

static void add_unit(struct live_rows *rows, const struct live_unit *unit)
{
    live_rows_text(rows, unit->user_id);
    live_rows_integer(rows, unit->number);
    live_rows_optional(rows, unit->exposed, unit->variation);
    live_rows_optional(rows, unit->exposed, unit->occurred_at);
    live_rows_optional(rows, unit->exposed, unit->exposed_at);
    live_rows_optional(rows, unit->exposed, unit->exposure_sequence);
    live_rows_text(rows, unit->dimensions);
    live_rows_text(rows, unit->canonical_id);
    live_rows_optional(rows, unit->canonical_id, unit->linked_at);
    live_rows_text(rows, unit->exclusion_reason);
    live_rows_optional(rows, unit->exclusion_reason, unit->excluded_at);
    live_rows_optional(rows, unit->stratum, unit->stratum);
    live_rows_optional(rows, unit->stratum, unit->stratified_at);
    live_rows_optional(rows, unit->stratum, unit->stratum_sequence);
    live_rows_integer(rows, unit->crossed);
    live_rows_optional(rows, unit->cluster, unit->cluster);
    live_rows_integer(rows, unit->cluster_crossed);
    live_rows_next(rows);
}

static enum error insert_new_units(const struct live_call *call, int64_t experiment,
                                   const struct live_units *units)
{
    struct live_rows rows;

    live_rows_start(&rows, call, experiment, &insert_unit, &insert_units);
    for (size_t i = 0; i < units->count; i++)
        if (!units->items[i]->stored && is_used(units->items[i]))
            add_unit(&rows, units->items[i]);
    return live_rows_end(&rows);
}

static enum error save_values(const struct live_call *call, int64_t experiment,
                              const struct live_units *units)
{
    struct live_rows rows;

    live_rows_start(&rows, call, experiment, &put_value, &put_values);
    for (size_t i = 0; i < units->count; i++) {
        const struct live_unit *unit = units->items[i];

        for (size_t k = 0; k < unit->value_count; k++) {
            const struct live_values *values = &unit->values[k];

            if (!values->changed)
                continue;
            live_rows_integer(&rows, unit->number);
            live_rows_integer(&rows, values->metric);
            live_rows_integer(&rows, values->events);
            live_rows_integer(&rows, values->huge);
            live_rows_integer(&rows, values->early);
            live_rows_integer(&rows, values->late);
            live_rows_number(&rows, values->sum.high);
            live_rows_number(&rows, values->sum.low);
            live_rows_integer(&rows, values->counted);
            live_rows_integer(&rows, values->counted_huge);
            live_rows_number(&rows, values->counted_sum.high);
            live_rows_number(&rows, values->counted_sum.low);
            live_rows_next(&rows);
        }
    }
    return live_rows_end(&rows);
}

static enum error save_covariates(const struct live_call *call, int64_t experiment,
                                  const struct live_units *units)
{
    int64_t now = clock_unix_microseconds();
    struct live_rows rows;

    live_rows_start(&rows, call, experiment, &insert_covariate, &insert_covariates);
    for (size_t i = 0; i < units->count; i++) {
        const struct live_unit *unit = units->items[i];

        for (size_t k = 0; k < unit->covariate_count; k++) {
            if (unit->covariates[k].stored)
                continue;
            live_rows_integer(&rows, unit->number);
            live_rows_integer(&rows, unit->covariates[k].number);
            live_rows_number(&rows, unit->covariates[k].value);
            live_rows_integer(&rows, now);
            live_rows_next(&rows);
        }
    }
    return live_rows_end(&rows);
}

enum error live_save_units(const struct live_call *call, const struct live_experiment *experiment,
                           const struct live_units *units)
{
    enum error error = update_units(call, experiment->number, units);

    if (!error)
        error = insert_new_units(call, experiment->number, units);
    if (!error)
        error = save_values(call, experiment->number, units);
    return error ? error : save_covariates(call, experiment->number, units);
}

enum error live_save_events(const struct live_call *call, const struct live_experiment *experiment,
                            int64_t now, const struct live_event *events, size_t count)
{
    struct live_rows rows;

    live_rows_start(&rows, call, experiment->number, &insert_event, &insert_events);
    for (size_t i = 0; i < count; i++) {
        live_rows_integer(&rows, events[i].unit->number);
        live_rows_integer(&rows, events[i].sequence);
        live_rows_integer(&rows, events[i].metric);
        live_rows_number(&rows, events[i].value);
        live_rows_integer(&rows, events[i].occurred_at);
        live_rows_integer(&rows, now);
        live_rows_text(&rows, events[i].idempotency_key);
        live_rows_next(&rows);
    }
    return live_rows_end(&rows);
}

enum error live_find_keys(const struct live_call *call, const struct live_experiment *experiment,
                          const struct live_names *keys, struct live_names *taken)
{
    struct query *query;

    if (keys->count == 0)
        return ERROR_NONE;
    query = db_query(call->db, &keys_taken);
    query_bind_json(query, texts_as_json(keys, call->arena));
    query_bind_integer(query, experiment->number);
    while (query_next(query))
        live_names_add(taken, query_text(query, 0, call->arena));
    return query_end(query, call->problem);
}

enum error live_next_roots(const struct live_call *call, int64_t experiment, const char *after,
                           int64_t limit, struct live_names *roots)
{
    struct query *query = db_query(call->db, &next_roots);

    query_bind_integer(query, experiment);
    query_bind_text(query, after);
    query_bind_integer(query, limit);
    while (query_next(query))
        live_names_add(roots, query_text(query, 0, roots->arena));
    return query_end(query, call->problem);
}

enum error live_find_exposure(const struct live_call *call, int64_t experiment, const char *user_id,
                              struct optional_integer *variation)
{
    struct query *query = db_query(call->db, &exposure_of_user);

    query_bind_integer(query, experiment);
    query_bind_text(query, user_id);
    *variation = (struct optional_integer){0};
    if (query_next(query))
        *variation = query_optional_integer(query, 0);
    return query_end(query, call->problem);
}
