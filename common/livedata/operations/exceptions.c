/* Finds exceptions, joins them with the operators' actions, lists and counts them. */
#include "livedata/operations/exceptions.h"

#include "base/list.h"
#include "db/query.h"
#include "jobs/inbox.h"
#include "livedata/access/types.h"
#include "livedata/counts.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/operations/open_orders.h"
#include "livedata/timestamp.h"
#include "livedata/webhooks/outbound.h"

#include <stdlib.h>
#include <string.h>

const char *const exception_source_names[] = {"deadletter", "webhook_delivery", "reconciliation",
                                              "alert_delivery", NULL};
const char *const exception_status_names[] = {"open", "in_progress", "acknowledged", "resolved",
                                              NULL};

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

#define OWNER struct entity_ref
static const struct field ref_fields[] = {STRING(OWNER, kind), STRING(OWNER, id)};
#undef OWNER
static SCHEMA(ref_schema, struct entity_ref, "EntityRef", ref_fields);

#define OWNER struct exception_action
static const struct field action_fields[] = {STRING(OWNER, action), STRING(OWNER, href)};
#undef OWNER
static SCHEMA(action_schema, struct exception_action, "ExceptionAction", action_fields);

#define OWNER struct exception_item
static const struct field item_fields[] = {
    STRING(OWNER, item_id),
    CHOICE(OWNER, source, exception_source_names, .choice_count = EXCEPTION_SOURCE__MAX),
    CHOICE(OWNER, severity, severity_names, .choice_count = COUNT_OF(severity_names)),
    TIME(OWNER, occurred_at, .time = TIME_Z),
    TIME(OWNER, last_seen_at, .time = TIME_Z),
    OBJECT(OWNER, entity_ref, ref_schema),
    STRING(OWNER, title),
    STRING(OWNER, detail, .nullable = true),
    CHOICE(OWNER, status, exception_status_names, .choice_count = EXCEPTION_STATUS__MAX),
    OBJECTS(OWNER, actions, action_schema),
};
#undef OWNER
static SCHEMA(item_schema, struct exception_item, "ExceptionItem", item_fields);

#define OWNER struct exceptions_answer
static const struct field list_fields[] = {OBJECTS(OWNER, items, item_schema), PAGINATION_ROWS,
                                           BOOLEAN(OWNER, scan_truncated)};
#undef OWNER
SCHEMA(exceptions_schema, struct exceptions_answer, "ExceptionsListResponse", list_fields);

#define OWNER struct source_counts
static const struct field source_fields[] = {
    WRITTEN_JSON(OWNER, deadletter), WRITTEN_JSON(OWNER, webhook_delivery),
    WRITTEN_JSON(OWNER, reconciliation), WRITTEN_JSON(OWNER, alert_delivery)};
#undef OWNER
static SCHEMA(source_schema, struct source_counts, "ExceptionsBySource", source_fields);

#define OWNER struct exception_stats
static const struct field stats_fields[] = {
    OBJECT(OWNER, by_source, source_schema, .help = "How many, by source and status."),
    INTEGER(OWNER, last_24h), INTEGER(OWNER, manual_resolutions), BOOLEAN(OWNER, scan_truncated)};
#undef OWNER
SCHEMA(exception_stats_schema, struct exception_stats, "ExceptionsStatsResponse", stats_fields);

struct items {
    struct arena *arena;
    size_t count;
    struct exception_item *items;
    bool truncated;
    int64_t by_hand; /* resolved by operators */
};

enum { HOOKS_MOST = 10000, JOBS_OF_PAGE = 200 };

static struct exception_item *add(struct items *items)
{
    return LIST_ADD(items->arena, items);
}

static enum exception_status status_of_letter(const char *status)
{
    if (strcmp(status, "failed") == 0)
        return EXCEPTION_OPEN;
    return strcmp(status, "replay_pending") == 0 ? EXCEPTION_IN_PROGRESS : EXCEPTION_RESOLVED;
}

