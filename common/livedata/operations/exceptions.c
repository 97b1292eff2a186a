/* Finding exceptions, joining them with what operators have said, listing and counting them. */
#include "livedata/operations/exceptions.h"

#include "db/query.h"
#include "jobs/inbox.h"
#include "livedata/access/types.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/moment.h"
#include "livedata/operations/open_orders.h"
#include "livedata/webhooks/outbound.h"

#include <stdlib.h>
#include <string.h>

const char *const exception_source_names[] = {"deadletter", "webhook_delivery", "reconciliation",
                                              "alert_delivery", NULL};
const char *const exception_status_names[] = {"open", "in_progress", "acknowledged", "resolved",
                                              NULL};

enum severity { SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW };
static const char *const severity_names[] = {"high", "medium", "low"};

static const struct statement read_letters = {
    .name = "ops_letters",
    .sql = "SELECT event_id, event_type, failure_reason, failure_detail, received_at,"
           " last_retried_at, status FROM dead_letter_events WHERE tenant_id = ?"
           " ORDER BY received_at DESC, event_id LIMIT ?",
    .streams = true,
};
static const struct statement read_hooks = {
    .name = "ops_hooks",
    .sql = "SELECT id, entity_types, active FROM webhook_registrations WHERE tenant_id = ?"
           " ORDER BY active DESC, created_at DESC LIMIT ?",
};
static const struct statement read_alerts = {
    .name = "ops_alerts",
    .sql = "SELECT id, name, metric, undelivered_event, undelivered_since, undelivered_error"
           " FROM alert_rules WHERE tenant_id = ? AND active = 1 AND undelivered_event IS NOT NULL"
           " ORDER BY undelivered_since DESC LIMIT ?",
};
static const struct statement read_triage = {
    .name = "ops_triage_read",
    .sql = "SELECT item_id, source, status, last_seen_at, first_seen_at FROM ops_exception_triage"
           " WHERE tenant_id = ? ORDER BY last_seen_at DESC LIMIT ?",
    .streams = true,
};
static const struct statement put_triage = {
    .name = "ops_triage_put",
    .sql = "INSERT INTO ops_exception_triage (tenant_id, item_id, source, status, first_seen_at,"
           " last_seen_at, resolved_at, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, item_id) DO UPDATE SET status = excluded.status,"
           " last_seen_at = excluded.last_seen_at, resolved_at = excluded.resolved_at,"
           " note = coalesce(excluded.note, ops_exception_triage.note)",
};

struct item {
    const char *id;
    enum exception_source source;
    enum severity severity;
    enum exception_status status;
    int64_t occurred_at, seen_at;
    const char *kind, *entity; /* what it is about */
    const char *title, *detail;
    const char *resend; /* where what was not delivered is sent again; or NULL */
};

struct items {
    struct arena *arena;
    size_t count, capacity;
    struct item *all;
    bool truncated;
    int64_t by_hand; /* resolved by operators */
};

enum { ITEMS_AT_FIRST = 64, HOOKS_MOST = 10000, JOBS_OF_PAGE = 200 };

static struct item *add(struct items *items)
{
    if (items->count == items->capacity) {
        struct item *more = ARENA_ARRAY(items->arena, struct item, items->capacity * 2);

        memcpy(more, items->all, items->capacity * sizeof *more);
        items->all = more;
        items->capacity *= 2;
    }
    return &items->all[items->count++];
}

static enum exception_status status_of_letter(const char *status)
{
    if (strcmp(status, "failed") == 0)
        return EXCEPTION_OPEN;
    return strcmp(status, "replay_pending") == 0 ? EXCEPTION_IN_PROGRESS : EXCEPTION_RESOLVED;
}

/* A replay that has been under way for longer than anybody holds it. */
static void add_hanging(struct items *items, const struct reading *reading, const char *event_id,
                        int64_t since)
{
    int64_t lease = reading->settings->replay_lease_seconds * moment_second;

    if (since > reading->storage.now - lease)
        return;
    *add(items) = (struct item){.id = arena_print(items->arena, "rc:r2:%s", event_id),
                                .source = EXCEPTION_RECONCILIATION,
                                .severity = SEVERITY_MEDIUM,
                                .occurred_at = since,
                                .seen_at = since,
                                .kind = "event",
                                .entity = event_id,
                                .title = "A replay does not end",
                                .detail = "The event has been waiting to be applied again."};
}

