/* What is queued for copies in ClickHouse on both engines, and the third form of a measure's
 * statement. The server itself: tests/api/livedata_columnar_test.py and tests/scale. */
#include "livedata_own_fixture.h"

#include "livedata/columnar/columnar.h"
#include "livedata/metrics/measure_columnar.h"
#include "livedata/outbox/outbox.h"

#include <stdlib.h>

static const char machine_folders[] =
    "config/livedata,config/demo/machines,config/demo/machine_metrics";

#define TABLE "own_machines_reading"

static const struct statement queued = {.name = "test_queued",
                                        .sql = "SELECT count(*) FROM columnar_outbox"};
static const struct statement queued_lines = {
    .name = "test_lines", .sql = "SELECT lines FROM columnar_outbox ORDER BY seq DESC LIMIT 1"};
static const struct statement send_first = {
    .name = "test_send",
    .sql = "DELETE FROM columnar_outbox WHERE seq = (SELECT min(seq) FROM columnar_outbox)"};
static const struct statement state_stale = {
    .name = "test_stale",
    .sql =
        "SELECT count(*) FROM columnar_tables WHERE state = 'stale' AND table_name = '" TABLE "'"};

static void set_copy(struct store *store, const char *state, const char *fill_key)
{
    CHECK_OK(store_script(
        store, store->db,
        arena_print(
            store->arena,
            "DELETE FROM columnar_tables; INSERT INTO columnar_tables (table_name, state,"
            " incarnation, fingerprint, fill_tenant, fill_key, fill_seq, block, sent_seq, position,"
            " complete_at, pending_rows, pending_seq, pending_position, pending_complete_at,"
            " pending_session, lease, lease_until) VALUES ('" TABLE "', '%s', 1, '', 'default',"
            " '%s', 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', 0)",
            state, fill_key)));
}

static const char *last_lines(struct store *store)
{
    struct query *query = db_query(store->db, &queued_lines);
    const char *lines = query_next(query) ? query_text(query, 0, store->arena) : "";

    CHECK_OK(query_end(query, &store->problem));
    return lines;
}

static json_t *taken(struct live *live, int number, const char *reading, const char *value)
{
    return own_event(live, number, "reading.taken", "10:00",
                     arena_print(live->store->arena,
                                 "\"reading_id\":\"%s\",\"machine_id\":\"m\\t1\",\"sensor\":"
                                 "\"a\\\\b\",\"data\":{\"value\":\"%s\",\"valid\":true}",
                                 reading, value));
}

ON_BOTH(a_change_of_a_copied_table_is_queued_with_the_row_before_and_after)
{
    const char *first = "default\t1775296800000000\tr1\tm\\t1\ta\\\\b\t1500\t1775296800000000\t1";
    struct live live;

    live_make_domains(store, &live, folders);
    check_applied(&live, taken(&live, 1, "r0", "1.5"));
    CHECK_INT(store_integer(store, &queued), 0);

    set_copy(store, "live", "");
    check_applied(&live, taken(&live, 2, "r1", "1.5"));
    CHECK_TEXT(last_lines(store), arena_print(store->arena, "%s\t1\t0\t0\t0\n", first));
    check_applied(&live, own_event(&live, 3, "reading.corrected", "10:01",
                                   "\"reading_id\":\"r1\",\"data\":{\"value\":\"-2\"}"));
    CHECK_TEXT(last_lines(store),
               arena_print(store->arena,
                           "%s\t-1\t0\t0\t0\n"
                           "default\t1775296800000000\tr1\tm\\t1\ta\\\\b\t-2000\t"
                           "1775296800000000\t1\t1\t0\t0\t0\n",
                           first));
    check_applied(&live,
                  own_event(&live, 4, "reading.withdrawn", "10:02", "\"reading_id\":\"r1\""));
    CHECK(strstr(last_lines(store), "\t-1\t0\t0\t0\n") != NULL);
    CHECK(strchr(last_lines(store), '\n')[1] == '\0');
    CHECK_INT(store_integer(store, &queued), 3);
}

ON_BOTH(while_a_copy_is_filled_rows_are_queued_up_to_its_key)
{
    struct live live;

    live_make_domains(store, &live, folders);
    set_copy(store, "filling", "r5");
    check_applied(&live, taken(&live, 1, "r5", "1"));
    CHECK_INT(store_integer(store, &queued), 1);
    check_applied(&live, taken(&live, 2, "r50", "1"));
    CHECK_INT(store_integer(store, &queued), 1);
    set_copy(store, "closing", "r5");
    check_applied(&live, taken(&live, 3, "r51", "1"));
    CHECK_INT(store_integer(store, &queued), 2);
    set_copy(store, "stale", "");
    check_applied(&live, taken(&live, 4, "r6", "1"));
    CHECK_INT(store_integer(store, &queued), 2);
}

