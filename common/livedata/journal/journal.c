/* All SQL of the journal, of generations and of freshness. */
#include "livedata/journal/journal.h"

#include "base/list.h"
#include "base/schema.h"
#include "base/string_list.h"
#include "db/query.h"
#include "livedata/access/types.h"
#include "livedata/journal/series_changes.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { GENERATIONS_MAX = 512, SCAN_PAGE = 1000 };

#define JOURNAL_COLUMNS                                                                            \
    "seq, event_id, topic, entity_type, entity_id, event_type, latency_ms, processed_at, source,"  \
    " way_in, branch, entity_data"

static const struct statement find_known = {
    .name = "journal_known",
    .sql = "SELECT CASE WHEN EXISTS (SELECT 1 FROM pipeline_events AS p WHERE p.tenant_id = ?"
           " AND p.topic = 'events.validated' AND p.event_id = ?) THEN 1 ELSE 0 END,"
           " CASE WHEN EXISTS (SELECT 1 FROM dead_letter_events AS d WHERE d.tenant_id = ?"
           " AND d.event_id = ? AND d.status <> 'replayed') THEN 1 ELSE 0 END",
};
static const struct statement insert_row = {
    .name = "journal_add",
    .sql = "INSERT INTO pipeline_events (tenant_id, event_id, topic, entity_type, entity_id,"
           " event_type, latency_ms, processed_at, source, way_in, branch, entity_data, payload)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, topic, event_id) DO NOTHING RETURNING seq",
};

/* Scans applied events in journal order, by the index that fits the filter; other conditions are
 * checked row by row. The sum prevents planners from walking the whole journal for its order when
 * an entity has few rows. */
#define SCAN_COLUMNS                                                                               \
    "SELECT seq, event_id, topic, entity_type, entity_id, event_type, latency_ms, processed_at,"   \
    " source, way_in, branch FROM pipeline_events WHERE tenant_id = ?"                             \
    " AND topic = 'events.validated'"
#define SCAN(word, condition, order)                                                               \
    {                                                                                              \
        {.name = "journal_after" word,                                                             \
         .sql = SCAN_COLUMNS condition " AND " order " > ? ORDER BY " order " LIMIT ?"},           \
        {                                                                                          \
            .name = "journal_before" word,                                                         \
            .sql = SCAN_COLUMNS condition " AND " order " < ? ORDER BY " order " DESC LIMIT ?"     \
        }                                                                                          \
    }
enum scan_by { SCAN_ALL, SCAN_BY_TYPE, SCAN_BY_ENTITY, SCAN__MAX };
static const struct statement scans[SCAN__MAX][2] = {
    [SCAN_ALL] = SCAN("", "", "seq"),
    [SCAN_BY_TYPE] = SCAN("_type", " AND event_type = ?", "seq"),
    [SCAN_BY_ENTITY] = SCAN("_entity", " AND entity_id = ?", "seq + 0")};

