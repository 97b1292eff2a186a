/* The guard, the rules of translation, scoping, paging and metrics, on both engines. */
#include "livedata_fixture.h"

#include "livedata/metrics/metric.h"
#include "livedata/query/answer.h"
#include "livedata/query/model.h"
#include "livedata/query/pages.h"
#include "livedata/query/typed_values.h"
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"

static const struct {
    const char *sql, *reason;
} refused[] = {
    {"SELECT * FROM orders_v2; DROP TABLE orders_v2", "Expected single statement"},
    {"SELECT * FROM api_keys", "Unknown tables: ['api_keys']"},
    {"SELECT * FROM acme.orders_v2", "Schema-qualified table names are not allowed"},
    {"SELECT * FROM main.orders_v2", "Schema-qualified table names are not allowed"},
    {"SELECT read_csv('/x')", "Forbidden function: read_csv"},
    {"SELECT * FROM read_csv_auto('/x')", "Table-valued functions not allowed"},
    {"SELECT * FROM json_each('[1]')", "Table-valued functions not allowed"},
    {"SELECT * FROM generate_series(1, 1000000000)", "Table-valued functions not allowed"},
    {"WITH x AS (DELETE FROM orders_v2 RETURNING id) SELECT * FROM x", "Forbidden node: Delete"},
    {"WITH RECURSIVE orders_v2 AS (SELECT 1 UNION SELECT * FROM orders_v2) SELECT * FROM orders_v2",
     "Recursive CTE shadows physical table(s): ['orders_v2']"},
    {"SELECT current_setting('a')", "Forbidden function: current_setting"},
    {"SELECT pg_sleep(10)", "Forbidden function: pg_sleep"},
    {"SELECT current_user", "Forbidden function: current_user"},
    {"SELECT 'api_keys'::regclass", "Forbidden function: regclass"},
    {"SELECT CAST('api_keys' AS regclass)", "Forbidden function: regclass"},
    {"DROP TABLE orders_v2", "Statement type Drop not allowed"},
    {"PRAGMA table_info(orders_v2)", "Statement type Pragma not allowed"},
    {"ATTACH 'x' AS y", "Statement type Attach not allowed"},
    {"EXPLAIN SELECT 1", "Statement type Explain not allowed"},
    {"BEGIN", "Statement type begin not allowed"},
    {"", "Unparseable SQL"},
    {"SELECT", "Unparseable SQL"},
    {";", "Unparseable SQL"},
    {"SELECT * FROM orders_v2 WHERE order_id IN api_keys", "Unparseable SQL"},
    {"SELECT * FROM orders_v2 WHERE a = $1", "Unparseable SQL"},
    {"SELECT * FROM orders_v2 WHERE a = ?", "Unparseable SQL"},
    {"SELECT E'\\x41' FROM orders_v2", "Unparseable SQL"},
    {"SELECT $$x$$", "Unparseable SQL"},
    {"SELECT /* /* */ 1 */ 2", "Unparseable SQL"},
    {"SELECT * FROM [orders_v2]", "Unparseable SQL"},
    {"SELECT * FROM \"ORDERS_V2\"", "Unparseable SQL"},
    {"WITH \"Api_Keys\" AS (SELECT 1) SELECT * FROM api_keys", "Unparseable SQL"},
    {"SELECT 1 -- to the end", "Unparseable SQL"},
    {"SELECT 1 -- a\r, key_lookup FROM api_keys --\n", "Unparseable SQL"},
    {"SELECT CAST(current_user AS text)", "Forbidden function: current_user"},
    {"SELECT CAST('api_keys'::regclass AS text)", "Forbidden function: regclass"},
    {"SELECT * FROM `api_keys`", "Unparseable SQL"},
    {"SELECT * FROM \"api_keys\"", "Unknown tables: ['api_keys']"},
    {"SELECT * FROM ORDERS_V2, Api_Keys", "Unknown tables: ['api_keys']"},
    {"SELECT (SELECT key_lookup FROM api_keys) FROM orders_v2", "Unknown tables: ['api_keys']"},
    {"SELECT 1 WHERE EXISTS (SELECT 1 FROM sqlite_master)", "Unknown tables: ['sqlite_master']"},
    {"SELECT 1 UNION SELECT name FROM sqlite_master", "Unknown tables: ['sqlite_master']"},
    {"SELECT 1 FROM orders_v2 ORDER BY (SELECT 1 FROM pg_class)", "Unknown tables: ['pg_class']"},
    {"SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM pg_authid)) FROM orders_v2",
     "Unknown tables: ['pg_authid']"},
    {"SELECT sum(total_amount) OVER (ORDER BY (SELECT 1 FROM api_keys)) FROM orders_v2",
     "Unknown tables: ['api_keys']"},
    {"SELECT CASE WHEN 1 THEN (SELECT 1 FROM api_keys) END", "Unknown tables: ['api_keys']"},
    {"SELECT * FROM (orders_v2 JOIN api_keys ON 1)", "Unknown tables: ['api_keys']"},
    {"SELECT * FROM orders_v2 NATURAL LEFT JOIN api_keys", "Unknown tables: ['api_keys']"},
    {"WITH a AS (SELECT 1 FROM api_keys) SELECT * FROM a", "Unknown tables: ['api_keys']"},
    {"WITH orders_v2 AS (SELECT 1 FROM api_keys) SELECT * FROM orders_v2",
     "Unknown tables: ['api_keys']"},
    {"SELECT * FROM (WITH api_keys AS (SELECT 1) SELECT 1) a, api_keys",
     "Unknown tables: ['api_keys']"},
    {"SELECT * FROM orders_v2 LIMIT (SELECT 1 FROM api_keys)", "Unknown tables: ['api_keys']"},
    {"SELECT 1 FROM orders_v2 WHERE 1 IN (TABLE api_keys)", "Forbidden node: Table"},
    {"SELECT * INTO x FROM orders_v2", "Forbidden node: Into"},
    {"SELECT load_extension('x')", "Forbidden function: load_extension"},
    {"SELECT zeroblob(1000000000)", "Forbidden function: zeroblob"},
    {"SELECT \"load_extension\"('x')", "Forbidden function: load_extension"},
    {"SELECT writefile('/tmp/x', 'y') FROM orders_v2", "Forbidden function: writefile"},
};

