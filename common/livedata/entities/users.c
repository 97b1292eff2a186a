/* Users with totals over their orders, updated by differences. */
#include "livedata/entities/state.h"

#include "base/list.h"
#include "db/query.h"

static const struct statement add_units = {
    .name = "user_units_add",
    .sql = "INSERT INTO user_units (tenant_id, user_id, product_id, units, all_units)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, user_id, product_id) DO UPDATE"
           " SET units = user_units.units + excluded.units,"
           " all_units = user_units.all_units + excluded.all_units",
};
static const struct statement read_user = {
    .name = "user_state",
    .sql = "SELECT total_orders, total_cents, preferred_category, updated_at, source_owned"
           " FROM users_enriched"
           " WHERE tenant_id = ? AND user_id = ?",
};
static const struct statement sum_orders = {
    .name = "user_sum_orders",
    .sql = "SELECT count(*), coalesce(CAST(sum(total_cents) AS BIGINT), 0) FROM orders_v2"
           " WHERE tenant_id = ? AND user_id = ? AND status <> 'cancelled'",
};
static const struct statement first_active = {
    .name = "user_first_order",
    .sql = "SELECT created_at FROM orders_v2 WHERE tenant_id = ? AND user_id = ?"
           " AND status <> 'cancelled' ORDER BY created_at LIMIT 1",
};
static const struct statement last_active = {
    .name = "user_last_order",
    .sql = "SELECT created_at FROM orders_v2 WHERE tenant_id = ? AND user_id = ?"
           " AND status <> 'cancelled' ORDER BY created_at DESC LIMIT 1",
};
static const struct statement bounds_of_all = {
    .name = "user_bounds",
    .sql = "SELECT min(created_at), max(created_at) FROM orders_v2 WHERE tenant_id = ?"
           " AND user_id = ?",
};
static const struct statement best_category = {
    .name = "user_category",
    .sql = "SELECT p.category FROM user_units u JOIN products_current p"
           " ON p.tenant_id = u.tenant_id AND p.product_id = u.product_id"
           " WHERE u.tenant_id = ? AND u.user_id = ? AND u.all_units > 0 GROUP BY p.category"
           " ORDER BY sum(u.units) DESC, sum(u.all_units) DESC, p.category LIMIT 1",
};
static const struct statement write_user = {
    .name = "user_write",
    .sql = "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents,"
           " first_order_at, last_order_at, preferred_category, updated_at, event_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant_id, user_id) DO UPDATE"
           " SET total_orders = excluded.total_orders, total_cents = excluded.total_cents,"
           " first_order_at = excluded.first_order_at, last_order_at = excluded.last_order_at,"
           " preferred_category = excluded.preferred_category, updated_at = excluded.updated_at,"
           " event_at = excluded.event_at",
};
static const struct statement remove_user = {
    .name = "user_remove",
    .sql = "DELETE FROM users_enriched WHERE tenant_id = ? AND user_id = ?",
};
static const struct statement buyers = {
    .name = "product_buyers",
    .sql = "SELECT DISTINCT user_id FROM user_units WHERE tenant_id = ? AND product_id = ?"
           " AND all_units > 0 ORDER BY user_id",
};
static const struct statement set_category = {
    .name = "user_set_category",
    .sql = "UPDATE users_enriched SET preferred_category = ?, updated_at = ?, event_at = ?"
           " WHERE tenant_id = ? AND user_id = ? AND source_owned = 0"
           " AND coalesce(preferred_category, '') <> ?",
};

enum error users_add_units(const struct storage_call *call, const char *user_id,
                           const char *product_id, int64_t units, int64_t all_units)
{
    struct query *query = db_query(call->db, &add_units);

    query_bind_text(query, call->tenant);
    query_bind_text(query, user_id);
    query_bind_text(query, product_id);
    query_bind_integer(query, units);
    query_bind_integer(query, all_units);
    return query_end(query, call->problem);
}

struct user_state {
    int64_t orders;
    int64_t cents;
    const char *category;
    bool source_owned; /* set by change data, which must be kept */
    bool maintained;   /* its sums are computed from orders, not imported */
    struct optional_integer first, last;
};

static struct query *query_of(const struct storage_call *call, const struct statement *statement,
                              const char *user_id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, user_id);
    return query;
}

static enum error find_user(const struct storage_call *call, const char *user_id,
                            struct user_state *state)
{
    struct query *query = query_of(call, &read_user, user_id);