static enum error find_letters(struct items *items, const struct reading *reading)
{
    const char *types = entity_types_text(items->arena, reading->types);
    int64_t most = reading->settings->ops_inbox_scan_limit, count = 0;
    struct query *query = db_query(reading->storage.db, &read_letters);

    query_bind_text(query, reading->storage.tenant);
    query_bind_integer(query, most + 1);
    while (query_next(query)) {
        const char *id = query_text(query, 0, items->arena);
        const char *type = query_text_or_null(query, 1, items->arena);
        int64_t received = query_integer(query, 4);
        struct optional_integer retried = query_optional_integer(query, 5);
        enum exception_status status = status_of_letter(query_text(query, 6, items->arena));

        if (++count > most) {
            items->truncated = true;
            continue;
        }
        if (!entity_types_have(types, dead_letter_entity_type(type)))
            continue;
        *add(items) = (struct item){
            .id = arena_print(items->arena, "dl:%s", id),
            .source = EXCEPTION_DEAD_LETTER,
            .severity = SEVERITY_HIGH,
            .status = status,
            .occurred_at = received,
            .seen_at = retried.given ? retried.value : received,
            .kind = "event",
            .entity = id,
            .title = arena_print(items->arena, "%s could not be applied: %s", type ? type : "event",
                                 query_text(query, 2, items->arena)),
            .detail = query_text_or_null(query, 3, items->arena)};
        if (status == EXCEPTION_IN_PROGRESS)
            add_hanging(items, reading, id, retried.given ? retried.value : received);
    }
    return query_end(query, reading->storage.problem);
}

/* Of those that hear of nothing the key may not see. */
struct hook {
    const char *id;
    bool active;
};

static void add_delivery(struct items *items, const struct hook *hook, const struct job_row *row)
{
    int64_t at = row->finished_at.given ? row->finished_at.value : row->created_at;
    const char *event = row->key + strlen(hook->id) + 1;

    *add(items) = (struct item){.id = arena_print(items->arena, "wh:%s", row->key),
                                .source = EXCEPTION_DELIVERY,
                                .severity = SEVERITY_MEDIUM,
                                .occurred_at = at,
                                .seen_at = at,
                                .kind = "webhook",
                                .entity = hook->id,
                                .title = "An event could not be delivered",
                                .detail = row->last_error};
    if (hook->active)
        items->all[items->count - 1].resend =
            arena_print(items->arena, "/v1/webhooks/%s/events/%s/resend", hook->id, event);
}

/* Page by page, up to `left` more of all webhooks together. */
static enum error find_deliveries_of(struct items *items, const struct reading *reading,
                                     const struct hook *hook, int64_t *left)
{
    struct job_rows rows = {.count = JOBS_OF_PAGE};
    int64_t before = 0;
    enum error error = ERROR_NONE;

    while (!error && rows.count == JOBS_OF_PAGE && *left > 0) {
        error = job_list(reading->storage.db, items->arena, &live_webhook_kind.job, JOB_IS_DEAD,
                         hook->id, before, JOBS_OF_PAGE, &rows, reading->storage.problem);
        for (size_t i = 0; !error && i<rows.count && * left> 0; i++, --*left) {
            add_delivery(items, hook, &rows.items[i]);
            before = rows.items[i].id;
        }
    }
    return error;
}

static enum error find_deliveries(struct items *items, const struct reading *reading)
{
    const char *types = entity_types_text(items->arena, reading->types);
    struct hook *hooks = ARENA_ARRAY(items->arena, struct hook, HOOKS_MOST);
    struct query *query = db_query(reading->storage.db, &read_hooks);
    int64_t left = reading->settings->ops_inbox_scan_limit;
    size_t seen = 0, count = 0;
    enum error error;

    query_bind_text(query, reading->storage.tenant);
    query_bind_integer(query, HOOKS_MOST + 1);
    while (query_next(query))
        if (seen++ == HOOKS_MOST)
            items->truncated = true;
        else if (entity_types_cover(types, query_text_or_null(query, 1, items->arena)))
            hooks[count++] =
                (struct hook){query_text(query, 0, items->arena), query_boolean(query, 2)};
    error = query_end(query, reading->storage.problem);
    for (size_t i = 0; !error && i < count; i++)
        error = find_deliveries_of(items, reading, &hooks[i], &left);
    items->truncated = items->truncated || left == 0;
    return error;
}

