/*
 * Two thousand generated statements, of which none writes, reads outside of its tenant or runs past
 * the limit; and more than two hundred harmless ones and questions, which pass and run. What must
 * be refused is asked of the guard; what passes it is run, scoped, as questions are.
 */
#include "livedata_fixture.h"

#include "livedata/query/answer.h"
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"

#include <ctype.h>

enum { TIMEOUT_MS = 60, RANDOM_STATEMENTS = 700, LEAST_STATEMENTS = 2000, LEAST_HARMLESS = 200 };

/* Values that no statement of the other tenant may ever show. */
#define CANARY "CANARY"

#define COUNTED(list) (sizeof(list) / sizeof((list)[0]))

/* Every kind of statement in SQLite's grammar, and PostgreSQL's that do anything. */
static const char *const commands[] = {
    "ALTER TABLE orders_v2 RENAME TO x",
    "ALTER TABLE orders_v2 ADD COLUMN x",
    "ALTER TABLE orders_v2 DROP COLUMN status",
    "ANALYZE orders_v2",
    "ATTACH DATABASE 'x' AS y",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "END",
    "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x (y)",
    "CREATE TABLE x AS SELECT * FROM orders_v2",
    "CREATE INDEX x ON orders_v2 (status)",
    "CREATE UNIQUE INDEX x ON orders_v2 (status)",
    "CREATE VIEW x AS SELECT 1",
    "CREATE TRIGGER x AFTER INSERT ON orders_v2 BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE x USING fts5(y)",
    "DELETE FROM orders_v2",
    "DELETE FROM orders_v2 RETURNING *",
    "DETACH DATABASE main",
    "DROP TABLE orders_v2",
    "DROP INDEX orders_by_user",
    "DROP VIEW x",
    "DROP TRIGGER x",
    "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT 1",
    "EXPLAIN ANALYZE DELETE FROM orders_v2",
    "INSERT INTO orders_v2 SELECT * FROM orders_v2",
    "INSERT INTO orders_v2 DEFAULT VALUES",
    "INSERT INTO api_keys VALUES (1) ON CONFLICT DO NOTHING",
    "INSERT OR REPLACE INTO orders_v2 VALUES (1)",
    "REPLACE INTO orders_v2 VALUES (1)",
    "PRAGMA table_info(orders_v2)",
    "PRAGMA writable_schema = 1",
    "PRAGMA query_only = 0",
    "REINDEX orders_v2",
    "RELEASE x",
    "ROLLBACK",
    "ROLLBACK TO x",
    "SAVEPOINT x",
    "UPDATE orders_v2 SET status = 'x'",
    "UPDATE OR IGNORE orders_v2 SET status = 'x'",
    "VACUUM",
    "VACUUM INTO '/tmp/x'",
    "VALUES (1)",
    "TABLE api_keys",
    "COPY orders_v2 TO '/tmp/x'",
    "COPY orders_v2 FROM PROGRAM 'id'",
    "DO $$ BEGIN END $$",
    "CALL x()",
    "GRANT ALL ON orders_v2 TO x",
    "REVOKE ALL ON orders_v2 FROM x",
    "SET search_path = x",
    "RESET ALL",
    "SHOW ALL",
    "LISTEN x",
    "NOTIFY x",
    "UNLISTEN *",
    "LOCK TABLE orders_v2",
    "MERGE INTO orders_v2 USING orders_v2 x ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE orders_v2",
    "PREPARE x AS SELECT 1",
    "EXECUTE x",
    "DECLARE x CURSOR FOR SELECT 1",
    "FETCH ALL FROM x",
    "CLUSTER orders_v2",
    "REFRESH MATERIALIZED VIEW x",
    "IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z",
    "LOAD 'x'",
    "CHECKPOINT",
    "DISCARD ALL",
    "SECURITY LABEL ON TABLE x IS 'y'",
    "COMMENT ON TABLE x IS 'y'",
    "START TRANSACTION",
    "ABORT",
    "REASSIGN OWNED BY x TO y",
    "SELECT * INTO x FROM orders_v2"};