static const struct statement rows_after_all = {
    .name = "journal_after_all",
    .sql = "SELECT " JOURNAL_COLUMNS ", tenant_id FROM pipeline_events"
           " WHERE seq > ? AND topic = 'events.validated' ORDER BY seq LIMIT ?",
};
static const struct statement last_seq = {
    .name = "journal_last_seq",
    .sql = "SELECT coalesce(max(seq), 0) FROM pipeline_events",
};
static const struct statement row_at = {
    .name = "journal_row_time",
    .sql = "SELECT processed_at FROM pipeline_events WHERE tenant_id = ? AND seq = ?",
};
/* A heartbeat adds no row: then the journal's last one may be another tenant's. */
static const struct statement row_of_any = {
    .name = "journal_row_of_any",
    .sql = "SELECT processed_at FROM pipeline_events WHERE seq = ?",
};
static const struct statement rows_of_entity = {
    .name = "journal_of_entity",
    .sql = "SELECT " JOURNAL_COLUMNS " FROM pipeline_events WHERE tenant_id = ? AND entity_id = ?"
           " AND CASE WHEN topic = 'orders.status' THEN 1 ELSE 0 END = ?"
           " ORDER BY processed_at, seq LIMIT ?",
};
static const struct statement events_of_entity = {
    .name = "journal_newest_of_entity",
    .sql = "SELECT " JOURNAL_COLUMNS " FROM pipeline_events WHERE tenant_id = ? AND entity_id = ?"
           " AND coalesce(entity_type, ?) = ? AND topic IN ('events.validated',"
           " 'events.deadletter') ORDER BY processed_at DESC, seq DESC LIMIT ?",
};
static const struct statement version_at = {
    .name = "journal_version",
    .sql = "SELECT entity_data, processed_at FROM pipeline_events WHERE tenant_id = ?"
           " AND entity_id = ? AND entity_type = ? AND processed_at <= ?"
           " AND entity_data IS NOT NULL ORDER BY processed_at DESC, seq DESC LIMIT 1",
};
/* The last change is that of the tenant, over all its tables. */
static const struct statement raise_generation = {
    .name = "generation_raise",
    .sql = "INSERT INTO cache_generation (tenant_id, table_name, gen, last_event_at, event_at, seq,"
           " changed, changed_whole, noted_gen) SELECT CAST(? AS TEXT), CAST(? AS TEXT), 1,"
           " CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), 1 + own.changed,"
           " CAST(? AS BIGINT) * (1 + own.changed), 1"
           " FROM (SELECT COALESCE(max(last.changed), 0) AS changed FROM cache_generation AS last"
           " WHERE last.tenant_id = ?) AS own WHERE true"
           " ON CONFLICT (tenant_id, table_name) DO UPDATE SET gen = cache_generation.gen + 1,"
           " last_event_at = CASE WHEN excluded.last_event_at > 0 THEN excluded.last_event_at"
           " ELSE cache_generation.last_event_at END,"
           " event_at = CASE WHEN excluded.last_event_at > 0 THEN excluded.event_at"
           " ELSE cache_generation.event_at END, seq = excluded.seq, changed = excluded.changed,"
           " changed_whole = CASE WHEN excluded.changed_whole > 0"
           " OR cache_generation.gen <> cache_generation.noted_gen THEN excluded.changed"
           " ELSE cache_generation.changed_whole END, noted_gen = cache_generation.gen + 1"
           " RETURNING gen, changed",
};
static const struct statement tenants_of_table = {
    .name = "generation_tenants",
    .sql = "SELECT tenant_id FROM cache_generation WHERE table_name = ? ORDER BY tenant_id",
};
static const struct statement all_tenants = {
    .name = "journal_tenants",
    .sql = "SELECT DISTINCT tenant_id FROM cache_generation ORDER BY tenant_id",
};
static const struct statement note_freshness = {
    .name = "freshness_note",
    .sql = "INSERT INTO event_freshness (tenant_id, event_type, applied_at, event_at, events)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, event_type) DO UPDATE"
           " SET applied_at = excluded.applied_at, event_at = excluded.event_at,"
           " events = event_freshness.events + excluded.events",
};
static const struct statement table_generation = {
    .name = "generation_of_table",
    .sql = "SELECT gen FROM cache_generation WHERE tenant_id = ? AND table_name = ?",
};
static const struct statement table_freshness = {
    .name = "freshness_of_table",
    .sql = "SELECT last_event_at, event_at FROM cache_generation WHERE tenant_id = ? AND "
           "table_name = ?",
};
static const struct statement type_freshness = {
    .name = "freshness_of_type",
    .sql =
        "SELECT applied_at, event_at FROM event_freshness WHERE tenant_id = ? AND event_type = ?",
};
static const struct statement changed_generations = {
    .name = "generations_after",
    .sql = "SELECT tenant_id, table_name, gen, seq FROM cache_generation"
           " WHERE seq > 0 AND seq >= ? AND (seq, tenant_id, table_name) > (?, ?, ?)"
           " ORDER BY seq, tenant_id, table_name LIMIT ?",
};
static const struct statement newest_generation = {
    .name = "generations_newest",
    .sql = "SELECT COALESCE(max(seq), 0) FROM cache_generation",
};
static const struct statement tenant_generations = {
    .name = "generations_of_tenant",
    .sql = "SELECT tenant_id, table_name, gen, seq FROM cache_generation"
           " WHERE tenant_id = ? ORDER BY seq LIMIT ?",
};

