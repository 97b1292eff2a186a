/* The stream of events: the handler sends missed events, the hub sends new ones. */
#include "livedata-streams/events.h"

#include "base/clock.h"
#include "base/number.h"
#include "livedata/freshness/position.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>

enum {
    NEWEST_SHOWN = 10,
    MISSED_MOST = 10000,
    FILTER_TEXT = 257,
    ROW_BYTES_MAX = 65536,
    TYPES_TEXT = 2049
};

struct stream_query {
    const char *event_type;
    const char *entity_id;
    const char *after;
};

#define OWNER struct stream_query
static const struct field stream_query_fields[] = {
    STRING(OWNER, event_type, .nullable = true, .max_length = 256,
           .help = "order, payment, clickstream, inventory, or one type."),
    STRING(OWNER, entity_id, .nullable = true, .max_length = 256, .help = "One entity."),
    STRING(OWNER, after, .nullable = true, .max_length = 64,
           .help = "A position, of an answer or an event: the stream begins after it, instead of "
                   "with the newest ten. Last-Event-ID comes before it."),
};
#undef OWNER
SCHEMA(stream_query_schema, struct stream_query, "StreamQuery", stream_query_fields);

/* The filter of a stream; the hub keeps it up to the end of the last text. */
struct wanted {
    char family[FILTER_TEXT], entity_id[FILTER_TEXT], types[TYPES_TEXT]; /* "" = all */
};

static struct journal_filter filter_of(const struct wanted *wanted)
{
    return (struct journal_filter){*wanted->family ? wanted->family : NULL,
                                   *wanted->entity_id ? wanted->entity_id : NULL,
                                   *wanted->types ? wanted->types : NULL};
}

static const char *row_json(struct arena *arena, const struct journal_row *row)
{
    const struct live_position position = {row->seq, row->processed_at};
    struct journal_row shown = *row;
    char text[POSITION_TEXT];

    position_format(position, text);
    shown.position = text;
    return journal_row_text(arena, &shown, false, ROW_BYTES_MAX);
}

static enum error storage_of_server(struct server *server, struct arena *arena,
                                    struct storage_call *call, struct problem *problem)
{
    const struct request request = {.state = server->state};

    *call = (struct storage_call){
        .arena = arena, .problem = problem, .tenant = "default", .now = clock_unix_microseconds()};
    return store_database(service_store(&request), &call->db, problem);
}

static enum error newest(struct server *server, int64_t *sequence, struct problem *problem)
{
    struct storage_call call;
    enum error error = storage_of_server(server, NULL, &call, problem);

    return error ? error : journal_last_seq(&call, sequence);
}

/* A client that gets an event must not read older state afterwards: the event may come from another
 * host. */
static void follow(struct server *server, const struct storage_call *call)
{
    const struct request request = {.state = server->state};

    (void)live_cache_follow(service_cache(&request), call);
}

static enum error read_news(struct server *server, struct arena *arena, int64_t after,
                            struct hub_event *events, size_t *count, struct problem *problem)
{
    struct storage_call call;
    struct journal_rows rows;
    enum error error = storage_of_server(server, arena, &call, problem);

    *count = 0;
    if (!error)
        error = journal_after_all(&call, after, HUB_EVENTS_MAX, &rows);
    if (!error && rows.count)
        follow(server, &call);
    for (size_t i = 0; !error && i < rows.count; i++)
        events[(*count)++] = (struct hub_event){.sequence = rows.items[i].seq,
                                                .tenant = rows.items[i].tenant,
                                                .data = row_json(arena, &rows.items[i]),
                                                .detail = &rows.items[i]};
    return error;
}

static bool wants(const struct hub_event *event, const void *filter)
{
    const struct journal_row *row = event->detail;
    const struct journal_filter wanted = filter_of(filter);

    return journal_matches(&wanted, row);
}

const struct hub stream_hub = {.newest = newest, .read = read_news, .wants = wants, .poll_ms = 100};

static bool send_row(struct request *request, struct stream *stream, const struct journal_row *row)
{
    char id[NUMBER_TEXT_MAX];

    integer_format(row->seq, id);
    return stream_event(stream, NULL, id, row_json(request->arena, row));
}

/* Without the header: the newest ten of those that were applied last. */
static enum error replay_newest(struct request *request, struct stream *stream,
                                const struct storage_call *call, const struct wanted *wanted,
                                int64_t reached)
{
    const struct journal_filter filter = filter_of(wanted);
    struct journal_rows rows;
    enum error error = journal_newest(call, &filter, NEWEST_SHOWN,
                                      service_settings(request)->stream_look_rows, &rows);

    for (size_t i = 0; !error && i < rows.count && rows.items[i].seq <= reached; i++)
        if (!send_row(request, stream, &rows.items[i]))
            break;
    return error;
}