/* `@` is the command. */
static const char *const wrappings[] = {"@",
                                        "@;",
                                        "/* a */ @",
                                        "-- a\n@",
                                        "  \t\n@",
                                        "SELECT 1; @",
                                        "SELECT 1 FROM orders_v2 ; @ ;",
                                        "WITH a AS (@) SELECT * FROM a",
                                        "SELECT * FROM (@) a",
                                        "SELECT 1 UNION ALL @",
                                        "WITH a AS (SELECT 1) @"};

/* Tables that are not to be asked about, by every way of naming them. */
static const char *const hidden[] = {"api_keys",
                                     "API_KEYS",
                                     "Api_Keys",
                                     "\"api_keys\"",
                                     "`api_keys`",
                                     "[api_keys]",
                                     "main.orders_v2",
                                     "public.orders_v2",
                                     "temp.orders_v2",
                                     "acme.orders_v2",
                                     "\"main\".\"orders_v2\"",
                                     "sqlite_master",
                                     "sqlite_schema",
                                     "sqlite_temp_master",
                                     "sqlite_sequence",
                                     "dbstat",
                                     "pg_class",
                                     "pg_authid",
                                     "pg_shadow",
                                     "pg_stat_activity",
                                     "information_schema.tables",
                                     "webhook_registrations",
                                     "alert_rules",
                                     "dead_letter_events",
                                     "cache_generation",
                                     "idempotency_keys",
                                     "jobs",
                                     "search_docs",
                                     "session_pages",
                                     "user_units",
                                     "api_sessions",
                                     "pragma_table_info('orders_v2')",
                                     "json_each('[1]')",
                                     "generate_series(1, 9)",
                                     "pg_ls_dir('/')",
                                     "orders_v2(1)"};

/* Places where a table may be named; `@` is the name. */
static const char *const places[] = {
    "SELECT * FROM @",
    "SELECT * FROM orders_v2, @",
    "SELECT * FROM orders_v2 JOIN @ ON 1 = 1",
    "SELECT * FROM orders_v2 LEFT JOIN @ x USING (order_id)",
    "SELECT (SELECT 1 FROM @) FROM orders_v2",
    "SELECT 1 FROM orders_v2 WHERE order_id IN (SELECT 1 FROM @)",
    "SELECT 1 FROM orders_v2 WHERE EXISTS (SELECT 1 FROM @)",
    "SELECT 1 UNION SELECT 1 FROM @",
    "SELECT 1 FROM orders_v2 EXCEPT SELECT 1 FROM @",
    "WITH a AS (SELECT 1 FROM @) SELECT * FROM a",
    "SELECT * FROM (SELECT * FROM (SELECT 1 FROM @) a) b",
    "SELECT status FROM orders_v2 GROUP BY status HAVING count(*) > (SELECT 1 FROM @)",
    "SELECT 1 FROM orders_v2 ORDER BY (SELECT 1 FROM @)",
    "SELECT 1 FROM orders_v2 LIMIT (SELECT 1 FROM @)",
    "SELECT CASE WHEN 1 = 1 THEN (SELECT 1 FROM @) END",
    "SELECT abs((SELECT 1 FROM @))",
    "SELECT CAST((SELECT 1 FROM @) AS INTEGER)",
    "SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM @)) FROM orders_v2",
    "SELECT sum(total_amount) OVER (ORDER BY (SELECT 1 FROM @)) FROM orders_v2",
    "SELECT * FROM (orders_v2 JOIN @ ON 1 = 1)"};

