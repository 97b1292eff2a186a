/* Open orders with the time in their stage, and which of them are overdue. */
#include "livedata/operations/open_orders.h"

#include "base/list.h"
#include "base/number.h"
#include "db/query.h"
#include "livedata/counts.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES_TEXT_MAX = 16384 };

static const char status_prefix[] = "order.status.";

static const struct statement read_open = {
    .name = "ops_open_orders",
    .sql = "SELECT o.order_id, o.user_id, o.status, o.total_cents, o.currency, o.created_at,"
           " (SELECT max(j.processed_at) FROM pipeline_events AS j WHERE j.tenant_id = o.tenant_id"
           " AND j.entity_id = o.order_id AND j.topic = 'orders.status'"
           " AND j.event_type = 'order.status.' || o.status),"
           " (SELECT j.event_type FROM pipeline_events AS j WHERE j.tenant_id = o.tenant_id"
           " AND j.entity_id = o.order_id AND j.topic = 'orders.status'"
           " ORDER BY j.processed_at DESC, j.seq DESC LIMIT 1),"
           " (SELECT max(j.processed_at) FROM pipeline_events AS j WHERE j.tenant_id = o.tenant_id"
           " AND j.entity_id = o.order_id AND j.topic = 'orders.status')"
           " FROM orders_v2 AS o WHERE o.tenant_id = ?"
           " AND replace(?, ',' || o.status || ',', '') = ? ORDER BY o.order_id LIMIT ?",
    .streams = true,
};

/* ",delivered,cancelled,": final statuses. */
static const char *ends_of(struct arena *arena, const struct entity_type *type)
{
    struct text text;

    text_start(&text, arena, STAGES_TEXT_MAX);
    text_append_byte(&text, ',');
    for (size_t i = 0; i < type->stage_count; i++)
        if (type->stages[i].terminal) {
            text_append_string(&text, type->stages[i].name);
            text_append_byte(&text, ',');
        }
    return text.bytes;
}

static void take_order(struct query *query, const struct reading *reading,
                       const struct entity_type *type, struct open_order *order)
{
    struct arena *arena = reading->storage.arena;
    struct optional_integer entered = query_optional_integer(query, 6);
    const char *newest = query_text_or_null(query, 7, arena);

    *order = (struct open_order){.order_id = query_text(query, 0, arena),
                                 .user_id = query_text(query, 1, arena),
                                 .status = query_text(query, 2, arena),
                                 .total_cents = query_integer(query, 3),
                                 .currency = query_text(query, 4, arena),
                                 .by_journal = entered.given,
                                 .journal_at = query_optional_integer(query, 8).value};
    order->entered_at = entered.given ? entered.value : query_integer(query, 5);
    order->seconds = timestamp_seconds(order->entered_at, reading->storage.now);
    order->stage = entity_stage(type, order->status);
    if (newest && strncmp(newest, status_prefix, sizeof status_prefix - 1) == 0)
        order->journal_stage = newest + sizeof status_prefix - 1;
    if (order->stage && order->stage->sla_minutes.given && order->stage->sla_minutes.value > 0)
        order->overshoot = GIVEN_NUMBER(order->seconds / (order->stage->sla_minutes.value * 60));
}

enum error open_orders_read(const struct reading *reading, struct open_orders *orders)
{
    const struct entity_type *type = catalog_entity(reading->catalog, "order");
    int64_t most = reading->settings->ops_orders_scan_limit;
    struct arena *arena = reading->storage.arena;
    struct query *query;
    const char *ends;

    *orders = (struct open_orders){0};
    if (!type || !may_see_type(reading, "order"))
        return problem_set(reading->storage.problem, ERROR_FORBIDDEN, "entity_forbidden",
                           "API key '%s' cannot access entity type 'order'.", reading->key_name);
    ends = ends_of(arena, type);
    query = db_query(reading->storage.db, &read_open);
    query_bind_text(query, reading->storage.tenant);
    query_bind_text(query, ends);
    query_bind_text(query, ends);
    query_bind_integer(query, most + 1);
    while (query_next(query)) {
        if (orders->count == (size_t)most) {
            orders->truncated = true;
            continue;
        }
        take_order(query, reading, type, LIST_ADD(arena, orders));
    }
    return query_end(query, reading->storage.problem);
}

static bool is_breached(const struct open_order *order)
{
    return order->overshoot.given && order->overshoot.value > 1;
}

static bool is_wanted(const struct open_order *order, const struct stuck_request *request)
{
    return (request->within_sla_too || is_breached(order)) &&
           (!request->stage || strcmp(request->stage, order->status) == 0);
}

/* The most overdue first, those without a limit last. */
static int order_of_items(const void *a, const void *b)
{
    const struct open_order *one = *(const struct open_order *const *)a,
                            *other = *(const struct open_order *const *)b;

    if (one->overshoot.given != other->overshoot.given)
        return one->overshoot.given ? -1 : 1;
    if (one->overshoot.value != other->overshoot.value)
        return one->overshoot.value > other->overshoot.value ? -1 : 1;
    return strcmp(one->order_id, other->order_id);
}

