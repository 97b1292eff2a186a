/* What a measure is computed from, and when it last changed. */
#include "livedata/metrics/series.h"

#include "base/list.h"
#include "db/query.h"
#include "livedata/catalog/own.h"
#include "livedata/journal/series_changes.h"
#include "livedata/timestamp.h"

#include <string.h>

static const struct statement changes_of_tables = {
    .name = "series_tables",
    .sql = "SELECT table_name, changed, changed_whole, last_event_at,"
           " CASE WHEN gen = noted_gen THEN 0 ELSE 1 END FROM cache_generation"
           " WHERE tenant_id = ?",
};
static const struct statement changes_of_hours = {
    .name = "series_hours",
    .sql = "SELECT hour_at, changed, changed_at FROM series_changes WHERE tenant_id = ?"
           " AND table_name = ? AND column_name = ? AND changed > ?"
           " AND (hour_at BETWEEN ? AND ? OR hour_at = 9223372036854775807)",
};

/* How changes of a table are seen. */
struct source {
    const char *table;
    const char *time; /* by the hours of this column; NULL = for all buckets: */
    bool noted;       /* when values were set, or counted; else when anything has changed */
    bool counted;
};
struct sources {
    size_t count;
    struct source *items;
};

/* Tables whose changes are noted by the hours of this column. */
static bool has_hours(const struct serving_table *table, const struct table_column *time)
{
    static const char *const times[][2] = {{"orders_v2", "created_at"},
                                           {"sessions_aggregated", "started_at"},
                                           {"pipeline_events", "processed_at"}};

    if (table->own)
        return true;
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (strcmp(times[i][0], table->name) == 0)
            return strcmp(times[i][1], time->stored) == 0;
    return false;
}

static bool is_counted(const struct serving_table *table, const struct table_column *column)
{
    return table->own->counts[column - table->columns];
}

/* Whether columns of the joined table that events add to are used. */
static bool uses_counted(const struct measure *measure, size_t number)
{
    const struct serving_table *table = measure->tables[number].table;
    const struct measure_column *columns[MEASURE_CONDITIONS_MAX + 2] = {&measure->value,
                                                                        &measure->currency};
    size_t count = 2;

    for (size_t i = 0; i < measure->condition_count; i++)
        columns[count++] = &measure->conditions[i].column;
    for (size_t i = 0; i < count; i++)
        if (columns[i]->column && columns[i]->table == number &&
            is_counted(table, columns[i]->column))
            return true;
    return false;
}

/* Lines of orders change with their order alone, whose hours are noted. */
static bool follows_order(const struct measure *measure)
{
    return strcmp(measure->tables[0].table->name, "order_items") == 0 &&
           strcmp(measure->tables[measure->time.table].table->name, "orders_v2") == 0;
}

static void find_sources(struct arena *arena, const struct measure *measure,
                         struct sources *sources)
{
    if (measure->kind == MEASURE_RATIO) {
        find_sources(arena, measure->numerator, sources);
        find_sources(arena, measure->denominator, sources);
        return;
    }
    for (size_t i = 0; i < measure->table_count; i++) {
        const struct serving_table *table = measure->tables[i].table;
        struct source *source;

        if (i == 0 && i != measure->time.table && follows_order(measure))
            continue;
        source = LIST_ADD(arena, sources);
        source->table = table->name;
        if (i == measure->time.table && has_hours(table, measure->time.column))
            source->time = measure->time.column->stored;
        else if (i && table->own)
            source->noted = true;
        source->counted = source->noted && uses_counted(measure, i);
    }
}

static bool reads_journal(const struct measure *measure)
{
    return strcmp(measure->tables[0].table->name, "pipeline_events") == 0;
}

bool series_reads_journal(const struct measure *measure)
{
    return measure->kind == MEASURE_RATIO
               ? reads_journal(measure->numerator) || reads_journal(measure->denominator)
               : reads_journal(measure);
}

static void take_newer(struct series_last_change *last, int64_t number, int64_t at)
{
    last->number = number > last->number ? number : last->number;
    last->at = at > last->at ? at : last->at;
}

static enum error read_tables(const struct storage_call *call, const struct sources *sources,
                              int64_t *newest, struct series_last_change *all, bool *unknown)
{
    struct query *query = db_query(call->db, &changes_of_tables);

    query_bind_text(query, call->tenant);
    while (query_next(query)) {
        const char *table = query_text(query, 0, call->arena);
        int64_t changed = query_integer(query, 1), whole = query_integer(query, 2);

        *newest = changed > *newest ? changed : *newest;
        for (size_t i = 0; i < sources->count; i++) {
            const struct source *source = &sources->items[i];

            if (strcmp(source->table, table) != 0)
                continue;
            *unknown = *unknown || query_boolean(query, 4);
            if (source->time || source->noted)
                take_newer(all, whole, 0);
            else
                take_newer(all, changed, query_integer(query, 3));
        }
    }
    return query_end(query, call->problem);
}

/* The first bucket that ends after the time. */
static size_t bucket_after(const struct time_bounds *bounds, int64_t at)
{
    size_t low = 0, high = bounds->count - 1;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (bounds->items[middle + 1] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What was noted later than `changes->seen`; for the whole table, it is of all buckets. */
static enum error read_notes(const struct storage_call *call, const char *table, const char *column,
                             const struct time_bounds *bounds, struct series_last_changes *changes)
{
    size_t count = bounds->count - 1;
    struct query *query = db_query(call->db, &changes_of_hours);

    query_bind_text(query, call->tenant);
    query_bind_text(query, table);
    query_bind_text(query, column);
    query_bind_integer(query, changes->seen);
    query_bind_integer(query, series_hour(bounds->items[0]));
    query_bind_integer(query, bounds->items[count] - 1);
    while (query_next(query)) {
        int64_t hour = query_integer(query, 0);
        bool whole = hour == SERIES_ALL_HOURS;

        for (size_t i = whole ? 0 : bucket_after(bounds, hour);
             i < count && (whole || bounds->items[i] < hour + us_per_hour); i++)
            take_newer(&changes->buckets[i], query_integer(query, 1), query_integer(query, 2));
    }
    return query_end(query, call->problem);
}

static enum error read_source(const struct storage_call *call, const struct source *source,
                              const struct time_bounds *bounds, struct series_last_changes *changes)
{
    enum error error = ERROR_NONE;

    if (source->time)
        error = read_notes(call, source->table, source->time, bounds, changes);
    if (!error && source->noted)
        error = read_notes(call, source->table, SERIES_SET, bounds, changes);
    if (!error && source->counted)
        error = read_notes(call, source->table, SERIES_COUNTED, bounds, changes);
    return error;
}

enum error series_look(const struct storage_call *call, const struct measure_request *request,
                       struct series_last_changes *changes)
{
    size_t count = request->buckets.count - 1;
    struct sources sources = {0};
    struct series_last_change all = {0};
    int64_t newest = 0;
    enum error error;

    find_sources(call->arena, request->measure, &sources);
    changes->unknown = false;
    error = read_tables(call, &sources, &newest, &all, &changes->unknown);
    if (error || newest == changes->newest)
        return error;
    for (size_t i = 0; i < count; i++)
        take_newer(&changes->buckets[i], all.number, all.at);
    for (size_t i = 0; !error && i < sources.count; i++)
        error = read_source(call, &sources.items[i], &request->buckets, changes);
    changes->newest = changes->seen = newest;
    return error;
}
