/* Lineage and time lines out of the journal. */
#include "livedata/reads/traces.h"

#include "base/number.h"
#include "livedata/entities/rows.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/journal/journal.h"
#include "livedata/moment.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 1000 };

#define STATUS_PREFIX "order.status."

static enum error find_type(const struct reading *reading, const char *name,
                            const struct entity_type **type)
{
    struct problem *problem = reading->storage.problem;

    *type = catalog_entity(reading->catalog, name);
    if (!may_see_type(reading, name))
        return problem_set(problem, ERROR_FORBIDDEN, "entity_forbidden",
                           "API key '%s' cannot access entity type '%.100s'.", reading->key_name,
                           name);
    if (!*type)
        return problem_set(problem, ERROR_NOT_FOUND, "unknown_entity_type",
                           "Unknown entity type: %.100s. Available: %s", name,
                           catalog_entity_names(reading->catalog, reading->storage.arena));
    return ERROR_NONE;
}

/* What the rows of an entity say together. */
struct trace {
    int64_t earliest, latest, latest_validated;
    int64_t event_at; /* own time of the latest validated event */
    bool validated;
    double all_latency, validated_latency;
    int64_t all_count, validated_count;
    const char *raw_topic;
    const char *source;
    const char *way_in;
};

static bool is_letter(const struct journal_row *row)
{
    return strcmp(row->topic, TOPIC_DEADLETTER) == 0 || strcmp(row->topic, TOPIC_REPLAYED) == 0;
}

static void look(const struct journal_rows *rows, struct trace *trace)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct journal_row *row = &rows->items[i];
        bool validated = strcmp(row->topic, TOPIC_VALIDATED) == 0;

        if (!trace->earliest || row->processed_at < trace->earliest)
            trace->earliest = row->processed_at;
        if (row->processed_at > trace->latest)
            trace->latest = row->processed_at;
        if (!trace->source)
            trace->source = row->source;
        if (!trace->way_in)
            trace->way_in = row->way_in;
        if (row->latency_ms.given) {
            trace->all_latency += (double)row->latency_ms.value;
            trace->all_count++;
        }
        if (validated) {
            trace->validated = true;
            trace->latest_validated = row->processed_at;
            trace->event_at = row->processed_at - row->latency_ms.value * 1000;
            trace->validated_latency += row->latency_ms.given ? (double)row->latency_ms.value : 0;
            trace->validated_count += row->latency_ms.given;
        } else if (!trace->raw_topic && !is_letter(row)) {
            trace->raw_topic = row->topic;
        }
    }
}

static struct optional_number quality(double latency, int64_t count, struct optional_number other)
{
    if (!count)
        return other;
    return GIVEN_NUMBER(number_round(fmin(fmax(1 - latency / (double)count / 1000, 0), 1), 3));
}

static void write_node(struct json_writer *writer, const char *layer, const char *system,
                       const char *topic, int64_t at, struct optional_number score)
{
    writer_open_object(writer);
    writer_key_string(writer, "layer", layer);
    writer_key_string(writer, "system", system);
    writer_key_string(writer, "table_or_topic", topic);
    moment_write(writer, "processed_at", at);
    if (score.given)
        writer_key_number(writer, "quality_score", score.value);
    else
        writer_key_null(writer, "quality_score");
    writer_close_object(writer);
}

static const char *raw_topic_of(struct arena *arena, const char *type)
{
    static const struct {
        const char *type, *topic;
    } topics[] = {{"order", "orders.raw"},
                  {"user", "orders.raw"},
                  {"product", "products.cdc"},
                  {"session", "clicks.raw"}};

    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (strcmp(topics[i].type, type) == 0)
            return topics[i].topic;
    return arena_print(arena, "%s.raw", type);
}

static void write_nodes(struct json_writer *writer, const struct reading *reading,
                        const struct entity_type *type, const struct trace *trace)
{
    const struct optional_number none = {0}, one = GIVEN_NUMBER(1.0);
    const char *topic =
        trace->raw_topic ? trace->raw_topic : raw_topic_of(reading->storage.arena, type->name);
    const char *backend = db_engine(reading->storage.db) == DB_SQLITE ? "sqlite" : "postgres";

    write_node(writer, "source", trace->source ? trace->source : "unknown", topic, trace->earliest,
               none);
    write_node(writer, "ingestion", trace->way_in ? trace->way_in : "http", topic, trace->earliest,
               quality(trace->all_latency, trace->all_count, one));
    write_node(writer, "validation", "pipeline", TOPIC_VALIDATED,
               trace->validated ? trace->latest_validated : trace->latest,
               GIVEN_NUMBER(trace->validated ? 1.0 : 0.0));
    write_node(
        writer, "enrichment", backend, type->table->name, trace->latest,
        quality(trace->validated_latency, trace->validated_count, trace->validated ? one : none));
    write_node(writer, "serving", "fastcgi", type->table->name, trace->latest,
               trace->validated ? one : none);
}

