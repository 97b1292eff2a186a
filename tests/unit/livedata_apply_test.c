/* Events applied on both engines: states, sums, sessions, dead letters, and histories in any order.
 */
#include "livedata_fixture.h"

#include "livedata/maintenance/check.h"
#include "livedata/metrics/metric.h"

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
    live.call.storage.now += 31 * us_per_minute;
    CHECK(!strstr(live_row(&live, "session", "SES-1"), "\"ended_at\":null"));
}

/* Each names what is wrong; the rest of the batch goes on. */
static const struct {
    const char *event, *reason;
} bad_events[] = {
    {"[]", "schema: dict_type"},
    {"{}", "schema: unknown_event_type"},
    {"{\"event_type\":\"click\"}", "schema: event_id"},
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
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000011\",\"event_type\":\"payment.completed\","
     "\"source\":\"pay\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"payment_id\":\"p\","
     "\"order_id\":\"ORD-20260404-1001\",\"user_id\":\"u\",\"amount\":\"0.004\","
     "\"method\":\"card\",\"status\":\"completed\"}",
     "semantic: payment_min_amount"},
    {"{\"event_id\":\"00000000-0000-4000-8000-000000000012\",\"event_type\":\"order.created\","
     "\"source\":\"shop\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"order_id\":"
     "\"ORD-20260404-1001\",\"user_id\":\"u\",\"status\":\"pending\",\"items\":[{\"product_id\":"
     "\"p\",\"quantity\":1,\"unit_price\":\"10000.00\"}],\"total_amount\":\"0.004\"}",
     "semantic: order_total_consistency"},
};

ON_BOTH(wrong_events_become_dead_letters_with_their_payload)
{
    const struct dead_letter_filter all = {0}, mismatch = {.reason = "tenant_mismatch"};
    const struct dead_letter_page page = {.number = 1, .size = 50};
    struct dead_letters letters;
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof bad_events / sizeof bad_events[0]; i++) {
        struct apply_result result = live_apply(&live, live_json(&live, bad_events[i].event));

        CHECK_INT(result.status, EVENT_DEAD_LETTERED);
        CHECK_TEXT(result.reason, bad_events[i].reason);
    }
    CHECK_OK(dead_letter_list(&live.call.storage, &all, &page, &letters));
    CHECK_INT(letters.total, (int)(sizeof bad_events / sizeof bad_events[0]));
    CHECK_OK(dead_letter_list(&live.call.storage, &mismatch, &page, &letters));
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

/* The items come to 2^64 hundredths more than is stated. */
ON_BOTH(a_sum_of_items_does_not_wrap)
{
    struct live live;
    json_t *order, *item;

    live_make(store, &live);
    order = live_order(&live, 1, "order.created", live_ago(&live, 5), "ORD-20260404-1001", "u",
                       "pending", "p", 1, "166.16");
    json_object_set_new(order, "total_amount", json_string("10.00"));
    item = live_json(&live, "{\"product_id\":\"p\",\"quantity\":1000,"
                            "\"unit_price\":9708812670373.44}");
    for (int i = 0; i < 19; i++)
        json_array_append(json_object_get(order, "items"), item);
    CHECK_TEXT(live_apply(&live, order).reason, "semantic: order_total_consistency");
}

enum { HISTORY = 24, HISTORIES_QUICK = 20, HISTORIES_SOAK = 500 };

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
                          "DELETE FROM user_units; DELETE FROM pipeline_events;"
                          "DELETE FROM dead_letter_events; DELETE FROM search_terms;"
                          "DELETE FROM search_docs; DELETE FROM deleted_entities"));
}

/* The metrics as the tables give them; the rate of errors counts what the journal has seen. */
static void append_metrics(struct live *live, struct text *text)
{
    struct store *store = live->store;

    for (size_t i = 0; i < live->catalog.metric_count; i++) {
        const struct live_metric *metric = &live->catalog.metrics[i];
        const char *windows = strcmp(metric->name, "active_sessions") == 0 ? "now" : "24h";
        struct metric_request request = {metric, windows, 0};
        struct metric_value value;

        if (strcmp(metric->name, "error_rate") == 0)
            continue;
        CHECK_OK(metric_compute(&live->call.storage, &live->settings, &request, &value));
        text_append_format(text, "%s %.4f\n", metric->name, value.value);
    }
}

