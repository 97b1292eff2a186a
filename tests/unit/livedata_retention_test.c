/* What live data forgets, on both engines: what is old, so much at a time, the oldest first. */
#include "livedata_fixture.h"

#include "livedata/maintenance/own_index.h"
#include "livedata/maintenance/own_retention.h"
#include "livedata/maintenance/retention.h"

static const struct statement count_usage = {"count_usage", "SELECT count(*) FROM api_usage"};
static const struct statement count_old = {
    "count_old", "SELECT count(*) FROM api_usage WHERE at < 1000000 * 110"};
static const struct statement count_events = {"count_events",
                                              "SELECT count(*) FROM pipeline_events"};

/* A second apart from 1970 on, and one of now. */
static void use(struct store *store, int calls)
{
    static const struct statement insert = {
        "insert_usage",
        "INSERT INTO api_usage (tenant_id, key_id, key_slot, at) VALUES ('default', 'k', 's', ?)"};

    for (int i = 0; i <= calls; i++) {
        struct query *query = db_query(store->db, &insert);

        query_bind_integer(query, i < calls ? i * us_per_second : clock_unix_microseconds());
        CHECK_OK(query_end(query, &store->problem));
    }
}

static void keep(struct live *live)
{
    struct store *store = live->store;

    CHECK_OK(retention_keep(store->db, &live->settings, &store->problem));
}

ON_BOTH(old_rows_go_so_many_at_a_time)
{
    struct live live;

    live_make(store, &live);
    live.settings.purge_rows = 100;
    use(store, 150);
    keep(&live);
    CHECK_INT(store_integer(store, &count_usage), 51);
    CHECK_INT(store_integer(store, &count_old), 10); /* the oldest hundred are gone */
    keep(&live);
    keep(&live);
    CHECK_INT(store_integer(store, &count_usage), 1);
}

ON_BOTH(a_wall_clock_that_was_set_forgets_nothing)
{
    struct live live;
    FILE *file;
    char boot[CLOCK_BOOT_ID_MAX] = "";

    live_make(store, &live);
    live.settings.state_directory = store->directory;
    live.settings.clock = (struct clock_limits){600, 86400};
    use(store, 150);
    file = fopen("/proc/sys/kernel/random/boot_id", "r");
    CHECK(file && fscanf(file, "%39s", boot) == 1);
    fclose(file);
    file = fopen(arena_print(store->arena, "%s/livedata.clock", store->directory), "w");
    CHECK(file && fprintf(file, "assay clock 1\nboot %s\ntrusted 1 1\nset 0 0\n", boot) > 0);
    fclose(file);
    keep(&live);
    CHECK_INT(store_integer(store, &count_usage), 151);
}

ON_BOTH(the_last_version_of_an_entity_stays)
{
    static const struct statement age = {"age",
                                         "UPDATE pipeline_events SET processed_at = processed_at"
                                         " - 1000000 * CAST(86400 AS BIGINT) * 100"};
    struct live live;

    live_make(store, &live);
    live_apply(&live, live_order(&live, 1, "order.created", live_ago(&live, 600),
                                 "ORD-20260404-1001", "USR-1", "pending", "P", 1, "10"));
    live_apply(&live, live_order(&live, 2, "order.updated", live_ago(&live, 500),
                                 "ORD-20260404-1001", "USR-1", "confirmed", "P", 1, "10"));
    keep(&live);
    CHECK(store_integer(store, &count_events) >= 2);
    CHECK_OK(store_run(store, &age));
    keep(&live);
    CHECK_INT(store_integer(store, &count_events), 1);
}

/* What one tenant leaves of its share goes to the others. */
ON_BOTH(no_tenant_waits_for_another_with_many_old_events)
{
    static const struct statement
        add = {"add_events",
               "WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers"
               " WHERE n < 220) INSERT INTO pipeline_events (tenant_id, event_id, topic,"
               " processed_at) SELECT CASE WHEN n <= 100 THEN 'a' WHEN n <= 200 THEN 'b' ELSE 'c'"
               " END, CAST(n AS TEXT), 'old', n FROM numbers"},
        tenants = {"add_tenants", "INSERT INTO cache_generation (tenant_id, table_name, gen,"
                                  " last_event_at) SELECT DISTINCT tenant_id, 'pipeline_events', 1,"
                                  " 0 FROM pipeline_events"},
        of_a = {"of_a", "SELECT count(*) FROM pipeline_events WHERE tenant_id = 'a'"},
        of_b = {"of_b", "SELECT count(*) FROM pipeline_events WHERE tenant_id = 'b'"},
        of_c = {"of_c", "SELECT count(*) FROM pipeline_events WHERE tenant_id = 'c'"};
    struct live live;

    live_make(store, &live);
    live.settings.purge_rows = 120;
    CHECK_OK(store_run(store, &add));
    CHECK_OK(store_run(store, &tenants));
    keep(&live);
    CHECK_INT(store_integer(store, &count_events), 100);
    CHECK(store_integer(store, &of_a) < 70 && store_integer(store, &of_b) < 70);
    CHECK_INT(store_integer(store, &of_c), 0);
    keep(&live);
    CHECK_INT(store_integer(store, &count_events), 0);
}

