/* Events applied on both engines: states, sums, sessions, dead letters, and histories in any order.
 */
#include "livedata_fixture.h"

static bool holds(const char *row, const char *part)
{
    if (strstr(row, part))
        return true;
    printf("%s is not in %s\n", part, row);
    return false;
}

ON_BOTH(an_order_changes_its_entity_its_user_and_the_journal)
{
    struct journal_rows rows;
    struct live live;

    live_make(store, &live);
    CHECK_INT(live_apply(&live, live_product(&live, 1, live_ago(&live, 50), "PROD-1", "tea", "10"))
                  .status,
              EVENT_APPLIED);
    CHECK_INT(
        live_apply(&live, live_order(&live, 2, "order.created", live_ago(&live, 40),
                                     "ORD-20260404-1001", "USR-1", "pending", "PROD-1", 3, "10.50"))
            .status,
        EVENT_APPLIED);
    CHECK(holds(live_row(&live, "order", "ORD-20260404-1001"), "\"total_amount\":31.5"));
    CHECK(holds(live_row(&live, "user", "USR-1"), "\"total_orders\":1,\"total_spent\":31.5,"));
    CHECK(holds(live_row(&live, "user", "USR-1"), "\"preferred_category\":\"tea\""));
    CHECK_INT(
        live_apply(&live, live_order(&live, 3, "order.cancelled", live_ago(&live, 30),
                                     "ORD-20260404-1001", "USR-1", "pending", "PROD-1", 3, "10.50"))
            .status,
        EVENT_APPLIED);
    CHECK(holds(live_row(&live, "order", "ORD-20260404-1001"), "\"status\":\"cancelled\""));
    CHECK(holds(live_row(&live, "user", "USR-1"), "\"total_orders\":0,\"total_spent\":0.0,"));
    CHECK_OK(journal_of_entity(&live.call.storage, "ORD-20260404-1001", true, 10, &rows));
    CHECK_INT(rows.count, 2);
    CHECK_TEXT(rows.items[1].event_type, "order.status.cancelled");
    CHECK_OK(journal_of_entity(&live.call.storage, "ORD-20260404-1001", false, 10, &rows));
    CHECK_INT(rows.count, 2);
    CHECK(holds(rows.items[0].entity_data, "\"order_size_bucket\":\"small\""));
}

ON_BOTH(a_late_event_does_not_overwrite_newer_state)
{
    struct live live;
    const char *created = live_ago((live_make(store, &live), &live), 100);

    (void)live_apply(&live, live_order(&live, 1, "order.updated", live_ago(&live, 20),
                                       "ORD-20260404-1001", "USR-1", "shipped", "P", 1, "5.00"));
    (void)live_apply(&live, live_order(&live, 2, "order.created", created, "ORD-20260404-1001",
                                       "USR-1", "pending", "P", 1, "7.00"));
    CHECK(holds(live_row(&live, "order", "ORD-20260404-1001"), "\"status\":\"shipped\""));
    CHECK(holds(live_row(&live, "order", "ORD-20260404-1001"), "\"total_amount\":5.0"));
    CHECK(holds(live_row(&live, "order", "ORD-20260404-1001"),
                arena_print(store->arena, "\"created_at\":\"%s\"", created)));
}

ON_BOTH(an_event_is_applied_once)
{
    json_t *event;
    struct live live;

    live_make(store, &live);
    event = live_click(&live, 1, "click", live_ago(&live, 5), "SES-1", "null", "/");
    CHECK_INT(live_apply(&live, event).status, EVENT_APPLIED);
    CHECK_INT(live_apply(&live, event).status, EVENT_DUPLICATE);
    CHECK(holds(live_row(&live, "session", "SES-1"), "\"event_count\":1"));
}