static const char *const harmless[] = {
    "SELECT COUNT(*) FROM orders_v2 WHERE status = 'delivered'",
    "WITH recent AS (SELECT * FROM orders_v2) SELECT * FROM recent",
    "SELECT * FROM orders_v2;",
    "SELECT * FROM orders_v2 ; -- all of them\n",
    "SELECT status, COUNT(*) AS n FROM orders_v2 GROUP BY status HAVING COUNT(*) > 0 ORDER BY n",
    "SELECT o.order_id, u.total_spent FROM orders_v2 AS o JOIN users_enriched u USING (user_id)",
    ("SELECT o.order_id FROM orders_v2 o LEFT JOIN users_enriched u ON u.user_id = o.user_id"
     " WHERE u.user_id IS NULL"),
    "SELECT user_id FROM users_enriched UNION SELECT user_id FROM orders_v2",
    "SELECT CASE WHEN status = 'shipped' THEN 1 ELSE 0 END FROM orders_v2",
    "SELECT CAST(total_amount AS INTEGER) FROM orders_v2",
    "SELECT order_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY created_at) FROM orders_v2",
    "SELECT MAX(price) - MIN(price) FROM products_current WHERE name LIKE '%tea%'",
    "SELECT * FROM orders_v2 WHERE user_id IN (SELECT user_id FROM users_enriched LIMIT 5)",
    "SELECT DISTINCT category FROM products_current LIMIT 5 OFFSET 2",
    "SELECT 'it''s; a -- text' AS t FROM orders_v2",
    "SELECT \"status\" FROM \"orders_v2\" WHERE NOT (status = 'pending' OR total_amount > 1e3)",
    "SELECT a.n FROM (SELECT COUNT(*) AS n FROM sessions_aggregated) a",
    "SELECT COALESCE(SUM(total_amount), 0) AS s FROM orders_v2 WHERE total_amount BETWEEN 1 AND 9",
    "SELECT event_type, AVG(latency_ms) FROM pipeline_events GROUP BY 1 ORDER BY 2 DESC",
};