#define OWNER struct stuck_order
static const struct field item_fields[] = {
    STRING(OWNER, order_id),
    STRING(OWNER, user_id),
    STRING(OWNER, status),
    TIME(OWNER, entered_at, .time = TIME_Z),
    NUMBER(OWNER, in_stage_seconds),
    NULLABLE_NUMBER(OWNER, sla_minutes),
    NULLABLE_NUMBER(OWNER, overshoot_ratio),
    STRING(OWNER, clock),
    NUMBER(OWNER, total_amount),
    STRING(OWNER, currency),
};
#undef OWNER
static SCHEMA(item_schema, struct stuck_order, "StuckOrderItem", item_fields);

#define OWNER struct stuck_summary
static const struct field summary_fields[] = {WRITTEN_JSON(OWNER, open_by_stage),
                                              WRITTEN_JSON(OWNER, breached_by_stage)};
#undef OWNER
static SCHEMA(summary_schema, struct stuck_summary, "StuckOrdersSummary", summary_fields);

#define OWNER struct stuck_orders
static const struct field stuck_fields[] = {OBJECTS(OWNER, items, item_schema),
                                            OBJECT(OWNER, summary, summary_schema), PAGINATION_ROWS,
                                            BOOLEAN(OWNER, scan_truncated)};
#undef OWNER
SCHEMA(stuck_orders_schema, struct stuck_orders, "StuckOrdersResponse", stuck_fields);

static struct stuck_order item_of(const struct open_order *order)
{
    struct stuck_order item = {.order_id = order->order_id,
                               .user_id = order->user_id,
                               .status = order->status,
                               .entered_at = order->entered_at,
                               .in_stage_seconds = number_round(order->seconds, 3),
                               .clock = order->by_journal ? "journal" : "fallback",
                               .total_amount = (double)order->total_cents / 100,
                               .currency = order->currency};

    if (order->stage)
        item.sla_minutes = order->stage->sla_minutes;
    if (order->overshoot.given)
        item.overshoot_ratio = GIVEN_NUMBER(number_round(order->overshoot.value, 4));
    return item;
}

/* How many there are of each status, in the order in which the statuses appear. */
static const char *counts_of(struct arena *arena, const struct open_orders *orders, bool breached)
{
    struct named_counts counts = {0};

    for (size_t i = 0; i < orders->count; i++)
        if (!breached || is_breached(&orders->items[i]))
            counts_add(arena, &counts, orders->items[i].status);
    return counts_text(arena, &counts);
}

static const struct stuck_summary *summary_of(struct arena *arena, const struct open_orders *orders)
{
    struct stuck_summary *summary = ARENA_NEW(arena, struct stuck_summary);

    *summary = (struct stuck_summary){.open_by_stage = counts_of(arena, orders, false),
                                      .breached_by_stage = counts_of(arena, orders, true)};
    return summary;
}

/* The start of the page: after the order of the cursor, or after its former position. */
static int64_t first_of(const struct open_order **items, int64_t count,
                        const struct stuck_request *request, const struct list_cursor *cursor)
{
    const struct open_order last = {.order_id = cursor->id,
                                    .overshoot = {cursor->weight >= 0, cursor->weight}};
    const struct open_order *sought = &last;
    int64_t first = 0;

    if (!cursor->given)
        return (request->page - 1) * request->page_size;
    for (int64_t i = 0; i < count; i++)
        if (strcmp(items[i]->order_id, cursor->id) == 0)
            return i + 1;
    while (first < count && order_of_items(&items[first], &sought) < 0)
        first++;
    return first;
}

static const char *next_of(struct arena *arena, const struct open_order *last)
{
    const struct list_cursor cursor = {
        .id = last->order_id, .weight = last->overshoot.given ? last->overshoot.value : -1};

    return list_cursor_make(arena, "stuck-orders", &cursor);
}

/* The wanted ones in the order of the list. */
static const struct open_order **sorted_of(struct arena *arena, const struct open_orders *orders,
                                           const struct stuck_request *request, int64_t *count)
{
    const struct open_order **items = ARENA_ARRAY(arena, const struct open_order *, orders->count);

    *count = 0;
    for (size_t i = 0; i < orders->count; i++)
        if (is_wanted(&orders->items[i], request))
            items[(*count)++] = &orders->items[i];
    qsort(items, (size_t)*count, sizeof(const struct open_order *), order_of_items);
    return items;
}

enum error stuck_orders_read(const struct reading *reading, const struct stuck_request *request,
                             struct stuck_orders *answer)
{
    struct arena *arena = reading->storage.arena;
    int64_t first, end, count;
    const struct open_order **sorted;
    struct stuck_order *items;
    struct list_cursor cursor;
    struct open_orders orders;
    enum error error =
        list_cursor_read(arena, "stuck-orders", request->cursor, &cursor, reading->storage.problem);

    if (!error)
        error = open_orders_read(reading, &orders);
    if (error)
        return error;
    sorted = sorted_of(arena, &orders, request, &count);
    first = first_of(sorted, count, request, &cursor);
    end = first + request->page_size < count ? first + request->page_size : count;
    items = ARENA_ARRAY(arena, struct stuck_order, first < end ? (size_t)(end - first) : 0);
    for (int64_t i = first; i < end; i++)
        items[i - first] = item_of(sorted[i]);
    *answer = (struct stuck_orders){
        .items = {first < end ? (size_t)(end - first) : 0, items},
        .summary = summary_of(arena, &orders),
        .pagination = pagination_of(arena, request->page, request->page_size, count),
        .next_cursor = first < end && end < count ? next_of(arena, sorted[end - 1]) : NULL,
        .scan_truncated = orders.truncated};
    return ERROR_NONE;
}
