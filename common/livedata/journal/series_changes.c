/* Notes of changed hours, each once in a transaction. */
#include "livedata/journal/series_changes.h"

#include "base/list.h"
#include "db/query.h"
#include "livedata/timestamp.h"

#include <string.h>

static const struct statement write_change = {
    .name = "series_change",
    .sql = "INSERT INTO series_changes (tenant_id, table_name, column_name, hour_at, changed,"
           " changed_at) VALUES (?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, table_name, column_name, hour_at) DO UPDATE"
           " SET changed = excluded.changed, changed_at = excluded.changed_at",
};

int64_t series_hour(int64_t at)
{
    int64_t into = at % us_per_hour;

    return at - into - (into < 0 ? us_per_hour : 0);
}

static void note(const struct storage_call *call, const char *table, const char *column,
                 int64_t hour)
{
    struct series_changes *changes = call->changes;

    for (size_t i = changes->count; i-- > 0;)
        if (changes->items[i].hour == hour && strcmp(changes->items[i].column, column) == 0 &&
            strcmp(changes->items[i].table, table) == 0)
            return;
    *LIST_ADD(call->arena, changes) = (struct series_change){table, column, hour};
}

void series_note_time(const struct storage_call *call, const char *table, const char *column,
                      int64_t at)
{
    if (call->changes)
        note(call, table, column, series_hour(at));
}

void series_note_all(const struct storage_call *call, const char *table, const char *column)
{
    if (call->changes)
        note(call, table, column, SERIES_ALL_HOURS);
}

enum error series_changes_write(const struct storage_call *call,
                                const struct series_changes *changes, int64_t number)
{
    struct query *query;

    if (!changes->count)
        return ERROR_NONE;
    if (number < 1)
        return problem_set(call->problem, ERROR_SYSTEM, "change_without_table",
                           "rows of %s have changed, and no table's generation was raised",
                           changes->items[0].table);
    query = db_query(call->db, &write_change);
    for (size_t i = 0; i < changes->count; i++) {
        query_bind_text(query, call->tenant);
        query_bind_text(query, changes->items[i].table);
        query_bind_text(query, changes->items[i].column);
        query_bind_integer(query, changes->items[i].hour);
        query_bind_integer(query, number);
        query_bind_integer(query, call->now);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}
