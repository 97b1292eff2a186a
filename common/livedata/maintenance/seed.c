/* The demonstration's rows as tables, and the SQL that writes them. Ages are minutes. */
#include "livedata/maintenance/seed.h"

#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/search/search.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>

enum { STATES_MAX = 4 };

static const struct {
    int number, user;
    const char *status;
    int amount, age;
    struct {
        const char *status;
        int age;
    } states[STATES_MAX];
} orders[] = {
    {1001,
     10001,
     "delivered",
     76400,
     120,
     {{"pending", 120}, {"confirmed", 100}, {"shipped", 60}, {"delivered", 10}}},
    {1002, 10002, "shipped", 48100, 90, {{"pending", 90}, {"confirmed", 80}, {"shipped", 70}}},
    {1003, 10003, "confirmed", 2650, 60, {{"pending", 60}, {"confirmed", 50}}},
    {1004, 10003, "pending", 1890, 45, {{"pending", 45}}},
    {1005,
     10004,
     "delivered",
     2290,
     30,
     {{"pending", 30}, {"confirmed", 25}, {"shipped", 15}, {"delivered", 5}}},
    {1006, 10004, "cancelled", 1590, 20, {{"pending", 20}, {"cancelled", 10}}},
    {1007, 10005, "confirmed", 2990, 15, {{"pending", 15}, {"confirmed", 8}}},
    {1008, 10005, "pending", 3990, 5, {{"pending", 5}}},
};

static const struct {
    const char *name, *category;
    int price, stock;
} products[] = {
    {"Electric Kettle 1.7L 2200W", "kettles", 2190, 0},
    {"Air Fryer Grill 5.5L", "grills", 5490, 58},
    {"Immersion Blender Set 800W", "blenders", 2490, 203},
    {"Stand Mixer 5L Planetary", "mixers", 6990, 37},
    {"Drip Coffee Maker 1.2L", "coffee", 3490, 94},
    {"Waffle Maker Double", "multibakers", 2290, 142},
    {"Mini Chopper 500ml", "choppers", 1490, 315},
    {"Cold-Press Juicer", "juicers", 4490, 72},
    {"Digital Kitchen Scale 5kg", "scales", 990, 421},
    {"Vacuum Sealer Compact", "vacuum-dry", 3290, 167},
};

static const struct {
    int number, orders, spent, first_days, last_age;
    const char *category;
} users[] = {
    {10001, 34, 1200000, 365, 120, "grills"}, {10002, 15, 460000, 270, 90, "coffee"},
    {10003, 4, 8900, 60, 45, "choppers"},     {10004, 6, 15800, 120, 20, "blenders"},
    {10005, 3, 28500, 10, 5, "vacuum-dry"},
};

static const struct {
    const char *id;
    int user, start, end, seconds, events, pages; /* -1 = none */
    const char *stage;
    bool conversion;
} sessions[] = {
    {"SES-a1b2c3", 10005, 120, 100, 1200, 14, 6, "checkout", true},
    {"SES-d4e5f6", 10004, 90, 70, 1200, 8, 4, "add_to_cart", false},
    {"SES-g7h8i9", -1, 60, 58, 120, 2, 2, "bounce", false},
    {"SES-j1k2l3", 10003, 45, 20, 1500, 11, 5, "checkout", true},
    {"SES-m4n5o6", 10004, 30, 15, 900, 6, 3, "product_view", false},
    {"SES-p7q8r9", 10005, 20, -1, -1, 3, 2, "browse", false},
};

static const struct {
    const char *event, *topic, *type;
    int latency, age;
} trail[] = {
    {"evt-ord-1001-ingest", "orders.raw", "order.created", 12, 3},
    {"evt-ord-1001-validated", "events.validated", "order.validated", 8, 2},
    {"evt-ord-1001-served", "events.served", "order.served", 4, 1},
};

