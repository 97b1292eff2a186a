/* Orders, their items and products: the newest state wins. */
#include "livedata/entities/state.h"

#include "db/query.h"
#include "livedata/journal/series_changes.h"

#include <string.h>

enum { ITEMS_MAX = 1000 };

static const struct statement read_order = {
    .name = "order_state",
    .sql = "SELECT user_id, status, total_cents, created_at, state_ts, last_event_id"
           " FROM orders_v2 WHERE tenant_id = ? AND order_id = ?",
};
static const struct statement write_order = {
    .name = "order_write",
    .sql = "INSERT INTO orders_v2 (tenant_id, order_id, user_id, status, total_cents, currency,"
           " created_at, state_ts, last_event_id, updated_at, event_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, order_id) DO UPDATE SET user_id = excluded.user_id,"
           " status = excluded.status, total_cents = excluded.total_cents,"
           " currency = excluded.currency, created_at = excluded.created_at,"
           " state_ts = excluded.state_ts, last_event_id = excluded.last_event_id,"
           " updated_at = excluded.updated_at, event_at = excluded.event_at",
};
static const struct statement move_created = {
    .name = "order_move_created",
    .sql = "UPDATE orders_v2 SET created_at = ?, updated_at = ?, event_at = ? WHERE tenant_id = ?"
           " AND order_id = ?",
};
static const struct statement read_items = {
    .name = "order_items_read",
    .sql = "SELECT product_id, quantity, amount_cents FROM order_items WHERE tenant_id = ?"
           " AND order_id = ?",
};
static const struct statement delete_order = {
    .name = "order_delete",
    .sql = "DELETE FROM orders_v2 WHERE tenant_id = ? AND order_id = ?",
};
static const struct statement delete_product = {
    .name = "product_delete",
    .sql = "DELETE FROM products_current WHERE tenant_id = ? AND product_id = ?",
};
static const struct statement delete_items = {
    .name = "order_items_delete",
    .sql = "DELETE FROM order_items WHERE tenant_id = ? AND order_id = ?",
};
static const struct statement add_item = {
    .name = "order_item_add",
    .sql = "INSERT INTO order_items (tenant_id, order_id, product_id, quantity, amount_cents)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, order_id, product_id) DO UPDATE"
           " SET quantity = order_items.quantity + excluded.quantity,"
           " amount_cents = order_items.amount_cents + excluded.amount_cents",
};
static const struct statement read_product = {
    .name = "product_state",
    .sql = "SELECT category, state_ts, last_event_id FROM products_current WHERE tenant_id = ?"
           " AND product_id = ?",
};
static const struct statement write_product = {
    .name = "product_write",
    .sql = "INSERT INTO products_current (tenant_id, product_id, name, category, price_cents,"
           " in_stock, stock_quantity, state_ts, last_event_id, updated_at, event_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant_id, product_id) DO UPDATE"
           " SET name = excluded.name, category = excluded.category,"
           " price_cents = excluded.price_cents, in_stock = excluded.in_stock,"
           " stock_quantity = excluded.stock_quantity, state_ts = excluded.state_ts,"
           " last_event_id = excluded.last_event_id, updated_at = excluded.updated_at,"
           " event_at = excluded.event_at",
};

struct order_state {
    bool found;
    const char *user_id;
    bool active; /* not cancelled */
    int64_t cents;
    int64_t created_at;
    int64_t state_ts;
    const char *last_event_id;
};

static enum error find_order(const struct storage_call *call, const char *id,
                             struct order_state *state)
{
    struct query *query = db_query(call->db, &read_order);

    *state = (struct order_state){0};
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    if (query_next(query))
        *state = (struct order_state){
            .found = true,
            .user_id = query_text(query, 0, call->arena),
            .active = strcmp(query_text(query, 1, call->arena), "cancelled") != 0,
            .cents = query_integer(query, 2),
            .created_at = query_integer(query, 3),
            .state_ts = query_integer(query, 4),
            .last_event_id = query_text(query, 5, call->arena)};
    return query_end(query, call->problem);
}

