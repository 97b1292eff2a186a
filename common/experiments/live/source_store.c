/* SQL of sources and their rows. The catalog's definition is read where it is stored: the folder of
 * the catalog depends on projects, which depend on this one. */
#include "experiments/live/source_store.h"

#include "base/json.h"
#include "base/list.h"
#include "base/timestamp.h"
#include "db/query.h"

#include <math.h>
#include <string.h>

enum { LIST_BYTES_MAX = 16 * 1024 * 1024 };

#define SOURCE_COLUMNS                                                                             \
    "SELECT u.project_id, u.metric_id, v.definition ->> 'event_name',"                             \
    " v.definition -> 'livedata' ->> 'entity_type', v.definition -> 'livedata' ->> 'user_column'," \
    " v.definition -> 'livedata' ->> 'value_column',"                                              \
    " v.definition -> 'livedata' ->> 'time_column', v.definition ->> 'kind',"                      \
    " s.position, s.read_at, s.complete_at, s.event_age_seconds, s.stale_seconds,"                 \
    " s.event_age_seconds_max, s.rows_read, s.rows_recorded, s.rows_unusable, s.failed_at,"        \
    " s.failure, p.archived_at, p.decided_at FROM catalog_metric_uses u"                           \
    " JOIN catalog_metric_versions v ON v.metric_id = u.metric_id AND v.version = u.version"       \
    " LEFT JOIN experiment_sources s ON s.project_id = u.project_id"                               \
    " AND s.metric_id = u.metric_id JOIN projects p ON p.id = u.project_id"
#define IS_LIVEDATA " v.definition -> 'livedata' ->> 'entity_type' IS NOT NULL"

static const struct statement source_of_project = {
    .name = "live_source_read",
    .sql = SOURCE_COLUMNS " WHERE u.project_id = ? AND" IS_LIVEDATA,
};
static const struct statement list_sources = {
    .name = "live_sources_list",
    .sql = SOURCE_COLUMNS " JOIN live_experiments e ON e.experiment_id = u.project_id"
                          " WHERE u.project_id > ? AND p.archived = 0 AND" IS_LIVEDATA
                          " ORDER BY u.project_id LIMIT ?",
};
static const struct statement sources_of_metric = {
    .name = "live_sources_of_metric",
    .sql = SOURCE_COLUMNS " WHERE u.metric_id = ? AND" IS_LIVEDATA " ORDER BY u.project_id LIMIT ?",
};
static const struct statement save_source = {
    .name = "live_source_save",
    .sql =
        "INSERT INTO experiment_sources (project_id, metric_id, event_name, position, read_at,"
        " complete_at, event_age_seconds, stale_seconds, event_age_seconds_max, rows_read,"
        " rows_recorded, rows_unusable, failed_at, failure)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (project_id, metric_id) DO UPDATE SET"
        " position = excluded.position, read_at = excluded.read_at,"
        " complete_at = excluded.complete_at, event_age_seconds = excluded.event_age_seconds,"
        " stale_seconds = excluded.stale_seconds,"
        " event_age_seconds_max = excluded.event_age_seconds_max, rows_read = excluded.rows_read,"
        " rows_recorded = excluded.rows_recorded, rows_unusable = excluded.rows_unusable,"
        " failed_at = excluded.failed_at, failure = excluded.failure",
};
static const struct statement fail_source = {
    .name = "live_source_fail",
    .sql = "INSERT INTO experiment_sources (project_id, metric_id, event_name, stale_seconds,"
           " event_age_seconds_max, failed_at, failure) VALUES (?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (project_id, metric_id) DO UPDATE SET failed_at = excluded.failed_at,"
           " failure = excluded.failure",
};
static const struct statement forget_source = {
    .name = "live_source_forget",
    .sql = "DELETE FROM experiment_sources WHERE project_id = ?",
};
static const struct statement forget_rows = {
    .name = "live_source_rows_forget",
    .sql = "DELETE FROM experiment_source_rows WHERE project_id = ?",
};

#define ROW_COLUMNS "SELECT entity_id, position, user_id, value, occurred_at, waits"

static const struct statement find_rows = {
    .name = "live_source_rows_find",
    .sql = ROW_COLUMNS " FROM experiment_source_rows WHERE project_id = ? AND metric_id = ?"
                       " AND entity_id IN (SELECT value FROM {json_text_rows:?})"
                       " ORDER BY entity_id",
};
static const struct statement waiting_rows = {
    .name = "live_source_rows_waiting",
    .sql = ROW_COLUMNS " FROM experiment_source_rows WHERE project_id = ? AND metric_id = ?"
                       " AND waits = 1 AND entity_id > ? ORDER BY entity_id LIMIT ?",
};
static const struct statement put_row = {
    .name = "live_source_row_put",
    .sql =
        "INSERT INTO experiment_source_rows (project_id, metric_id, entity_id, position, user_id,"
        " value, occurred_at, waits, checked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (project_id, metric_id, entity_id) DO UPDATE SET"
        " position = excluded.position, user_id = excluded.user_id, value = excluded.value,"
        " occurred_at = excluded.occurred_at, waits = excluded.waits,"
        " checked_at = excluded.checked_at",
};
static const struct statement retire_rows = {
    .name = "live_source_rows_retire",
    .sql = "DELETE FROM experiment_source_rows WHERE project_id = ? AND waits = 0"
           " AND checked_at < ?",
};
static const struct statement drop_rows = {
    .name = "live_source_rows_drop",
    .sql = "DELETE FROM experiment_source_rows WHERE project_id = ? AND metric_id = ?"
           " AND entity_id IN (SELECT value FROM {json_text_rows:?})",
};

