/* Judging how current entities and metrics are. */
#include "livedata/reads/current.h"

#include "base/list.h"
#include "base/number.h"
#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <string.h>

static const char *const states[] = {"fresh", "stale", "silent", "not_served"};

#define OWNER struct current_row
static const struct field row_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, domain),
    CHOICE(OWNER, state, states, .choice_count = COUNT_OF(states)),
    STRING(OWNER, reason, .nullable = true,
           .help = "quiet: nothing is new, and the source says so. events_fail, source_silent (its "
                   "heartbeats have stopped), source_behind, no_new_events, clock_set_back: why it "
                   "is stale. no_events: why it is silent. contract_differs, not_materialized: why "
                   "it is not served."),
    STRING(OWNER, detail, .omit_if_null = true),
    STRING(OWNER, source, .omit_if_null = true,
           .help = "The slowest source with heartbeats that feeds it."),
    NULLABLE_NUMBER(OWNER, freshness_seconds),
    NULLABLE_NUMBER(OWNER, event_age_seconds),
    NULLABLE_NUMBER(OWNER, source_lag_seconds, .omit_if_null = true),
    NUMBER(OWNER, budget_seconds,
           .help = "The age that is fresh: of a service level, of the metric's contract, or "
                   "FRESHNESS_SLA_SECONDS."),
    INTEGER(OWNER, failed_last_hour, .help = "Its events that could not be applied."),
};
#undef OWNER
static SCHEMA(row_schema, struct current_row, "CurrentRow", row_fields);

#define OWNER struct current_source
static const struct field source_fields[] = {
    STRING(OWNER, source),
    STRINGS(OWNER, feeds, .help = "Entities that its events change; empty: all."),
    TIME(OWNER, watermark, .time = TIME_Z, .help = "It has sent all of its events up to then."),
    TIME(OWNER, beat_at, .time = TIME_Z, .help = "Its last heartbeat."),
    NUMBER(OWNER, lag_seconds),
    BOOLEAN(OWNER, behind, .help = "More than FRESHNESS_SLA_SECONDS."),
};
#undef OWNER
static SCHEMA(source_schema, struct current_source, "CurrentSource", source_fields);

#define OWNER struct current_report
static const struct field report_fields[] = {
    TIME(OWNER, checked_at, .time = TIME_Z), OBJECTS(OWNER, entities, row_schema),
    OBJECTS(OWNER, metrics, row_schema), OBJECTS(OWNER, sources, source_schema)};
#undef OWNER
SCHEMA(current_schema, struct current_report, "FreshnessReport", report_fields);

static const struct statement count_failed = {
    .name = "current_failed",
    .sql = "SELECT entity_type, count(*) FROM pipeline_events WHERE tenant_id = ?"
           " AND processed_at >= ? AND topic = 'events.deadletter' AND entity_type IS NOT NULL"
           " GROUP BY entity_type ORDER BY entity_type",
};

/* What all rows are judged by. */
struct inspection {
    const struct reading *reading;
    struct source_states sources;
    struct failed_events {
        size_t count;
        struct failed_type {
            const char *type;
            int64_t events;
        } * items;
    } failed;
};

static enum error read_failed(struct inspection *inspection)
{
    const struct storage_call *call = &inspection->reading->storage;
    struct query *query = db_query(call->db, &count_failed);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, call->now - us_per_hour);
    while (query_next(query))
        *LIST_ADD(call->arena, &inspection->failed) =
            (struct failed_type){query_text(query, 0, call->arena), query_integer(query, 1)};
    return query_end(query, call->problem);
}

static int64_t failed_of(const struct inspection *inspection, const char *type)
{
    for (size_t i = 0; type && i < inspection->failed.count; i++)
        if (strcmp(inspection->failed.items[i].type, type) == 0)
            return inspection->failed.items[i].events;
    return 0;
}