/* Those of metrics that the key may see. */
static enum error find_alerts(struct items *items, const struct reading *reading)
{
    int64_t most = reading->settings->ops_inbox_scan_limit, count = 0;
    struct query *query = db_query(reading->storage.db, &read_alerts);

    query_bind_text(query, reading->storage.tenant);
    query_bind_integer(query, most + 1);
    while (query_next(query)) {
        const char *id = query_text(query, 0, items->arena);
        const struct live_metric *metric =
            catalog_metric(reading->catalog, query_text(query, 2, items->arena));
        int64_t since = query_integer(query, 4);

        if (++count > most)
            items->truncated = true;
        else if (metric ? may_see_table(reading, metric->table) : !reading->types)
            *add(items) = (struct item){.id = arena_print(items->arena, "al:%s", id),
                                        .source = EXCEPTION_ALERT,
                                        .severity = SEVERITY_HIGH,
                                        .occurred_at = since,
                                        .seen_at = since,
                                        .kind = "alert",
                                        .entity = id,
                                        .title = arena_print(items->arena,
                                                             "%s of '%s' could not be delivered",
                                                             query_text(query, 3, items->arena),
                                                             query_text(query, 1, items->arena)),
                                        .detail = query_text_or_null(query, 5, items->arena)};
    }
    return query_end(query, reading->storage.problem);
}

static int64_t place_of(const struct entity_type *type, const struct entity_stage *stage)
{
    return stage ? stage - type->stages : -1;
}

/* The row of an order is behind what the journal says of it. */
static enum error find_disagreements(struct items *items, const struct reading *reading)
{
    const struct entity_type *type = catalog_entity(reading->catalog, "order");
    struct open_orders orders;
    enum error error;

    if (!type || !may_see_type(reading, "order"))
        return ERROR_NONE;
    error = open_orders_read(reading, &orders);
    for (size_t i = 0; !error && i < orders.count; i++) {
        const struct open_order *order = &orders.items[i];
        const struct entity_stage *told =
            order->journal_stage ? entity_stage(type, order->journal_stage) : NULL;

        if (!told || told->terminal || place_of(type, told) <= place_of(type, order->stage))
            continue;
        *add(items) = (struct item){
            .id = arena_print(items->arena, "rc:r1:%s:%s", order->order_id, order->status),
            .source = EXCEPTION_RECONCILIATION,
            .severity = SEVERITY_HIGH,
            .occurred_at = order->journal_at,
            .seen_at = order->journal_at,
            .kind = "order",
            .entity = order->order_id,
            .title = "An order is behind its journal",
            .detail = arena_print(items->arena, "stored %s, journal %s", order->status,
                                  order->journal_stage)};
    }
    items->truncated = items->truncated || (!error && orders.truncated);
    return error;
}

static int by_id(const void *a, const void *b)
{
    const struct item *one = a, *other = b;

    return strcmp(one->id, other->id);
}

static int source_of(const char *name)
{
    for (int i = 0; exception_source_names[i]; i++)
        if (strcmp(exception_source_names[i], name) == 0)
            return i;
    return EXCEPTION_RECONCILIATION;
}

/* What operators have said; what they said of things that are not found any more is over. */
static enum error join_triage(struct items *items, const struct reading *reading)
{
    int64_t most = reading->settings->ops_inbox_scan_limit;
    struct query *query = db_query(reading->storage.db, &read_triage);
    size_t found = items->count;

    qsort(items->all, found, sizeof *items->all, by_id);
    query_bind_text(query, reading->storage.tenant);
    query_bind_integer(query, most);
    while (query_next(query)) {
        const struct item key = {.id = query_text(query, 0, items->arena)};
        bool resolved = strcmp(query_text(query, 2, items->arena), "resolved") == 0;
        int64_t seen = query_integer(query, 3);
        struct item *item = bsearch(&key, items->all, found, sizeof key, by_id);

        items->by_hand += resolved;
        if (item && item->seen_at <= seen)
            item->status = resolved ? EXCEPTION_RESOLVED : EXCEPTION_ACKNOWLEDGED;
        else if (!item && !reading->types)
            *add(items) = (struct item){
                .id = key.id,
                .source = (enum exception_source)source_of(query_text(query, 1, items->arena)),
                .severity = SEVERITY_LOW,
                .status =
                    resolved || !items->truncated ? EXCEPTION_RESOLVED : EXCEPTION_ACKNOWLEDGED,
                .occurred_at = query_integer(query, 4),
                .seen_at = seen,
                .kind = strncmp(key.id, "wh:", 3) == 0      ? "webhook"
                        : strncmp(key.id, "al:", 3) == 0    ? "alert"
                        : strncmp(key.id, "rc:r1:", 6) == 0 ? "order"
                                                            : "event",
                .entity = strrchr(key.id, ':') + 1,
                .title = "It is not found any more"};
    }
    return query_end(query, reading->storage.problem);
}

