/* Reads the shop's file and applies its events. */
#include "livedata/demo/demo.h"

#include "base/clock.h"
#include "db/query.h"
#include "livedata/alerts/rules.h"
#include "livedata/demo/demo_store.h"
#include "livedata/demo/shop_requests.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { EVENTS_A_TRANSACTION = 500, MINUTES_DETAILED = 15 };

/* What a start may wait for: a statement of PostgreSQL takes longer than one of SQLite. */
static const int64_t hours_kept[DB_ENGINE__MAX] = {[DB_SQLITE] = 24, [DB_POSTGRES] = 2};

static const int64_t latency_us = 40000; /* from an event to its row */

#define TEXT(member) STRING(OWNER, member, .required = true, .min_length = 1)
#define OWNER struct shop_product
static const struct field product_fields[] = {
    TEXT(name), TEXT(category), NUMBER(OWNER, price, .required = true, .lower = ABOVE(0)),
    INTEGER(OWNER, stock, .required = true, .lower = AT_LEAST(0))};
#undef OWNER
static SCHEMA(product_schema, struct shop_product, "DemoProduct", product_fields);

#define OWNER struct demo_alerts
static const struct field alerts_fields[] = {TEXT(conversion), TEXT(revenue), TEXT(errors)};
#undef OWNER
static SCHEMA(alerts_schema, struct demo_alerts, "DemoAlerts", alerts_fields);

#define OWNER struct demo_shop
static const struct field shop_fields[] = {
    TEXT(source), TEXT(partner),
    OBJECTS(OWNER, products, product_schema, .required = true, .min_length = 4),
    OBJECT(OWNER, alerts, alerts_schema, .required = true)};
#undef OWNER
static SCHEMA(shop_schema, struct demo_shop, "DemoShop", shop_fields);

enum error demo_shop_read(struct arena *arena, const struct demo_files *files,
                          struct demo_shop *shop, struct problem *problem)
{
    struct demo_currency currency;
    struct shop_product *products;
    enum error error = demo_currency_read(arena, files, &currency, problem);

    if (!error)
        error = demo_file_read(arena, files, "shop.yaml", &shop_schema, shop, problem);
    if (error)
        return error;
    products = shop->products.items;
    for (size_t i = 0; i < shop->products.count; i++)
        products[i].price = demo_amount(&currency, products[i].price);
    shop->catalog = (struct shop_catalog){.products = products,
                                          .count = shop->products.count,
                                          .currency = currency.code,
                                          .source = shop->source,
                                          .partner = shop->partner};
    return ERROR_NONE;
}

static enum error apply_event(struct apply_call *call, const struct shop_event *event,
                              struct apply_touched *touched, int64_t *applied)
{
    struct apply_result result;
    struct json_fault fault;
    json_t *payload;
    enum error error;

    if (json_read(call->storage.arena, event->json, strlen(event->json), JSON_DEPTH_LIMIT, &payload,
                  &fault))
        return problem_set(call->storage.problem, ERROR_SYSTEM, "demo_event",
                           "an event of the demonstration is not JSON");
    call->storage.now = event->at + latency_us;
    error = apply_one(call, payload, touched, &result);
    *applied += !error && result.status == EVENT_APPLIED;
    return error;
}

/* One transaction, as apply_batch() would, but every event has its own time. */
static enum error apply_some(struct apply_call *call, const struct shop_event *events, size_t count,
                             int64_t *applied)
{
    struct apply_touched *touched = ARENA_NEW(call->storage.arena, struct apply_touched);
    enum error error = db_begin(call->storage.db, DB_WRITE, call->storage.problem);

    if (error)
        return error;
    error = db_lock(call->storage.db, "livedata.apply", call->storage.problem);
    call->outbound_state = NULL;
    for (size_t i = 0; i < count && !error; i++)
        error = apply_event(call, &events[i], touched, applied);
    if (!error)
        error = apply_finish(call, touched);
    if (!error)
        apply_announce(call, touched, false);
    error = db_finish(call->storage.db, error, call->storage.problem);
    if (error)
        apply_forget(touched);
    apply_announce(call, touched, true);
    return error;
}

