/* Checks components by the journal: available, fresh and without many faults. */
#include "livedata/reads/health.h"

#include "base/number.h"
#include "db/query.h"
#include "kafka/offsets.h"
#include "livedata/freshness/bounds.h"
#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>

enum { METRICS_TEXT_MAX = 4096 };

const char *const health_words[HEALTH_WORD__MAX] = {"healthy", "degraded", "unhealthy"};

#define OWNER struct health_component
static const struct field component_fields[] = {
    STRING(OWNER, name),
    CHOICE(OWNER, status, health_words, .choice_count = HEALTH_WORD__MAX),
    STRING(OWNER, message),
    STRING(OWNER, source),
    WRITTEN_JSON(OWNER, metrics, .help = "What the component was judged by."),
    OBJECT(OWNER, fault, health_fault_schema, .nullable = true, .omit_if_null = true),
};
static const struct field freshness_fields[] = {
    NULLABLE_NUMBER(OWNER, last_event_age_seconds), NULLABLE_NUMBER(OWNER, event_age_seconds),
    NULLABLE_NUMBER(OWNER, sla_seconds, .omit_if_null = true)};
static const struct field quality_fields[] = {
    NULLABLE_NUMBER(OWNER, pass_rate, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, total_events, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, rejected_events, .omit_if_null = true)};
static const struct field kafka_fields[] = {
    NULLABLE_INTEGER(OWNER, lag_records, .omit_if_null = true)};
static const struct field serving_fields[] = {
    STRING(OWNER, backend, .nullable = true, .omit_if_null = true)};
#undef OWNER
static SCHEMA(kafka_schema, struct health_component, "KafkaMetrics", kafka_fields);
static SCHEMA(component_schema, struct health_component, "HealthComponent", component_fields);
static SCHEMA(freshness_schema, struct health_component, "FreshnessMetrics", freshness_fields);
static SCHEMA(quality_schema, struct health_component, "QualityMetrics", quality_fields);
static SCHEMA(serving_schema, struct health_component, "ServingMetrics", serving_fields);

struct pool_metrics {
    int64_t pool_size, read_in_use, read_available;
    double read_utilization;
};

#define OWNER struct pool_metrics
static const struct field pool_fields[] = {INTEGER(OWNER, pool_size), INTEGER(OWNER, read_in_use),
                                           INTEGER(OWNER, read_available),
                                           NUMBER(OWNER, read_utilization)};
#undef OWNER
static SCHEMA(pool_schema, struct pool_metrics, "PoolMetrics", pool_fields);

#define OWNER struct health_report
static const struct field report_fields[] = {
    CHOICE(OWNER, status, health_words, .choice_count = HEALTH_WORD__MAX),
    TIME(OWNER, checked_at, .time = TIME_Z), OBJECTS(OWNER, components, component_schema)};
#undef OWNER
SCHEMA(health_schema, struct health_report, "HealthStatus", report_fields);

static const double clean_rate = 0.99, passable_rate = 0.95;

static const struct statement count_hour = {
    .name = "health_quality",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN topic = 'events.deadletter' THEN 1 ELSE 0 END),"
           " 0) FROM pipeline_events WHERE tenant_id = ? AND processed_at >= ?"
           " AND topic IN ('events.validated', 'events.deadletter')",
};

static struct health_component *add(struct health_report *report, const char *name,
                                    enum health_word word, enum health_code code,
                                    const char *message)
{
    struct health_component *component = &report->all[report->count++];

    *component =
        (struct health_component){.name = name,
                                  .status = word,
                                  .message = message,
                                  .fault = health_fault(word == HEALTHY ? HEALTH_GOOD : code)};
    return component;
}

static void judge_freshness(const struct storage_call *call,
                            const struct livedata_settings *settings, struct event_mark newest,
                            struct health_report *report)
{
    struct data_ages ages = data_ages(newest, call->now);
    double sla = settings->freshness_sla_seconds;
    bool known = ages.freshness_seconds.given;
    double age = known ? ages.freshness_seconds.value : 0;
    enum health_word word = ages.in_future                            ? UNHEALTHY
                            : !known || (age > sla && age <= 3 * sla) ? DEGRADED
                            : age <= sla                              ? HEALTHY
                                                                      : UNHEALTHY;
    struct health_component *component =
        add(report, "freshness", word,
            ages.in_future ? HEALTH_CLOCK_SET_BACK
            : known        ? HEALTH_EVENTS_LATE
                           : HEALTH_NO_EVENTS,
            ages.in_future ? "The last event was applied in the future: the clock was set back"
            : known        ? arena_print(call->arena, "Last event applied %.1f s ago", age)
                           : "No events yet");

    component->placeholder = !known && !ages.in_future;
    component->sla_seconds = GIVEN_NUMBER(sla);
    if (known)
        component->last_event_age_seconds = GIVEN_NUMBER(number_round(age, 1));
    if (ages.event_age_seconds.given)
        component->event_age_seconds = GIVEN_NUMBER(number_round(ages.event_age_seconds.value, 1));
}

static void judge_quality(const struct storage_call *call, int64_t total, int64_t rejected,
                          struct health_report *report)
{
    double rate = total ? 1 - (double)rejected / (double)total : 0;
    enum health_word word = !total || (rate < clean_rate && rate >= passable_rate) ? DEGRADED
                            : rate >= clean_rate                                   ? HEALTHY
                                                                                   : UNHEALTHY;
    struct health_component *component =
        add(report, "quality", word, total ? HEALTH_EVENTS_REJECTED : HEALTH_NO_EVENTS,
            total ? arena_print(call->arena, "%lld of %lld events rejected in the last hour",
                                (long long)rejected, (long long)total)
                  : "No events in the last hour");