static enum error find_all(struct items *items, const struct reading *reading)
{
    enum error error;

    *items = (struct items){.arena = reading->storage.arena, .capacity = ITEMS_AT_FIRST};
    items->all = ARENA_ARRAY(items->arena, struct item, items->capacity);
    error = find_letters(items, reading);
    if (!error)
        error = find_deliveries(items, reading);
    if (!error)
        error = find_disagreements(items, reading);
    if (!error)
        error = find_alerts(items, reading);
    return error ? error : join_triage(items, reading);
}

static int by_weight(const void *a, const void *b)
{
    const struct item *one = *(const struct item *const *)a,
                      *other = *(const struct item *const *)b;

    if (one->severity != other->severity)
        return one->severity < other->severity ? -1 : 1;
    if (one->occurred_at != other->occurred_at)
        return one->occurred_at > other->occurred_at ? -1 : 1;
    return strcmp(one->id, other->id);
}

static void write_action(struct json_writer *writer, const char *action, const char *href)
{
    writer_open_object(writer);
    writer_key_string(writer, "action", action);
    writer_key_string(writer, "href", href);
    writer_close_object(writer);
}

static void write_actions(struct json_writer *writer, struct arena *arena, const struct item *item)
{
    writer_key(writer, "actions");
    writer_open_array(writer);
    if (item->source == EXCEPTION_DEAD_LETTER) {
        if (item->status == EXCEPTION_OPEN) {
            write_action(writer, "replay",
                         arena_print(arena, "/v1/deadletter/%s/replay", item->entity));
            write_action(writer, "dismiss",
                         arena_print(arena, "/v1/deadletter/%s/dismiss", item->entity));
        }
    } else if (item->status != EXCEPTION_RESOLVED) {
        if (item->resend)
            write_action(writer, "resend", item->resend);
        if (item->status == EXCEPTION_OPEN)
            write_action(writer, "acknowledge",
                         arena_print(arena, "/v1/ops/exceptions/%s/acknowledge", item->id));
        write_action(writer, "resolve",
                     arena_print(arena, "/v1/ops/exceptions/%s/resolve", item->id));
    }
    writer_close_array(writer);
}

static void write_item(struct json_writer *writer, struct arena *arena, const struct item *item)
{
    writer_open_object(writer);
    writer_key_string(writer, "item_id", item->id);
    writer_key_string(writer, "source", exception_source_names[item->source]);
    writer_key_string(writer, "severity", severity_names[item->severity]);
    moment_write(writer, "occurred_at", item->occurred_at);
    moment_write(writer, "last_seen_at", item->seen_at);
    writer_key(writer, "entity_ref");
    writer_open_object(writer);
    writer_key_string(writer, "kind", item->kind);
    writer_key_string(writer, "id", item->entity);
    writer_close_object(writer);
    writer_key_string(writer, "title", item->title);
    writer_key_string(writer, "detail", item->detail);
    writer_key_string(writer, "status", exception_status_names[item->status]);
    write_actions(writer, arena, item);
    writer_close_object(writer);
}

/* Where the page begins: after the item of the cursor, or where it stood. */
static int64_t first_of(const struct item **items, int64_t count,
                        const struct exception_request *request, const struct list_cursor *cursor)
{
    const struct item last = {
        .id = cursor->id, .severity = (enum severity)cursor->weight, .occurred_at = cursor->at};
    const struct item *place = &last;
    int64_t first = 0;

    if (!cursor->given)
        return (request->page - 1) * request->page_size;
    while (first < count && by_weight(&items[first], &place) <= 0)
        first++;
    return first;
}

static const char *next_of(struct arena *arena, const struct item *last)
{
    const struct list_cursor cursor = {
        .id = last->id, .weight = last->severity, .at = last->occurred_at};

    return list_cursor_make(arena, "exceptions", &cursor);
}