static const struct statement documents = {
    .name = "test_documents",
    .sql = "SELECT entity_type, entity_id, snippet, words, (SELECT count(*) FROM search_terms AS t"
           " WHERE t.doc_id = d.id) FROM search_docs AS d WHERE tenant_id = ?"
           " ORDER BY entity_type, entity_id"};

/* What a search can find. */
static void append_documents(struct live *live, struct text *text)
{
    struct store *store = live->store;
    struct query *query = db_query(store->db, &documents);

    query_bind_text(query, live->call.storage.tenant);
    while (query_next(query)) {
        for (int i = 0; i < 4; i++)
            text_append_format(text, "%s ", query_text(query, i, store->arena));
        text_append_format(text, "%lld\n", (long long)query_integer(query, 4));
    }
    CHECK_OK(query_end(query, &store->problem));
}

static const char *const tenants[] = {"default", "acme"};

/* All that two tenants have. */
static const char *state_of(struct live *live)
{
    struct text text;

    text_start(&text, live->store->arena, 1 << 17);
    for (int i = 0; i < 2; i++) {
        live->call.storage.tenant = tenants[i];
        text_append_string(&text, tables_of(live));
        append_metrics(live, &text);
        append_documents(live, &text);
    }
    return text.bytes;
}

/* One thing that is done: an event sent as it is, or broken, or its dead letter replayed. */
struct deed {
    enum { SENT, BROKEN, REPLAYED } kind;
    int event;
};

static json_t *broken(json_t *event)
{
    json_t *copy = json_deep_copy(event);

    json_object_set_new(copy, "total_amount", json_string("999.00"));
    return copy;
}

/* Orders are broken now and then; what is whole is sent twice. A replay finds its letter whatever
 * comes between them, as long as it comes later. */
static int plan_deeds(json_t *const *events, unsigned *seed, struct deed *deeds)
{
    int count = 0;

    for (int i = 0; i < HISTORY; i++) {
        bool order = json_object_get(events[i], "order_id") != NULL;

        deeds[count++] = (struct deed){order && next_random(seed) % 3 == 0 ? BROKEN : SENT, i};
        deeds[count] = deeds[count - 1];
        count++;
    }
    for (int i = count - 1; i > 0; i--) {
        int other = (int)(next_random(seed) % (unsigned)(i + 1));
        struct deed deed = deeds[i];

        deeds[i] = deeds[other];
        deeds[other] = deed;
    }
    for (int i = 0; i < count; i++) /* the later one of the two */
        for (int j = 0; j < i; j++)
            if (deeds[i].kind == BROKEN && deeds[j].kind == BROKEN &&
                deeds[i].event == deeds[j].event)
                deeds[i].kind = REPLAYED;
    return count;
}

static void do_deed(struct live *live, json_t *const *events, const struct deed *deed, int *applied)
{
    struct store *store = live->store;
    json_t *event = events[deed->event];
    const char *id = json_string_value(json_object_get(event, "event_id"));
    struct dead_letter letter;

    if (deed->kind == BROKEN) {
        CHECK_INT(live_apply(live, broken(event)).status, EVENT_DEAD_LETTERED);
    } else if (deed->kind == SENT) {
        *applied += live_apply(live, event).status == EVENT_APPLIED;
    } else {
        CHECK_OK(apply_replay(&live->call, id, event, &letter));
        CHECK_INT(live_apply(live, event).status, EVENT_DUPLICATE);
        (*applied)++;
    }
}

/* The category of a user whose products nobody knows is the one that was known before, which does
 * depend on the order: so they are known. */
static void make_products_known(struct live *live)
{
    for (int i = 0; i < 2; i++) {
        live->call.storage.tenant = tenants[i];
        (void)live_apply(live, live_product(live, 98, live_ago(live, 2000), "PROD-1", "tea", "1"));
        (void)live_apply(live, live_product(live, 99, live_ago(live, 2000), "PROD-2", "tea", "1"));
    }
    CHECK(holds(live_row(live, "product", "PROD-2"), "tea"));
}