static const char *const functions[] = {"load_extension('x')",
                                        "readfile('/etc/passwd')",
                                        "writefile('/tmp/x', 'y')",
                                        "edit('x')",
                                        "fts3_tokenizer('x')",
                                        "randomblob(100000000)",
                                        "zeroblob(100000000)",
                                        "random()",
                                        "sqlite_version()",
                                        "sqlite_compileoption_get(1)",
                                        "changes()",
                                        "last_insert_rowid()",
                                        "printf('%1000000000d', 1)",
                                        "format('%s', 1)",
                                        "hex('x')",
                                        "quote('x')",
                                        "char(65)",
                                        "unicode('x')",
                                        "replace('a', 'a', 'b')",
                                        "json('{}')",
                                        "json_object('a', 1)",
                                        "pg_sleep(10)",
                                        "pg_read_file('/etc/passwd')",
                                        "pg_read_binary_file('x')",
                                        "pg_ls_dir('/')",
                                        "pg_stat_file('x')",
                                        "lo_import('x')",
                                        "lo_export(1, 'x')",
                                        "dblink('x', 'y')",
                                        "current_setting('data_directory')",
                                        "set_config('a', 'b', true)",
                                        "version()",
                                        "current_user",
                                        "session_user",
                                        "inet_server_addr()",
                                        "pg_backend_pid()",
                                        "pg_terminate_backend(1)",
                                        "pg_advisory_lock(1)",
                                        "query_to_xml('SELECT 1', true, true, '')",
                                        "database_to_xml(true, true, '')",
                                        "table_to_xml('api_keys', true, true, '')",
                                        "nextval('x')",
                                        "setval('x', 1)",
                                        "repeat('x', 1000000000)",
                                        "getenv('HOME')",
                                        "shell('id')",
                                        "system('id')",
                                        "exec('id')",
                                        "read_csv('x')",
                                        "read_text('x')",
                                        "install_extension('x')",
                                        "st_read('x')",
                                        "current_database()",
                                        "to_regclass('api_keys')",
                                        "pg_catalog.pg_sleep(1)",
                                        "'api_keys'::regclass",
                                        "CAST('api_keys' AS regclass)",
                                        "has_table_privilege('x', 'y')",
                                        "convert_from('x', 'y')",
                                        "xpath('x', 'y')",
                                        "txid_current()"};
static const char *const calls[] = {"SELECT @",
                                    "SELECT @ FROM orders_v2",
                                    "SELECT 1 FROM orders_v2 WHERE @ IS NULL",
                                    "SELECT count(*) FROM orders_v2 GROUP BY @",
                                    "SELECT 1 FROM orders_v2 ORDER BY @",
                                    "SELECT coalesce(NULL, @)"};

/* Ways of writing that one reader may take for something else than another one does. */
static const char *const spellings[] = {
    "SELECT * FROM \xef\xbd\x81pi_keys",
    "SELECT * FROM api\xe2\x80\x8b_keys",
    "SELECT * FROM \xd0\xb0pi_keys",
    "SELECT * FROM U&\"\\0061pi_keys\"",
    "SELECT U&'\\0061' FROM orders_v2",
    "SELECT E'\\x27' FROM orders_v2",
    "SELECT x'27' FROM orders_v2",
    "SELECT $$ a $$",
    "SELECT $a$ ' $a$ FROM orders_v2",
    "SELECT 'a\\' , (SELECT 1 FROM api_keys) , '' ",
    "SELECT /*!50000 1 */ 2",
    "SELECT 1 /* /* */ , (SELECT key_lookup FROM api_keys) /* */ */",
    "SELECT 1 --\r, (SELECT 1 FROM api_keys)",
    "SELECT/**/*/**/FROM/**/api_keys",
    "SELECT\v1",
    "SELECT\f*\fFROM\fapi_keys",
    "SELECT * FROM orders_v2 WHERE status = 'x' OR order_id IN api_keys",
    "SELECT * FROM\u00a0sqlite_master",
    "SELECT * FROM orders_v2 AS \"api_keys\", api_keys",
    "SELECT N'x' FROM orders_v2",
    "SELECT B'1' FROM orders_v2",
    "SELECT * FROM orders_v2 WHERE rowid = 1",
    "SELECT orders_v2.tenant_id FROM orders_v2",
    "SELECT tenant_id FROM orders_v2",
    "SELECT ctid, xmin FROM orders_v2",
    "SELECT o FROM orders_v2 o",
    "SELECT (orders_v2).* FROM orders_v2",
    "SELECT * FROM ONLY orders_v2",
    "SELECT * FROM orders_v2 TABLESAMPLE SYSTEM (10)",
    "SELECT * FROM orders_v2 FOR UPDATE",
    "SELECT * FROM orders_v2 INDEXED BY orders_by_user",
    "SELECT * FROM orders_v2 NOT INDEXED",
    "SELECT * FROM LATERAL (SELECT 1 FROM api_keys) x",
    "SELECT ROW(1, 2) FROM orders_v2",
    "SELECT ARRAY(SELECT 1 FROM api_keys)",
    "SELECT 1 FROM orders_v2 WHERE 1 = ANY (SELECT 1 FROM api_keys)",
    "SELECT 1 OPERATOR(pg_catalog.+) 1",
    "SELECT 'x' COLLATE \"C\" FROM orders_v2",
    "SELECT 1 WHERE ?1 = 1",
    "SELECT :a",
    "SELECT @a",
    "SELECT #a",
    "SELECT 1;;",
    ";SELECT 1",
    "\xef\xbb\xbfSELECT 1",
    "SELECT 1\xff",
    "SELECT '\xed\xa0\x80' FROM orders_v2"};