static struct string_list all_tables(struct arena *arena, const struct catalog *catalog)
{
    return scope_allowed_tables(arena, catalog, NULL);
}

TEST(the_guard_says_why)
{
    struct arena *arena = arena_create((size_t)1 << 24);
    struct catalog catalog = {0};
    struct string_list tables = all_tables(arena, &catalog);

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct guard_finding finding;
        struct problem problem = {.text = "it passes"};

        if (guard_check(arena, refused[i].sql, &tables, &finding, &problem) != ERROR_FORBIDDEN ||
            strcmp(problem.text, refused[i].reason) != 0) {
            printf("%s\n  gives %s, expected %s\n", refused[i].sql, problem.text,
                   refused[i].reason);
            test_failures_here++;
        }
    }
    arena_destroy(arena);
}

static struct scope scope_of(struct live *live, struct string_list tables)
{
    return (struct scope){
        .engine = live->store->engine, .tenant = live->call.storage.tenant, .tables = tables};
}

/* What passes the guard also runs, scoped, under the second lock. */
ON_BOTH(harmless_statements_pass_and_run)
{
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        struct string_list tables = all_tables(store->arena, &live.catalog);
        struct guard_finding finding;
        struct sandbox_answer answer;
        struct sandbox_rules rules;
        struct scope scope;
        const char *sql;
        enum error error =
            guard_check(store->arena, harmless[i], &tables, &finding, &store->problem);

        scope = scope_of(&live, finding.tables);
        rules = scope_rules(store->arena, &scope, 5000, 100);
        sql = scope_sql(store->arena, &scope, harmless[i], finding.length);
        if (!error)
            error = sandbox_query(store->db, store->arena, sql, &rules, &answer, &store->problem);
        if (error) {
            printf("%s\n  gives %s: %s\n", harmless[i], store->problem.reason, store->problem.text);
            test_failures_here++;
        }
    }
}

/* Even what the guard would never pass reaches nothing: the second lock on its own (SQLite). */
ON_ONE(the_second_lock_knows_its_tables, DB_SQLITE)
{
    static const char *const attempts[] = {
        "SELECT * FROM api_keys",       "SELECT * FROM sqlite_master",
        "DELETE FROM orders_v2",        "INSERT INTO orders_v2 (order_id) VALUES (1)",
        "PRAGMA journal_mode = DELETE", "ATTACH ':memory:' AS x",
        "SELECT load_extension('x')",   "SELECT zeroblob(10)",
        "CREATE TABLE x (y)",           "SELECT * FROM pragma_table_info('api_keys')",
    };
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        struct scope scope = scope_of(&live, all_tables(store->arena, &live.catalog));
        struct sandbox_rules rules = scope_rules(store->arena, &scope, 1000, 10);
        struct sandbox_answer answer;
        enum error error =
            sandbox_query(store->db, store->arena, attempts[i], &rules, &answer, &store->problem);

        if (error != ERROR_FORBIDDEN && error != ERROR_INVALID) {
            printf("%s gives %d\n", attempts[i], (int)error);
            test_failures_here++;
        }
    }
}

ON_BOTH(long_queries_are_stopped)
{
    static const char bomb[] =
        "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n";
    struct guard_finding finding;
    struct sandbox_answer answer;
    struct sandbox_rules rules;
    struct string_list tables;
    struct scope scope;
    int64_t started;
    struct live live;

    live_make(store, &live);
    tables = all_tables(store->arena, &live.catalog);
    CHECK_OK(guard_check(store->arena, bomb, &tables, &finding, &store->problem));
    scope = scope_of(&live, finding.tables);
    rules = scope_rules(store->arena, &scope, 150, 10);
    started = clock_monotonic_microseconds();
    CHECK_FAILS(sandbox_query(store->db, store->arena,
                              scope_sql(store->arena, &scope, bomb, finding.length), &rules,
                              &answer, &store->problem),
                ERROR_BUSY, "query_timeout");
    CHECK((clock_monotonic_microseconds() - started) < 2000000);
}