static const struct statement any_order = {"seed_any", "SELECT 1 FROM orders_v2 LIMIT 1"};
static const struct statement add_order = {
    .name = "seed_order",
    .sql = "INSERT INTO orders_v2 (tenant_id, order_id, user_id, status, total_cents, currency,"
           " created_at) VALUES (?, ?, ?, ?, ?, 'RUB', ?)",
};
static const struct statement add_product = {
    .name = "seed_product",
    .sql = "INSERT INTO products_current (tenant_id, product_id, name, category, price_cents,"
           " in_stock, stock_quantity) VALUES (?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement add_user = {
    .name = "seed_user",
    .sql = "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents,"
           " first_order_at, last_order_at, preferred_category) VALUES (?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement add_session = {
    .name = "seed_session",
    .sql = "INSERT INTO sessions_aggregated (tenant_id, session_id, user_id, started_at, ended_at,"
           " duration_us, event_count, unique_pages, funnel_stage, is_conversion)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement add_letter = {
    .name = "seed_letter",
    .sql = "INSERT INTO dead_letter_events (tenant_id, event_id, event_type, payload,"
           " failure_reason, failure_detail, received_at, status)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, 'failed')",
};

static int64_t ago(const struct storage_call *call, int64_t minutes)
{
    return call->now - minutes * us_per_minute;
}

static enum error put_journal(const struct storage_call *call, const char *event_id,
                              const char *topic, const char *event_type, const char *entity_id,
                              struct optional_integer latency, int age)
{
    struct journal_row row = {.event_id = event_id,
                              .topic = topic,
                              .event_type = event_type,
                              .entity_id = entity_id,
                              .entity_type = entity_id ? "order" : NULL,
                              .latency_ms = latency,
                              .source = "seed",
                              .way_in = "seed",
                              .processed_at = ago(call, age)};

    return journal_add(call, &row);
}

static enum error seed_orders(const struct storage_call *call)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof orders / sizeof orders[0]; i++) {
        const char *id = arena_print(call->arena, "ORD-20260404-%d", orders[i].number);
        struct query *query = db_query(call->db, &add_order);

        query_bind_text(query, call->tenant);
        query_bind_text(query, id);
        query_bind_text(query, arena_print(call->arena, "USR-%d", orders[i].user));
        query_bind_text(query, orders[i].status);
        query_bind_integer(query, (int64_t)orders[i].amount * 100);
        query_bind_integer(query, ago(call, orders[i].age));
        error = query_end(query, call->problem);
        for (int j = 0; !error && j < STATES_MAX && orders[i].states[j].status; j++)
            error =
                put_journal(call,
                            arena_print(call->arena, "evt-ord-%d-status-%s", orders[i].number,
                                        orders[i].states[j].status),
                            TOPIC_STATUS,
                            arena_print(call->arena, "order.status.%s", orders[i].states[j].status),
                            id, (struct optional_integer){0}, orders[i].states[j].age);
    }
    return error;
}

static enum error seed_products(const struct storage_call *call)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof products / sizeof products[0]; i++) {
        struct query *query = db_query(call->db, &add_product);

        query_bind_text(query, call->tenant);
        query_bind_text(query, arena_print(call->arena, "PROD-%03zu", i + 1));
        query_bind_text(query, products[i].name);
        query_bind_text(query, products[i].category);
        query_bind_integer(query, (int64_t)products[i].price * 100);
        query_bind_boolean(query, products[i].stock > 0);
        query_bind_integer(query, products[i].stock);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error seed_users(const struct storage_call *call)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof users / sizeof users[0]; i++) {
        struct query *query = db_query(call->db, &add_user);

        query_bind_text(query, call->tenant);
        query_bind_text(query, arena_print(call->arena, "USR-%d", users[i].number));
        query_bind_integer(query, users[i].orders);
        query_bind_integer(query, (int64_t)users[i].spent * 100);
        query_bind_integer(query, ago(call, (int64_t)users[i].first_days * 1440));
        query_bind_integer(query, ago(call, users[i].last_age));
        query_bind_text(query, users[i].category);
        error = query_end(query, call->problem);
    }
    return error;
}

static struct optional_integer if_any(int minutes, int64_t value)
{
    return minutes < 0 ? (struct optional_integer){0} : GIVEN_INTEGER(value);
}

static enum error seed_sessions(const struct storage_call *call)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof sessions / sizeof sessions[0]; i++) {
        struct query *query = db_query(call->db, &add_session);