/* A replay that has run longer than its lease. */
static void add_hanging(struct items *items, const struct reading *reading, const char *event_id,
                        int64_t since)
{
    int64_t lease = reading->settings->replay_lease_seconds * us_per_second;

    if (since > reading->storage.now - lease)
        return;
    *add(items) =
        (struct exception_item){.item_id = arena_print(items->arena, "rc:r2:%s", event_id),
                                .source = EXCEPTION_RECONCILIATION,
                                .severity = SEVERITY_MEDIUM,
                                .occurred_at = since,
                                .last_seen_at = since,
                                .ref = {"event", event_id},
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
        *add(items) = (struct exception_item){
            .item_id = arena_print(items->arena, "dl:%s", id),
            .source = EXCEPTION_DEAD_LETTER,
            .severity = SEVERITY_HIGH,
            .status = status,
            .occurred_at = received,
            .last_seen_at = retried.given ? retried.value : received,
            .ref = {"event", id},
            .title = arena_print(items->arena, "%s could not be applied: %s", type ? type : "event",
                                 query_text(query, 2, items->arena)),
            .detail = query_text_or_null(query, 3, items->arena)};
        if (status == EXCEPTION_IN_PROGRESS)
            add_hanging(items, reading, id, retried.given ? retried.value : received);
    }
    return query_end(query, reading->storage.problem);
}

/* A webhook without events of types that the key may not read. */
struct hook {
    const char *id;
    bool active;
};

static void add_delivery(struct items *items, const struct hook *hook, const struct job_row *row)
{
    int64_t at = row->finished_at.given ? row->finished_at.value : row->created_at;
    const char *event = row->key + strlen(hook->id) + 1;

    *add(items) = (struct exception_item){.item_id = arena_print(items->arena, "wh:%s", row->key),
                                          .source = EXCEPTION_DELIVERY,
                                          .severity = SEVERITY_MEDIUM,
                                          .occurred_at = at,
                                          .last_seen_at = at,
                                          .ref = {"webhook", hook->id},
                                          .title = "An event could not be delivered",
                                          .detail = row->last_error};
    if (hook->active)
        items->items[items->count - 1].resend =
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
        const char *metric = query_text(query, 2, items->arena);
        int64_t since = query_integer(query, 4);

        if (++count > most)
            items->truncated = true;
        else if (may_see_metric(reading, metric))
            *add(items) = (struct exception_item){
                .item_id = arena_print(items->arena, "al:%s", id),
                .source = EXCEPTION_ALERT,
                .severity = SEVERITY_HIGH,
                .occurred_at = since,
                .last_seen_at = since,
                .ref = {"alert", id},
                .title = arena_print(items->arena, "%s of '%s' could not be delivered",
                                     query_text(query, 3, items->arena),
                                     query_text(query, 1, items->arena)),
                .detail = query_text_or_null(query, 5, items->arena)};
    }
    return query_end(query, reading->storage.problem);
}

static int64_t stage_position(const struct entity_type *type, const struct entity_stage *stage)
{
    return stage ? stage - type->stages : -1;
}

/* The row of an order is older than its state in the journal. */
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
        const struct entity_stage *in_journal =
            order->journal_stage ? entity_stage(type, order->journal_stage) : NULL;

        if (!in_journal || in_journal->terminal ||
            stage_position(type, in_journal) <= stage_position(type, order->stage))
            continue;
        *add(items) = (struct exception_item){
            .item_id = arena_print(items->arena, "rc:r1:%s:%s", order->order_id, order->status),
            .source = EXCEPTION_RECONCILIATION,
            .severity = SEVERITY_HIGH,
            .occurred_at = order->journal_at,
            .last_seen_at = order->journal_at,
            .ref = {"order", order->order_id},
            .title = "An order is behind its journal",
            .detail = arena_print(items->arena, "stored %s, journal %s", order->status,
                                  order->journal_stage)};
    }
    items->truncated = items->truncated || (!error && orders.truncated);
    return error;
}

static int by_id(const void *a, const void *b)
{
    const struct exception_item *one = a, *other = b;

    return strcmp(one->item_id, other->item_id);
}

static int source_of(const char *name)
{
    for (int i = 0; exception_source_names[i]; i++)
        if (strcmp(exception_source_names[i], name) == 0)
            return i;
    return EXCEPTION_RECONCILIATION;
}

static const char *kind_of(const char *item_id)
{
    if (strncmp(item_id, "wh:", 3) == 0)
        return "webhook";
    if (strncmp(item_id, "al:", 3) == 0)
        return "alert";
    return strncmp(item_id, "rc:r1:", 6) == 0 ? "order" : "event";
}