/* With the header, sends all later events, page by page, up to the limit of one process while its
 * other streams wait. A client that missed more reconnects for the rest: an event with only a
 * number says from where. `whole` = nothing is missing any more. */
static enum error replay_missed(struct request *request, struct stream *stream,
                                const struct storage_call *call, const struct wanted *wanted,
                                int64_t after, int64_t reached, bool *whole)
{
    const struct journal_filter filter = filter_of(wanted);
    int64_t left = service_settings(request)->stream_look_rows;
    struct journal_scan scan = {.reached = after};
    enum error error = ERROR_NONE;
    const char *mark;

    *whole = after >= reached;
    for (int64_t sent = 0; !error && !*whole && left > 0 && sent < MISSED_MOST;) {
        error = journal_after(call, scan.reached, &filter, HUB_EVENTS_MAX, left, &scan);
        for (size_t i = 0; !error && i < scan.rows.count && scan.rows.items[i].seq <= reached; i++)
            if (!send_row(request, stream, &scan.rows.items[i]))
                return ERROR_NONE;
        sent += (int64_t)scan.rows.count;
        left -= scan.scanned;
        *whole = scan.ended || scan.reached >= reached;
    }
    if (error || *whole)
        return error;
    mark = arena_print(request->arena, "id: %lld\n\n", (long long)scan.reached);
    (void)stream_bytes(stream, mark, strlen(mark));
    return ERROR_NONE;
}

static enum error check_stream_limit(struct request *request, struct reply *reply)
{
    int64_t most = service_settings(request)->streams_per_tenant;

    if (!service_key(request) || hub_admit(request, request->who.tenant, (size_t)most))
        return ERROR_NONE;
    reply_add_header(reply, "Retry-After", "1");
    return problem_set(&request->problem, ERROR_BUSY, "too_many_streams",
                       "Too many concurrent event streams for this tenant (limit %lld). Close an "
                       "open stream and retry.",
                       (long long)most);
}

/* From where the stream goes on: after the event that the header names, or after the position. */
struct stream_start {
    bool resumes;
    int64_t after;
    int64_t
        position; /* what this host's hub has yet to see of it is known to the client; 0 = none */
};

static enum error find_start(struct request *request, const struct reading *reading,
                             const char *position, struct stream_start *start)
{
    const char *last = request_header(request, "HTTP_LAST_EVENT_ID");
    int64_t kept = service_settings(request)->journal_retention_days * us_per_day;
    struct live_position wanted;

    *start = (struct stream_start){0};
    start->resumes = last && integer_parse(last, &start->after);
    if (start->resumes || !position)
        return ERROR_NONE;
    if (!position_parse(position, &wanted))
        return request_fault(request, "query", "after", "value_error",
                             "Input should be a position that an answer or an event gave");
    *start = (struct stream_start){true, wanted.seq, wanted.seq};
    return position_check(&reading->storage, wanted, reading->storage.now - kept);
}

enum error stream_handle(struct request *request, struct reply *reply)
{
    const struct stream_query *query = request->query;
    struct stream_start start;
    struct wanted wanted = {0};
    const char *types;
    struct reading reading;
    struct stream stream;
    int64_t reached;
    bool whole = true;
    enum error error = check_stream_limit(request, reply);

    if (!error)
        error = service_reading(request, &reading);
    if (!error)
        error = find_start(request, &reading, query->after, &start);
    if (error)
        return error;
    types = reading_event_types(&reading);
    (void)!snprintf(wanted.family, sizeof wanted.family, "%s",
                    query->event_type ? query->event_type : "");
    (void)!snprintf(wanted.entity_id, sizeof wanted.entity_id, "%s",
                    query->entity_id ? query->entity_id : "");
    if (types && strlen(types) >= sizeof wanted.types)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "read_only_key",
                           "The key names too many entity types for a stream.");
    (void)!snprintf(wanted.types, sizeof wanted.types, "%s", types ? types : "");
    reply_add_header(reply, "X-Accel-Buffering", "no");
    error = stream_open(request, reply, STREAM_EVENTS, &stream);
    if (error)
        return error;
    reached = hub_sequence(request);
    (void)live_cache_follow(service_cache(request), &reading.storage);
    error = start.resumes ? replay_missed(request, &stream, &reading.storage, &wanted, start.after,
                                          reached, &whole)
                          : replay_newest(request, &stream, &reading.storage, &wanted, reached);
    if (error || !whole)
        return error;
    reached = start.position > reached ? start.position : reached;
    return hub_suspend(&stream, reading.storage.tenant, reached, &wanted,
                       offsetof(struct wanted, types) + strlen(wanted.types) + 1);
}
