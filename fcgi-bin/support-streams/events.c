/* Opens the streams; the hub sends the events of the journal to them. */
#include "support-streams/events.h"
#include "base/number.h"
#include "support/conversation/events.h"
#include "support/service.h"
#include "support/tools.h"

#include <stdio.h>
#include <string.h>

enum { MISSED_MOST = 1000, EVENT_BYTES_MAX = 4096, STREAMS_MAX = 2000, STREAMS_OF_TENANT = 1000 };

/* The filter of a stream, as stored by the hub; "" = all of the tenant. */
struct wanted {
    char session_id[SESSION_ID_MAX + 1];
};

static enum error database_of(struct server *server, struct db **db, struct problem *problem)
{
    const struct request request = {.state = server->state};

    return store_database(service_store(&request), db, problem);
}

static enum error newest(struct server *server, int64_t *sequence, struct problem *problem)
{
    struct db *db;
    enum error error = database_of(server, &db, problem);

    return error ? error : conversation_events_newest(db, sequence, problem);
}

static const char *event_json(struct arena *arena, const struct conversation_event *event)
{
    return schema_json(arena, EVENT_BYTES_MAX, &conversation_event_schema, event);
}

static enum error read_events(struct server *server, struct arena *arena, int64_t after,
                              struct hub_event *events, size_t *count, struct problem *problem)
{
    struct object_list rows = {.count = 0};
    struct db *db;
    enum error error = database_of(server, &db, problem);

    *count = 0;
    if (!error)
        error = conversation_events_after(db, arena, after, HUB_EVENTS_MAX, &rows, problem);
    for (size_t i = 0; !error && i < rows.count; i++) {
        const struct conversation_event *row = &((const struct conversation_event *)rows.items)[i];

        events[(*count)++] = (struct hub_event){.sequence = row->seq,
                                                .tenant = row->tenant_id,
                                                .data = event_json(arena, row),
                                                .detail = row};
    }
    return error;
}

/* Customers hear of replies in their conversation alone. */
static bool matches(const struct conversation_event *event, const struct wanted *wanted)
{
    return !*wanted->session_id ||
           (strcmp(event->session_id, wanted->session_id) == 0 &&
            strcmp(event->kind, conversation_event_names[EVENT_REPLY]) == 0);
}

static bool wants(const struct hub_event *event, const void *filter)
{
    return matches(event->detail, filter);
}

const struct hub conversation_hub = {
    .newest = newest, .read = read_events, .wants = wants, .streams_max = STREAMS_MAX};

/* With Last-Event-ID: what happened since then. A page that missed more reads everything again. */
static enum error replay(struct request *request, struct stream *stream, const char *tenant,
                         const struct wanted *wanted, int64_t after, int64_t reached)
{
    struct object_list rows;
    char id[NUMBER_TEXT_MAX];
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = conversation_events_after(db, request->arena, after, MISSED_MOST, &rows,
                                          &request->problem);
    for (size_t i = 0; !error && i < rows.count; i++) {
        const struct conversation_event *row = &((const struct conversation_event *)rows.items)[i];

        if (row->seq > reached || strcmp(row->tenant_id, tenant) != 0 || !matches(row, wanted))
            continue;
        integer_format(row->seq, id);
        if (!stream_event(stream, NULL, id, event_json(request->arena, row)))
            break;
    }
    return error;
}

static enum error open_stream(struct request *request, struct reply *reply, const char *tenant,
                              const struct wanted *wanted)
{
    const char *last = request_header(request, "HTTP_LAST_EVENT_ID");
    int64_t after = 0, reached;
    struct stream stream;
    enum error error;

    if (!hub_admit(request, tenant, STREAMS_OF_TENANT)) {
        reply_add_header(reply, "Retry-After", "5");
        return problem_set(&request->problem, ERROR_BUSY, "too_many_streams",
                           "Too many open pages");
    }
    reply_add_header(reply, "Cache-Control", "no-cache");
    reply_add_header(reply, "X-Accel-Buffering", "no");
    error = stream_open(request, reply, STREAM_EVENTS, &stream);
    if (error)
        return error;
    reached = hub_sequence(request);
    if (last && integer_parse(last, &after))
        error = replay(request, &stream, tenant, wanted, after, reached);
    return error ? error : hub_suspend(&stream, tenant, reached, wanted, sizeof *wanted);
}

enum error conversation_stream_handle(struct request *request, struct reply *reply)
{
    const char *id = request->arguments[0];
    struct wanted wanted = {""};
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = session_require(&tools.conversation, id);
    if (error)
        return error;
    (void)!snprintf(wanted.session_id, sizeof wanted.session_id, "%s", id);
    return open_stream(request, reply, tools.conversation.tenant, &wanted);
}

enum error inbox_stream_handle(struct request *request, struct reply *reply)
{
    const struct wanted wanted = {""};

    return open_stream(request, reply, request->who.tenant ? request->who.tenant : "default",
                       &wanted);
}