int64_t live_source_fresh_until(const struct live_source *source)
{
    double seconds = source->stale_seconds;

    if (source->event_age_seconds_max > 0 && source->event_age_seconds.given)
        seconds = fmin(seconds, source->event_age_seconds_max - source->event_age_seconds.value);
    return source->complete_at + (int64_t)(seconds * 1e6);
}

enum live_source_state live_source_state(const struct live_source *source, int64_t now)
{
    int64_t at = source->closed_at && source->closed_at < now ? source->closed_at : now;

    if (!source->complete_at)
        return LIVE_SOURCE_UNREAD;
    return at > live_source_fresh_until(source) ? LIVE_SOURCE_STALE : LIVE_SOURCE_FRESH;
}

static int64_t integer_or_zero(struct query *query, int column)
{
    struct optional_integer value = query_optional_integer(query, column);

    return value.given ? value.value : 0;
}

/* The earlier of two moments that a row has as texts, in these columns; 0 = it has neither. */
static int64_t closed_at(struct query *query, struct arena *arena, int archived, int decided)
{
    const char *texts[] = {query_text_or_null(query, archived, arena),
                           query_text_or_null(query, decided, arena)};
    int64_t earliest = 0, at;

    for (size_t i = 0; i < 2; i++)
        if (texts[i] && timestamp_from_text(texts[i], &at) && (!earliest || at < earliest))
            earliest = at;
    return earliest;
}

static void take_source(struct query *query, struct arena *arena, struct live_source *source)
{
    *source = (struct live_source){.project_id = query_text(query, 0, arena),
                                   .metric_id = query_text(query, 1, arena),
                                   .event_name = query_text(query, 2, arena),
                                   .entity_type = query_text(query, 3, arena),
                                   .user_column = query_text(query, 4, arena),
                                   .value_column = query_text_or_null(query, 5, arena),
                                   .time_column = query_text(query, 6, arena),
                                   .is_binary = strcmp(query_text(query, 7, arena), "binary") == 0,
                                   .position = query_text_or_null(query, 8, arena),
                                   .read_at = integer_or_zero(query, 9),
                                   .complete_at = integer_or_zero(query, 10),
                                   .event_age_seconds = query_optional_number(query, 11),
                                   .stale_seconds = query_optional_number(query, 12).value,
                                   .event_age_seconds_max = query_optional_number(query, 13).value,
                                   .rows_read = integer_or_zero(query, 14),
                                   .rows_recorded = integer_or_zero(query, 15),
                                   .rows_unusable = integer_or_zero(query, 16),
                                   .failed_at = integer_or_zero(query, 17),
                                   .failure = query_text_or_null(query, 18, arena),
                                   .closed_at = closed_at(query, arena, 19, 20)};
}

enum error live_read_source(const struct live_call *call, const char *project_id,
                            struct live_source *source, bool *found)
{
    struct query *query = db_query(call->db, &source_of_project);

    query_bind_text(query, project_id);
    *found = query_next(query);
    if (*found)
        take_source(query, call->arena, source);
    return query_end(query, call->problem);
}

static enum error list(const struct live_call *call, const struct statement *statement,
                       const char *bound, int most, struct live_source_list *sources)
{
    struct query *query = db_query(call->db, statement);

    *sources = (struct live_source_list){0};
    query_bind_text(query, bound);
    query_bind_integer(query, most);
    while (query_next(query))
        take_source(query, call->arena, ARRAY_ADD(call->arena, sources->items, sources->count));
    return query_end(query, call->problem);
}

enum error live_list_sources(const struct live_call *call, const char *after, int most,
                             struct live_source_list *sources)
{
    return list(call, &list_sources, after, most, sources);
}

enum error live_metric_sources(const struct live_call *call, const char *metric_id, int most,
                               struct live_source_list *sources)
{
    return list(call, &sources_of_metric, metric_id, most, sources);
}

enum error live_lock_source(const struct live_call *call, const char *project_id)
{
    return db_lock(call->db, arena_print(call->arena, "experiment_source:%s", project_id),
                   call->problem);
}