TEST(cursors_are_bound_and_padded)
{
    struct arena *arena = arena_create((size_t)1 << 20);
    const char *hash = NULL, *values = NULL;

    CHECK_TEXT(cursor_make(arena, "abc", "[4]"), "YWJjOls0XQ==");
    CHECK(cursor_read(arena, "YWJjOls0XQ==", &hash, &values));
    CHECK_TEXT(hash, "abc");
    CHECK_TEXT(values, "[4]");
    CHECK(!cursor_read(arena, "not-a-valid-cursor", &hash, &values));
    CHECK(!cursor_read(arena, "", &hash, &values));
    arena_destroy(arena);
}

TEST(models_answer_in_many_ways)
{
    static const char *const answers[] = {
        "{\"entity\": \"order\", \"select\": \"count\"}",
        "{\"plan\": {\"entity\": \"order\", \"select\": \"count\"}, \"confidence\": 1}",
        "Here you are:\n```json\n{\"entity\": \"order\",\n \"select\": \"count\"}\n```\nGood luck!",
        "{\"entity\": \"order\", \"select\": \"count\", \"filters\": [], \"limit\": null}",
        "In {braces} or { not: {\"entity\": \"order\", \"select\": \"count\", \"column\": null} }",
    };
    static const char *const refusals[] = {"I cannot do that.", "{}", "SELECT 1",
                                           "{\"sql\": \"SELECT 1\"}",
                                           "{\"entity\": \"order\", \"select\": \"drop\"}"};
    struct arena *arena = arena_create((size_t)1 << 24);
    char braces[16000];
    struct typed_plan plan;

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        CHECK(model_find_plan(arena, answers[i], &plan));
        CHECK_TEXT(plan.entity, "order");
        CHECK_INT(plan.select, TYPED_COUNT);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        CHECK(!model_find_plan(arena, refusals[i], &plan));
    /* Each opening brace with each closing one would take minutes. */
    memset(braces, '{', sizeof braces / 2);
    memset(braces + sizeof braces / 2, '}', sizeof braces / 2);
    braces[sizeof braces - 1] = '\0';
    CHECK(!model_find_plan(arena, braces, &plan));
    arena_destroy(arena);
}

static void two_tenants(struct live *live)
{
    static const struct {
        const char *tenant, *order, *price;
    } rows[] = {{"acme", "ORD-20260404-0001", "125.50"},
                {"acme", "ORD-20260404-0002", "80.00"},
                {"demo", "ORD-20260404-0001", "15.00"},
                {"demo", "ORD-20260404-0003", "25.00"}};

    for (int i = 0; i < 4; i++) {
        live->call.storage.tenant = rows[i].tenant;
        CHECK_INT(live_apply(live, live_order(live, i + 1, "order.created", live_ago(live, 60),
                                              rows[i].order, "USR-1", "pending", "PROD-1", 1,
                                              rows[i].price))
                      .status,
                  EVENT_APPLIED);
    }
}

ON_BOTH(tenants_see_their_own_rows)
{
    struct query_request request = {
        .question = "total revenue last 2 hours", .limit = 10, .paged = true};
    struct query_result result;
    struct metric_value value;
    struct live live;

    live_make(store, &live);
    two_tenants(&live);
    for (int i = 0; i < 2; i++) {
        struct metric_request metric = {catalog_metric(&live.catalog, "revenue"), "24h", 0};

        live.call.storage.tenant = i ? "demo" : "acme";
        live.call.storage.now = clock_unix_microseconds();
        CHECK_OK(metric_compute(&live.call.storage, &live.settings, &metric, &value));
        CHECK_NEAR(value.value, i ? 40.0 : 205.5, 0);
        CHECK_OK(
            query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result));
        CHECK_NEAR(result.answer.cells[0].number, i ? 40.0 : 205.5, 1e-9);
        CHECK(value.newest.applied_at > clock_unix_microseconds() - 5 * us_per_second);
    }
}