static enum error apply_all(struct apply_call *call, struct arena *scratch,
                            const struct shop_events *events, int64_t *applied)
{
    enum error error = ERROR_NONE;

    call->storage.arena = scratch;
    for (size_t done = 0; done < events->count && !error; done += EVENTS_A_TRANSACTION) {
        size_t left = events->count - done;

        error = apply_some(call, events->items + done,
                           left < EVENTS_A_TRANSACTION ? left : EVENTS_A_TRANSACTION, applied);
        arena_reset(scratch);
    }
    return error;
}

/* The events of a period; their memory is given back. */
static enum error follow(struct apply_call *call, const struct demo_shop *shop,
                         struct arena *scratch, int64_t from, int64_t to, bool brief,
                         int64_t *applied)
{
    struct arena *arena = call->storage.arena;
    struct shop_events events;
    enum error error;

    shop_events_draw(arena, &shop->catalog, from, to, brief, &events);
    error = apply_all(call, scratch, &events, applied);
    call->storage.arena = arena;
    return error;
}

static enum error begin_shop(struct apply_call *call, const struct demo_shop *shop,
                             struct arena *scratch, int64_t at, int64_t *applied)
{
    struct arena *arena = call->storage.arena;
    struct shop_events events;
    enum error error;

    shop_events_products(arena, &shop->catalog, at, &events);
    error = apply_all(call, scratch, &events, applied);
    call->storage.arena = arena;
    return error;
}

enum error demo_shop_follow(struct apply_call *call, const struct demo_shop *shop,
                            struct arena *scratch, int64_t *applied)
{
    int64_t now = clock_unix_microseconds(), detailed = now - MINUTES_DETAILED * us_per_minute;
    int64_t earliest = now - hours_kept[db_engine(call->storage.db)] * us_per_hour, from, since;
    enum error error = demo_store_newest(&call->storage, shop->source, &from);

    from -= latency_us;
    if (!error && from < earliest) {
        from = earliest;
        error = begin_shop(call, shop, scratch, from, applied);
    }
    since = from;
    if (!error && from < detailed) {
        error = follow(call, shop, scratch, from, detailed, true, applied);
        from = detailed;
    }
    if (!error && from < now)
        error = follow(call, shop, scratch, from, now, false, applied);
    if (!error)
        shop_requests_log(call->storage.db, call->storage.tenant, shop->source, since, now);
    return error;
}

static struct alert_rule rule_of(const char *name, const char *metric, const char *table,
                                 enum alert_condition condition, double threshold)
{
    return (struct alert_rule){.name = name,
                               .metric = metric,
                               .source_table = table,
                               .window = "1h",
                               .condition = condition,
                               .threshold = threshold,
                               .webhook_url = "",
                               .cooldown_minutes = 60,
                               .flap = {.window_minutes = 5, .max_changes = 3},
                               .active = true};
}

/* They send no notices: what they say is on the pages. */
enum error demo_shop_add_alerts(const struct storage_call *call,
                                const struct livedata_settings *settings,
                                const struct demo_shop *shop)
{
    const struct demo_alerts *names = shop->alerts;
    struct alert_rule rules[] = {
        rule_of(names->conversion, "conversion_rate", "sessions_aggregated", ALERT_BELOW, 0.25),
        rule_of(names->revenue, "revenue", "orders_v2", ALERT_BELOW,
                shop->catalog.products[0].price),
        rule_of(names->errors, "error_rate", "pipeline_events", ALERT_ABOVE, 0.02)};
    struct alert_rules known;
    enum error error = alert_list(call, 1, &known);

    for (size_t i = 0; i < COUNT_OF(rules) && !error && !known.count; i++)
        error = alert_add(call, &rules[i], settings->alerts_max);
    return error;
}