static enum error run_for(const struct live_call *call, const struct statement *statement,
                          const char *project_id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, project_id);
    return query_end(query, call->problem);
}

static struct optional_integer unless_zero(int64_t value)
{
    return (struct optional_integer){value != 0, value};
}

enum error live_save_source(const struct live_call *call, const struct live_source *source)
{
    struct query *query = db_query(call->db, &save_source);

    query_bind_text(query, source->project_id);
    query_bind_text(query, source->metric_id);
    query_bind_text(query, source->event_name);
    query_bind_text(query, source->position);
    query_bind_optional_integer(query, unless_zero(source->read_at));
    query_bind_optional_integer(query, unless_zero(source->complete_at));
    query_bind_optional_number(query, source->event_age_seconds);
    query_bind_number(query, source->stale_seconds);
    query_bind_number(query, source->event_age_seconds_max);
    query_bind_integer(query, source->rows_read);
    query_bind_integer(query, source->rows_recorded);
    query_bind_integer(query, source->rows_unusable);
    query_bind_optional_integer(query, unless_zero(source->failed_at));
    query_bind_text(query, source->failure);
    return query_end(query, call->problem);
}

enum error live_fail_source(const struct live_call *call, const struct live_source *source,
                            int64_t now, const char *failure)
{
    struct query *query = db_query(call->db, &fail_source);

    query_bind_text(query, source->project_id);
    query_bind_text(query, source->metric_id);
    query_bind_text(query, source->event_name);
    query_bind_number(query, source->stale_seconds);
    query_bind_number(query, source->event_age_seconds_max);
    query_bind_integer(query, now);
    query_bind_text(query, failure);
    return query_end(query, call->problem);
}

enum error live_forget_source(const struct live_call *call, const char *project_id)
{
    enum error error = run_for(call, &forget_rows, project_id);

    return error ? error : run_for(call, &forget_source, project_id);
}

static enum error read_rows(const struct live_call *call, struct query *query,
                            struct live_source_rows *rows)
{
    struct arena *arena = call->arena;

    *rows = (struct live_source_rows){0};
    while (query_next(query))
        *ARRAY_ADD(arena, rows->items, rows->count) =
            (struct live_source_row){.entity_id = query_text(query, 0, arena),
                                     .position = query_text(query, 1, arena),
                                     .user_id = query_text(query, 2, arena),
                                     .value = query_number(query, 3),
                                     .occurred_at = query_integer(query, 4),
                                     .waits = query_boolean(query, 5)};
    return query_end(query, call->problem);
}

static const char *list_of(const struct live_call *call, const struct string_list *texts)
{
    return json_of_strings(call->arena, LIST_BYTES_MAX, texts->items, texts->count);
}

enum error live_find_source_rows(const struct live_call *call, const struct live_source *source,
                                 const struct string_list *entities, struct live_source_rows *rows)
{
    struct query *query = db_query(call->db, &find_rows);

    query_bind_text(query, source->project_id);
    query_bind_text(query, source->metric_id);
    query_bind_json(query, list_of(call, entities));
    return read_rows(call, query, rows);
}

enum error live_waiting_source_rows(const struct live_call *call, const struct live_source *source,
                                    const char *after, int most, struct live_source_rows *rows)
{
    struct query *query = db_query(call->db, &waiting_rows);

    query_bind_text(query, source->project_id);
    query_bind_text(query, source->metric_id);
    query_bind_text(query, after);
    query_bind_integer(query, most);
    return read_rows(call, query, rows);
}

enum error live_put_source_rows(const struct live_call *call, const struct live_source *source,
                                int64_t now, const struct live_source_rows *rows)
{
    struct query *query;

    if (!rows->count)
        return ERROR_NONE;
    query = db_query(call->db, &put_row);
    for (size_t i = 0; i < rows->count; i++) {
        const struct live_source_row *row = &rows->items[i];

        query_bind_text(query, source->project_id);
        query_bind_text(query, source->metric_id);
        query_bind_text(query, row->entity_id);
        query_bind_text(query, row->position);
        query_bind_text(query, row->user_id);
        query_bind_number(query, row->value);
        query_bind_integer(query, row->occurred_at);
        query_bind_boolean(query, row->waits);
        query_bind_integer(query, now);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

enum error live_retire_source_rows(const struct live_call *call, const char *project_id,
                                   int64_t before)
{
    struct query *query = db_query(call->db, &retire_rows);

    query_bind_text(query, project_id);
    query_bind_integer(query, before);
    return query_end(query, call->problem);
}

enum error live_drop_source_rows(const struct live_call *call, const struct live_source *source,
                                 const struct string_list *entities)
{
    struct query *query;

    if (!entities->count)
        return ERROR_NONE;
    query = db_query(call->db, &drop_rows);
    query_bind_text(query, source->project_id);
    query_bind_text(query, source->metric_id);
    query_bind_json(query, list_of(call, entities));
    return query_end(query, call->problem);
}