ON_BOTH(pages_follow_each_other)
{
    struct query_request request = {
        .question = "Show me top 10 products", .limit = 4, .paged = true};
    struct query_result result;
    char seen[16] = "";
    size_t length = 0;
    struct live live;

    live_make(store, &live);
    for (int i = 0; i < 10; i++)
        (void)live_apply(&live, live_product(&live, i + 1, live_ago(&live, 60),
                                             arena_print(store->arena, "PROD-%d", i), "tea",
                                             arena_print(store->arena, "%d", 100 - i)));
    for (int page = 0; page < 3; page++) {
        CHECK_OK(
            query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result));
        CHECK_INT(result.answer.row_count, page < 2 ? 4 : 2);
        CHECK_INT(result.has_more, page < 2);
        CHECK_INT(result.total_count.value, 10);
        for (size_t i = 0; i < result.answer.row_count; i++)
            seen[length++] = result.answer.cells[i * result.answer.column_count].text[13];
        request.cursor = result.next_cursor;
    }
    CHECK_TEXT(seen, "0123456789");
    CHECK(!result.next_cursor);
    request.cursor = cursor_make(store->arena, "abc", "[4]");
    CHECK_FAILS(query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result),
                ERROR_INVALID, "foreign_cursor");
    request.cursor = "not-a-valid-cursor";
    CHECK_FAILS(query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result),
                ERROR_INVALID, "invalid_cursor");
}

/* An answer of groups is whole or none. */
ON_BOTH(too_many_groups_are_refused)
{
    const char *groups[] = {"user_id"};
    const struct typed_plan plan = {
        .entity = "user", .select = TYPED_COUNT, .group_by = {.count = 1, .items = groups}};
    const struct query_request request = {.plan = &plan, .limit = 4, .paged = true};
    struct query_result result;
    struct live live;

    live_make(store, &live);
    CHECK_OK(store_script(
        store, store->db,
        "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents, updated_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
        " SELECT 'default', 'USR-' || i, 1, 1, 1 FROM n"));
    CHECK_OK(query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result));
    CHECK_INT(result.total_count.value, TYPED_GROUPS_MAX);
    CHECK_OK(store_script(
        store, store->db,
        "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents, updated_at)"
        " VALUES ('default', 'USR-0', 1, 1, 1)"));
    CHECK_FAILS(query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result),
                ERROR_INVALID, "too_many_groups");
    CHECK_OK(store_script(store, store->db, "DELETE FROM users_enriched"));
}

ON_BOTH(restricted_keys_reach_their_tables_only)
{
    const struct string_list types = {1, (const char *[]){"product"}};
    struct query_request request = {
        .question = "total revenue today", .limit = 4, .allowed_types = &types};
    struct query_result result;
    struct live live;

    live_make(store, &live);
    CHECK_FAILS(query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result),
                ERROR_FORBIDDEN, "unsafe_query");
    request.question = "top 3 products";
    CHECK_OK(query_answer(&live.call.storage, &live.catalog, &live.settings, &request, &result));
}

/* Orders as the journal knew them then: an order that was cancelled later counts. */
ON_BOTH(metrics_of_the_past_see_the_past)
{
    struct metric_request request;
    struct metric_value value;
    int64_t between;
    struct live live;

    live_make(store, &live);
    CHECK_OK(metric_check_all(store->arena, &live.catalog, &store->problem));
    request = (struct metric_request){catalog_metric(&live.catalog, "revenue"), "1h", 0};
    (void)live_apply(&live, live_order(&live, 1, "order.created", live_ago(&live, 60),
                                       "ORD-20260404-0001", "U", "pending", "P", 1, "50.00"));
    fixture_pause(20);
    between = clock_unix_microseconds();
    fixture_pause(20);
    (void)live_apply(&live, live_order(&live, 2, "order.cancelled", live_ago(&live, 1),
                                       "ORD-20260404-0001", "U", "pending", "P", 1, "50.00"));
    live.call.storage.now = clock_unix_microseconds();
    CHECK_OK(metric_compute(&live.call.storage, &live.settings, &request, &value));
    CHECK_NEAR(value.value, 0, 0);
    request.as_of = between;
    CHECK_OK(metric_compute(&live.call.storage, &live.settings, &request, &value));
    CHECK_NEAR(value.value, 50, 0);
    CHECK(!value.newest.applied_at);
    request.window = "7d";
    CHECK_FAILS(metric_compute(&live.call.storage, &live.settings, &request, &value), ERROR_INVALID,
                "unsupported_window");
}

