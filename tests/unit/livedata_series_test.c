/* Kept points of series on both engines: what a computation from rows gives, whatever was kept
 * before. */
#include "livedata_fixture.h"

#include "livedata/catalog/measure.h"
#include "livedata/journal/series_changes.h"
#include "livedata/metrics/series.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { HOURS = 6 };

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file != NULL);
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

/* A domain with boxes and their sites, which both have a `made_at`. */
static void make_boxes(struct store *store, struct live *live)
{
    char folder[] = "/tmp/assay-boxes-XXXXXX";
    struct arena *arena = store->arena;

    CHECK(mkdtemp(folder) != NULL);
    (void)mkdir(arena_print(arena, "%s/entities", folder), 0700);
    write_file(arena_print(arena, "%s/domain.yaml", folder), "name: boxes\n");
    write_file(arena_print(arena, "%s/entities/site.yaml", folder),
               "name: site\ndescription: Site\nkey: site_id\n"
               "columns: {site_id: text, kind: text, made_at: time}\n"
               "events:\n  site.seen: {does: upsert}\n");
    write_file(arena_print(arena, "%s/entities/box.yaml", folder),
               "name: box\ndescription: Box\nkey: box_id\n"
               "columns: {box_id: text, site_id: text, made_at: time}\n"
               "relations: {site: site_id}\nevents:\n  box.seen: {does: upsert}\n");
    live_make_domains(store, live, arena_print(arena, "config/livedata,%s", folder));
}

/* The end of the series: an hour that stays the same, however long the test takes. */
static int64_t last_hour(void)
{
    static int64_t hour;

    if (!hour)
        hour = series_hour(clock_unix_microseconds());
    return hour;
}

/* An event whose row was made half an hour into the hour that began so long before the end. */
static void see(struct live *live, int number, const char *type, int hours, const char *more)
{
    char now[TIMESTAMP_TEXT], made[TIMESTAMP_TEXT];

    timestamp_format(last_hour(), now);
    timestamp_format(last_hour() - hours * us_per_hour + us_per_hour / 2, made);
    CHECK_INT(
        live_apply(live,
                   live_json(live, arena_print(live->store->arena,
                                               "{\"event_id\":\"%s\",\"event_type\":\"%s.seen\","
                                               "\"timestamp\":\"%s\",\"source\":\"floor\","
                                               "\"made_at\":\"%s\",%s}",
                                               live_event_id(live, number), type, now, made, more)))
            .status,
        EVENT_APPLIED);
}

/* The values of the last six hours as digits; keeps them as the service does. */
static const char *values_of(struct live *live, const char *measure_json, int64_t kept_days)
{
    struct store *store = live->store;
    const struct serving_table *table = catalog_table(&live->catalog, "own_boxes_box");
    struct series_request request = {
        .measured = {.rows_max = HOURS,
                     .timeout_ms = 30000,
                     .currency = live->settings.currency,
                     .rates = &live->settings.currency_rates,
                     .buckets = {HOURS + 1, ARENA_ARRAY(store->arena, int64_t, HOURS + 1)}},
        .zero = true,
        .step = "1h",
        .zone = "UTC",
        .kept_days = kept_days,
        .journal_days = 30};
    char *digits = arena_alloc(store->arena, HOURS + 1);
    struct series_values values;

    for (int i = 0; i <= HOURS; i++)
        request.measured.buckets.items[i] = last_hour() - (HOURS - i) * us_per_hour;
    CHECK_OK(measure_read(store->arena, &live->catalog, table, live_json(live, measure_json),
                          &request.measured.measure, &store->problem));
    live->call.storage.now =
        clock_unix_microseconds() + 10 * us_per_second; /* so that nothing has changed just now */
    CHECK_OK(series_compute(&live->call.storage, &request, &values));
    CHECK_OK(series_keep(&live->call.storage, &values));
    for (int i = 0; i < HOURS; i++)
        digits[i] = (char)('0' + (int)values.items[i].value.value);
    digits[HOURS] = '\0';
    return digits;
}