/* Whether what is stored is newer than the event. */
static bool is_newer(int64_t state_ts, const char *last_event_id, const struct event *event)
{
    return state_ts > event->at || (state_ts == event->at && strcmp(last_event_id, event->id) > 0);
}

static enum error put_order(const struct storage_call *call, const struct event *event,
                            int64_t created_at)
{
    struct query *query = db_query(call->db, &write_order);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    query_bind_text(query, event->user_id);
    query_bind_text(query, event->status);
    query_bind_integer(query, event->total_cents);
    query_bind_text(query, event->currency);
    query_bind_integer(query, created_at);
    query_bind_integer(query, event->at);
    query_bind_text(query, event->id);
    query_bind_integer(query, call->now);
    query_bind_integer(query, event->at);
    return query_end(query, call->problem);
}

static enum error stored_items(const struct storage_call *call, const struct event *event,
                               struct order_item **items, size_t *count)
{
    struct query *query = db_query(call->db, &read_items);

    *items = ARENA_ARRAY(call->arena, struct order_item, ITEMS_MAX);
    *count = 0;
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    while (*count < ITEMS_MAX && query_next(query))
        (*items)[(*count)++] = (struct order_item){
            query_text(query, 0, call->arena), query_integer(query, 1), query_integer(query, 2)};
    return query_end(query, call->problem);
}

/* Subtracts the units of the stored items from the order's user. */
static enum error take_items(const struct storage_call *call, const struct event *event,
                             const struct order_state *old)
{
    struct order_item *items;
    struct query *query;
    size_t count;
    enum error error = stored_items(call, event, &items, &count);

    for (size_t i = 0; !error && i < count; i++)
        error = users_add_units(call, old->user_id, items[i].product_id,
                                old->active ? -items[i].quantity : 0, -items[i].quantity);
    if (error || !count)
        return error;
    query = db_query(call->db, &delete_items);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    return query_end(query, call->problem);
}

static enum error give_items(const struct storage_call *call, const struct event *event,
                             bool active)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < event->item_count; i++) {
        const struct order_item *item = &event->items[i];
        struct query *query = db_query(call->db, &add_item);

        query_bind_text(query, call->tenant);
        query_bind_text(query, event->entity_id);
        query_bind_text(query, item->product_id);
        query_bind_integer(query, item->quantity);
        query_bind_integer(query, item->amount_cents);
        error = query_end(query, call->problem);
        if (!error)
            error = users_add_units(call, event->user_id, item->product_id,
                                    active ? item->quantity : 0, item->quantity);
    }
    return error;
}

/* The users before and after the event, who may differ. */
static enum error refresh_users(const struct storage_call *call, const struct event *event,
                                const struct order_state *old, bool active)
{
    struct user_change change = {event->user_id, active, active ? event->total_cents : 0, true,
                                 event->at};
    bool moved = old->found && strcmp(old->user_id, event->user_id) != 0;
    enum error error = ERROR_NONE;

    if (moved) {
        const struct user_change left = {old->user_id, -(int64_t)old->active,
                                         old->active ? -old->cents : 0, true, event->at};

        error = users_refresh(call, &left);
    } else if (old->found && old->active) {
        change.orders--;
        change.cents -= old->cents;
    }
    return error ? error : users_refresh(call, &change);
}

/* When the order was created, as far as the event states it. */
static int64_t created_by(const struct event *event)
{
    return event->row.created_at ? event->row.created_at : event->at;
}

/* For series: when the order was created, before and after. */
static void note_created(const struct storage_call *call, const struct order_state *old,
                         int64_t created)
{
    if (old->found)
        series_note_time(call, "orders_v2", "created_at", old->created_at);
    series_note_time(call, "orders_v2", "created_at", created);
}

static enum error accept_order(const struct storage_call *call, const struct event *event,
                               const struct order_state *old)
{
    bool active = strcmp(event->status, "cancelled") != 0;
    int64_t created = created_by(event);
    enum error error;

    if (old->found && old->created_at < created)
        created = old->created_at;
    note_created(call, old, created);
    error = put_order(call, event, created);

    if (!error && old->found)
        error = take_items(call, event, old);
    if (!error)
        error = give_items(call, event, active);
    return error ? error : refresh_users(call, event, old, active);
}

