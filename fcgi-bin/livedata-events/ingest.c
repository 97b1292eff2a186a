/* Events in: one, several, or lines of JSON. */
#include "livedata-events/events.h"

#include "kafka/publisher.h"
#include "livedata/service_metrics.h"

#include <string.h>

struct ingest_answer {
    int64_t accepted, applied, dead_lettered, duplicates, heartbeats;
    OBJECT_LIST(struct apply_result, results);
    OBJECT_LIST(struct kafka_published, published);
    const char *position;
};

#define POSITION_HELP                                                                              \
    "How far the tenant's events were stored: a read with `at_least` shows everything up to it, "  \
    "on every host. Positions of a tenant compare as texts."

#define OWNER struct ingest_answer
static const struct field ingest_fields[] = {
    APPLY_COUNT_ROWS, OBJECTS(OWNER, results, apply_result_schema), INTEGER(OWNER, heartbeats),
    STRING(OWNER, position, .nullable = true, .help = POSITION_HELP),
    OBJECTS(OWNER, published, kafka_published_schema, .omit_if_null = true,
            .help = "With 202: where in Kafka the events lie, which count when the bridge has "
                    "applied them.")};
#undef OWNER
SCHEMA(ingest_schema, struct ingest_answer, "IngestResponse", ingest_fields);

enum { UNREADABLE_KEPT = 1000 };

/* What was sent, as values; lines that are none stand as texts. */
struct sent {
    size_t count;
    json_t **items;
    struct heartbeats beats;
};

static enum error too_many(struct request *request, int64_t most)
{
    return request_fault(request, "body", "events", "too_long",
                         arena_print(request->arena,
                                     "List should have at most %lld items after validation",
                                     (long long)most));
}

/* A line that is no JSON, as the text that it is: no event, but kept in its dead letter. */
static json_t *text_value(struct arena *arena, const char *line, size_t length)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *value = NULL;

    text_start(&text, arena, 6 * UNREADABLE_KEPT + 16);
    writer_start(&writer, &text);
    writer_bytes(&writer, line,
                 utf8_valid_prefix(line, length < UNREADABLE_KEPT ? length : UNREADABLE_KEPT));
    if (json_read(arena, text.bytes, text.length, JSON_DEPTH_LIMIT, &value, &fault))
        return NULL;
    return value;
}

/* One JSON text per line. A line that cannot be read becomes a text, which is no event. */
static enum error read_lines(struct request *request, struct sent *sent)
{
    int64_t most = service_settings(request)->ingest_max_batch;
    const char *at = request->bytes, *end = request->bytes + request->length;

    sent->items = ARENA_ARRAY(request->arena, json_t *, (size_t)most + 1);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        struct json_fault fault;

        if (length && at[length - 1] == '\r')
            length--;
        if (length && sent->count == (size_t)most)
            return too_many(request, most);
        if (length && json_read(request->arena, at, length, JSON_DEPTH_LIMIT,
                                &sent->items[sent->count], &fault))
            sent->items[sent->count] = text_value(request->arena, at, length);
        sent->count += length > 0;
        at = stop ? stop + 1 : end;
    }
    return ERROR_NONE;
}

static enum error read_document(struct request *request, struct sent *sent)
{
    int64_t most = service_settings(request)->ingest_max_batch;
    struct json_fault fault;
    const json_t *events, *event, *beats;
    json_t *document;
    size_t i;