enum error journal_known(const struct storage_call *call, const char *event_id,
                         struct journal_known *known)
{
    struct query *query = db_query(call->db, &find_known);

    for (int i = 0; i < 2; i++) {
        query_bind_text(query, call->tenant);
        query_bind_text(query, event_id);
    }
    *known = (struct journal_known){0};
    if (query_next(query))
        *known = (struct journal_known){query_boolean(query, 0), query_boolean(query, 1)};
    return query_end(query, call->problem);
}

enum error journal_add(const struct storage_call *call, struct journal_row *row)
{
    struct query *query = db_query(call->db, &insert_row);

    query_bind_text(query, call->tenant);
    query_bind_text(query, row->event_id);
    query_bind_text(query, row->topic);
    query_bind_text(query, row->entity_type);
    query_bind_text(query, row->entity_id);
    query_bind_text(query, row->event_type);
    query_bind_optional_integer(query, row->latency_ms);
    query_bind_integer(query, row->processed_at);
    query_bind_text(query, row->source);
    query_bind_text(query, row->way_in);
    query_bind_text(query, row->branch);
    query_bind_text(query, row->entity_data);
    query_bind_text(query, row->payload);
    row->tenant = call->tenant;
    series_note_time(call, "pipeline_events", "processed_at", row->processed_at);
    row->seq = query_next(query) ? query_integer(query, 0) : 0;
    if (row->seq && call->journal_end)
        *call->journal_end = row->seq;
    return query_end(query, call->problem);
}

enum error journal_add_dead(const struct storage_call *call, const struct journal_row *row)
{
    struct journal_row copy = *row;

    copy.topic = TOPIC_DEADLETTER;
    copy.latency_ms = GIVEN_INTEGER(0);
    return journal_add(call, &copy);
}

/* In the order in which clients get the members. */
#define OWNER struct journal_row
static const struct field row_fields[] = {
    STRING(OWNER, branch, .nullable = true),
    WRITTEN_JSON(OWNER, entity_data, .omit_if_null = true),
    STRING(OWNER, entity_id, .nullable = true),
    STRING(OWNER, entity_type, .nullable = true),
    STRING(OWNER, event_id),
    STRING(OWNER, event_type, .nullable = true),
    NULLABLE_INTEGER(OWNER, latency_ms),
    STRING(OWNER, position, .omit_if_null = true),
    TIME(OWNER, processed_at, .time = TIME_Z),
    INTEGER(OWNER, seq),
    STRING(OWNER, source, .nullable = true),
    {.name = "tenant_id", .type = FIELD_STRING, .offset = offsetof(struct journal_row, tenant)},
    STRING(OWNER, topic),
    STRING(OWNER, way_in, .nullable = true, .internal = true),
};
#undef OWNER
static SCHEMA(row_schema, struct journal_row, "JournalRow", row_fields);

static void take_row(struct query *query, const struct storage_call *call, struct journal_row *row)
{
    *row = (struct journal_row){.tenant = call->tenant};
    query_read(query, &row_schema, row, call->arena);
}

static enum error read_rows(const struct storage_call *call, struct query *query, int most,
                            struct journal_rows *rows)
{
    struct arena *arena = call->arena;

    *rows = (struct journal_rows){.items = ARENA_ARRAY(arena, struct journal_row, (size_t)most)};
    while (rows->count < (size_t)most && query_next(query))
        take_row(query, call, &rows->items[rows->count++]);
    return query_end(query, call->problem);
}

/* Families of types, and types without a family. */
static const struct {
    const char *family, *prefix;
} families[] = {{"order", "order."}, {"payment", "payment."}, {"inventory", "product."}};

static bool is_family(const char *word)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(word, families[i].family) == 0)
            return true;
    return strcmp(word, "clickstream") == 0;
}

static struct query *scan_from(const struct storage_call *call, const struct journal_filter *filter,
                               int64_t seq, bool back, int most)
{
    const char *type = filter->family && !is_family(filter->family) ? filter->family : NULL;
    enum scan_by by = filter->entity_id ? SCAN_BY_ENTITY : type ? SCAN_BY_TYPE : SCAN_ALL;
    struct query *query = db_query(call->db, &scans[by][back]);

    query_bind_text(query, call->tenant);
    if (by != SCAN_ALL)
        query_bind_text(query, by == SCAN_BY_ENTITY ? filter->entity_id : type);
    query_bind_integer(query, seq);
    query_bind_integer(query, most);
    return query;
}