    *state = (struct user_state){0};
    if (query_next(query)) {
        state->orders = query_integer(query, 0);
        state->cents = query_integer(query, 1);
        state->category = query_text_or_null(query, 2, call->arena);
        state->maintained = !query_is_null(query, 3);
        state->source_owned = query_integer(query, 4) != 0;
    }
    return query_end(query, call->problem);
}

static enum error count_orders(const struct storage_call *call, const char *user_id,
                               struct user_state *state)
{
    struct query *query = query_of(call, &sum_orders, user_id);

    if (query_next(query)) {
        state->orders = query_integer(query, 0);
        state->cents = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

static enum error find_time(const struct storage_call *call, const struct statement *statement,
                            const char *user_id, struct optional_integer *time)
{
    struct query *query = query_of(call, statement, user_id);

    if (query_next(query))
        *time = query_optional_integer(query, 0);
    return query_end(query, call->problem);
}

/* Of the orders that were not cancelled; of all, when there are none. */
static enum error find_bounds(const struct storage_call *call, const char *user_id,
                              struct user_state *state)
{
    struct query *query;
    enum error error = find_time(call, &first_active, user_id, &state->first);

    if (!error)
        error = find_time(call, &last_active, user_id, &state->last);
    if (error || state->first.given)
        return error;
    query = query_of(call, &bounds_of_all, user_id);
    if (query_next(query)) {
        state->first = query_optional_integer(query, 0);
        state->last = query_optional_integer(query, 1);
    }
    return query_end(query, call->problem);
}

static enum error find_category(const struct storage_call *call, const char *user_id,
                                const char **category)
{
    struct query *query = query_of(call, &best_category, user_id);

    if (query_next(query))
        *category = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

static enum error put_user(const struct storage_call *call, const struct user_change *change,
                           const struct user_state *state)
{
    struct query *query = query_of(call, &write_user, change->user_id);

    query_bind_integer(query, state->orders);
    query_bind_integer(query, state->cents);
    query_bind_optional_integer(query, state->first);
    query_bind_optional_integer(query, state->last);
    query_bind_text(query, state->category);
    query_bind_integer(query, call->now);
    query_bind_integer(query, change->event_at);
    return query_end(query, call->problem);
}

enum error users_refresh(const struct storage_call *call, const struct user_change *change)
{
    struct user_state state;
    enum error error = find_user(call, change->user_id, &state);

    if (error || state.source_owned)
        return error;
    if (state.maintained) {
        state.orders += change->orders;
        state.cents += change->cents;
    } else {
        error = count_orders(call, change->user_id, &state);
    }
    if (!error)
        error = find_bounds(call, change->user_id, &state);
    if (!error && !state.first.given) /* all their orders now belong to other users */
        return query_end(query_of(call, &remove_user, change->user_id), call->problem);
    if (!error && change->units_changed)
        error = find_category(call, change->user_id, &state.category);
    return error ? error : put_user(call, change, &state);
}

/* `moved` says whether the preferred category has changed. */
static enum error move_category(const struct storage_call *call, const char *user_id,
                                int64_t event_at, bool *moved)
{
    const char *category = NULL;
    struct query *query;
    enum error error = find_category(call, user_id, &category);

    *moved = false;
    if (error || !category)
        return error;
    query = db_query(call->db, &set_category);
    query_bind_text(query, category);
    query_bind_integer(query, call->now);
    query_bind_integer(query, event_at);
    query_bind_text(query, call->tenant);
    query_bind_text(query, user_id);
    query_bind_text(query, category);
    *moved = query_changes(query) > 0;
    return query_end(query, call->problem);
}

/* The ids returned by a statement, all read before the first write. */
static enum error read_ids(struct query *query, const struct storage_call *call,
                           struct string_list *ids)
{
    *ids = (struct string_list){0};
    while (query_next(query))
        *LIST_ADD(call->arena, ids) = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error users_refresh_category(const struct storage_call *call, const struct event *event,
                                  struct string_list *moved)
{
    struct query *query = db_query(call->db, &buyers);
    struct string_list ids;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    error = read_ids(query, call, &ids);
    moved->items = ARENA_ARRAY(call->arena, const char *, ids.count + 1);
    for (size_t i = 0; !error && i < ids.count; i++) {
        bool other;

        error = move_category(call, ids.items[i], event->at, &other);
        if (!error && other)
            moved->items[moved->count++] = ids.items[i];
    }
    return error;
}