/* The slowest one that feeds the table; NULL = none that sends heartbeats. */
static const struct source_state *slowest(const struct inspection *inspection, const char *table)
{
    for (size_t i = 0; i < inspection->sources.count; i++)
        if (source_feeds(&inspection->sources.items[i], table))
            return &inspection->sources.items[i];
    return NULL;
}

/* The strictest level of freshness about it; `otherwise` without one. */
static double budget_of(const struct reading *reading, const struct entity_type *entity,
                        const struct live_metric *metric, double otherwise)
{
    double budget = INFINITY;

    for (size_t i = 0; i < reading->catalog->slo_count; i++) {
        const struct slo *slo = &reading->catalog->slos[i];
        bool its = (entity && slo->entity && strcmp(slo->entity->name, entity->name) == 0) ||
                   (metric && slo->metric && strcmp(slo->metric->name, metric->name) == 0);

        if (its && slo->measurement == SLO_FRESHNESS)
            budget = fmin(budget, slo->threshold);
    }
    return isinf(budget) ? otherwise : budget;
}

static double lag_of(const struct storage_call *call, int64_t at)
{
    return fmax(0, timestamp_seconds(at, call->now));
}

static void set_state(struct current_row *row, enum current_state state, const char *reason)
{
    row->state = (int)state;
    row->reason = reason;
}

/* By its sources where they send heartbeats, else by its newest event. */
static void judge(const struct storage_call *call, const struct source_state *source,
                  struct data_ages ages, struct current_row *row)
{
    bool old = data_ages_are_stale(ages, row->budget_seconds),
         none = !ages.freshness_seconds.given && !ages.event_age_seconds.given && !ages.in_future;
    bool behind = source && lag_of(call, source->watermark) > row->budget_seconds;

    row->freshness_seconds = ages.freshness_seconds;
    row->event_age_seconds = ages.event_age_seconds;
    if (source) {
        row->source = source->name;
        row->source_lag_seconds = GIVEN_NUMBER(number_round(lag_of(call, source->watermark), 1));
    }
    if (ages.in_future)
        set_state(row, CURRENT_STALE, "clock_set_back");
    else if (row->failed_last_hour && (source ? behind : old || none))
        set_state(row, CURRENT_STALE, "events_fail");
    else if (behind)
        set_state(row, CURRENT_STALE,
                  lag_of(call, source->beat_at) > row->budget_seconds ? "source_silent"
                                                                      : "source_behind");
    else if (source)
        set_state(row, CURRENT_FRESH, old || none ? "quiet" : NULL);
    else if (none)
        set_state(row, CURRENT_SILENT, "no_events");
    else
        set_state(row, old ? CURRENT_STALE : CURRENT_FRESH, old ? "no_new_events" : NULL);
}

/* Whether its table may be read at all. */
static bool is_served(const struct storage_call *call, const struct serving_table *table,
                      struct current_row *row)
{
    struct problem problem = {0};

    if (!table_served(table, &problem))
        return true;
    set_state(row, CURRENT_NOT_SERVED,
              strcmp(problem.reason, "not_materialized") == 0 ? "not_materialized"
                                                              : "contract_differs");
    row->detail = arena_copy_string(call->arena, problem.text);
    return false;
}

static enum error inspect_entity(const struct inspection *inspection,
                                 const struct entity_type *type, struct current_row *row)
{
    const struct reading *reading = inspection->reading;
    const struct storage_call *call = &reading->storage;
    const char *table = type->table->name;
    const struct string_list tables = {1, &table};
    struct data_ages ages;
    enum error error = ages_of_tables(call, &tables, &ages);

    *row = (struct current_row){
        .name = type->name,
        .domain = type->domain->name,
        .budget_seconds =
            budget_of(reading, type, NULL, (double)reading->settings->freshness_sla_seconds),
        .failed_last_hour = failed_of(inspection, type->name)};
    if (!error && is_served(call, type->table, row))
        judge(call, slowest(inspection, table), ages, row);
    return error;
}