/* Scans one page of rows and keeps the matching ones while there is space. */
static enum error scan_page(const struct storage_call *call, const struct journal_filter *filter,
                            bool back, int page, int most, struct journal_scan *scan, int *scanned)
{
    struct query *query = scan_from(call, filter, scan->reached, back, page);

    *scanned = 0;
    while (scan->rows.count < (size_t)most && query_next(query)) {
        struct journal_row *row = &scan->rows.items[scan->rows.count];

        take_row(query, call, row);
        scan->reached = row->seq;
        scan->rows.count += journal_matches(filter, row);
        ++*scanned;
    }
    return query_end(query, call->problem);
}

static enum error scan_along(const struct storage_call *call, const struct journal_filter *filter,
                             int64_t seq, bool back, int most, int64_t scan_most,
                             struct journal_scan *scan)
{
    enum error error = ERROR_NONE;
    int scanned;

    *scan = (struct journal_scan){
        .reached = seq,
        .rows = {.items = ARENA_ARRAY(call->arena, struct journal_row, (size_t)most + 1)}};
    while (!error && !scan->ended && scan_most > 0 && scan->rows.count < (size_t)most) {
        int page = scan_most < SCAN_PAGE ? (int)scan_most : SCAN_PAGE;

        error = scan_page(call, filter, back, page, most, scan, &scanned);
        scan_most -= scanned;
        scan->scanned += scanned;
        scan->ended = scanned < page && scan->rows.count < (size_t)most;
    }
    return error;
}

enum error journal_after(const struct storage_call *call, int64_t seq,
                         const struct journal_filter *filter, int most, int64_t scan_most,
                         struct journal_scan *scan)
{
    return scan_along(call, filter, seq, false, most, scan_most, scan);
}

enum error journal_after_all(const struct storage_call *call, int64_t seq, int most,
                             struct journal_rows *rows)
{
    struct query *query = db_query(call->db, &rows_after_all);

    query_bind_integer(query, seq);
    query_bind_integer(query, most);
    return read_rows(call, query, most, rows);
}

enum error journal_last_seq(const struct storage_call *call, int64_t *seq)
{
    struct query *query;

    *seq = call->journal_end ? *call->journal_end : 0;
    if (*seq)
        return ERROR_NONE;
    query = db_query(call->db, &last_seq);
    *seq = query_next(query) ? query_integer(query, 0) : 0;
    if (call->journal_end)
        *call->journal_end = *seq;
    return query_end(query, call->problem);
}