/* The operators' actions; an action on an item that is no longer found is obsolete. */
static enum error join_triage(struct items *items, const struct reading *reading)
{
    int64_t most = reading->settings->ops_inbox_scan_limit;
    struct query *query = db_query(reading->storage.db, &read_triage);
    size_t found = items->count;

    qsort(items->items, found, sizeof *items->items, by_id);
    query_bind_text(query, reading->storage.tenant);
    query_bind_integer(query, most);
    while (query_next(query)) {
        const struct exception_item key = {.item_id = query_text(query, 0, items->arena)};
        bool resolved = strcmp(query_text(query, 2, items->arena), "resolved") == 0;
        int64_t seen = query_integer(query, 3);
        struct exception_item *item = bsearch(&key, items->items, found, sizeof key, by_id);

        items->by_hand += resolved;
        if (item && item->last_seen_at <= seen)
            item->status = resolved ? EXCEPTION_RESOLVED : EXCEPTION_ACKNOWLEDGED;
        else if (!item && !reading->types)
            *add(items) = (struct exception_item){
                .item_id = key.item_id,
                .source = (enum exception_source)source_of(query_text(query, 1, items->arena)),
                .severity = SEVERITY_LOW,
                .status =
                    resolved || !items->truncated ? EXCEPTION_RESOLVED : EXCEPTION_ACKNOWLEDGED,
                .occurred_at = query_integer(query, 4),
                .last_seen_at = seen,
                .ref = {kind_of(key.item_id), strrchr(key.item_id, ':') + 1},
                .title = "It is not found any more"};
    }
    return query_end(query, reading->storage.problem);
}

static enum error find_all(struct items *items, const struct reading *reading)
{
    enum error error;

    *items = (struct items){.arena = reading->storage.arena};
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
    const struct exception_item *one = *(const struct exception_item *const *)a,
                                *other = *(const struct exception_item *const *)b;

    if (one->severity != other->severity)
        return one->severity < other->severity ? -1 : 1;
    if (one->occurred_at != other->occurred_at)
        return one->occurred_at > other->occurred_at ? -1 : 1;
    return strcmp(one->item_id, other->item_id);
}

static void add_action(struct arena *arena, struct exception_item *item, const char *action,
                       const char *href)
{
    struct exception_action *added =
        list_add(arena, &item->actions.items, &item->actions.count, sizeof *added);

    *added = (struct exception_action){.action = action, .href = href};
}

/* What an operator may do with the item. */
static void add_actions(struct arena *arena, struct exception_item *item)
{
    if (item->source == EXCEPTION_DEAD_LETTER) {
        if (item->status == EXCEPTION_OPEN) {
            add_action(arena, item, "replay",
                       arena_print(arena, "/v1/deadletter/%s/replay", item->ref.id));
            add_action(arena, item, "dismiss",
                       arena_print(arena, "/v1/deadletter/%s/dismiss", item->ref.id));
        }
    } else if (item->status != EXCEPTION_RESOLVED) {
        if (item->resend)
            add_action(arena, item, "resend", item->resend);
        if (item->status == EXCEPTION_OPEN)
            add_action(arena, item, "acknowledge",
                       arena_print(arena, "/v1/ops/exceptions/%s/acknowledge", item->item_id));
        add_action(arena, item, "resolve",
                   arena_print(arena, "/v1/ops/exceptions/%s/resolve", item->item_id));
    }
}

/* The start of the page: after the item of the cursor, or after its former position. */
static int64_t first_of(const struct exception_item **items, int64_t count,
                        const struct exception_request *request, const struct list_cursor *cursor)
{
    const struct exception_item last = {.item_id = cursor->id,
                                        .severity = (enum exception_severity)cursor->weight,
                                        .occurred_at = cursor->at};
    const struct exception_item *sought = &last;
    int64_t first = 0;

    if (!cursor->given)
        return (request->page - 1) * request->page_size;
    while (first < count && by_weight(&items[first], &sought) <= 0)
        first++;
    return first;
}

static const char *next_of(struct arena *arena, const struct exception_item *last)
{
    const struct list_cursor cursor = {
        .id = last->item_id, .weight = last->severity, .at = last->occurred_at};

    return list_cursor_make(arena, "exceptions", &cursor);
}