    if (json_read(request->arena, request->bytes, request->length, JSON_DEPTH_LIMIT, &document,
                  &fault))
        return request_fault(request, "body", NULL, "json_invalid",
                             arena_copy_string(request->arena, fault.text));
    if (!json_is_object(document))
        return request_fault(request, "body", NULL, "dict_type",
                             "Input should be a valid dictionary");
    events = json_object_get(document, "events");
    beats =
        json_object_get(document, "event_type") ? NULL : json_object_get(document, "heartbeats");
    if (beats && heartbeats_read(request, beats, &sent->beats))
        return ERROR_MALFORMED;
    if (beats && !events)
        return request_check_names(request, NULL, document, (const char *const[]){"heartbeats"}, 1);
    if (!events) {
        sent->items = ARENA_ARRAY(request->arena, json_t *, 1);
        sent->items[sent->count++] = document;
        return ERROR_NONE;
    }
    if (request_check_names(request, NULL, document, (const char *const[]){"events", "heartbeats"},
                            2))
        return ERROR_MALFORMED;
    if (!json_is_array(events))
        return request_fault(request, "body", "events", "list_type",
                             "Input should be a valid list");
    if (json_array_size(events) > (size_t)most)
        return too_many(request, most);
    sent->items = ARENA_ARRAY(request->arena, json_t *, json_array_size(events) + 1);
    json_array_foreach(events, i, event)
    {
        sent->items[sent->count++] = (json_t *)event;
    }
    return ERROR_NONE;
}

static enum error read_events(struct request *request, struct sent *sent)
{
    const char *type = request_header(request, "CONTENT_TYPE");

    *sent = (struct sent){0};
    if (type && strncmp(type, "application/x-ndjson", 20) == 0)
        return read_lines(request, sent);
    return read_document(request, sent);
}

void events_count(const struct request *request, const struct apply_counts *counts)
{
    struct metrics *metrics = request->server->metrics;
    static const char *const reason[] = {"refused"};

    metric_add(metrics, SERVICE_METRIC_APPLIED, NULL, (double)counts->applied);
    metric_add(metrics, SERVICE_METRIC_DUPLICATES, NULL, (double)counts->duplicates);
    if (counts->dead_lettered)
        metric_add(metrics, SERVICE_METRIC_DEAD_LETTERED, reason, (double)counts->dead_lettered);
    metric_observe(metrics, SERVICE_METRIC_BATCH_SIZE, NULL, (double)counts->accepted);
}

/* A heartbeat says that all events before it were sent. In Kafka it could overtake them. */
static enum error publish_events(struct request *request, struct reply *reply,
                                 const struct sent *sent)
{
    struct ingest_answer *answer = ARENA_NEW(request->arena, struct ingest_answer);
    enum error error = service_may_ingest(request);

    if (error)
        return error;
    if (sent->beats.count)
        return request_fault(request, "body", "heartbeats", "value_error",
                             "Heartbeats cannot be kept while LIVE_INTAKE is kafka");
    error = service_publish(request, sent->items, sent->count, &answer->published);
    if (error)
        return error;
    answer->accepted = (int64_t)sent->count;
    events_count(request, &(struct apply_counts){.accepted = answer->accepted});
    metric_add(request->server->metrics, SERVICE_METRIC_PUBLISHED, NULL, (double)sent->count);
    reply->status = 202;
    reply->object = answer;
    return ERROR_NONE;
}

enum error events_handle(struct request *request, struct reply *reply)
{
    struct ingest_answer *answer = ARENA_NEW(request->arena, struct ingest_answer);
    struct apply_result *results;
    struct apply_counts counts;
    struct apply_call call;
    struct sent sent;
    enum error error = read_events(request, &sent);

    if (!error && service_settings(request)->intake == KAFKA_INTAKE_KAFKA)
        return publish_events(request, reply, &sent);
    if (!error)
        error = service_applying(request, &call);
    if (error)
        return error;
    call.heartbeats = sent.beats.items;
    call.heartbeat_count = sent.beats.count;
    results = ARENA_ARRAY(request->arena, struct apply_result, sent.count + 1);
    error = apply_batch(&call, sent.items, sent.count, results, &counts);
    if (error)
        return error;
    service_ring(request);
    events_count(request, &counts);
    *answer = (struct ingest_answer){.accepted = counts.accepted,
                                     .applied = counts.applied,
                                     .dead_lettered = counts.dead_lettered,
                                     .duplicates = counts.duplicates,
                                     .results = {sent.count, results},
                                     .heartbeats = (int64_t)sent.beats.count,
                                     .position = service_position(request, reply, call.position)};
    reply->object = answer;
    return ERROR_NONE;
}