    component->placeholder = !total;
    component->total_events = GIVEN_INTEGER(total);
    component->rejected_events = GIVEN_INTEGER(rejected);
    if (total)
        component->pass_rate = GIVEN_NUMBER(number_round(rate, 4));
}

/* The bridge writes down when it heard of the broker, so this is true of all hosts. */
static void judge_kafka(const struct storage_call *call, struct health_report *report)
{
    struct kafka_lag *lags, all;
    struct health_component *component;
    double silence;
    size_t count;

    if (kafka_lags_read(call->db, call->arena, &lags, &count, call->problem))
        return;
    all = kafka_lag_of_all(lags, count);
    silence = (double)(call->now - all.seen_at) / 1e6;
    component = add(
        report, "kafka",
        !count                            ? DEGRADED
        : silence > KAFKA_SILENCE_SECONDS ? UNHEALTHY
                                          : HEALTHY,
        count ? HEALTH_KAFKA_SILENT : HEALTH_KAFKA_WITHOUT_TOPICS,
        !count ? "The bridge has not found a topic yet"
               : arena_print(call->arena, "%lld records behind, broker heard of %.0f s ago%s",
                             (long long)all.records, silence, kafka_lag_text(call->arena, &all)));
    component->placeholder = !count;
    component->lag_records = GIVEN_INTEGER(all.records);
}

static enum error read_events(const struct storage_call *call, struct event_mark *newest,
                              int64_t *total, int64_t *rejected)
{
    struct query *query;
    enum error error = newest_applied(call, newest);

    if (error)
        return error;
    query = db_query(call->db, &count_hour);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, call->now - us_per_hour);
    if (query_next(query)) {
        *total = query_integer(query, 0);
        *rejected = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

void health_inspect(const struct storage_call *call, const struct livedata_settings *settings,
                    struct health_report *report)
{
    struct event_mark newest = {0};
    int64_t total = 0, rejected = 0;
    bool there = call->db && read_events(call, &newest, &total, &rejected) == ERROR_NONE;
    struct health_component *serving;

    *report = (struct health_report){.checked_at = call->now};
    if (settings->kafka.brokers && call->db)
        judge_kafka(call, report);
    serving = add(report, "serving", there ? HEALTHY : UNHEALTHY, HEALTH_DATABASE_UNREACHABLE,
                  there ? "The store answers" : "The store does not answer");
    serving->backend = call->db && db_engine(call->db) == DB_POSTGRES ? "postgres" : "sqlite";
    if (there) {
        judge_freshness(call, settings, newest, report);
        judge_quality(call, total, rejected, report);
    }
    for (size_t i = 0; i < report->count; i++)
        if (report->all[i].status > report->status)
            report->status = report->all[i].status;
}

enum health_word health_now(const struct storage_call *call,
                            const struct livedata_settings *settings, struct live_cache *cache)
{
    const char *key = arena_print(call->arena, "health:%s", call->tenant), *kept;
    struct health_report report;
    struct shm_cache_ticket ticket;

    if (live_cache_find(cache, call, key, "", &ticket, &kept))
        return *kept == '0' ? HEALTHY : *kept == '1' ? DEGRADED : UNHEALTHY;
    health_inspect(call, settings, &report);
    live_cache_keep(cache, key, &ticket, settings->health_cache_seconds,
                    report.status == HEALTHY    ? "0"
                    : report.status == DEGRADED ? "1"
                                                : "2");
    return report.status;
}

bool ages_now(const struct storage_call *call, struct live_cache *cache, struct data_ages *ages)
{
    struct live_mark mark;

    if (!mark_read(call, cache, &mark))
        return false;
    *ages = data_ages(mark.newest, call->now);
    return true;
}

static const char *metrics_of(struct arena *arena, struct health_component component, bool whole)
{
    const struct schema *schema = &serving_schema;

    if (strcmp(component.name, "freshness") == 0)
        schema = &freshness_schema;
    else if (strcmp(component.name, "quality") == 0)
        schema = &quality_schema;
    else if (strcmp(component.name, "kafka") == 0)
        schema = &kafka_schema;
    if (!whole) {
        component.sla_seconds = component.pass_rate = (struct optional_number){0};
        component.total_events = component.rejected_events = component.lag_records =
            (struct optional_integer){0};
        component.backend = NULL;
    }
    return schema_json(arena, METRICS_TEXT_MAX, schema, &component);
}

/* A connection reads and writes, so the two are not counted separately. If connections are not
 * counted, there are no metrics. */
static const char *pool_metrics(struct arena *arena, const struct db_pool_figures *pool)
{
    int left = pool->limit - pool->held;
    const struct pool_metrics metrics = {.pool_size = pool->limit,
                                         .read_in_use = pool->held,
                                         .read_available = left > 0 ? left : 0,
                                         .read_utilization =
                                             number_round(pool->held / (double)pool->limit, 4)};

    return pool->size ? schema_json(arena, METRICS_TEXT_MAX, &pool_schema, &metrics) : "{}";
}

void health_show(struct arena *arena, struct health_report *report, bool whole,
                 const struct db_pool_figures *pool)
{
    struct health_component *connections;

    for (size_t i = 0; i < report->count; i++) {
        struct health_component *component = &report->all[i];

        component->message = whole ? component->message : "";
        component->source = component->placeholder ? "placeholder" : "live";
        component->metrics = metrics_of(arena, *component, whole);
    }
    connections = add(report, "db_pool", HEALTHY, HEALTH_GOOD, "");
    connections->source = pool->size ? "live" : "placeholder";
    connections->metrics = pool_metrics(arena, pool);
    report->components = (struct object_list){report->count, report->all};
}
