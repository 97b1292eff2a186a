/* Series: kept values, those that have to be computed, and keeping them. */
#include "livedata/metrics/series.h"

#include "livedata/columnar/columnar.h"
#include "livedata/metrics/measure_columnar.h"

#include "crypto/digest.h"
#include "db/query.h"
#include "livedata/timestamp.h"

#include <string.h>

enum {
    ROUNDS = 4,    /* of computing what has changed meanwhile */
    RUNS_MAX = 16, /* statements for buckets that are not together */
    NAME_MAX = 65536 * 2,
    SETTLED_SECONDS = 2
};

static const struct statement read_points = {
    .name = "series_points",
    .sql = "SELECT starts_at, ends_at, value, currencies, changed FROM series_points"
           " WHERE tenant_id = ? AND series = ? AND starts_at BETWEEN ? AND ? ORDER BY starts_at",
};
static const struct statement keep_point = {
    .name = "series_point_keep",
    .sql = "INSERT INTO series_points (tenant_id, series, starts_at, ends_at, value, currencies,"
           " changed) VALUES (?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, series, starts_at) DO UPDATE SET ends_at = excluded.ends_at,"
           " value = excluded.value, currencies = excluded.currencies, changed = excluded.changed"
           " WHERE series_points.changed <= excluded.changed",
};

/* One call: what it has found so far. */
struct work {
    const struct storage_call *call;
    const struct series_request *request;
    const struct time_bounds *bounds;
    struct series_values *values;
    struct series_last_changes changes;
    int64_t kept_since;
    int64_t begun; /* number of the last change when this round began */
    size_t runs;   /* statements of this round */
};

static void name_measure(const struct work *work, const struct measure *measure, struct text *name)
{
    struct measure_request open = work->request->measured;
    const char *sql;

    if (measure->kind == MEASURE_RATIO) {
        name_measure(work, measure->numerator, name);
        name_measure(work, measure->denominator, name);
        return;
    }
    open.measure = measure;
    open.range = (struct time_range){0};
    open.buckets = (struct time_bounds){0};
    sql = measure_sql(work->call, &open);
    text_append_format(name, "%d %d %lld %zu %s ", (int)measure->kind,
                       measure->value.column ? measure->value.column->scale : 0,
                       (long long)measure->quantile, measure->time.table,
                       measure->time.column->stored);
    text_append_string(name, sql ? sql : "");
}

/* By everything that values follow from, but the rows: the statement with its rates, and the
 * buckets. */
static const char *name_of(const struct work *work)
{
    struct arena *arena = work->call->arena;
    const struct series_request *request = work->request;
    char *digest = arena_alloc(arena, DIGEST_SHA256_TEXT);
    struct text name;

    text_start(&name, arena, NAME_MAX);
    text_append_format(&name, "%s %s %d %d ", request->step, request->zone, request->zero,
                       (int)request->measured.measure->kind);
    name_measure(work, request->measured.measure, &name);
    digest_sha256_hex(name.bytes, name.length, digest);
    return name.overflowed ? NULL : digest;
}

static int64_t kept_since(const struct series_request *request, int64_t now)
{
    int64_t days = request->kept_days;

    if (series_reads_journal(request->measured.measure) && days >= request->journal_days)
        days = request->journal_days - 1;
    return now - days * us_per_day;
}

/* Whether it is a whole one that may be kept. */
static bool may_keep(const struct work *work, size_t bucket)
{
    const struct series_request *request = work->request;

    return !(bucket == 0 && request->first_cut) &&
           !(bucket + 1 == work->values->count && request->last_cut) &&
           work->bounds->items[bucket] >= work->kept_since &&
           work->bounds->items[bucket + 1] <= work->call->now;
}

static void take_kept(const struct work *work, struct query *query, size_t bucket)
{
    work->values->items[bucket] =
        (struct series_value){.value = query_optional_number(query, 2),
                              .currencies = query_text_or_null(query, 3, work->call->arena),
                              .known = true,
                              .changed = query_integer(query, 4)};
}

/* Without looking whether they have changed since. */
static enum error read_kept(struct work *work)
{
    const int64_t *bounds = work->bounds->items;
    size_t bucket = 0, count = work->values->count;
    struct query *query = db_query(work->call->db, &read_points);
    int64_t oldest = INT64_MAX;

    query_bind_text(query, work->call->tenant);
    query_bind_text(query, work->values->name);
    query_bind_integer(query, bounds[0]);
    query_bind_integer(query, bounds[count]);
    while (query_next(query)) {
        int64_t start = query_integer(query, 0);

        while (bucket < count && bounds[bucket] < start)
            bucket++;
        if (bucket == count || bounds[bucket] != start ||
            bounds[bucket + 1] != query_integer(query, 1) || !may_keep(work, bucket))
            continue;
        take_kept(work, query, bucket);
        if (work->values->items[bucket].changed < oldest)
            oldest = work->values->items[bucket].changed;
    }
    work->changes.seen = oldest < INT64_MAX ? oldest : 0;
    return query_end(query, work->call->problem);
}

static enum error add_currencies(const struct work *work, const struct measure_request *part,
                                 size_t first)
{
    struct arena *arena = work->call->arena;
    struct measure_currencies currencies;
    enum error error = measure_by_currency(work->call, part, &currencies);

    for (size_t i = 0; !error && i < currencies.count; i++) {
        const struct measure_currency *one = &currencies.items[i];
        struct series_value *value = &work->values->items[first + (size_t)one->bucket];

        if (!one->added)
            value->currencies =
                arena_print(arena, "%s%s ", value->currencies ? value->currencies : "", one->name);
    }
    return error;
}

