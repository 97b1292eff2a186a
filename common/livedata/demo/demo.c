/* Reads the files of the shop and of the factory, and applies their events. */
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

#define OWNER struct factory_machine
static const struct field machine_fields[] = {
    TEXT(name), TEXT(site), NUMBER(OWNER, hourly_cost, .required = true, .lower = ABOVE(0))};
#undef OWNER
static SCHEMA(machine_schema, struct factory_machine, "DemoMachine", machine_fields);

#define OWNER struct demo_factory
static const struct field factory_fields[] = {
    TEXT(source), TEXT(partner),
    OBJECTS(OWNER, machines, machine_schema, .required = true, .min_length = 1)};
#undef OWNER
static SCHEMA(factory_schema, struct demo_factory, "DemoFactory", factory_fields);

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

enum error demo_factory_read(struct arena *arena, const struct demo_files *files,
                             struct demo_factory *factory, struct problem *problem)
{
    struct demo_currency currency;
    struct factory_machine *machines;
    enum error error = demo_currency_read(arena, files, &currency, problem);

    if (!error)
        error = demo_file_read(arena, files, "machines.yaml", &factory_schema, factory, problem);
    if (error)
        return error;
    machines = factory->machines.items;
    for (size_t i = 0; i < factory->machines.count; i++)
        machines[i].hourly_cost = demo_amount(&currency, machines[i].hourly_cost);
    factory->drawn = (struct factory){.machines = machines,
                                      .count = factory->machines.count,
                                      .source = factory->source,
                                      .partner = factory->partner};
    return ERROR_NONE;
}

static enum error apply_event(struct apply_call *call, const struct demo_event *event,
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
static enum error apply_some(struct apply_call *call, const struct demo_event *events, size_t count,
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

/* What makes events: the shop, or the factory. */
struct feed {
    const void *of;
    const char *source;
    /* What there is when it begins. */
    void (*begin)(struct arena *arena, const void *of, int64_t at, struct demo_events *events);
    void (*draw)(struct arena *arena, const void *of, int64_t from, int64_t to, bool brief,
                 struct demo_events *events);
};

struct following {
    struct apply_call *call;
    const struct feed *feed;
    struct arena *scratch;
    int64_t *applied;
};

static enum error apply_all(struct following *following, const struct demo_events *events)
{
    struct apply_call *call = following->call;
    struct arena *arena = call->storage.arena;
    enum error error = ERROR_NONE;

    call->storage.arena = following->scratch;
    for (size_t done = 0; done < events->count && !error; done += EVENTS_A_TRANSACTION) {
        size_t left = events->count - done;

        error = apply_some(call, events->items + done,
                           left < EVENTS_A_TRANSACTION ? left : EVENTS_A_TRANSACTION,
                           following->applied);
        arena_reset(following->scratch);
    }
    call->storage.arena = arena;
    return error;
}

static enum error follow(struct following *following, int64_t from, int64_t to, bool brief)
{
    const struct feed *feed = following->feed;
    struct demo_events events;

    feed->draw(following->call->storage.arena, feed->of, from, to, brief, &events);
    return apply_all(following, &events);
}

static enum error begin(struct following *following, int64_t at)
{
    const struct feed *feed = following->feed;
    struct demo_events events;

    feed->begin(following->call->storage.arena, feed->of, at, &events);
    return apply_all(following, &events);
}

/* Applies what has happened since the last event of the feed, until now; `since` is when that
 * was, or how far back a new store begins. */
static enum error follow_feed(struct following *following, int64_t now, int64_t *since)
{
    struct apply_call *call = following->call;
    int64_t detailed = now - MINUTES_DETAILED * us_per_minute;
    int64_t earliest = now - hours_kept[db_engine(call->storage.db)] * us_per_hour, from;
    enum error error = demo_store_newest(&call->storage, following->feed->source, &from);

    from -= latency_us;
    if (!error && from < earliest) {
        from = earliest;
        error = begin(following, from);
    }
    *since = from;
    if (!error && from < detailed) {
        error = follow(following, from, detailed, true);
        from = detailed;
    }
    return !error && from < now ? follow(following, from, now, false) : error;
}

static void begin_shop(struct arena *arena, const void *of, int64_t at, struct demo_events *events)
{
    shop_events_products(arena, of, at, events);
}

static void draw_shop(struct arena *arena, const void *of, int64_t from, int64_t to, bool brief,
                      struct demo_events *events)
{
    shop_events_draw(arena, of, from, to, brief, events);
}

enum error demo_shop_follow(
    struct apply_call *call, const struct demo_shop *shop,
    /* NOLINTNEXTLINE(readability-non-const-parameter): apply_all() counts */
    struct arena *scratch, int64_t *applied)
{
    const struct feed feed = {&shop->catalog, shop->source, begin_shop, draw_shop};
    struct following following = {call, &feed, scratch, applied};
    int64_t now = clock_unix_microseconds(), since;
    enum error error = follow_feed(&following, now, &since);

    if (!error)
        shop_requests_log(call->storage.db, call->storage.tenant, shop->source, since, now);
    return error;
}

static void begin_factory(struct arena *arena, const void *of, int64_t at,
                          struct demo_events *events)
{
    factory_events_machines(arena, of, at, events);
}

static void draw_factory(struct arena *arena, const void *of, int64_t from, int64_t to, bool brief,
                         struct demo_events *events)
{
    factory_events_draw(arena, of, from, to, brief, events);
}

enum error demo_factory_follow(struct apply_call *call, const struct demo_factory *factory,
                               /* NOLINTNEXTLINE(readability-non-const-parameter): apply_all() */
                               struct arena *scratch, int64_t *applied)
{
    const struct feed feed = {&factory->drawn, factory->source, begin_factory, draw_factory};
    struct following following = {call, &feed, scratch, applied};
    int64_t since;

    return follow_feed(&following, clock_unix_microseconds(), &since);
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