ON_BOTH(sessions_move_up_the_funnel)
{
    static const struct {
        const char *type, *page, *stage;
    } steps[] = {{"page_view", "/", "bounce"},
                 {"page_view", "/about", "browse"},
                 {"click", "/products/1", "product_view"},
                 {"add_to_cart", "/", "add_to_cart"},
                 {"page_view", "/search?q=x", "add_to_cart"},
                 {"page_view", "/checkout", "checkout"}};
    const char *row = "";
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        (void)live_apply(&live, live_click(&live, (int)i + 1, steps[i].type,
                                           live_ago(&live, 100 - 10 * (double)i), "SES-1",
                                           i == 2 ? "\"USR-7\"" : "null", steps[i].page));
        row = live_row(&live, "session", "SES-1");
        CHECK(holds(row, arena_print(store->arena, "\"funnel_stage\":\"%s\"", steps[i].stage)));
    }
    CHECK(holds(row, "\"is_conversion\":true"));
    CHECK(holds(row, "\"user_id\":\"USR-7\""));
    CHECK(holds(row, "\"event_count\":6,\"unique_pages\":5"));
    CHECK(holds(row, "\"ended_at\":null"));
    live.call.storage.now += 31 * moment_minute;
    CHECK(!strstr(live_row(&live, "session", "SES-1"), "\"ended_at\":null"));
}

/* Each names what is wrong; the rest of the batch goes on. */
static const struct {
    const char *event, *reason;
} bad_events[] = {
    {"[]", "schema: dict_type"},
    {"{}", "schema: event_id"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000001\"}", "schema: unknown_event_type"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000002\",\"event_type\":\"order.shipped\"}",
     "schema: event_type"},
    {"{\"event_id\":\"x\",\"event_type\":\"click\"}", "schema: event_id"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000003\",\"event_type\":\"click\","
     "\"source\":\"web\",\"timestamp\":1700000000}",
     "schema: timestamp"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000004\",\"event_type\":\"click\","
     "\"source\":\"web\",\"timestamp\":\"2999-01-01T00:00:00Z\"}",
     "schema: timestamp"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000005\",\"event_type\":\"click\","
     "\"source\":\"web\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"tenant\":\"acme\"}",
     "schema: tenant"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000006\",\"event_type\":\"click\","
     "\"source\":\"web\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"\","
     "\"page_url\":\"/\",\"user_agent\":\"x\"}",
     "semantic: clickstream_session_required"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000007\",\"event_type\":\"payment.completed\","
     "\"source\":\"pay\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"payment_id\":\"p\","
     "\"order_id\":\"ORD-20260404-1001\",\"user_id\":\"u\",\"amount\":\"0.10\","
     "\"method\":\"card\",\"status\":\"completed\"}",
     "semantic: payment_min_amount"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000008\",\"event_type\":\"order.created\","
     "\"source\":\"shop\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"order_id\":"
     "\"ORD-20260404-1001\",\"user_id\":\"u\",\"status\":\"pending\",\"items\":[{\"product_id\":"
     "\"p\",\"quantity\":1,\"unit_price\":100}],\"total_amount\":999.99}",
     "semantic: order_total_consistency"},
};

ON_BOTH(wrong_events_become_dead_letters_with_their_payload)
{
    const struct dead_letter_filter all = {0}, mismatch = {.reason = "tenant_mismatch"};
    struct dead_letters letters;
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof bad_events / sizeof bad_events[0]; i++) {
        struct apply_result result = live_apply(&live, live_json(&live, bad_events[i].event));

        CHECK_INT(result.status, EVENT_DEAD_LETTERED);
        CHECK_TEXT(result.reason, bad_events[i].reason);
    }
    CHECK_OK(dead_letter_list(&live.call.storage, &all, 1, 50, &letters));
    CHECK_INT(letters.total, (int)(sizeof bad_events / sizeof bad_events[0]));
    CHECK_OK(dead_letter_list(&live.call.storage, &mismatch, 1, 50, &letters));
    CHECK_INT(letters.total, 1);
    CHECK(holds(letters.items[0].payload, "\"tenant\":\"acme\""));
}

