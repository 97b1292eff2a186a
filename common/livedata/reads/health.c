/* Judging components by the journal: is it there, is it fresh, is it clean. */
#include "livedata/reads/health.h"

#include "base/number.h"
#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const health_words[] = {"healthy", "degraded", "unhealthy"};

static const double clean_rate = 0.99, passable_rate = 0.95;

static const struct statement count_hour = {
    .name = "health_quality",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN topic = 'events.deadletter' THEN 1 ELSE 0 END),"
           " 0) FROM pipeline_events WHERE tenant_id = ? AND processed_at >= ?"
           " AND topic IN ('events.validated', 'events.deadletter')",
};

static struct health_component *add(struct health_report *report, const char *name,
                                    enum health_word word, const char *message)
{
    struct health_component *component = &report->components[report->count++];

    *component = (struct health_component){.name = name, .word = word, .message = message};
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
            ages.in_future ? "The last event was applied in the future: the clock was set back"
            : known        ? arena_print(call->arena, "Last event applied %.1f s ago", age)
                           : "No events yet");

    component->placeholder = !known && !ages.in_future;
    component->sla_seconds = GIVEN_NUMBER(sla);
    if (known)
        component->age_seconds = GIVEN_NUMBER(number_round(age, 1));
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
        add(report, "quality", word,
            total ? arena_print(call->arena, "%lld of %lld events rejected in the last hour",
                                (long long)rejected, (long long)total)
                  : "No events in the last hour");

    component->placeholder = !total;
    component->total = GIVEN_INTEGER(total);
    component->rejected = GIVEN_INTEGER(rejected);
    if (total)
        component->pass_rate = GIVEN_NUMBER(number_round(rate, 4));
}

static enum error look(const struct storage_call *call, struct event_mark *newest, int64_t *total,
                       int64_t *rejected)
{
    struct query *query;
    enum error error = newest_applied(call, newest);

    if (error)
        return error;
    query = db_query(call->db, &count_hour);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, call->now - moment_hour);
    if (query_next(query)) {
        *total = query_integer(query, 0);
        *rejected = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

void health_look(const struct storage_call *call, const struct livedata_settings *settings,
                 struct health_report *report)
{
    struct event_mark newest = {0};
    int64_t total = 0, rejected = 0;
    bool there = call->db && look(call, &newest, &total, &rejected) == ERROR_NONE;
    struct health_component *serving;

    *report = (struct health_report){.checked_at = call->now};
    serving = add(report, "serving", there ? HEALTHY : UNHEALTHY,
                  there ? "The store answers" : "The store does not answer");
    serving->backend = call->db && db_engine(call->db) == DB_POSTGRES ? "postgres" : "sqlite";
    if (there) {
        judge_freshness(call, settings, newest, report);
        judge_quality(call, total, rejected, report);
    }
    for (size_t i = 0; i < report->count; i++)
        if (report->components[i].word > report->word)
            report->word = report->components[i].word;
}

enum health_word health_now(const struct storage_call *call,
                            const struct livedata_settings *settings, struct live_cache *cache)
{
    const char *key = arena_print(call->arena, "health:%s", call->tenant), *kept;
    struct health_report report;
    struct shm_cache_ticket ticket;

    if (live_cache_find(cache, call, key, "", &ticket, &kept))
        return *kept == '0' ? HEALTHY : *kept == '1' ? DEGRADED : UNHEALTHY;
    health_look(call, settings, &report);
    live_cache_keep(cache, key, &ticket, settings->health_cache_seconds,
                    report.word == HEALTHY    ? "0"
                    : report.word == DEGRADED ? "1"
                                              : "2");
    return report.word;
}

bool ages_now(const struct storage_call *call, struct live_cache *cache, struct data_ages *ages)
{
    const char *key = arena_print(call->arena, "mark:%s", call->tenant), *kept;
    struct shm_cache_ticket ticket;
    struct event_mark newest;

    if (live_cache_find(cache, call, key, "pipeline_events", &ticket, &kept)) {
        char *rest;

        newest.applied_at = strtoll(kept, &rest, 10);
        newest.event_at = strtoll(rest, NULL, 10);
    } else {
        if (newest_applied(call, &newest))
            return false;
        live_cache_witness(cache, call);
        live_cache_keep(cache, key, &ticket, 60,
                        arena_print(call->arena, "%lld %lld", (long long)newest.applied_at,
                                    (long long)newest.event_at));
    }
    *ages = data_ages(newest, call->now);
    return true;
}

static void write_number(struct json_writer *writer, const char *key, struct optional_number value)
{
    if (value.given)
        writer_key_number(writer, key, value.value);
}

static void write_metrics(struct json_writer *writer, const struct health_component *component,
                          bool whole)
{
    writer_key(writer, "metrics");
    writer_open_object(writer);
    if (strcmp(component->name, "freshness") == 0) {
        if (component->age_seconds.given)
            write_number(writer, "last_event_age_seconds", component->age_seconds);
        else
            writer_key_null(writer, "last_event_age_seconds");
        write_optional_number(writer, "event_age_seconds", component->event_age_seconds);
    }
    if (whole) {
        write_number(writer, "sla_seconds", component->sla_seconds);
        write_number(writer, "pass_rate", component->pass_rate);
        if (component->total.given) {
            writer_key_integer(writer, "total_events", component->total.value);
            writer_key_integer(writer, "rejected_events", component->rejected.value);
        }
        if (component->backend)
            writer_key_string(writer, "backend", component->backend);
    }
    writer_close_object(writer);
}

/* A connection reads and writes, so there is no telling the two apart. Where connections are not
 * counted there are no figures. */
static void write_pool(struct json_writer *writer, const struct db_pool_figures *pool)
{
    int left = pool->limit - pool->held;

    writer_open_object(writer);
    writer_key_string(writer, "name", "db_pool");
    writer_key_string(writer, "status", health_words[HEALTHY]);
    writer_key_string(writer, "message", "");
    writer_key_string(writer, "source", pool->size ? "live" : "placeholder");
    writer_key(writer, "metrics");
    writer_open_object(writer);
    if (pool->size) {
        writer_key_integer(writer, "pool_size", pool->limit);
        writer_key_integer(writer, "read_in_use", pool->held);
        writer_key_integer(writer, "read_available", left > 0 ? left : 0);
        writer_key_number(writer, "read_utilization",
                          number_round(pool->held / (double)pool->limit, 4));
    }
    writer_close_object(writer);
    writer_close_object(writer);
}

void health_write(struct json_writer *writer, const struct health_report *report, bool whole,
                  const struct db_pool_figures *pool)
{
    writer_open_object(writer);
    writer_key_string(writer, "status", health_words[report->word]);
    moment_write(writer, "checked_at", report->checked_at);
    writer_key(writer, "components");
    writer_open_array(writer);
    for (size_t i = 0; i < report->count; i++) {
        const struct health_component *component = &report->components[i];

        writer_open_object(writer);
        writer_key_string(writer, "name", component->name);
        writer_key_string(writer, "status", health_words[component->word]);
        writer_key_string(writer, "message", whole ? component->message : "");
        writer_key_string(writer, "source", component->placeholder ? "placeholder" : "live");
        write_metrics(writer, component, whole);
        writer_close_object(writer);
    }
    write_pool(writer, pool);
    writer_close_array(writer);
    writer_close_object(writer);
}