static enum error read_time(const struct storage_call *call, struct query *query, int64_t seq,
                            int64_t *at)
{
    query_bind_integer(query, seq);
    *at = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error journal_time(const struct storage_call *call, int64_t seq, int64_t *at)
{
    struct query *query = db_query(call->db, &row_at);
    enum error error;

    query_bind_text(query, call->tenant);
    error = read_time(call, query, seq, at);
    return error || *at ? error : read_time(call, db_query(call->db, &row_of_any), seq, at);
}

static enum error read_tenants(const struct storage_call *call, struct query *query,
                               struct string_list *tenants)
{
    *tenants = (struct string_list){0};
    while (query_next(query))
        *LIST_ADD(call->arena, tenants) = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error journal_tenants(const struct storage_call *call, struct string_list *tenants)
{
    return read_tenants(call, db_query(call->db, &all_tenants), tenants);
}

bool journal_matches(const struct journal_filter *filter, const struct journal_row *row)
{
    const char *event_type = row->event_type;

    if (!entity_types_have(filter->types, row->entity_type))
        return false;
    if (filter->entity_id && (!row->entity_id || strcmp(filter->entity_id, row->entity_id) != 0))
        return false;
    if (!filter->family)
        return true;
    if (!event_type)
        return false;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(filter->family, families[i].family) == 0)
            return strncmp(event_type, families[i].prefix, strlen(families[i].prefix)) == 0;
    if (strcmp(filter->family, "clickstream") == 0)
        return strcmp(event_type, "click") == 0 || strcmp(event_type, "page_view") == 0 ||
               strcmp(event_type, "add_to_cart") == 0;
    return strcmp(filter->family, event_type) == 0;
}

enum error journal_newest(const struct storage_call *call, const struct journal_filter *filter,
                          int most, int64_t scan_most, struct journal_rows *rows)
{
    struct journal_scan scan;
    enum error error = scan_along(call, filter, INT64_MAX, true, most, scan_most, &scan);

    *rows = scan.rows;
    for (size_t i = 0; i < rows->count / 2; i++) {
        struct journal_row row = rows->items[i];

        rows->items[i] = rows->items[rows->count - 1 - i];
        rows->items[rows->count - 1 - i] = row;
    }
    return error;
}

enum error journal_of_entity(const struct storage_call *call, const char *entity_id, bool states,
                             int most, struct journal_rows *rows)
{
    struct query *query = db_query(call->db, &rows_of_entity);

    query_bind_text(query, call->tenant);
    query_bind_text(query, entity_id);
    query_bind_boolean(query, states);
    query_bind_integer(query, most);
    return read_rows(call, query, most, rows);
}

enum error journal_newest_of_entity(const struct storage_call *call, const char *entity_type,
                                    const char *entity_id, int most, struct journal_rows *rows)
{
    struct query *query = db_query(call->db, &events_of_entity);

    query_bind_text(query, call->tenant);
    query_bind_text(query, entity_id);
    query_bind_text(query, entity_type);
    query_bind_text(query, entity_type);
    query_bind_integer(query, most);
    return read_rows(call, query, most, rows);
}

enum error journal_version(const struct storage_call *call, const char *entity_type,
                           const char *entity_id, int64_t as_of, const char **data,
                           int64_t *processed_at)
{
    struct query *query = db_query(call->db, &version_at);

    query_bind_text(query, call->tenant);
    query_bind_text(query, entity_id);
    query_bind_text(query, entity_type);
    query_bind_integer(query, as_of);
    *data = NULL;
    if (query_next(query)) {
        *data = query_text(query, 0, call->arena);
        *processed_at = query_integer(query, 1);
        if (strcmp(*data, JOURNAL_REMOVED) == 0)
            *data = NULL;
    }
    return query_end(query, call->problem);
}

const char *journal_row_text(struct arena *arena, const struct journal_row *row, bool with_data,
                             size_t most)
{
    struct journal_row shown = *row;

    if (!with_data)
        shown.entity_data = NULL;
    return schema_json(arena, most, &row_schema, &shown);
}

static enum error raise_table(const struct storage_call *call, const char *table,
                              struct event_mark applied, bool whole,
                              struct generation_number *raised)
{
    struct query *query;
    int64_t last = 0;
    enum error error = journal_last_seq(call, &last);

    *raised = (struct generation_number){0};
    if (error)
        return error;
    query = db_query(call->db, &raise_generation);
    query_bind_text(query, call->tenant);
    query_bind_text(query, table);
    query_bind_integer(query, applied.applied_at);
    query_bind_integer(query, applied.event_at);
    query_bind_integer(query, last);
    query_bind_integer(query, whole);
    query_bind_text(query, call->tenant);
    if (query_next(query))
        *raised = (struct generation_number){query_integer(query, 0), query_integer(query, 1)};
    return query_end(query, call->problem);
}

enum error generation_raise(const struct storage_call *call, const char *table,
                            struct event_mark applied)
{
    struct generation_number raised;

    return raise_table(call, table, applied, true, &raised);
}

enum error generation_raise_noted(const struct storage_call *call, const char *table,
                                  struct event_mark applied, struct generation_number *raised)
{
    return raise_table(call, table, applied, false, raised);
}

enum error generation_of_table(const struct storage_call *call, const char *table, int64_t *gen)
{
    struct query *query = db_query(call->db, &table_generation);

    query_bind_text(query, call->tenant);
    query_bind_text(query, table);
    *gen = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error generation_raise_for_all(const struct storage_call *call, const char *table)
{
    struct query *query = db_query(call->db, &tenants_of_table);
    struct storage_call own = *call;
    struct string_list tenants;
    enum error error;

    query_bind_text(query, table);
    error = read_tenants(call, query, &tenants);
    for (size_t i = 0; !error && i < tenants.count; i++) {
        own.tenant = tenants.items[i];
        error = generation_raise(&own, table, (struct event_mark){0});
    }
    return error;
}

enum error freshness_note(const struct storage_call *call, const char *event_type, int64_t event_at,
                          int64_t events)
{
    struct query *query = db_query(call->db, &note_freshness);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event_type);
    query_bind_integer(query, call->now);
    query_bind_integer(query, event_at);
    query_bind_integer(query, events);
    return query_end(query, call->problem);
}

static enum error newest_of(const struct storage_call *call, const struct statement *statement,
                            const struct string_list *names, struct event_mark *newest)
{
    enum error error = ERROR_NONE;

    *newest = (struct event_mark){0};
    for (size_t i = 0; !error && i < names->count; i++) {
        struct query *query = db_query(call->db, statement);

        query_bind_text(query, call->tenant);
        query_bind_text(query, names->items[i]);
        if (query_next(query) && query_integer(query, 0) > newest->applied_at)
            *newest = (struct event_mark){query_integer(query, 0), query_integer(query, 1)};
        error = query_end(query, call->problem);
    }
    return error;
}

static void take_older(struct optional_number *oldest, struct optional_number age)
{
    if (age.given && (!oldest->given || age.value > oldest->value))
        *oldest = age;
}

enum error ages_of_tables(const struct storage_call *call, const struct string_list *tables,
                          struct data_ages *ages)
{
    enum error error = ERROR_NONE;

    *ages = (struct data_ages){0};
    for (size_t i = 0; !error && i < tables->count; i++) {
        const struct string_list one = {1, &tables->items[i]};
        struct event_mark mark;
        struct data_ages own;

        error = newest_of(call, &table_freshness, &one, &mark);
        if (error)
            break;
        own = data_ages(mark, call->now);
        ages->in_future |= own.in_future;
        take_older(&ages->freshness_seconds, own.freshness_seconds);
        take_older(&ages->event_age_seconds, own.event_age_seconds);
    }
    return error;
}

enum error newest_of_types(const struct storage_call *call, const struct string_list *types,
                           struct event_mark *newest)
{
    return newest_of(call, &type_freshness, types, newest);
}

enum error newest_applied(const struct storage_call *call, struct event_mark *newest)
{
    static const char *journal[] = {"pipeline_events"};

    return newest_of(call, &table_freshness, &(const struct string_list){1, journal}, newest);
}

/* Reads the result of a query whose first value is bound. */
static enum error take_generations(const struct storage_call *call, struct query *query,
                                   struct generations *generations)
{
    *generations =
        (struct generations){.items = ARENA_ARRAY(call->arena, struct generation, GENERATIONS_MAX)};
    query_bind_integer(query, GENERATIONS_MAX);
    while (generations->count < GENERATIONS_MAX && query_next(query))
        generations->items[generations->count++] =
            (struct generation){.tenant = query_text(query, 0, call->arena),
                                .table = query_text(query, 1, call->arena),
                                .gen = query_integer(query, 2),
                                .seq = query_integer(query, 3)};
    generations->more = generations->count == GENERATIONS_MAX;
    return query_end(query, call->problem);
}

enum error generations_after(const struct storage_call *call, const struct generation *after,
                             struct generations *generations)
{
    struct query *query = db_query(call->db, &changed_generations);

    for (int i = 0; i < 2; i++)
        query_bind_integer(query, after->seq);
    query_bind_text(query, after->tenant);
    query_bind_text(query, after->table);
    return take_generations(call, query, generations);
}

enum error generations_newest(const struct storage_call *call, int64_t *seq)
{
    struct query *query = db_query(call->db, &newest_generation);

    *seq = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error generations_of_tenant(const struct storage_call *call, struct generations *generations)
{
    struct query *query = db_query(call->db, &tenant_generations);

    query_bind_text(query, call->tenant);
    return take_generations(call, query, generations);
}