        query_bind_text(query, call->tenant);
        query_bind_text(query, sessions[i].id);
        query_bind_text(query, sessions[i].user < 0
                                   ? NULL
                                   : arena_print(call->arena, "USR-%d", sessions[i].user));
        query_bind_integer(query, ago(call, sessions[i].start));
        query_bind_optional_integer(query, if_any(sessions[i].end, ago(call, sessions[i].end)));
        query_bind_optional_integer(
            query, if_any(sessions[i].seconds, sessions[i].seconds * us_per_second));
        query_bind_integer(query, sessions[i].events);
        query_bind_integer(query, sessions[i].pages);
        query_bind_text(query, sessions[i].stage);
        query_bind_boolean(query, sessions[i].conversion);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error put_letter(const struct storage_call *call, const char *event_id,
                             const char *type, const char *payload, const char *reason,
                             const char *detail, int age)
{
    struct query *query = db_query(call->db, &add_letter);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event_id);
    query_bind_text(query, type);
    query_bind_text(query, payload);
    query_bind_text(query, reason);
    query_bind_text(query, detail);
    query_bind_integer(query, ago(call, age));
    return query_end(query, call->problem);
}

static enum error seed_journal(const struct storage_call *call)
{
    enum error error = ERROR_NONE;

    for (int i = 1; !error && i <= 10; i++) {
        bool dead = i == 4 || i == 9;

        error = put_journal(call, arena_print(call->arena, "evt-%03d", i),
                            dead ? TOPIC_DEADLETTER : TOPIC_VALIDATED,
                            i == 4   ? "order.created"
                            : i == 9 ? "order.updated"
                                     : "page_view",
                            NULL, GIVEN_INTEGER(dead ? 0 : 10 + i), 11 - i);
    }
    for (size_t i = 0; !error && i < sizeof trail / sizeof trail[0]; i++)
        error = put_journal(call, trail[i].event, trail[i].topic, trail[i].type,
                            "ORD-20260404-1001", GIVEN_INTEGER(trail[i].latency), trail[i].age);
    if (!error)
        error = put_letter(call, "evt-004", "order.created",
                           "{\"order_id\":\"ORD-DRAFT-004\",\"total_amount\":0}",
                           "schema_validation", "order_id: must look like ORD-20260404-1001", 7);
    if (!error)
        error = put_letter(call, "evt-009", "order.updated", "{\"order_id\":\"ORD-20260404-1002\"}",
                           "duplicate_event", "the event was applied before", 2);
    return error;
}

static enum error index_all(const struct storage_call *call, const struct catalog *catalog)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < catalog->entity_count; i++) {
        struct entity_rows rows;

        error = entity_rows_list(call, catalog->entities[i].table, "", 1000, &rows);
        for (size_t j = 0; !error && j < rows.count; j++)
            error = search_index_row(call, &catalog->entities[i], &rows.items[j]);
    }
    return error;
}

static enum error fill(const struct storage_call *call, const struct catalog *catalog)
{
    /* The newest of seed_journal(). */
    const struct event_mark newest = {ago(call, 1), ago(call, 1)};
    enum error error = seed_orders(call);

    if (!error)
        error = seed_products(call);
    if (!error)
        error = seed_users(call);
    if (!error)
        error = seed_sessions(call);
    if (!error)
        error = seed_journal(call);
    if (!error)
        error = index_all(call, catalog);
    for (size_t i = 0; !error && i < serving_table_count; i++)
        error = generation_raise(call, serving_tables[i].name, newest);
    return error;
}

enum error seed_store(const struct storage_call *call, const struct catalog *catalog, bool *seeded)
{
    struct query *query;
    bool any;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *seeded = false;
    if (error)
        return error;
    error = db_lock(call->db, "livedata.seed", call->problem);
    if (!error)
        error = db_lock(call->db, "livedata.apply", call->problem);
    if (!error) {
        query = db_query(call->db, &any_order);
        any = query_next(query);
        error = query_end(query, call->problem);
        if (!error && !any) {
            error = fill(call, catalog);
            *seeded = error == ERROR_NONE;
        }
    }
    return db_finish(call->db, error, call->problem);
}