static void write_rounded_ages(struct json_writer *writer, struct data_ages ages)
{
    ages.freshness_seconds.value = number_round(ages.freshness_seconds.value, 3);
    ages.event_age_seconds.value = number_round(ages.event_age_seconds.value, 3);
    data_ages_write(writer, ages);
}

enum error write_lineage(struct json_writer *writer, const struct reading *reading,
                         const char *type_name, const char *id)
{
    const struct entity_type *type;
    struct trace trace = {0};
    struct journal_rows rows;
    enum error error = find_type(reading, type_name, &type);

    if (!error)
        error = journal_of_entity(&reading->storage, id, false, ROWS_MAX, &rows);
    if (error)
        return error;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.items[i].entity_type && strcmp(rows.items[i].entity_type, type_name) != 0)
            rows.items[i--] = rows.items[--rows.count];
    if (!rows.count)
        return problem_set(reading->storage.problem, ERROR_NOT_FOUND, "lineage_not_found",
                           "No lineage found for %.100s/%.300s", type_name, id);
    look(&rows, &trace);
    writer_open_object(writer);
    writer_key_string(writer, "entity_type", type_name);
    writer_key_string(writer, "entity_id", id);
    writer_key(writer, "lineage");
    writer_open_array(writer);
    write_nodes(writer, reading, type, &trace);
    writer_close_array(writer);
    write_rounded_ages(writer,
                       data_ages((struct event_mark){trace.latest_validated, trace.event_at},
                                 reading->storage.now));
    writer_key_boolean(writer, "validated", trace.validated);
    writer_key_boolean(writer, "enriched", trace.validated);
    writer_close_object(writer);
    return ERROR_NONE;
}

/* Since when the order is in its state: by the journal, else since it was created. */
static int64_t entered_at(const struct journal_rows *states, const char *status, bool *journal)
{
    for (size_t i = states->count; i > 0; i--) {
        const char *type = states->items[i - 1].event_type;

        if (type && strncmp(type, STATUS_PREFIX, sizeof STATUS_PREFIX - 1) == 0 &&
            strcmp(type + sizeof STATUS_PREFIX - 1, status) == 0) {
            *journal = true;
            return states->items[i - 1].processed_at;
        }
    }
    *journal = false;
    return 0;
}

static void write_stage(struct json_writer *writer, const struct reading *reading,
                        const struct entity_type *type, const struct entity_row *row,
                        const struct journal_rows *states)
{
    const char *status = entity_row_value(row, "status")->text;
    const struct entity_stage *stage = entity_stage(type, status);
    bool journal, timed = stage && !stage->terminal && stage->sla_minutes.given;
    int64_t entered = entered_at(states, status, &journal);
    double inside;

    if (!journal)
        entered = entity_row_value(row, "created_at")->integer;
    inside = moment_seconds(entered, reading->storage.now);
    writer_key(writer, "stage");
    writer_open_object(writer);
    writer_key_string(writer, "current", status);
    moment_write(writer, "entered_at", entered);
    writer_key_number(writer, "in_stage_seconds", inside);
    if (timed)
        writer_key_number(writer, "sla_minutes", stage->sla_minutes.value);
    else
        writer_key_null(writer, "sla_minutes");
    if (timed && entered)
        writer_key_boolean(writer, "breached", inside > stage->sla_minutes.value * 60);
    else
        writer_key_null(writer, "breached");
    writer_key_string(writer, "clock", journal ? "journal" : "fallback");
    writer_close_object(writer);
}