static const char *const bombs[] = {
    "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n",
    "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT * FROM n ORDER BY x "
    "DESC",
    "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 100000000) SELECT "
    "count(*) FROM n a, n b",
    "WITH RECURSIVE orders_v2 AS (SELECT 1 UNION SELECT * FROM orders_v2) SELECT * FROM orders_v2",
    "WITH RECURSIVE n AS (SELECT 'x' AS s UNION ALL SELECT concat(s, s) FROM n) SELECT "
    "max(length(s)) FROM n",
    "SELECT count(*) FROM pipeline_events a, pipeline_events b, pipeline_events c, pipeline_events "
    "d, pipeline_events e,"
    " pipeline_events f, pipeline_events g, pipeline_events h, pipeline_events i, pipeline_events "
    "j"};

struct proof {
    struct live live;
    struct string_list tables;
    size_t asked, refused, ran, stopped, failed;
};

static const char *filled(struct proof *proof, const char *pattern, const char *with)
{
    const char *at = strchr(pattern, '@');

    return arena_print(proof->live.store->arena, "%.*s%s%s", (int)(at - pattern), pattern, with,
                       at + 1);
}

static void blame(const char *sql, const char *what)
{
    printf("%s\n  %s\n", sql, what);
    test_failures_here++;
}

static void look_for_canaries(const char *sql, const struct sandbox_answer *answer)
{
    for (size_t i = 0; i < answer->row_count * answer->column_count; i++)
        if (answer->cells[i].text && strstr(answer->cells[i].text, CANARY))
            blame(sql, "shows another tenant's rows");
}

static enum error run(struct proof *proof, const char *sql, const struct guard_finding *finding)
{
    struct store *store = proof->live.store;
    struct scope scope = {.engine = store->engine, .tenant = "acme", .tables = finding->tables};
    struct sandbox_rules rules = scope_rules(store->arena, &scope, TIMEOUT_MS, 100);
    int64_t begun = clock_monotonic_microseconds();
    struct sandbox_answer answer = {0};
    enum error error = sandbox_query(store->db, store->arena,
                                     scope_sql(store->arena, &scope, sql, finding->length), &rules,
                                     &answer, &store->problem);

    /* Ten times the limit leaves room for a machine that does something else meanwhile. */
    if (clock_monotonic_microseconds() - begun > (int64_t)TIMEOUT_MS * 10 * 1000)
        blame(sql, "runs past the limit");
    if (!error)
        look_for_canaries(sql, &answer);
    return error;
}

/* What is asked may be refused, fail or be stopped; it must not do any harm. */
static void ask(struct proof *proof, const char *sql, bool must_be_refused)
{
    struct store *store = proof->live.store;
    struct guard_finding finding;
    enum error error = guard_check(store->arena, sql, &proof->tables, &finding, &store->problem);

    proof->asked++;
    if (error == ERROR_FORBIDDEN) {
        proof->refused++;
        return;
    }
    if (error || must_be_refused) {
        blame(sql, "passes the guard");
        return;
    }
    error = run(proof, sql, &finding);
    if (error == ERROR_BUSY)
        proof->stopped++;
    else if (error)
        proof->failed++;
    else
        proof->ran++;
}