static const struct statement count_readings = {"count_readings",
                                                "SELECT count(*) FROM own_machines_reading"};
static const struct statement count_found = {
    "count_found", "SELECT count(*) FROM search_docs WHERE entity_type = 'reading'"};

/* A reading so many days ago. */
static void take(struct live *live, int number, double days)
{
    struct apply_result result = live_apply(
        live, live_json(live, arena_print(live->store->arena,
                                          "{\"event_id\":\"%s\",\"event_type\":\"reading.taken\","
                                          "\"timestamp\":\"%s\",\"source\":\"floor\","
                                          "\"reading_id\":\"r%d\",\"machine_id\":\"m\","
                                          "\"data\":{\"value\":1}}",
                                          live_event_id(live, number), live_ago(live, days * 86400),
                                          number)));

    CHECK_INT(result.status, EVENT_APPLIED);
}

/* By the column that the file names, the oldest first, so many at a time. What goes is not found
 * any more; a machine, whose file names no retention, stays. */
ON_BOTH(rows_of_domains_go_after_their_days)
{
    struct live live;

    live_make_domains(store, &live, "config/livedata,config/demo/machines");
    for (int i = 1; i <= 5; i++)
        take(&live, i, 362.5 + i); /* of 365 */
    live_apply(&live, live_json(&live, "{\"event_id\":\"00000000-0000-4000-8000-000000000009\","
                                       "\"event_type\":\"machine.registered\",\"timestamp\":"
                                       "\"2020-01-01T00:00:00Z\",\"source\":\"floor\","
                                       "\"machine_id\":\"m\",\"name\":\"Press\"}"));
    CHECK_INT(store_integer(store, &count_readings), 5);
    CHECK_OK(own_retention_keep(&live.call.storage, &live.catalog, 2));
    CHECK_INT(store_integer(store, &count_readings), 3);
    CHECK_TEXT(live_row(&live, "reading", "r5"), "");
    CHECK_TEXT(live_row(&live, "reading", "r4"), "");
    CHECK(*live_row(&live, "reading", "r3"));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(own_retention_keep(&live.call.storage, &live.catalog, 2));
        CHECK_INT(store_integer(store, &count_readings), 2);
    }
    CHECK(*live_row(&live, "reading", "r1") && *live_row(&live, "reading", "r2"));
    CHECK_INT(store_integer(store, &count_found), 2);
    CHECK(*live_row(&live, "machine", "m"));
}

ON_BOTH(what_search_has_of_no_row_goes)
{
    static const struct statement add = {
        "add_docs", "WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers"
                    " WHERE n < 1300) INSERT INTO search_docs (tenant_id, entity_type, entity_id,"
                    " snippet, words) SELECT CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END, CASE WHEN"
                    " n <= 100 THEN 'machine' ELSE 'reading' END, 'lost' || CAST(n AS TEXT), '', ''"
                    " FROM numbers"};
    static const struct statement machines = {
        "count_machines", "SELECT count(*) FROM search_docs WHERE entity_type = 'machine'"};
    struct live live;

    live_make_domains(store, &live, "config/livedata,config/demo/machines");
    take(&live, 1, 1);
    CHECK_OK(store_run(store, &add));
    CHECK_INT(store_integer(store, &count_found), 1201);
    CHECK_OK(own_index_rows(&live.call.storage, catalog_entity(&live.catalog, "reading")));
    CHECK_INT(store_integer(store, &count_found), 1);
    CHECK_INT(store_integer(store, &machines), 100);
}

static json_t *of_machine(struct live *live, int number, const char *type, const char *more)
{
    return live_json(live, arena_print(live->store->arena,
                                       "{\"event_id\":\"%s\",\"event_type\":\"%s\","
                                       "\"timestamp\":\"%s\",\"source\":\"floor\","
                                       "\"machine_id\":\"m%d\"%s}",
                                       live_event_id(live, number), type, live_ago(live, 60),
                                       number, more));
}