ON_BOTH(a_dead_letter_is_replayed_corrected)
{
    json_t *event, *correction;
    struct dead_letter letter;
    struct live live;

    live_make(store, &live);
    event =
        live_json(&live, "{\"event_id\":\"00000000-0000-4000-8000-000000000009\","
                         "\"event_type\":\"order.created\",\"source\":\"shop\","
                         "\"timestamp\":\"2026-01-01T00:00:00Z\",\"order_id\":"
                         "\"ORD-20260404-1001\",\"user_id\":\"u\",\"status\":\"pending\","
                         "\"items\":[{\"product_id\":\"p\",\"quantity\":1,\"unit_price\":79.99},"
                         "{\"product_id\":\"q\",\"quantity\":1,\"unit_price\":20.00}],"
                         "\"total_amount\":10.00}");
    CHECK_INT(live_apply(&live, event).status, EVENT_DEAD_LETTERED);
    CHECK_FAILS(apply_replay(&live.call, "00000000-0000-4000-8000-000000000009", NULL, &letter),
                ERROR_INVALID, "replay_invalid");
    CHECK_TEXT(live_row(&live, "order", "ORD-20260404-1001"), "");
    correction = live_json(&live, "{\"total_amount\":\"99.99\"}");
    CHECK_OK(apply_replay(&live.call, "00000000-0000-4000-8000-000000000009", correction, &letter));
    CHECK_INT(letter.retry_count, 1);
    CHECK(holds(letter.payload, "\"total_amount\":\"99.99\""));
    CHECK(holds(live_row(&live, "order", "ORD-20260404-1001"), "\"total_amount\":99.99"));
    CHECK_FAILS(apply_replay(&live.call, "00000000-0000-4000-8000-000000000009", NULL, &letter),
                ERROR_CONFLICT, "already_replayed");
    CHECK_FAILS(apply_dismiss(&live.call, "00000000-0000-4000-8000-000000000010"), ERROR_NOT_FOUND,
                "dead_letter_not_found");
}

/* Histories in any order: duplicates, late and corrected events, two tenants. */
enum { HISTORY = 24, HISTORIES_QUICK = 40, HISTORIES_SOAK = 500 };

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static json_t *random_event(struct live *live, int number, unsigned *seed, const char *at)
{
    static const char *const statuses[] = {"pending", "confirmed", "shipped", "delivered"};
    static const char *const types[] = {"order.created", "order.updated", "order.cancelled"};
    static const char *const pages[] = {"/", "/products/1", "/cart", "/checkout", "/search", "/x"};
    unsigned kind = next_random(seed) % 10;
    struct arena *arena = live->store->arena;

    if (kind < 5)
        return live_order(
            live, number, types[next_random(seed) % 3], at,
            arena_print(arena, "ORD-20260404-100%u", next_random(seed) % 3),
            next_random(seed) % 4 ? "USR-1" : "USR-2", statuses[next_random(seed) % 4],
            next_random(seed) % 2 ? "PROD-1" : "PROD-2", 1 + (int)(next_random(seed) % 3), "9.90");
    if (kind < 7)
        return live_product(live, number, at, next_random(seed) % 2 ? "PROD-1" : "PROD-2",
                            next_random(seed) % 2 ? "tea" : "coffee", "9.90");
    return live_click(live, number, next_random(seed) % 4 ? "page_view" : "add_to_cart", at,
                      next_random(seed) % 2 ? "SES-1" : "SES-2",
                      next_random(seed) % 2 ? "null" : "\"USR-1\"", pages[next_random(seed) % 6]);
}

static const char *tables_of(struct live *live)
{
    static const struct {
        const char *type, *ids[4];
    } all[] = {{"order", {"ORD-20260404-1000", "ORD-20260404-1001", "ORD-20260404-1002"}},
               {"user", {"USR-1", "USR-2"}},
               {"product", {"PROD-1", "PROD-2"}},
               {"session", {"SES-1", "SES-2"}}};
    struct text text;

    text_start(&text, live->store->arena, 1 << 16);
    for (size_t i = 0; i < 4; i++)
        for (int j = 0; j < 4 && all[i].ids[j]; j++)
            text_append_format(&text, "%s\n", live_row(live, all[i].type, all[i].ids[j]));
    return text.bytes;
}

static void empty_tables(struct store *store)
{
    CHECK_OK(store_script(store, store->db,
                          "DELETE FROM orders_v2; DELETE FROM order_items;"
                          "DELETE FROM products_current; DELETE FROM sessions_aggregated;"
                          "DELETE FROM session_pages; DELETE FROM users_enriched;"
                          "DELETE FROM user_units; DELETE FROM pipeline_events"));
}