ON_BOTH(rebuilding_a_table_and_a_long_queue_make_the_copy_anew)
{
    struct own_rebuild rebuild;
    struct live live;
    int64_t lines;
    bool more;

    live_make_domains(store, &live, folders);
    set_copy(store, "live", "");
    for (int i = 1; i <= 3; i++)
        check_applied(&live, taken(&live, i, arena_print(store->arena, "r%d", i), "1"));
    CHECK_OK(outbox_count(&live.call.storage, TABLE, &lines));
    CHECK_INT(lines, 3);
    CHECK_OK(store_run(store, &send_first));
    CHECK_OK(outbox_count(&live.call.storage, TABLE, &lines));
    CHECK_INT(lines, 2);
    CHECK_OK(outbox_limit(&live.call.storage, 2));
    CHECK_INT(store_integer(store, &state_stale), 0);
    CHECK_OK(outbox_delete(&live.call.storage, TABLE, &more));
    CHECK_INT(store_integer(store, &queued), 2);
    CHECK_OK(outbox_limit(&live.call.storage, 1));
    CHECK_INT(store_integer(store, &state_stale), 1);
    CHECK_INT(store_integer(store, &queued), 0);

    set_copy(store, "live", "");
    check_applied(&live, taken(&live, 4, "r4", "1"));
    CHECK_INT(store_integer(store, &queued), 1);
    CHECK_OK(own_rebuild(&live.call.storage, &live.catalog,
                         catalog_entity(&live.catalog, "reading"), &rebuild));
    CHECK_INT(store_integer(store, &state_stale), 1);
    CHECK_OK(outbox_delete(&live.call.storage, TABLE, &more));
    CHECK(!more);
    CHECK_INT(store_integer(store, &queued), 0);
}

ON_BOTH(a_lagging_answer_contains_what_came_before_the_oldest_line_that_waits)
{
    const struct columnar_mark last = {0}, open = {.block = COLUMNAR_OPEN_BLOCK};
    struct columnar_read read = {0};
    struct columnar_copy copy;
    struct live live;
    struct storage_call *call = &live.call.storage;

    live_make_domains(store, &live, folders);
    check_applied(&live, taken(&live, 1, "r1", "1"));
    set_copy(store, "live", "");
    check_applied(&live, taken(&live, 2, "r2", "1"));
    CHECK_OK(columnar_look(call, catalog_entity(&live.catalog, "reading")->table, &copy));
    CHECK(copy.lag > 0 && copy.position > 0 && copy.complete_at > 0);
    call->columnar = &read;
    read.at_least = copy.position;
    CHECK_OK(columnar_accept(call, &copy, &last));
    CHECK(read.behind);
    CHECK_INT(read.position, copy.position);
    CHECK_INT(read.contained_at, copy.complete_at);
    read.at_least = copy.position + 1;
    CHECK_INT(columnar_accept(call, &copy, &last), ERROR_UNAVAILABLE);
    read.at_least = 0;
    CHECK_INT(columnar_accept(call, &copy, &open), ERROR_UNAVAILABLE);
}

/* What is in no contract must not decide it: the copy would not be made anew. */
ON_ONE(rows_are_sorted_by_the_first_time_of_the_contract, DB_SQLITE)
{
    const struct table_column columns[] = {{.name = "id", .type = COLUMN_TEXT, .stored = "id"},
                                           {.name = "made", .type = COLUMN_TIME, .stored = "made"},
                                           {.name = "sold", .type = COLUMN_TIME, .stored = "sold"}};
    const struct own_entity own = {.retention_column = "sold"};
    const struct serving_table table = {.columns = columns, .column_count = 3, .own = &own};

    (void)store;
    CHECK(outbox_time_column(&table) == &columns[1]);
}

static const char *sql_of(struct live *live, const char *metric, const char *filter)
{
    struct store *store = live->store;
    const struct measure *measure;
    struct measure_request request = {.rows_max = 5,
                                      .range = {.from = 1000},
                                      .currency = live->settings.currency,
                                      .rates = &live->settings.currency_rates};

    CHECK_OK(measure_refine(store->arena, &live->catalog,
                            catalog_metric(&live->catalog, metric)->measure, filter, NULL, &measure,
                            &store->problem));
    request.measure = measure;
    return measure_clickhouse_sql(&live->call.storage, &request, "t_1");
}

#define ROWS                                                                                       \
    ", row_sign AS s, row_block * row_sign AS p1, row_position * row_sign AS p2, row_complete *"   \
    " row_sign AS p3 FROM t_1 WHERE tenant_id = '' OR (tenant_id = 'default' AND row_time >= 1000"

ON_ONE(the_statement_for_clickhouse_adds_signs_and_reads_the_mark, DB_SQLITE)
{
    struct live live;

    live_make_domains(store, &live, machine_folders);
    CHECK_TEXT(sql_of(&live, "readings_taken", NULL),
               "SELECT m, sum(s) AS total, sum(if(isNull(x), 0, s)) AS n, sum(toFloat64(x) * s) AS"
               " f, sum(p1) AS q1, sum(p2) AS q2, sum(p3) AS q3 FROM (SELECT tenant_id = '' AS m,"
               " 1 AS x" ROWS ")) GROUP BY m HAVING m OR sum(s) != 0 ORDER BY m DESC LIMIT 7"
               " FORMAT JSONCompact");
    CHECK(strstr(sql_of(&live, "readings_taken", "sensor = it's|a\\\\b"),
                 " AND c_sensor IN ('it\\'s', 'a\\\\b'))") != NULL);
    CHECK(strstr(sql_of(&live, "readings_taken", "sensor != x; value >= 1.5; machine_id ="),
                 " AND (isNull(c_sensor) OR c_sensor NOT IN ('x')) AND c_value >= 1500 AND"
                 " isNull(c_machine_id))") != NULL);
}

TEST_MAIN(CASE(a_change_of_a_copied_table_is_queued_with_the_row_before_and_after),
          CASE(while_a_copy_is_filled_rows_are_queued_up_to_its_key),
          CASE(rebuilding_a_table_and_a_long_queue_make_the_copy_anew),
          CASE(a_lagging_answer_contains_what_came_before_the_oldest_line_that_waits),
          CASE(rows_are_sorted_by_the_first_time_of_the_contract),
          CASE(the_statement_for_clickhouse_adds_signs_and_reads_the_mark))