static bool is_wanted(const struct exception_item *item, const struct exception_request *request)
{
    if (request->source >= 0 && (int)item->source != request->source)
        return false;
    return request->status < 0 ? item->status != EXCEPTION_RESOLVED
                               : (int)item->status == request->status;
}

/* The items of a page, with the members used only in answers. */
static struct object_list page_of(struct arena *arena, const struct exception_item *const *wanted,
                                  int64_t count)
{
    struct exception_item *items =
        ARENA_ARRAY(arena, struct exception_item, count > 0 ? (size_t)count : 0);

    for (int64_t i = 0; i < count; i++) {
        items[i] = *wanted[i];
        items[i].entity_ref = &items[i].ref;
        add_actions(arena, &items[i]);
    }
    return (struct object_list){count > 0 ? (size_t)count : 0, items};
}

enum error exceptions_read(const struct reading *reading, const struct exception_request *request,
                           struct exceptions_answer *answer)
{
    struct arena *arena = reading->storage.arena;
    int64_t first, end, count = 0;
    const struct exception_item **wanted;
    struct list_cursor cursor;
    struct items items;
    enum error error =
        list_cursor_read(arena, "exceptions", request->cursor, &cursor, reading->storage.problem);

    if (!error)
        error = find_all(&items, reading);
    if (error)
        return error;
    wanted = ARENA_ARRAY(arena, const struct exception_item *, items.count);
    for (size_t i = 0; i < items.count; i++)
        if (is_wanted(&items.items[i], request))
            wanted[count++] = &items.items[i];
    qsort(wanted, (size_t)count, sizeof(const struct exception_item *), by_weight);
    first = first_of(wanted, count, request, &cursor);
    end = first + request->page_size < count ? first + request->page_size : count;
    *answer = (struct exceptions_answer){
        .items = page_of(arena, wanted + (first < end ? first : 0), end - first),
        .pagination = pagination_of(arena, request->page, request->page_size, count),
        .next_cursor = first < end && end < count ? next_of(arena, wanted[end - 1]) : NULL,
        .scan_truncated = items.truncated};
    return ERROR_NONE;
}

/* How many of one source have each status; a status without items is left out. */
static const char *statuses_of(const struct items *items, enum exception_source source)
{
    struct named_counts counts = {0};

    for (int status = 0; status < EXCEPTION_STATUS__MAX; status++)
        for (size_t i = 0; i < items->count; i++)
            if (items->items[i].source == source && (int)items->items[i].status == status)
                counts_add(items->arena, &counts, exception_status_names[status]);
    return counts_text(items->arena, &counts);
}

enum error exception_stats_read(const struct reading *reading, struct exception_stats *stats)
{
    struct source_counts *by_source = ARENA_NEW(reading->storage.arena, struct source_counts);
    struct items items;
    enum error error = find_all(&items, reading);

    if (error)
        return error;
    *by_source =
        (struct source_counts){.deadletter = statuses_of(&items, EXCEPTION_DEAD_LETTER),
                               .webhook_delivery = statuses_of(&items, EXCEPTION_DELIVERY),
                               .reconciliation = statuses_of(&items, EXCEPTION_RECONCILIATION),
                               .alert_delivery = statuses_of(&items, EXCEPTION_ALERT)};
    *stats = (struct exception_stats){.by_source = by_source,
                                      .manual_resolutions = items.by_hand,
                                      .scan_truncated = items.truncated};
    for (size_t i = 0; i < items.count; i++)
        stats->last_24h += items.items[i].occurred_at >= reading->storage.now - us_per_day;
    return ERROR_NONE;
}

static enum error keep_word(const struct reading *reading, const struct exception_item *item,
                            enum exception_status status, const char *remark)
{
    struct query *query = db_query(reading->storage.db, &put_triage);

    query_bind_text(query, reading->storage.tenant);
    query_bind_text(query, item->item_id);
    query_bind_text(query, exception_source_names[item->source]);
    query_bind_text(query, exception_status_names[status]);
    query_bind_integer(query, item->occurred_at);
    query_bind_integer(query, item->last_seen_at);
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
    const struct exception_item *item = NULL;
    struct items items;
    enum error error = find_all(&items, reading);

    for (size_t i = 0; !error && i < items.count; i++)
        if (strcmp(items.items[i].item_id, item_id) == 0)
            item = &items.items[i];
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