static void write_history(struct json_writer *writer, const struct journal_rows *states)
{
    writer_key(writer, "stage_history");
    writer_open_array(writer);
    for (size_t i = 0; i < states->count; i++) {
        const char *type = states->items[i].event_type;

        if (!type || strncmp(type, STATUS_PREFIX, sizeof STATUS_PREFIX - 1) != 0)
            continue;
        writer_open_object(writer);
        writer_key_string(writer, "status", type + sizeof STATUS_PREFIX - 1);
        moment_write(writer, "at", states->items[i].processed_at);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_trail(struct json_writer *writer, const struct journal_rows *rows)
{
    writer_key(writer, "pipeline_trail");
    writer_open_array(writer);
    for (size_t i = 0; i < rows->count; i++) {
        const struct journal_row *row = &rows->items[i];

        writer_open_object(writer);
        writer_key_string(writer, "event_id", row->event_id);
        writer_key_string(writer, "topic", row->topic);
        writer_key_string(writer, "event_type", row->event_type);
        if (row->latency_ms.given)
            writer_key_integer(writer, "latency_ms", row->latency_ms.value);
        else
            writer_key_null(writer, "latency_ms");
        moment_write(writer, "processed_at", row->processed_at);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static enum error write_customer(struct json_writer *writer, const struct reading *reading,
                                 const char *user_id)
{
    const struct entity_type *type = catalog_entity(reading->catalog, "user");
    struct entity_row row;
    bool found = false;
    enum error error = ERROR_NONE;

    if (type && may_see_type(reading, "user"))
        error = entity_row_read(&reading->storage, type->table, user_id, &row, &found);
    writer_key(writer, "customer");
    if (error || !found) {
        writer_null(writer);
        return error;
    }
    writer_open_object(writer);
    entity_row_write(writer, type, &row, reading->storage.now);
    writer_close_object(writer);
    return ERROR_NONE;
}

static enum error write_exceptions(struct json_writer *writer, const struct reading *reading,
                                   const struct journal_rows *rows)
{
    enum error error = ERROR_NONE;

    writer_key(writer, "exceptions");
    writer_open_array(writer);
    for (size_t i = 0; !error && i < rows->count; i++) {
        const struct journal_row *row = &rows->items[i];
        struct arena *arena = reading->storage.arena;
        struct dead_letter letter;

        if (!is_letter(row))
            continue;
        error = dead_letter_find(&reading->storage, row->event_id, &letter);
        if (error == ERROR_NOT_FOUND) {
            error = ERROR_NONE;
            continue;
        }
        if (error)
            break;
        writer_open_object(writer);
        writer_key_string(writer, "event_id", row->event_id);
        writer_key_string(writer, "failure_reason", letter.reason);
        writer_key_string(writer, "status", letter.status);
        moment_write(writer, "occurred_at", letter.received_at);
        writer_key(writer, "actions");
        writer_open_object(writer);
        writer_key_string(writer, "replay",
                          arena_print(arena, "/v1/deadletter/%s/replay", row->event_id));
        writer_key_string(writer, "dismiss",
                          arena_print(arena, "/v1/deadletter/%s/dismiss", row->event_id));
        writer_close_object(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    return error;
}

enum error write_timeline(struct json_writer *writer, const struct reading *reading,
                          const char *order_id)
{
    const struct entity_type *type;
    struct journal_rows states, rows;
    struct entity_row row;
    bool found = false;
    enum error error = find_type(reading, "order", &type);

    if (!error)
        error = entity_row_read(&reading->storage, type->table, order_id, &row, &found);
    if (error)
        return error;
    if (!found)
        return problem_set(reading->storage.problem, ERROR_NOT_FOUND, "entity_not_found",
                           "order/%.300s not found", order_id);
    error = journal_of_entity(&reading->storage, order_id, true, ROWS_MAX, &states);
    if (!error)
        error = journal_of_entity(&reading->storage, order_id, false, ROWS_MAX, &rows);
    if (error)
        return error;
    writer_open_object(writer);
    writer_key(writer, "order");
    writer_open_object(writer);
    entity_row_write(writer, type, &row, reading->storage.now);
    writer_close_object(writer);
    write_stage(writer, reading, type, &row, &states);
    write_history(writer, &states);
    write_trail(writer, &rows);
    write_rounded_ages(
        writer, data_ages(entity_row_mark(&row, reading->storage.now), reading->storage.now));
    error = write_customer(writer, reading, entity_row_value(&row, "user_id")->text);
    if (!error)
        error = write_exceptions(writer, reading, &rows);
    if (!error)
        writer_close_object(writer);
    return error;
}