/* A generator of its own, so that a failure can be had again: xorshift64. */
static uint64_t random_state;
static unsigned any(unsigned most)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state % most);
}

static const char *random_query(struct proof *proof, int depth);

static const char *random_value(struct proof *proof, const struct serving_table *table, int depth)
{
    static const char *const constants[] = {
        "1", "-1", "0.5", "1e300", "NULL", "'x'", "'%ANARY'", "'%'", "9223372036854775807", "''"};
    static const char *const shapes[] = {"abs(%s)",
                                         "CAST(%s AS TEXT)",
                                         "CAST(%s AS INTEGER)",
                                         "coalesce(%s, 0)",
                                         "length(%s)",
                                         "lower(%s)",
                                         "(%s)",
                                         "-(%s)",
                                         "max(%s)",
                                         "count(DISTINCT %s)",
                                         "upper(%s)",
                                         "CASE WHEN %s IS NULL THEN 1 END"};
    struct arena *arena = proof->live.store->arena;
    const char *inner;

    if (depth > 3 || any(3) == 0)
        return any(3) ? table->columns[any((unsigned)table->column_count)].name
                      : constants[any(COUNTED(constants))];
    inner = any(8) ? random_value(proof, table, depth + 1)
                   : arena_print(arena, "(%s)", random_query(proof, depth + 1));
    switch (any(4)) {
    case 0:
        return arena_print(arena, "%s %s %s", inner,
                           (const char *const[]){"+", "*", "||", "=", "<", "AND", "/", "%"}[any(8)],
                           random_value(proof, table, depth + 1));
    case 1:
        return arena_print(arena, "%s %s %s", inner,
                           (const char *const[]){"LIKE", "IS NOT", "IN", "BETWEEN 1 AND"}[any(4)],
                           random_value(proof, table, depth + 1));
    default: {
        const char *shape = shapes[any(COUNTED(shapes))], *at = strstr(shape, "%s");

        return arena_print(arena, "%.*s%s%s", (int)(at - shape), shape, inner, at + 2);
    }
    }
}

static const char *random_query(struct proof *proof, int depth)
{
    static const char *const comments[] = {"", "", "", "/* a */", "/* ' */", "/*;*/"};
    const struct serving_table *table = &serving_tables[any((unsigned)serving_table_count)];
    struct arena *arena = proof->live.store->arena;
    const char *value = random_value(proof, table, depth + 1);
    const char *from = table->name;

    if (depth < 3 && any(4) == 0)
        from = arena_print(arena, "(%s) AS x%d", random_query(proof, depth + 1), depth);
    else if (any(12) == 0)
        from = hidden[any(COUNTED(hidden))];
    switch (any(7)) {
    case 0:
        return arena_print(arena, "SELECT * FROM %s", from);
    case 1:
        return arena_print(arena, "SELECT %s%s FROM %s WHERE %s", value,
                           comments[any(COUNTED(comments))], from,
                           random_value(proof, table, depth + 1));
    case 2:
        return arena_print(arena, "SELECT %s AS v, count(*) FROM %s GROUP BY 1 ORDER BY 2", value,
                           from);
    case 3:
        return arena_print(arena, "SELECT %s FROM %s UNION ALL SELECT %s FROM %s", value, from,
                           random_value(proof, table, depth + 1), table->name);
    case 4:
        return arena_print(arena, "WITH c%d AS (SELECT * FROM %s) SELECT %s FROM c%d", depth, from,
                           value, depth);
    case 5:
        return arena_print(arena, "SELECT %s FROM %s, %s AS other LIMIT 5", value, from,
                           serving_tables[any((unsigned)serving_table_count)].name);
    default:
        return arena_print(arena, "SELECT %s FROM %s", value, from);
    }
}