static enum error inspect_metric(const struct inspection *inspection,
                                 const struct live_metric *metric, struct current_row *row)
{
    const struct reading *reading = inspection->reading;
    const struct storage_call *call = &reading->storage;
    const struct entity_type *entity = catalog_entity_of_table(reading->catalog, metric->table);
    double budget = metric->budget_seconds.given ? metric->budget_seconds.value
                                                 : (double)reading->settings->freshness_sla_seconds;
    struct event_mark newest;
    enum error error = newest_of_types(call, &metric->source_events, &newest);

    *row = (struct current_row){
        .name = metric->name,
        .domain = metric->domain->name,
        .budget_seconds = budget_of(reading, NULL, metric, budget),
        .failed_last_hour = failed_of(inspection, entity ? entity->name : metric->table->entity)};
    if (!error && is_served(call, metric->table, row))
        judge(call, slowest(inspection, metric->table->name), data_ages(newest, call->now), row);
    return error;
}

static enum error inspect_all(const struct inspection *inspection, struct current_report *report)
{
    const struct reading *reading = inspection->reading;
    const struct catalog *catalog = reading->catalog;
    struct current_row *entities =
        ARENA_ARRAY(reading->storage.arena, struct current_row, catalog->entity_count);
    struct current_row *metrics =
        ARENA_ARRAY(reading->storage.arena, struct current_row, catalog->metric_count);
    enum error error = ERROR_NONE;

    report->entities.items = entities;
    report->metrics.items = metrics;
    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        if (may_see_table(reading, catalog->entities[i].table))
            error = inspect_entity(inspection, &catalog->entities[i],
                                   &entities[report->entities.count++]);
    for (size_t i = 0; !error && i < catalog->metric_count; i++)
        if (may_see_metric(reading, catalog->metrics[i].name))
            error =
                inspect_metric(inspection, &catalog->metrics[i], &metrics[report->metrics.count++]);
    return error;
}

/* The entities of the tables that it feeds, of those that the key may read. */
static struct string_list fed_by(const struct reading *reading, const struct source_state *source)
{
    struct string_list feeds = {0};

    for (size_t i = 0; source->feeds && i < reading->catalog->entity_count; i++) {
        const struct entity_type *type = &reading->catalog->entities[i];

        if (source_feeds(source, type->table->name) && may_see_table(reading, type->table))
            *LIST_ADD(reading->storage.arena, &feeds) = type->name;
    }
    return feeds;
}

static void show_sources(const struct inspection *inspection, struct current_report *report)
{
    const struct reading *reading = inspection->reading;
    const struct storage_call *call = &reading->storage;
    struct current_source *sources =
        ARENA_ARRAY(call->arena, struct current_source, inspection->sources.count);

    report->sources.items = sources;
    for (size_t i = 0; i < inspection->sources.count; i++) {
        const struct source_state *source = &inspection->sources.items[i];
        struct string_list feeds = fed_by(reading, source);

        if (source->feeds && !feeds.count)
            continue;
        sources[report->sources.count++] =
            (struct current_source){.source = source->name,
                                    .feeds = feeds,
                                    .watermark = source->watermark,
                                    .beat_at = source->beat_at,
                                    .lag_seconds = number_round(lag_of(call, source->watermark), 1),
                                    .behind = lag_of(call, source->watermark) >
                                              (double)reading->settings->freshness_sla_seconds};
    }
}

enum error current_read(const struct reading *reading, struct current_report *report)
{
    struct inspection inspection = {.reading = reading};
    enum error error = sources_read(&reading->storage, &inspection.sources);

    *report = (struct current_report){.checked_at = reading->storage.now};
    if (!error)
        error = read_failed(&inspection);
    if (!error)
        error = inspect_all(&inspection, report);
    if (!error)
        show_sources(&inspection, report);
    return error;
}