/* If the stored state is newer, an event can only set an earlier creation time. */
static enum error note_late_order(const struct storage_call *call, const struct event *event,
                                  const struct order_state *old)
{
    const struct user_change none = {.user_id = old->user_id, .event_at = event->at};
    struct query *query;
    enum error error;

    if (event->row.removes || created_by(event) >= old->created_at)
        return ERROR_NONE;
    note_created(call, old, created_by(event));
    query = db_query(call->db, &move_created);
    query_bind_integer(query, created_by(event));
    query_bind_integer(query, call->now);
    query_bind_integer(query, event->at);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    error = query_end(query, call->problem);
    return error ? error : users_refresh(call, &none);
}

/* Deletes the order and its items, and updates its user's sums. */
static enum error remove_order(const struct storage_call *call, const struct event *event,
                               const struct order_state *old)
{
    const struct user_change left = {old->user_id, -(int64_t)old->active,
                                     old->active ? -old->cents : 0, true, event->at};
    struct query *query;
    enum error error = state_note_deleted(call, event);

    if (error || !old->found)
        return error;
    note_created(call, old, old->created_at);
    error = take_items(call, event, old);
    if (error)
        return error;
    query = db_query(call->db, &delete_order);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    error = query_end(query, call->problem);
    return error ? error : users_refresh(call, &left);
}

/* A row of change data does not contain the items: they stay unchanged. */
static enum error change_order(const struct storage_call *call, const struct event *event,
                               const struct order_state *old)
{
    struct event kept = *event;
    enum error error;

    if (event->row.removes)
        return remove_order(call, event, old);
    error = stored_items(call, event, &kept.items, &kept.item_count);
    return error ? error : accept_order(call, &kept, old);
}

enum error state_apply_order(const struct storage_call *call, const struct event *event,
                             bool *accepted, const char **left)
{
    struct order_state old;
    bool deleted = false;
    enum error error = find_order(call, event->entity_id, &old);

    *left = NULL;
    *accepted = false;
    if (!error && !old.found)
        error = state_is_deleted(call, event, &deleted);
    if (error || deleted)
        return error;
    if (old.found && (!event->user_id || strcmp(old.user_id, event->user_id) != 0))
        *left = old.user_id;
    *accepted = !old.found || !is_newer(old.state_ts, old.last_event_id, event);
    if (!*accepted)
        return note_late_order(call, event, &old);
    return event->family == EVENT_CHANGE ? change_order(call, event, &old)
                                         : accept_order(call, event, &old);
}

static enum error remove_product(const struct storage_call *call, const struct event *event,
                                 struct string_list *moved)
{
    struct query *query;
    enum error error = state_note_deleted(call, event);

    if (error)
        return error;
    query = db_query(call->db, &delete_product);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    error = query_end(query, call->problem);
    return error ? error : users_refresh_category(call, event, moved);
}

enum error state_apply_product(const struct storage_call *call, const struct event *event,
                               struct string_list *moved)
{
    struct query *query = db_query(call->db, &read_product);
    bool found, newer = false, same = false;
    enum error error;

    *moved = (struct string_list){0};
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    found = query_next(query);
    if (found) {
        same = event->category && strcmp(query_text(query, 0, call->arena), event->category) == 0;
        newer = is_newer(query_integer(query, 1), query_text(query, 2, call->arena), event);
    }
    error = query_end(query, call->problem);
    if (!error && !found)
        error = state_is_deleted(call, event, &newer);
    if (error || newer)
        return error;
    if (event->row.removes)
        return remove_product(call, event, moved);
    query = db_query(call->db, &write_product);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    query_bind_text(query, event->name);
    query_bind_text(query, event->category);
    query_bind_integer(query, event->total_cents);
    query_bind_boolean(query, event->in_stock);
    query_bind_integer(query, event->stock_quantity);
    query_bind_integer(query, event->at);
    query_bind_text(query, event->id);
    query_bind_integer(query, call->now);
    query_bind_integer(query, event->at);
    error = query_end(query, call->problem);
    return error || same ? error : users_refresh_category(call, event, moved);
}