/* Small and large letters mean the same. */
static const char *mixed(struct arena *arena, const char *sql)
{
    char *copy = arena_copy_string(arena, sql);

    for (char *byte = copy; *byte; byte++)
        if (any(2))
            *byte = (char)(isupper((unsigned char)*byte) ? tolower((unsigned char)*byte)
                                                         : toupper((unsigned char)*byte));
    return copy;
}

static void fill(struct live *live)
{
    static const char *const tenants[] = {"acme", "demo"};

    for (int i = 0; i < 2; i++) {
        bool other = i == 1;
        struct store *store = live->store;

        live->call.storage.tenant = tenants[i];
        for (int j = 0; j < 12; j++)
            CHECK_INT(
                live_apply(live,
                           live_order(live, 100 * i + j + 1, "order.created", live_ago(live, 60),
                                      arena_print(store->arena, "ORD-2026040%d-%04d", i, j),
                                      other ? "USR-" CANARY : "USR-1", "pending",
                                      other ? "PROD-" CANARY : "PROD-1", 1, "10"))
                    .status,
                EVENT_APPLIED);
        CHECK_INT(live_apply(live, live_click(live, 100 * i + 50, "click", live_ago(live, 30),
                                              other ? "SES-" CANARY : "SES-1", "\"USR-1\"", "/"))
                      .status,
                  EVENT_APPLIED);
        CHECK_INT(live_apply(live, live_product(live, 100 * i + 60, live_ago(live, 30),
                                                other ? "PROD-" CANARY : "PROD-1",
                                                other ? CANARY : "tea", "5"))
                      .status,
                  EVENT_APPLIED);
    }
    live->call.storage.tenant = "acme";
}

/* Everything that may be seen of both tenants, as one text. */
static const char *everything(struct live *live)
{
    static const char *const tenants[] = {"acme", "demo"};
    struct store *store = live->store;
    struct text text;

    text_start(&text, store->arena, 1 << 20);
    for (int i = 0; i < 2; i++) {
        struct storage_call call = live->call.storage;

        call.tenant = tenants[i];
        for (size_t j = 0; j < live->catalog.entity_count; j++) {
            struct entity_rows rows;

            CHECK_OK(entity_rows_list(&call, live->catalog.entities[j].table, "", 1000, &rows));
            for (size_t k = 0; k < rows.count; k++)
                text_append_string(&text, entity_row_json(store->arena, &live->catalog.entities[j],
                                                          &rows.items[k], live->call.storage.now));
        }
    }
    return text.bytes;
}

static void ask_all(struct proof *proof, const char *const *patterns, size_t pattern_count,
                    const char *const *parts, size_t part_count)
{
    for (size_t i = 0; i < pattern_count; i++)
        for (size_t j = 0; j < part_count; j++) {
            const char *sql = filled(proof, patterns[i], parts[j]);

            ask(proof, sql, true);
            if (any(12) == 0)
                ask(proof, mixed(proof->live.store->arena, sql), true);
        }
}

ON_BOTH(generated_statements_do_no_harm)
{
    struct proof proof = {0};
    const char *before;

    live_make(store, &proof.live);
    fill(&proof.live);
    before = everything(&proof.live);
    CHECK(strstr(before, CANARY) != NULL);
    proof.tables = scope_allowed_tables(store->arena, &proof.live.catalog, NULL);
    random_state = 20261122;
    ask_all(&proof, wrappings, COUNTED(wrappings), commands, COUNTED(commands));
    ask_all(&proof, places, COUNTED(places), hidden, COUNTED(hidden));
    ask_all(&proof, calls, COUNTED(calls), functions, COUNTED(functions));
    /* As an expression a command is names beside each other, which no engine understands. */
    for (size_t i = 0; i < COUNTED(commands); i++)
        ask(&proof, filled(&proof, "SELECT (@)", commands[i]), false);
    CHECK_INT(proof.ran, 0);
    for (size_t i = 0; i < COUNTED(spellings); i++)
        ask(&proof, spellings[i], false);
    for (size_t i = 0; i < COUNTED(bombs); i++)
        ask(&proof, bombs[i], false);
    CHECK(proof.stopped >= 2);
    for (int i = 0; i < RANDOM_STATEMENTS; i++)
        ask(&proof, random_query(&proof, 0), false);
    printf("%s: %zu asked, %zu refused, %zu ran, %zu failed, %zu stopped\n",
           store->engine == DB_SQLITE ? "SQLite" : "PostgreSQL", proof.asked, proof.refused,
           proof.ran, proof.failed, proof.stopped);
    CHECK(proof.asked >= LEAST_STATEMENTS);
    CHECK(proof.ran >= 100); /* the scope was put to the test, too */
    CHECK_TEXT(everything(&proof.live), before);
}