/* Two measures that differ in nothing but whose time it is have points of their own. */
ON_BOTH(points_are_of_the_time_of_their_table)
{
    static const char of_boxes[] = "{\"kind\":\"count\",\"where\":[\"site.kind = x\"],"
                                   "\"time\":\"made_at\"}",
                      of_sites[] = "{\"kind\":\"count\",\"where\":[\"site.kind = x\"],"
                                   "\"time\":\"site.made_at\"}";
    struct live live;

    make_boxes(store, &live);
    see(&live, 1, "site", 5, "\"site_id\":\"s\",\"kind\":\"x\"");
    see(&live, 2, "box", 2, "\"box_id\":\"b\",\"site_id\":\"s\"");
    for (int i = 0; i < 2; i++) {
        CHECK_TEXT(values_of(&live, of_boxes, 90), "000010");
        CHECK_TEXT(values_of(&live, of_sites, 90), "010000");
    }
}

/* A host of the former version deletes a row: it raises the generation, and knows of no more. */
ON_BOTH(what_a_former_version_changes_is_computed_from_rows)
{
    static const char boxes[] = "{\"kind\":\"count\",\"time\":\"made_at\"}";
    static const struct statement forget = {"forget",
                                            "DELETE FROM own_boxes_box WHERE box_id = 'b'"},
                                  raise = {"raise", "UPDATE cache_generation SET gen = gen + 1"
                                                    " WHERE table_name = 'own_boxes_box'"},
                                  kept = {"kept", "SELECT count(*) FROM series_points"};
    struct live live;

    make_boxes(store, &live);
    see(&live, 1, "box", 2, "\"box_id\":\"b\",\"site_id\":\"s\"");
    see(&live, 2, "box", 4, "\"box_id\":\"c\",\"site_id\":\"s\"");
    CHECK_TEXT(values_of(&live, boxes, 90), "001010");
    CHECK_INT(store_integer(store, &kept), HOURS);
    CHECK_OK(store_run(store, &forget));
    CHECK_TEXT(values_of(&live, boxes, 90), "001010"); /* kept ones, as nothing says otherwise */
    CHECK_OK(store_run(store, &raise));
    CHECK_TEXT(values_of(&live, boxes, 90), "001000");
    see(&live, 3, "box", 1, "\"box_id\":\"d\",\"site_id\":\"s\"");
    for (int i = 0; i < 2; i++)
        CHECK_TEXT(values_of(&live, boxes, 90), "001001");
}

/* A letter whose correction has the id of an applied event is closed, and nothing is applied: the
 * change of its row in the journal counts all the same. */
ON_BOTH(a_replay_of_what_is_applied_is_a_change)
{
    static const struct statement noted = {
        "noted", "SELECT max(changed) FROM series_changes WHERE table_name = 'pipeline_events'"
                 " AND column_name = 'processed_at' AND hour_at = 9223372036854775807"};
    static const struct statement raised = {
        "raised", "SELECT gen FROM cache_generation WHERE table_name = 'pipeline_events'"};
    struct dead_letter letter;
    struct live live;

    live_make(store, &live);
    CHECK_INT(live_apply(&live, live_order(&live, 1, "order.created", "2026-01-01T00:00:00Z",
                                           "ORD-20260404-1001", "u", "pending", "p", 1, "1.00"))
                  .status,
              EVENT_APPLIED);
    for (int i = 2; i < 4; i++) {
        int64_t before = i == 2 ? 0 : store_integer(store, &noted);
        int64_t gen;
        json_t *event = live_order(&live, i, "order.created", "2026-01-01T00:00:00Z",
                                   "ORD-20260404-1002", "u", "pending", "p", 1, "1.00");

        json_object_set_new(event, "total_amount", json_string("much"));
        CHECK_INT(live_apply(&live, event).status, EVENT_DEAD_LETTERED);
        gen = store_integer(store, &raised);
        CHECK_OK(apply_replay(
            &live.call, live_event_id(&live, i),
            live_json(&live,
                      arena_print(store->arena, "{\"total_amount\":\"1.00\",\"event_id\":\"%s\"}",
                                  live_event_id(&live, 1))),
            &letter));
        CHECK_TEXT(live_row(&live, "order", "ORD-20260404-1002"), "");
        CHECK(store_integer(store, &noted) > before);
        CHECK_INT(store_integer(store, &raised), gen + 1);
    }
}

TEST_MAIN(CASE(points_are_of_the_time_of_their_table),
          CASE(what_a_former_version_changes_is_computed_from_rows),
          CASE(a_replay_of_what_is_applied_is_a_change))