ON_BOTH(histories_in_any_order_end_in_the_same_tables)
{
    int histories = getenv("ASSAY_TEST_SOAK") ? HISTORIES_SOAK : HISTORIES_QUICK;
    struct live live;

    live_make(store, &live);
    for (int history = 0; history < histories; history++) {
        unsigned seed = (unsigned)history + 1, shuffle = seed * 77;
        json_t *events[HISTORY], *mixed[2 * HISTORY];
        const char *sorted, *shuffled;
        struct apply_result results[2 * HISTORY];
        struct apply_counts counts;
        int64_t differing;

        for (int i = 0; i < HISTORY; i++)
            events[i] = random_event(&live, i + 1, &seed, live_ago(&live, 1000 - 10 * i));
        CHECK_OK(apply_batch(&live.call, events, HISTORY, results, &counts));
        CHECK_INT(counts.applied, HISTORY);
        sorted = tables_of(&live);
        empty_tables(store);
        for (int i = 0; i < 2 * HISTORY; i++)
            mixed[i] = events[i % HISTORY];
        for (int i = 2 * HISTORY - 1; i > 0; i--) {
            int other = (int)(next_random(&shuffle) % (unsigned)(i + 1));
            json_t *event = mixed[i];

            mixed[i] = mixed[other];
            mixed[other] = event;
        }
        CHECK_OK(apply_batch(&live.call, mixed, 2 * HISTORY, results, &counts));
        CHECK_INT(counts.applied, HISTORY);
        CHECK_INT(counts.duplicates, HISTORY);
        shuffled = tables_of(&live);
        CHECK_TEXT(shuffled, sorted);
        CHECK_OK(state_check_users(&live.call.storage, false, &differing));
        CHECK_INT(differing, 0);
        live.call.storage.tenant = "acme"; /* the same events of another tenant change nothing */
        CHECK_INT(live_apply(&live, events[0]).status, EVENT_APPLIED);
        live.call.storage.tenant = "default";
        CHECK_TEXT(tables_of(&live), sorted);
        CHECK_OK(store_script(store, store->db,
                              "DELETE FROM orders_v2 WHERE tenant_id = 'default';"
                              "DELETE FROM order_items WHERE tenant_id = 'default';"
                              "DELETE FROM products_current WHERE tenant_id = 'default';"
                              "DELETE FROM sessions_aggregated WHERE tenant_id = 'default';"
                              "DELETE FROM session_pages WHERE tenant_id = 'default';"
                              "DELETE FROM users_enriched WHERE tenant_id = 'default';"
                              "DELETE FROM user_units WHERE tenant_id = 'default';"
                              "DELETE FROM pipeline_events WHERE tenant_id = 'default'"));
        if (test_failures_here) {
            printf("history %d\n", history);
            return;
        }
    }
}

/* The n-th statement fails, for every n: nothing of the event was kept. */
ON_BOTH(an_event_is_applied_whole_or_not_at_all)
{
    static const struct statement rows = {
        "rows", "SELECT (SELECT count(*) FROM pipeline_events) + (SELECT count(*) FROM orders_v2)"
                " + (SELECT count(*) FROM order_items) + (SELECT count(*) FROM users_enriched)"
                " + (SELECT count(*) FROM cache_generation) + (SELECT count(*) FROM search_terms)"};
    struct apply_result result;
    struct apply_counts counts;
    enum error error = ERROR_BUSY;
    json_t *event;
    struct live live;
    int n;

    live_make(store, &live);
    event = live_order(&live, 1, "order.created", live_ago(&live, 5), "ORD-20260404-1001", "USR-1",
                       "pending", "PROD-1", 1, "10.00");
    for (n = 1; n < 300 && error; n++) {
        CHECK_INT(store_integer(store, &rows), 0);
        db_fail_after(store->db, n);
        error = apply_batch(&live.call, &event, 1, &result, &counts);
        db_fail_after(store->db, 0);
    }
    CHECK(n > 20 && n < 300);
    CHECK(store_integer(store, &rows) > 10);
}

TEST_MAIN(CASE(an_order_changes_its_entity_its_user_and_the_journal),
          CASE(a_late_event_does_not_overwrite_newer_state), CASE(an_event_is_applied_once),
          CASE(sessions_move_up_the_funnel),
          CASE(wrong_events_become_dead_letters_with_their_payload),
          CASE(a_dead_letter_is_replayed_corrected),
          CASE(histories_in_any_order_end_in_the_same_tables),
          CASE(an_event_is_applied_whole_or_not_at_all))
