/*
 * For tests of live data's storage on both engines: the service's own migrations and configuration
 * files, and events by a few words. ON_BOTH comes from tests/db/fixture.h.
 */
#ifndef ASSAY_LIVEDATA_FIXTURE_H
#define ASSAY_LIVEDATA_FIXTURE_H

#include "../db/fixture.h"

#include "base/clock.h"
#include "crypto/crypto.h"
#include "db/distribute.h"
#include "i18n/i18n.h"
#include "livedata/catalog/catalog.h"
#include "livedata/entities/state.h"
#include "livedata/ingest/apply.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/maintenance/own_rebuild.h"
#include "livedata/settings.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

struct live {
    struct store *store;
    struct livedata_settings settings;
    struct catalog catalog;
    struct apply_call call;
};

/* With ASSAY_TEST_DISTRIBUTED PostgreSQL has the tables as a distributed server would: divided by
 * hash. */
static inline void live_distribute(struct store *store)
{
    struct db_distribution done;

    if (store->engine == DB_SQLITE || !getenv("ASSAY_TEST_DISTRIBUTED"))
        return;
    store_stand_in(store);
    if (db_distribute(store->db, "sql/livedata", &done, &store->problem))
        fixture_fatal("distribute live data", &store->problem);
}

static inline void live_make(struct store *store, struct live *live)
{
    static const struct db_schema schema = {.directory = "sql/livedata"};

    *live = (struct live){.store = store};
    if (crypto_start(&store->problem) || locale_open_catalogues("locales", &store->problem) ||
        livedata_settings_load(&live->settings, store->arena, NULL, &store->problem) ||
        catalog_load(store->arena, &live->settings, &live->catalog, &store->problem) ||
        db_migrate(store->db, &schema, &store->problem))
        fixture_fatal("make live data", &store->problem);
    live_distribute(store);
    live->call = (struct apply_call){
        .storage = {store->db, store->arena, &store->problem, "default", clock_unix_microseconds()},
        .catalog = &live->catalog,
        .way_in = "http",
        .ahead_seconds = 300};
}

/* The same with the shop and the domains of those folders. */
static inline void live_make_domains(struct store *store, struct live *live, const char *folders)
{
    struct table_plan plan;

    (void)setenv("LIVE_CONFIG_DIR", folders, 1);
    live_make(store, live);
    (void)unsetenv("LIVE_CONFIG_DIR");
    if (tables_apply(&live->call.storage, &live->catalog, PLAN_FORWARD, own_fill_columns, &plan))
        fixture_fatal("make the tables of domains", &store->problem);
}

static inline json_t *live_json(struct live *live, const char *text)
{
    struct json_fault fault;
    json_t *json = NULL;

    if (json_read(live->store->arena, text, strlen(text), JSON_DEPTH_LIMIT, &json, &fault))
        printf("%s\nis no JSON: %s\n", text, fault.text);
    return json;
}

static inline const char *live_event_id(struct live *live, int number)
{
    return arena_print(live->store->arena, "00000000-0000-4000-8000-%012d", number);
}

/* A time so many seconds ago. */
static inline const char *live_ago(struct live *live, double seconds)
{
    char *text = arena_alloc(live->store->arena, TIMESTAMP_TEXT);

    timestamp_format(clock_unix_microseconds() - (int64_t)(seconds * 1e6), text);
    return text;
}

static inline json_t *live_order(struct live *live, int event, const char *type, const char *at,
                                 const char *order, const char *user, const char *status,
                                 const char *product, int quantity, const char *price)
{
    double total = quantity * strtod(price, NULL);

    return live_json(
        live, arena_print(live->store->arena,
                          "{\"event_id\":\"%s\",\"event_type\":\"%s\",\"timestamp\":\"%s\","
                          "\"source\":\"shop\",\"order_id\":\"%s\",\"user_id\":\"%s\","
                          "\"status\":\"%s\",\"items\":[{\"product_id\":\"%s\",\"quantity\":%d,"
                          "\"unit_price\":\"%s\"}],\"total_amount\":\"%.2f\",\"currency\":\"RUB\"}",
                          live_event_id(live, event), type, at, order, user, status, product,
                          quantity, price, total));
}

static inline json_t *live_click(struct live *live, int event, const char *type, const char *at,
                                 const char *session, const char *user, const char *page)
{
    return live_json(live,
                     arena_print(live->store->arena,
                                 "{\"event_id\":\"%s\",\"event_type\":\"%s\",\"timestamp\":\"%s\","
                                 "\"source\":\"web\",\"session_id\":\"%s\",\"user_id\":%s,"
                                 "\"page_url\":\"%s\",\"user_agent\":\"test\"}",
                                 live_event_id(live, event), type, at, session, user, page));
}

static inline json_t *live_product(struct live *live, int event, const char *at, const char *id,
                                   const char *category, const char *price)
{
    return live_json(live,
                     arena_print(live->store->arena,
                                 "{\"event_id\":\"%s\",\"event_type\":\"product.updated\","
                                 "\"timestamp\":\"%s\",\"source\":\"shop\",\"product_id\":\"%s\","
                                 "\"name\":\"Product %s\",\"category\":\"%s\",\"price\":%s,"
                                 "\"in_stock\":true,\"stock_quantity\":5}",
                                 live_event_id(live, event), at, id, id, category, price));
}

/* Applies one event; how that ended. */
static inline struct apply_result live_apply(struct live *live, json_t *event)
{
    struct store *store = live->store;
    struct apply_result result = {0};
    struct apply_counts counts;

    CHECK_OK(apply_batch(&live->call, &event, 1, &result, &counts));
    return result;
}

/* The row as JSON; "" when there is none. */
static inline const char *live_row(struct live *live, const char *type_name, const char *id)
{
    const struct entity_type *type = catalog_entity(&live->catalog, type_name);
    struct store *store = live->store;
    struct entity_row row;
    bool found = false;

    CHECK_OK(entity_row_read(&live->call.storage, type->table, id, &row, &found));
    return found ? entity_row_json(store->arena, type, &row, live->call.storage.now) : "";
}

#endif