/* The history in its order: event by event, or all that a tenant has in one transaction. */
static void tell_in_order(struct live *live, json_t *const *events, const int *owner, bool at_once)
{
    struct store *store = live->store;
    struct apply_result results[HISTORY];
    struct apply_counts counts;
    json_t *mine[HISTORY];

    for (int i = 0; !at_once && i < HISTORY; i++) {
        live->call.storage.tenant = tenants[owner[i]];
        CHECK_INT(live_apply(live, events[i]).status, EVENT_APPLIED);
    }
    for (int tenant = 0; at_once && tenant < 2; tenant++) {
        size_t count = 0;

        for (int i = 0; i < HISTORY; i++)
            if (owner[i] == tenant)
                mine[count++] = events[i];
        live->call.storage.tenant = tenants[tenant];
        CHECK_OK(apply_batch(&live->call, mine, count, results, &counts));
        CHECK_INT(counts.applied, (int64_t)count);
    }
}

static void tell_history(struct live *live, unsigned seed)
{
    struct store *store = live->store;
    struct storage_check check = {0};
    json_t *events[HISTORY];
    int owner[HISTORY], count, applied = 0;
    struct deed deeds[2 * HISTORY];
    const char *sorted;

    make_products_known(live);
    for (int i = 0; i < HISTORY; i++) {
        events[i] = random_event(live, i + 1, &seed, live_ago(live, 1000 - 10 * i));
        owner[i] = (int)(next_random(&seed) % 2);
    }
    tell_in_order(live, events, owner, next_random(&seed) % 2);
    sorted = state_of(live);
    empty_tables(store);
    make_products_known(live);
    count = plan_deeds(events, &seed, deeds);
    for (int i = 0; i < count; i++) {
        live->call.storage.tenant = tenants[owner[deeds[i].event]];
        do_deed(live, events, &deeds[i], &applied);
    }
    CHECK_INT(applied, HISTORY);
    CHECK_TEXT(state_of(live), sorted);
    CHECK_OK(storage_check(&live->call.storage, &live->catalog, &check));
    CHECK_TEXT(check.first, "");
    empty_tables(store);
}

/* Duplicates, any order, late and corrected and replayed events, of two tenants: always the tables
 * and the metrics of the history in its order, and what is kept is what can be counted anew. */