/* A page of the statement after the row, and the values of its last row's keys. */
static const char *page_after(struct live *live, const char *question, const char *values,
                              size_t limit, struct sandbox_answer *answer)
{
    struct store *store = live->store;
    struct string_list tables = all_tables(store->arena, &live->catalog);
    struct sandbox_answer none;
    struct guard_finding finding;
    struct sandbox_rules rules;
    struct page_order order;
    struct scope scope;
    const char *sql, *paged;

    CHECK_OK(guard_check(store->arena, question, &tables, &finding, &store->problem));
    scope = scope_of(live, finding.tables);
    rules = scope_rules(store->arena, &scope, 5000, 100);
    sql = scope_sql(store->arena, &scope, question, finding.length);
    CHECK_OK(sandbox_query(store->db, store->arena, arena_print(store->arena, "%s LIMIT 0", sql),
                           &rules, &none, &store->problem));
    order = page_order(store->arena, &finding, &none);
    CHECK(page_sql(store->arena, store->engine, sql, &order, values, (int64_t)limit, &paged));
    CHECK_OK(sandbox_query(store->db, store->arena, paged, &rules, answer, &store->problem));
    return answer->row_count ? page_values(store->arena, &order, answer, answer->row_count - 1)
                             : NULL;
}

/* Each row once, whatever is in its columns: equal values, none, quotes, other scripts, times. */
ON_BOTH(pages_go_on_after_any_row)
{
    static const char *const questions[] = {
        "SELECT * FROM orders_v2",
        "SELECT * FROM orders_v2 ORDER BY created_at DESC",
        "SELECT order_id, total_amount, NULLIF(currency, 'EUR') AS c FROM orders_v2 ORDER BY c "
        "DESC",
        "WITH x AS (SELECT * FROM orders_v2) SELECT * FROM x ORDER BY user_id, total_amount DESC",
        "SELECT user_id, SUM(CAST(ROUND(total_amount * 100) AS BIGINT)) / 100.0 AS s, COUNT(*) AS n"
        " FROM orders_v2 GROUP BY user_id ORDER BY s DESC",
        "SELECT order_id, 100.0 / 9 AS a FROM orders_v2 ORDER BY a",
        "SELECT order_id, CAST(10.1 / 3 AS REAL) AS r FROM orders_v2 ORDER BY r DESC",
        "SELECT order_id, total_amount > 1 AS large FROM orders_v2 ORDER BY large DESC",
    };
    static const char *const users[] = {"O'Brien", "a\\b", "\xd0\x96", "plain", "\"q\"", "plain"};
    struct live live;

    live_make(store, &live);
    for (int i = 0; i < 6; i++) {
        json_t *event = live_order(&live, i + 1, "order.created", live_ago(&live, 60 + i % 2),
                                   arena_print(store->arena, "ORD-20260404-000%d", i), "U",
                                   "pending", "P", 1, i % 3 ? "10.10" : "0.30");

        json_object_set_new(event, "user_id", json_string(users[i]));
        json_object_set_new(event, "currency", json_string(i % 2 ? "EUR" : "RUB"));
        CHECK_INT(live_apply(&live, event).status, EVENT_APPLIED);
    }
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        struct sandbox_answer all, page;
        const char *values = NULL;
        size_t row = 0;

        (void)page_after(&live, questions[i], NULL, 100, &all);
        CHECK_INT(all.row_count, i == 4 ? 5 : 6);
        while (row < all.row_count) {
            values = page_after(&live, questions[i], values, 1, &page);
            CHECK_INT(page.row_count, 1);
            if (!page.row_count)
                break;
            CHECK_TEXT(page.cells[0].text, all.cells[row++ * all.column_count].text);
        }
        (void)page_after(&live, questions[i], values, 1, &page);
        CHECK_INT(page.row_count, 0);
    }
}