static const char *const forms[] = {
    "SELECT %s FROM %s ORDER BY 1 LIMIT 3", "SELECT COUNT(DISTINCT %s) AS n FROM %s",
    "SELECT %s, COUNT(*) AS n FROM %s GROUP BY 1 ORDER BY 2 DESC",
    "WITH a AS (SELECT %s AS v FROM %s) SELECT v FROM a WHERE v IS NOT NULL;",
    "SELECT MAX(%s) AS most FROM %s -- the most\n"};

static const char *const questions[] = {
    "total revenue %s",   "what is the revenue %s?",      "average order value %s", "aov %s",
    "how many orders %s", "top 5 products by revenue %s", "conversion rate %s"};
static const char *const windows[] = {"today",           "this hour",    "last 15 min",
                                      "last 30 minutes", "last 2 hours", "last 24 hours",
                                      "last 7 days"};
static const char *const others[] = {"show me order ORD-20260400-0001",
                                     "details for user USR-1",
                                     "show PROD-1",
                                     "top 7 products",
                                     "which products are out of stock",
                                     "active sessions",
                                     "how many orders are pending",
                                     "which user spent the most",
                                     "most expensive product"};

static void pass(struct proof *proof, const char *sql)
{
    struct store *store = proof->live.store;
    struct guard_finding finding;
    enum error error = guard_check(store->arena, sql, &proof->tables, &finding, &store->problem);

    proof->asked++;
    if (!error)
        error = run(proof, sql, &finding);
    if (error)
        blame(sql, store->problem.text);
}

static void answer(struct proof *proof, const char *question)
{
    const struct query_request request = {.question = question, .limit = 10, .paged = true};
    struct store *store = proof->live.store;
    struct query_result result;

    proof->asked++;
    if (query_answer(&proof->live.call.storage, &proof->live.catalog, &proof->live.settings,
                     &request, &result))
        blame(question, store->problem.text);
    else
        look_for_canaries(question, &result.answer);
}

ON_BOTH(harmless_statements_and_questions_pass)
{
    struct proof proof = {0};

    live_make(store, &proof.live);
    fill(&proof.live);
    proof.live.call.storage.now = clock_unix_microseconds();
    proof.tables = scope_allowed_tables(store->arena, &proof.live.catalog, NULL);
    for (size_t i = 0; i < serving_table_count; i++)
        for (size_t j = 0; j < serving_tables[i].column_count; j++)
            for (size_t k = 0; k < COUNTED(forms); k++) {
                const char *column = strstr(forms[k], "%s"), *table = strstr(column + 2, "%s");

                pass(&proof,
                     arena_print(store->arena, "%.*s%s%.*s%s%s", (int)(column - forms[k]), forms[k],
                                 serving_tables[i].columns[j].name, (int)(table - column - 2),
                                 column + 2, serving_tables[i].name, table + 2));
            }
    for (size_t i = 0; i < COUNTED(questions); i++)
        for (size_t j = 0; j < COUNTED(windows); j++) {
            const char *at = strstr(questions[i], "%s");

            answer(&proof, arena_print(store->arena, "%.*s%s%s", (int)(at - questions[i]),
                                       questions[i], windows[j], at + 2));
        }
    for (size_t i = 0; i < COUNTED(others); i++)
        answer(&proof, others[i]);
    CHECK(proof.asked >= LEAST_HARMLESS);
}

TEST_MAIN(CASE(generated_statements_do_no_harm), CASE(harmless_statements_and_questions_pass))