/* Buckets that follow each other, by one statement. */
static enum error compute_run(struct work *work, size_t first, size_t end)
{
    struct measure_request part = work->request->measured;
    struct measure_rows rows;
    enum error error;

    part.buckets = (struct time_bounds){end - first + 1, work->bounds->items + first};
    part.range = (struct time_range){work->bounds->items[first], work->bounds->items[end]};
    part.rows_max = end - first + 1;
    error = measure_compute(work->call, &part, &rows);
    if (error)
        return error;
    for (size_t i = first; i < end; i++)
        work->values->items[i] = (struct series_value){.value = {work->request->zero, 0},
                                                       .known = true,
                                                       .fresh = true,
                                                       .changed = work->begun};
    for (size_t i = 0; i < rows.count; i++)
        work->values->items[first + (size_t)rows.items[i].bucket].value =
            (struct optional_number){!rows.items[i].undefined, rows.items[i].value};
    work->runs++;
    return add_currencies(work, &part, first);
}

static size_t count_runs(const struct series_values *values)
{
    size_t runs = 0;

    for (size_t i = 0; i < values->count; i++)
        runs += !values->items[i].known && (!i || values->items[i - 1].known);
    return runs;
}

/* What is not known; all from the first to the last when it is scattered. */
static enum error compute_unknown(struct work *work)
{
    struct series_values *values = work->values;
    bool together = count_runs(values) > RUNS_MAX;
    size_t first = 0, end = values->count;
    enum error error = ERROR_NONE;

    work->runs = 0;
    work->begun = work->changes.newest;
    while (together && values->items[end - 1].known)
        end--;
    for (; !error && first < end; first++) {
        size_t after = first + 1;

        if (values->items[first].known)
            continue;
        while (after < end && (together || !values->items[after].known))
            after++;
        error = compute_run(work, first, after);
        first = after - 1;
    }
    return error;
}

static void forget_changed(const struct work *work)
{
    for (size_t i = 0; i < work->values->count; i++)
        if (work->changes.buckets[i].number > work->values->items[i].changed)
            work->values->items[i].known = false;
}

/* Whether what has changed since the round began may make the values those of two moments: kept
 * ones that are not true any more, or those of several statements. */
static bool must_repeat(const struct work *work)
{
    bool kept = false, computed = false;

    for (size_t i = 0; i < work->values->count; i++) {
        const struct series_value *value = &work->values->items[i];

        if (work->changes.buckets[i].number > value->changed)
            *(value->fresh && value->changed == work->begun ? &computed : &kept) = true;
    }
    return kept || (computed && work->runs > 1);
}

static enum error look_again(struct work *work, bool *again)
{
    enum error error = series_look(work->call, &work->request->measured, &work->changes);

    *again = !error && must_repeat(work);
    if (*again)
        forget_changed(work);
    return error;
}

/* Values computed by this call that have not changed in the last seconds. */
static void choose_kept(struct work *work)
{
    struct series_values *values = work->values;
    int64_t settled = work->call->now - SETTLED_SECONDS * us_per_second;

    values->keep = ARENA_ARRAY(work->call->arena, size_t, values->count);
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].fresh && may_keep(work, i) && work->changes.buckets[i].at <= settled)
            values->keep[values->keep_count++] = i;
}

static enum error compute_with_kept(struct work *work)
{
    bool again = true;
    enum error error = read_kept(work);

    work->changes.buckets =
        ARENA_ARRAY(work->call->arena, struct series_last_change, work->values->count);
    if (!error)
        error = series_look(work->call, &work->request->measured, &work->changes);
    if (!error)
        forget_changed(work);
    for (int round = 0; !error && again && !work->changes.unknown && round < ROUNDS; round++) {
        error = compute_unknown(work);
        if (!error)
            error = look_again(work, &again);
    }
    if (!error && (again || work->changes.unknown))
        error = compute_run(work, 0, work->values->count);
    if (!error && !work->changes.unknown)
        choose_kept(work);
    return error;
}

enum error series_compute(const struct storage_call *call, const struct series_request *request,
                          struct series_values *values)
{
    struct work work = {.call = call,
                        .request = request,
                        .bounds = &request->measured.buckets,
                        .values = values,
                        .kept_since = kept_since(request, call->now)};
    size_t count = work.bounds->count - 1;
    bool lags;
    enum error error;

    *values = (struct series_values){.request = request,
                                     .count = count,
                                     .items = ARENA_ARRAY(call->arena, struct series_value, count)};
    error = measure_lags(call, request->measured.measure, &lags);
    if (error)
        return error;
    if (request->kept_days && !lags)
        values->name = name_of(&work);
    error = values->name ? compute_with_kept(&work) : compute_run(&work, 0, count);
    if (call->columnar && call->columnar->behind)
        values->keep_count = 0; /* they may contain less than their number says */
    return error;
}

static enum error write_points(const struct storage_call *call, const struct series_values *values)
{
    const int64_t *bounds = values->request->measured.buckets.items;
    struct query *query = db_query(call->db, &keep_point);

    for (size_t i = 0; i < values->keep_count; i++) {
        size_t bucket = values->keep[i];
        const struct series_value *value = &values->items[bucket];

        query_bind_text(query, call->tenant);
        query_bind_text(query, values->name);
        query_bind_integer(query, bounds[bucket]);
        query_bind_integer(query, bounds[bucket + 1]);
        query_bind_optional_number(query, value->value);
        query_bind_text(query, value->currencies);
        query_bind_integer(query, value->changed);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

enum error series_keep(const struct storage_call *call, const struct series_values *values)
{
    enum error error;

    if (!values->keep_count)
        return ERROR_NONE;
    error = db_begin(call->db, DB_WRITE, call->problem);
    return error ? error : db_finish(call->db, write_points(call, values), call->problem);
}