/* What orders by something that is not shown, or shows two columns of one name, has one page. */
ON_BOTH(some_answers_have_one_page)
{
    static const struct {
        const char *sql;
        bool pages;
    } statements[] = {{"SELECT order_id FROM orders_v2 ORDER BY created_at", false},
                      {"SELECT order_id FROM orders_v2 ORDER BY lower(order_id)", false},
                      {"SELECT order_id, order_id FROM orders_v2", false},
                      {"SELECT order_id FROM orders_v2 ORDER BY order_id LIMIT 3", true}};
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        struct string_list tables = all_tables(store->arena, &live.catalog);
        const char *columns[] = {"order_id", "order_id"};
        struct sandbox_answer none = {.column_count = i == 2 ? 2 : 1, .columns = columns};
        struct guard_finding finding;

        CHECK_OK(guard_check(store->arena, statements[i].sql, &tables, &finding, &store->problem));
        CHECK_INT(page_order(store->arena, &finding, &none).count > 0, statements[i].pages);
    }
}

/* Sums of hundredths come out exact, converted ones rounded by the order; what has no rate stays
 * out. */
ON_BOTH(money_is_added_in_hundredths_and_one_currency)
{
    static const struct {
        const char *order, *currency, *price;
    } orders[] = {{"ORD-20260404-0001", "RUB", "0.10"},
                  {"ORD-20260404-0002", "RUB", "0.20"},
                  {"ORD-20260404-0003", "RUB", "0.70"},
                  {"ORD-20260404-0004", "USD", "0.01"},
                  {"ORD-20260404-0005", "GBP", "9.99"}};
    struct currency_rate rate = {"USD", "90.55"};
    struct metric_request request;
    struct metric_value value;
    struct live live;

    live_make(store, &live);
    for (int i = 0; i < 5; i++) {
        json_t *event = live_order(&live, i + 1, "order.created", live_ago(&live, 60),
                                   orders[i].order, "U", "pending", "P", 1, orders[i].price);

        json_object_set_new(event, "currency", json_string(orders[i].currency));
        CHECK_INT(live_apply(&live, event).status, EVENT_APPLIED);
    }
    request = (struct metric_request){catalog_metric(&live.catalog, "revenue"), "1h", 0};
    for (int rates = 0; rates < 2; rates++) {
        live.settings.currency_rates = (struct currency_rates){(size_t)rates, &rate};
        CHECK_OK(metric_compute(&live.call.storage, &live.settings, &request, &value));
        CHECK_NEAR(value.value, rates ? 1.91 : 1.0, 0);
        CHECK_INT(value.currency_count, 3);
        CHECK(value.currencies[0].left_out && !value.currencies[1].left_out);
        CHECK_INT(value.currencies[2].left_out, !rates);
    }
    live.call.storage.now = clock_unix_microseconds();
    request.as_of = live.call.storage.now;
    CHECK_OK(metric_compute(&live.call.storage, &live.settings, &request, &value));
    CHECK_NEAR(value.value, 1.91, 0);
    request.metric = catalog_metric(&live.catalog, "avg_order_value");
    CHECK_OK(metric_compute(&live.call.storage, &live.settings, &request, &value));
    CHECK_NEAR(value.value, 0.4775, 0);
}

TEST_MAIN(CASE(the_guard_says_why), CASE(harmless_statements_pass_and_run),
          CASE(the_second_lock_knows_its_tables), CASE(long_queries_are_stopped),
          CASE(cursors_are_bound_and_padded), CASE(models_answer_in_many_ways),
          CASE(tenants_see_their_own_rows), CASE(pages_follow_each_other),
          CASE(too_many_groups_are_refused), CASE(restricted_keys_reach_their_tables_only),
          CASE(metrics_of_the_past_see_the_past),
          CASE(money_is_added_in_hundredths_and_one_currency), CASE(pages_go_on_after_any_row),
          CASE(some_answers_have_one_page))
