/* Open orders with the clocks of their stages, and which of them are stuck. */
#include "livedata/operations/open_orders.h"

#include "base/number.h"
#include "db/query.h"
#include "livedata/moment.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES_MAX = 64, STAGES_TEXT_MAX = 16384, ORDERS_AT_FIRST = 64 };

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

/* ",delivered,cancelled,": states that are the end. */
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
    order->seconds = moment_seconds(order->entered_at, reading->storage.now);
    order->stage = entity_stage(type, order->status);
    if (newest && strncmp(newest, status_prefix, sizeof status_prefix - 1) == 0)
        order->journal_stage = newest + sizeof status_prefix - 1;
    if (order->stage && order->stage->sla_minutes.given && order->stage->sla_minutes.value > 0)
        order->overshoot = GIVEN_NUMBER(order->seconds / (order->stage->sla_minutes.value * 60));
}

static void add(struct open_orders *orders, size_t *capacity, struct arena *arena)
{
    struct open_order *more;

    if (orders->count < *capacity)
        return;
    more = ARENA_ARRAY(arena, struct open_order, *capacity * 2);
    memcpy(more, orders->items, *capacity * sizeof *more);
    orders->items = more;
    *capacity *= 2;
}

enum error open_orders_read(const struct reading *reading, struct open_orders *orders)
{
    const struct entity_type *type = catalog_entity(reading->catalog, "order");
    int64_t most = reading->settings->ops_orders_scan_limit;
    struct arena *arena = reading->storage.arena;
    size_t capacity = ORDERS_AT_FIRST;
    struct query *query;
    const char *ends;

    *orders = (struct open_orders){.items = ARENA_ARRAY(arena, struct open_order, capacity)};
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
        add(orders, &capacity, arena);
        take_order(query, reading, type, &orders->items[orders->count++]);
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

/* The worst first, those without a clock last. */
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

static void write_item(struct json_writer *writer, const struct open_order *order)
{
    writer_open_object(writer);
    writer_key_string(writer, "order_id", order->order_id);
    writer_key_string(writer, "user_id", order->user_id);
    writer_key_string(writer, "status", order->status);
    moment_write(writer, "entered_at", order->entered_at);
    writer_key_number(writer, "in_stage_seconds", number_round(order->seconds, 3));
    if (order->stage && order->stage->sla_minutes.given)
        writer_key_number(writer, "sla_minutes", order->stage->sla_minutes.value);
    else
        writer_key_null(writer, "sla_minutes");
    if (order->overshoot.given)
        writer_key_number(writer, "overshoot_ratio", number_round(order->overshoot.value, 4));
    else
        writer_key_null(writer, "overshoot_ratio");
    writer_key_string(writer, "clock", order->by_journal ? "journal" : "fallback");
    writer_key_number(writer, "total_amount", (double)order->total_cents / 100);
    writer_key_string(writer, "currency", order->currency);
    writer_close_object(writer);
}

/* How many there are of each state, in the order in which they are met. */
static void write_counts(struct json_writer *writer, const char *key,
                         const struct open_orders *orders, bool breached)
{
    const char *names[STAGES_MAX];
    int64_t counts[STAGES_MAX] = {0};
    size_t known = 0;

    for (size_t i = 0; i < orders->count; i++) {
        size_t place = 0;

        if (breached && !is_breached(&orders->items[i]))
            continue;
        while (place < known && strcmp(names[place], orders->items[i].status) != 0)
            place++;
        if (place == STAGES_MAX)
            continue;
        if (place == known)
            names[known++] = orders->items[i].status;
        counts[place]++;
    }
    writer_key(writer, key);
    writer_open_object(writer);
    for (size_t i = 0; i < known; i++)
        writer_key_integer(writer, names[i], counts[i]);
    writer_close_object(writer);
}

/* Where the page begins: after the order of the cursor, or where it stood. */
static int64_t first_of(const struct open_order **items, int64_t count,
                        const struct stuck_request *request, const struct list_cursor *cursor)
{
    const struct open_order last = {.order_id = cursor->id,
                                    .overshoot = {cursor->weight >= 0, cursor->weight}};
    const struct open_order *place = &last;
    int64_t first = 0;

    if (!cursor->given)
        return (request->page - 1) * request->page_size;
    for (int64_t i = 0; i < count; i++)
        if (strcmp(items[i]->order_id, cursor->id) == 0)
            return i + 1;
    while (first < count && order_of_items(&items[first], &place) < 0)
        first++;
    return first;
}

static const char *next_of(struct arena *arena, const struct open_order *last)
{
    const struct list_cursor cursor = {
        .id = last->order_id, .weight = last->overshoot.given ? last->overshoot.value : -1};

    return list_cursor_make(arena, "stuck-orders", &cursor);
}

enum error write_stuck_orders(struct json_writer *writer, const struct reading *reading,
                              const struct stuck_request *request)
{
    struct arena *arena = reading->storage.arena;
    int64_t first, end, count = 0;
    const struct open_order **items;
    struct list_cursor cursor;
    struct open_orders orders;
    enum error error =
        list_cursor_read(arena, "stuck-orders", request->cursor, &cursor, reading->storage.problem);

    if (!error)
        error = open_orders_read(reading, &orders);
    if (error)
        return error;
    items = ARENA_ARRAY(arena, const struct open_order *, orders.count);
    for (size_t i = 0; i < orders.count; i++)
        if (is_wanted(&orders.items[i], request))
            items[count++] = &orders.items[i];
    qsort(items, (size_t)count, sizeof(const struct open_order *), order_of_items);
    first = first_of(items, count, request, &cursor);
    end = first + request->page_size < count ? first + request->page_size : count;
    writer_open_object(writer);
    writer_key(writer, "items");
    writer_open_array(writer);
    for (int64_t i = first; i < end; i++)
        write_item(writer, items[i]);
    writer_close_array(writer);
    writer_key(writer, "summary");
    writer_open_object(writer);
    write_counts(writer, "open_by_stage", &orders, false);
    write_counts(writer, "breached_by_stage", &orders, true);
    writer_close_object(writer);
    write_pagination(writer, request->page, request->page_size, count,
                     first < end && end < count ? next_of(arena, items[end - 1]) : NULL);
    writer_key_boolean(writer, "scan_truncated", orders.truncated);
    writer_close_object(writer);
    return ERROR_NONE;
}