/* Deletions, additions and sources: what is older than the journal goes. */
ON_BOTH(what_is_known_beyond_rows_goes_with_the_journal)
{
    static const struct statement age[] = {
        {"age_deleted", "UPDATE own_deleted SET deleted_at = 0 WHERE entity_id = 'm1'"},
        {"age_counted", "UPDATE own_counted SET counted_at = 0 WHERE entity_id = 'm3'"},
        {"age_source", "UPDATE source_watermarks SET beat_at = 0 WHERE source = 'old'"}};
    static const struct statement count[] = {
        {"count_deleted", "SELECT count(*) FROM own_deleted"},
        {"count_counted", "SELECT count(*) FROM own_counted"},
        {"count_sources", "SELECT count(*) FROM source_watermarks"}};
    static const struct heartbeat beats[] = {{.source = "old", .watermark = 1},
                                             {.source = "new", .watermark = 1}};
    struct live live;

    live_make_domains(store, &live, "config/livedata,config/demo/machines");
    for (int i = 1; i <= 2; i++)
        live_apply(&live, of_machine(&live, i, "machine.scrapped", ""));
    for (int i = 3; i <= 4; i++)
        live_apply(&live, of_machine(&live, i, "machine.ran", ",\"used\":{\"energy\":1}"));
    for (size_t i = 0; i < COUNT_OF(beats); i++)
        CHECK_OK(source_beat(&live.call.storage, &beats[i], 10));
    for (size_t i = 0; i < COUNT_OF(age); i++) {
        CHECK_INT(store_integer(store, &count[i]), 2);
        CHECK_OK(store_run(store, &age[i]));
    }
    keep(&live);
    for (size_t i = 0; i < COUNT_OF(count); i++)
        CHECK_INT(store_integer(store, &count[i]), 1);
}

static void insert_hours(struct store *store, const struct statement *insert, int days)
{
    struct query *query = db_query(store->db, insert);

    query_bind_integer(query, clock_unix_microseconds() - days * us_per_day);
    CHECK_OK(query_end(query, &store->problem));
}

/* What a point is checked against stays at least as long as the point. */
ON_BOTH(points_of_series_go_before_the_changes_of_their_hours)
{
    static const struct statement point = {
        "insert_point", "INSERT INTO series_points (tenant_id, series, starts_at, ends_at, changed)"
                        " VALUES ('default', 's', ?, 0, 1)"};
    static const struct statement change = {
        "insert_change",
        "INSERT INTO series_changes (tenant_id, table_name, column_name, hour_at, changed,"
        " changed_at) VALUES ('default', 't', 'c', ?, 1, 1)"};
    static const struct statement points = {"points", "SELECT count(*) FROM series_points"};
    static const struct statement changes = {"changes", "SELECT count(*) FROM series_changes"};
    static const struct statement all_hours = {
        "all_hours",
        "INSERT INTO series_changes (tenant_id, table_name, column_name, hour_at,"
        " changed, changed_at) VALUES ('default', 't', 'c', 9223372036854775807, 1, 1)"};
    struct live live;

    live_make(store, &live);
    live.settings.series_days = 10;
    live.settings.purge_rows = 200;
    for (int i = 0; i < 250; i++) {
        insert_hours(store, &point, 20 + i);
        insert_hours(store, &change, 20 + i);
    }
    insert_hours(store, &point, 5);
    insert_hours(store, &change, 5);
    CHECK_OK(store_run(store, &all_hours));
    keep(&live);
    CHECK_INT(store_integer(store, &points), 51);
    CHECK_INT(store_integer(store, &changes), 52);
    keep(&live);
    keep(&live);
    CHECK_INT(store_integer(store, &points), 1);
    CHECK_INT(store_integer(store, &changes), 2);
}

TEST_MAIN(CASE(old_rows_go_so_many_at_a_time), CASE(a_wall_clock_that_was_set_forgets_nothing),
          CASE(the_last_version_of_an_entity_stays),
          CASE(no_tenant_waits_for_another_with_many_old_events),
          CASE(what_search_has_of_no_row_goes), CASE(rows_of_domains_go_after_their_days),
          CASE(what_is_known_beyond_rows_goes_with_the_journal),
          CASE(points_of_series_go_before_the_changes_of_their_hours))