ON_BOTH(histories_in_any_order_end_in_the_same_tables)
{
    int histories = getenv("ASSAY_TEST_SOAK") ? HISTORIES_SOAK : HISTORIES_QUICK;
    struct live live;

    live_make(store, &live);
    for (int history = 0; history < histories; history++) {
        struct arena *kept = store->arena;

        store->arena = live.call.storage.arena = arena_create((size_t)64 << 20);
        tell_history(&live, (unsigned)history + 1);
        arena_destroy(store->arena);
        store->arena = live.call.storage.arena = kept;
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

static void check_agrees(struct live *live)
{
    struct store *store = live->store;
    struct storage_check check = {0};

    CHECK_OK(storage_check(&live->call.storage, &live->catalog, &check));
    CHECK_INT(check.differing, 0);
    CHECK_TEXT(check.first, "");
}

/* Four events of all kinds in one transaction; the process is killed before its n-th statement. */
static json_t *batch[4];
static struct live parent;

static int apply_and_die(struct store *store, int number)
{
    static const struct db_options options = DB_OPTIONS_DEFAULT;
    struct live live = parent;
    struct apply_result results[4];
    struct apply_counts counts;

    live.call.storage.db = store_connect(store, &options);
    db_die_after(live.call.storage.db, number);
    if (apply_batch(&live.call, batch, 4, results, &counts))
        return 1;
    return counts.applied == 4 ? 0 : 2;
}

ON_BOTH(a_killed_process_leaves_no_half_event)
{
    static const struct statement rows = {
        "rows", "SELECT (SELECT count(*) FROM pipeline_events) + (SELECT count(*) FROM orders_v2)"
                " + (SELECT count(*) FROM order_items) + (SELECT count(*) FROM users_enriched)"
                " + (SELECT count(*) FROM cache_generation) + (SELECT count(*) FROM search_terms)"
                " + (SELECT count(*) FROM products_current) + (SELECT count(*) FROM"
                " sessions_aggregated) + (SELECT count(*) FROM event_freshness)"};
    int n = 0, status;
    int64_t before;

    live_make(store, &parent);
    CHECK_INT(live_apply(&parent,
                         live_order(&parent, 9, "order.created", live_ago(&parent, 50),
                                    "ORD-20260404-1001", "USR-1", "pending", "PROD-1", 1, "10.00"))
                  .status,
              EVENT_APPLIED);
    before = store_integer(store, &rows);
    batch[0] = live_product(&parent, 1, live_ago(&parent, 9), "PROD-1", "tea", "10");
    batch[1] = live_order(&parent, 2, "order.updated", live_ago(&parent, 8), "ORD-20260404-1001",
                          "USR-2", "shipped", "PROD-1", 3, "10.50");
    batch[2] = live_click(&parent, 3, "page_view", live_ago(&parent, 7), "SES-1", "null", "/cart");
    batch[3] = live_order(&parent, 4, "order.cancelled", live_ago(&parent, 6), "ORD-20260404-1002",
                          "USR-1", "pending", "PROD-1", 1, "10.00");
    do {
        status = fixture_wait(fixture_fork(apply_and_die, store, ++n));
        if (status) {
            CHECK_INT(status, 128 + SIGKILL);
            CHECK_INT(store_integer(store, &rows), before);
        }
        if (!status || n % 10 == 0)
            check_agrees(&parent);
    } while (status && n < 400 && !test_failures_here);
    CHECK(n > 60 && n < 400);
    CHECK(store_integer(store, &rows) > before + 10);
}

/* Each kind of disagreement is found. */
ON_BOTH(the_check_finds_what_does_not_agree)
{
    static const char *const harms[][2] = {
        {"UPDATE orders_v2 SET total_cents = total_cents + 1", "order/ORD-20260404-1001"},
        {"UPDATE sessions_aggregated SET event_count = 7", "session/SES-1"},
        {"DELETE FROM sessions_aggregated", "session/SES-1 of default has no row"},
        {"DELETE FROM pipeline_events WHERE entity_type = 'product'", "does not know PROD-1"},
        {"DELETE FROM pipeline_events WHERE topic = 'orders.status' AND event_type LIKE '%shipped'",
         "is shipped, its newest stage order.status.pending"},
        {"UPDATE users_enriched SET total_orders = 5", "1 users of default are not the sums"}};

    for (size_t i = 0; i < sizeof harms / sizeof harms[0]; i++) {
        struct storage_check check = {0};
        struct live live;

        live_make(store, &live);
        (void)live_apply(&live, live_product(&live, 1, live_ago(&live, 9), "PROD-1", "tea", "1"));
        (void)live_apply(&live, live_order(&live, 2, "order.created", live_ago(&live, 8),
                                           "ORD-20260404-1001", "USR-1", "pending", "P", 1, "5"));
        (void)live_apply(&live, live_order(&live, 3, "order.updated", live_ago(&live, 7),
                                           "ORD-20260404-1001", "USR-1", "shipped", "P", 1, "5"));
        (void)live_apply(&live,
                         live_click(&live, 4, "click", live_ago(&live, 6), "SES-1", "null", "/"));
        check_agrees(&live);
        CHECK_OK(store_script(store, store->db, harms[i][0]));
        CHECK_OK(storage_check(&live.call.storage, &live.catalog, &check));
        CHECK(check.differing > 0);
        CHECK(holds(check.first, harms[i][1]));
        empty_tables(store);
    }
}

/* The tenant whose name comes last, and rows by the thousand. */
ON_BOTH(the_check_looks_at_every_tenant_and_every_row)
{
    struct storage_check check = {0};
    struct live live;

    live_make(store, &live);
    CHECK_OK(store_script(
        store, store->db,
        "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents, updated_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)"
        " SELECT 't' || i, 'USR-1', CASE WHEN i > 10040 THEN 3 ELSE 0 END, 0, 1 FROM n;"
        "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents, updated_at)"
        " VALUES ('zz', 'USR-1', 1, 0, 1), ('zz', 'USR-2', 0, 1, 1), ('zz', 'USR-3', 0, 0, 1)"));
    CHECK_OK(storage_check(&live.call.storage, &live.catalog, &check));
    CHECK_INT(check.differing, 11);
    CHECK_TEXT(check.first, "1 users of t10041 are not the sums of their orders");
    CHECK_OK(store_script(store, store->db, "DELETE FROM users_enriched WHERE tenant_id <> 'zz'"));
    check = (struct storage_check){0};
    CHECK_OK(storage_check(&live.call.storage, &live.catalog, &check));
    CHECK_TEXT(check.first, "2 users of zz are not the sums of their orders");

    empty_tables(store);
    CHECK_OK(store_script(
        store, store->db,
        "INSERT INTO products_current (tenant_id, product_id, name, category, price_cents,"
        " in_stock, stock_quantity, updated_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20500)"
        " SELECT 'default', 'PROD-' || i, 'tea', 'x', 1, 1, 1, 1 FROM n"));
    check = (struct storage_check){0};
    CHECK_OK(storage_check(&live.call.storage, &live.catalog, &check));
    CHECK_INT(check.differing, 20500);
    empty_tables(store);
}

static json_t *order_change(struct live *live, int event, const char *operation, const char *status,
                            double seconds)
{
    return live_json(
        live,
        arena_print(
            live->store->arena,
            "{\"event_id\":\"%s\",\"event_type\":\"order.%s\",\"operation\":\"%s\","
            "\"timestamp\":\"%s\",\"source\":\"postgres_cdc\",\"entity_type\":\"order\","
            "\"entity_id\":\"ORD-20260404-1001\",\"source_metadata\":{\"table\":\"orders_v2\"},"
            "\"before\":null,\"after\":{\"user_id\":\"USR-2\",\"status\":\"%s\","
            "\"total_amount\":20,\"created_at\":\"2026-04-04T10:00:00Z\"}}",
            live_event_id(live, event), operation, operation, live_ago(live, seconds), status));
}

/* Changes keep the items that events of the shop have said, move them with their user, and take
 * them away with the order: in any order, and the journal agrees. */
ON_BOTH(changes_of_an_order_keep_its_items_and_its_user)
{
    static const struct statement units = {
        "test_units", "SELECT coalesce(CAST(sum(units) AS BIGINT), 0) FROM user_units"
                      " WHERE user_id = 'USR-2'"};
    static const int orders[][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 2, 1, 3}, {3, 2, 1, 0}};

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct live live;
        json_t *events[4];

        live_make(store, &live);
        empty_tables(store);
        events[0] = live_order(&live, 1, "order.created", live_ago(&live, 40), "ORD-20260404-1001",
                               "USR-1", "pending", "PROD-1", 2, "10.00");
        events[1] = order_change(&live, 2, "update", "confirmed", 30);
        events[2] = order_change(&live, 3, "update", "shipped", 20);
        events[3] = order_change(&live, 4, "delete", "shipped", 10);
        for (int j = 0; j < 4; j++) {
            CHECK_INT(live_apply(&live, events[orders[i][j]]).status, EVENT_APPLIED);
            check_agrees(&live);
            if (i == 0 && j == 2) {
                CHECK_INT(store_integer(store, &units), 2);
                CHECK(strstr(live_row(&live, "order", "ORD-20260404-1001"), "shipped") != NULL);
                CHECK(strstr(live_row(&live, "user", "USR-2"), "\"total_spent\":20.0") != NULL);
                CHECK_TEXT(live_row(&live, "user", "USR-1"), "");
            }
        }
        CHECK_INT(store_integer(store, &units), 0);
        CHECK_TEXT(live_row(&live, "order", "ORD-20260404-1001"), "");
        CHECK_TEXT(live_row(&live, "user", "USR-2"), "");
    }
}

TEST_MAIN(CASE(an_order_changes_its_entity_its_user_and_the_journal),
          CASE(a_late_event_does_not_overwrite_newer_state), CASE(an_event_is_applied_once),
          CASE(a_sum_of_items_does_not_wrap), CASE(sessions_move_up_the_funnel),
          CASE(wrong_events_become_dead_letters_with_their_payload),
          CASE(a_dead_letter_is_replayed_corrected),
          CASE(histories_in_any_order_end_in_the_same_tables),
          CASE(an_event_is_applied_whole_or_not_at_all),
          CASE(a_killed_process_leaves_no_half_event), CASE(the_check_finds_what_does_not_agree),
          CASE(the_check_looks_at_every_tenant_and_every_row),
          CASE(changes_of_an_order_keep_its_items_and_its_user))