enum error write_exceptions_list(struct json_writer *writer, const struct reading *reading,
                                 const struct exception_request *request)
{
    int64_t first, end, count = 0;
    const struct item **wanted;
    struct list_cursor cursor;
    struct items items;
    enum error error = list_cursor_read(reading->storage.arena, "exceptions", request->cursor,
                                        &cursor, reading->storage.problem);

    if (!error)
        error = find_all(&items, reading);
    if (error)
        return error;
    wanted = ARENA_ARRAY(items.arena, const struct item *, items.count);
    for (size_t i = 0; i < items.count; i++)
        if ((request->source < 0 || (int)items.all[i].source == request->source) &&
            (request->status < 0 ? items.all[i].status != EXCEPTION_RESOLVED
                                 : (int)items.all[i].status == request->status))
            wanted[count++] = &items.all[i];
    qsort(wanted, (size_t)count, sizeof(const struct item *), by_weight);
    first = first_of(wanted, count, request, &cursor);
    end = first + request->page_size < count ? first + request->page_size : count;
    writer_open_object(writer);
    writer_key(writer, "items");
    writer_open_array(writer);
    for (int64_t i = first; i < end; i++)
        write_item(writer, items.arena, wanted[i]);
    writer_close_array(writer);
    write_pagination(writer, request->page, request->page_size, count,
                     first < end && end < count ? next_of(items.arena, wanted[end - 1]) : NULL);
    writer_key_boolean(writer, "scan_truncated", items.truncated);
    writer_close_object(writer);
    return ERROR_NONE;
}

enum error write_exception_stats(struct json_writer *writer, const struct reading *reading)
{
    int64_t counts[EXCEPTION_SOURCE__MAX][EXCEPTION_STATUS__MAX] = {{0}}, day = 0;
    struct items items;
    enum error error = find_all(&items, reading);

    if (error)
        return error;
    for (size_t i = 0; i < items.count; i++) {
        counts[items.all[i].source][items.all[i].status]++;
        day += items.all[i].occurred_at >= reading->storage.now - moment_day;
    }
    writer_open_object(writer);
    writer_key(writer, "by_source");
    writer_open_object(writer);
    for (int source = 0; source < EXCEPTION_SOURCE__MAX; source++) {
        writer_key(writer, exception_source_names[source]);
        writer_open_object(writer);
        for (int status = 0; status < EXCEPTION_STATUS__MAX; status++)
            if (counts[source][status])
                writer_key_integer(writer, exception_status_names[status], counts[source][status]);
        writer_close_object(writer);
    }
    writer_close_object(writer);
    writer_key_integer(writer, "last_24h", day);
    writer_key_integer(writer, "manual_resolutions", items.by_hand);
    writer_key_boolean(writer, "scan_truncated", items.truncated);
    writer_close_object(writer);
    return ERROR_NONE;
}

static enum error keep_word(const struct reading *reading, const struct item *item,
                            enum exception_status status, const char *remark)
{
    struct query *query = db_query(reading->storage.db, &put_triage);

    query_bind_text(query, reading->storage.tenant);
    query_bind_text(query, item->id);
    query_bind_text(query, exception_source_names[item->source]);
    query_bind_text(query, exception_status_names[status]);
    query_bind_integer(query, item->occurred_at);
    query_bind_integer(query, item->seen_at);
    query_bind_optional_integer(query, status == EXCEPTION_RESOLVED
                                           ? GIVEN_INTEGER(reading->storage.now)
                                           : (struct optional_integer){0});
    query_bind_text(query, remark);
    return query_end(query, reading->storage.problem);
}

enum error exception_triage(const struct reading *reading, const char *item_id,
                            enum exception_status status, const char *remark)
{
    struct problem *problem = reading->storage.problem;
    const struct item *item = NULL;
    struct items items;
    enum error error = find_all(&items, reading);

    for (size_t i = 0; !error && i < items.count; i++)
        if (strcmp(items.all[i].id, item_id) == 0)
            item = &items.all[i];
    if (error)
        return error;
    if (!item)
        return problem_set(problem, ERROR_NOT_FOUND, "exception_not_found",
                           "Exception '%.200s' not found.", item_id);
    if (item->source == EXCEPTION_DEAD_LETTER)
        return problem_set(problem, ERROR_CONFLICT, "exception_elsewhere",
                           "A dead letter is replayed or dismissed at /v1/deadletter.");
    if (item->status == EXCEPTION_RESOLVED && status != EXCEPTION_RESOLVED)
        return problem_set(problem, ERROR_CONFLICT, "exception_resolved",
                           "Exception '%.200s' is resolved.", item_id);
    return keep_word(reading, item, status, remark);
}
