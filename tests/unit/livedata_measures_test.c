/* Measures and metrics over a table of a domain on both engines, and the buckets of series. */
#include "livedata_fixture.h"

#include "livedata/metrics/measure_compute.h"
#include "livedata/metrics/metric.h"
#include "livedata/reads/answers.h"
#include "livedata/reads/discovery.h"

#include <stdlib.h>
#include <sys/stat.h>

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[500];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

/* A domain with pumps, whose columns are `columns` and `seen_at`, and metrics `total`, a measure,
 * and `in_sql`. */
static void make_pumps(struct store *store, struct live *live, const char *folder,
                       const char *columns)
{
    static const char head[] =
        "description: Total\nunit: bar\ntable: own_pumps_pump\ntime: seen_at\n"
        "windows: [1h]\nsource_events: [pump.seen]\n";

    (void)mkdir(arena_print(store->arena, "%s/entities", folder), 0700);
    (void)mkdir(arena_print(store->arena, "%s/metrics", folder), 0700);
    write_file(folder, "domain.yaml", "name: pumps\n");
    write_file(folder, "entities/pump.yaml",
               arena_print(store->arena,
                           "name: pump\ndescription: Pump\nkey: pump_id\ncolumns: {pump_id: text, "
                           "seen_at: time, %s}\nevents:\n  pump.seen: {does: upsert}\n",
                           columns));
    write_file(folder, "metrics/total.yaml",
               arena_print(store->arena, "name: total\nkind: sum\ncolumn: bar\n%s", head));
    write_file(folder, "metrics/in_sql.yaml",
               arena_print(store->arena, "name: in_sql\nvalue: SUM(bar)\n%s", head));
    live_make_domains(store, live, arena_print(store->arena, "config/livedata,%s", folder));
}

static json_t *pump(struct live *live, int number, const char *more)
{
    char at[TIMESTAMP_TEXT];

    timestamp_format(live->call.storage.now, at);
    return live_json(live, arena_print(live->store->arena,
                                       "{\"event_id\":\"%s\",\"event_type\":\"pump.seen\","
                                       "\"timestamp\":\"%s\",\"source\":\"floor\",\"pump_id\":"
                                       "\"p%d\",\"seen_at\":\"%s\",%s}",
                                       live_event_id(live, number), at, number, at, more));
}

static enum error compute(struct live *live, const char *name, struct metric_value *value)
{
    const struct metric_request request = {.metric = catalog_metric(&live->catalog, name),
                                           .window = "1h"};

    return metric_compute(&live->call.storage, &live->settings, &request, value);
}

/* What a host may not serve, because its file is another, it neither computes nor finds. */
ON_BOTH(another_contract_is_not_computed)
{
    static const char *const metrics[] = {"total", "in_sql"};
    char folder[] = "/tmp/assay-pumps-XXXXXX";
    struct reading reading;
    struct search_reply found;
    struct metric_answer answer;
    struct metric_value value;
    struct live live;

    CHECK(mkdtemp(folder) != NULL);
    make_pumps(store, &live, folder, "bar: {type: decimal, scale: 2}");
    CHECK_INT(live_apply(&live, pump(&live, 1, "\"bar\":\"1.25\"")).status, EVENT_APPLIED);
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(compute(&live, metrics[i], &value));
        CHECK(value.value == 1.25);
    }

    make_pumps(store, &live, folder, "bar: {type: decimal, scale: 3}");
    reading = (struct reading){.storage = live.call.storage,
                               .catalog = &live.catalog,
                               .settings = &live.settings,
                               .key_name = "test"};
    for (size_t i = 0; i < 2; i++) {
        CHECK_FAILS(compute(&live, metrics[i], &value), ERROR_UNAVAILABLE, "contract_differs");
        CHECK_FAILS(read_metric(&reading, metrics[i], "1h", 0, &answer), ERROR_UNAVAILABLE,
                    "contract_differs");
    }
    CHECK_OK(search_read(&reading, "p1", 10, NULL, &found));
    CHECK(found.partial);
    CHECK_INT(found.failed_entity_types.count, 1);
    CHECK_TEXT(found.failed_entity_types.items[0], "pump");
}

/* The groups of a measure with another group than the file has. */
static void compute_groups(struct live *live, const struct measure *measure, size_t rows_max,
                           struct measure_rows *rows)
{
    struct store *store = live->store;
    const struct measure_request request = {.measure = measure,
                                            .rows_max = rows_max,
                                            .timeout_ms = 30000,
                                            .currency = live->settings.currency,
                                            .rates = &live->settings.currency_rates};

    CHECK_OK(measure_compute(&live->call.storage, &request, rows));
}

/* Keys of groups are whole JSON, however long their texts are. */
ON_BOTH(long_keys_of_groups_are_whole)
{
    enum { LENGTH = 9000 };
    char folder[] = "/tmp/assay-pumps-XXXXXX", *note = arena_alloc(store->arena, LENGTH + 1);
    const struct measure *measure;
    struct measure_rows rows;
    const struct string_list note_group = measure_group_names(store->arena, "note");
    struct json_fault fault;
    struct live live;
    json_t *keys = NULL;

    memset(note, 'n', LENGTH);
    note[LENGTH] = '\0';
    CHECK(mkdtemp(folder) != NULL);
    make_pumps(store, &live, folder, "bar: integer, note: text");
    CHECK_INT(
        live_apply(&live,
                   pump(&live, 1, arena_print(store->arena, "\"bar\":2,\"note\":\"%s\\n\"", note)))
            .status,
        EVENT_APPLIED);
    CHECK_OK(measure_refine(store->arena, &live.catalog,
                            catalog_metric(&live.catalog, "total")->measure, NULL, &note_group,
                            &measure, &store->problem));
    compute_groups(&live, measure, 10, &rows);
    CHECK_INT(rows.count, 1);
    CHECK(!json_read(store->arena, rows.items[0].keys, strlen(rows.items[0].keys), JSON_DEPTH_LIMIT,
                     &keys, &fault));
    CHECK_INT(json_string_length(json_object_get(keys, "note")), LENGTH + 1);
}

/* A group has its own value, or none: halls with odd numbers alone have a denominator, so that the
 * numerators are cut before the last of them. */
ON_BOTH(a_ratio_that_is_cut_has_no_wrong_values)
{
    enum { PUMPS = 40, MOST = 10 };
    char folder[] = "/tmp/assay-pumps-XXXXXX";
    struct measure ratio = {.kind = MEASURE_RATIO};
    struct measure_rows rows;
    const struct string_list halls = measure_group_names(store->arena, "hall");
    struct live live;
    int undefined = 0;

    CHECK(mkdtemp(folder) != NULL);
    make_pumps(store, &live, folder, "bar: integer, hall: integer");
    for (int i = 0; i < PUMPS; i++)
        CHECK_INT(live_apply(&live, pump(&live, i,
                                         arena_print(store->arena, "\"bar\":%d,\"hall\":%d",
                                                     i % 2 ? i : 0, i * 7 % PUMPS)))
                      .status,
                  EVENT_APPLIED);
    for (int part = 0; part < 2; part++)
        CHECK_OK(measure_refine(store->arena, &live.catalog,
                                catalog_metric(&live.catalog, "total")->measure,
                                part ? "bar > 0" : NULL, &halls,
                                part ? &ratio.denominator : &ratio.numerator, &store->problem));
    compute_groups(&live, &ratio, MOST, &rows);
    CHECK_INT(rows.count, MOST);
    CHECK(rows.cut);
    for (size_t i = 0; i < rows.count; i++) {
        CHECK(rows.items[i].undefined || rows.items[i].value == 1);
        undefined += rows.items[i].undefined;
    }
    CHECK_INT(undefined, MOST / 2);
}

static void check_buckets(struct store *store, const char *zone, const char *step_text,
                          const char *from, const char *to, const char *expected)
{
    char buffer[TIMESTAMP_TEXT];
    struct time_bounds bounds = {0};
    struct time_range range = {0};
    struct time_step step = {0};
    struct text shown;

    text_start(&shown, store->arena, 2000);
    CHECK(step_parse(step_text, &step));
    CHECK(timestamp_parse(from, &range.from) && timestamp_parse(to, &range.to));
    CHECK(window_buckets(store->arena, range, &step, zone, &bounds));
    for (size_t i = 0; i < bounds.count; i++) {
        timestamp_format(bounds.items[i], buffer);
        text_append_format(&shown, "%.5s ", buffer + 11);
    }
    CHECK_TEXT(shown.bytes, expected);
}

/* In UTC. Berlin leaves summer time at 1:00, and enters it at 1:00; Havana leaves it at 5:00 and
 * the Azores at 1:00, so that both have midnight twice. */
ON_BOTH(buckets_when_clocks_change)
{
    static const struct {
        const char *zone, *step, *from, *to, *expected;
    } all[] = {
        {"Europe/Berlin", "3h", "2026-10-24T22:00:00Z", "2026-10-25T11:00:00Z",
         "22:00 02:00 05:00 08:00 11:00 "},
        {"Europe/Berlin", "4h", "2026-10-24T22:00:00Z", "2026-10-25T11:00:00Z",
         "22:00 03:00 07:00 11:00 "},
        {"Europe/Berlin", "6h", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z",
         "22:00 05:00 11:00 17:00 23:00 "},
        {"Europe/Berlin", "12h", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z",
         "22:00 11:00 23:00 "},
        {"Europe/Berlin", "1h", "2026-10-24T22:00:00Z", "2026-10-25T03:00:00Z",
         "22:00 23:00 00:00 01:00 02:00 03:00 "},
        {"Europe/Berlin", "3h", "2026-03-28T23:00:00Z", "2026-03-29T10:00:00Z",
         "23:00 01:00 04:00 07:00 10:00 "},
        {"Europe/Berlin", "6h", "2026-03-28T23:00:00Z", "2026-03-29T10:00:00Z",
         "23:00 04:00 10:00 "},
        {"Europe/Berlin", "30m", "2026-03-29T00:10:00Z", "2026-03-29T02:00:00Z",
         "00:10 00:30 01:00 01:30 02:00 "},
        {"America/Havana", "day", "2026-10-31T04:00:00Z", "2026-11-02T05:00:00Z",
         "04:00 04:00 05:00 "},
        {"Atlantic/Azores", "day", "2026-10-24T00:00:00Z", "2026-10-26T01:00:00Z",
         "00:00 00:00 01:00 "},
        {"UTC", "6h", "2026-10-24T01:00:00Z", "2026-10-24T13:00:00Z", "01:00 06:00 12:00 13:00 "},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_buckets(store, all[i].zone, all[i].step, all[i].from, all[i].to, all[i].expected);
}

/* A number of JSON is a double, which has 15 digits: with more it would be another number. */
ON_BOTH(numbers_of_many_digits_are_sent_as_texts)
{
    static const struct {
        const char *given, *row;
    } all[] = {
        {"123456789.123456789", NULL},
        {"\"123456789.123456789\"", "123456789.123456789"},
        {"12345678.1234567", "12345678.123456700"},
        {"-0.000000001", "-1e-09"},
        {"1e8", "100000000.000000000"},
        {"123456789", "123456789.000000000"},
    };
    char folder[] = "/tmp/assay-pumps-XXXXXX";
    struct live live;

    CHECK(mkdtemp(folder) != NULL);
    make_pumps(store, &live, folder, "bar: {type: decimal, scale: 9}");
    for (int i = 0; i < (int)(sizeof all / sizeof all[0]); i++) {
        struct apply_result result = live_apply(
            &live, pump(&live, i, arena_print(store->arena, "\"bar\":%s", all[i].given)));
        const char *row = live_row(&live, "pump", arena_print(store->arena, "p%d", i));

        CHECK_INT(result.status, all[i].row ? EVENT_APPLIED : EVENT_DEAD_LETTERED);
        if (all[i].row)
            CHECK_TEXT(strstr(row, "\"bar\""),
                       arena_print(store->arena, "\"bar\":%s}", all[i].row));
        else
            CHECK_TEXT(result.detail, "bar: has more than 15 digits, send it as a text");
    }
}

/* What comes out fits 64 bits, its amount times the rate's digits does not. */
ON_BOTH(fine_amounts_are_converted_exactly)
{
    static struct currency_rate rates[] = {{.currency = "XTS", .text = "90.512345"}};
    char folder[] = "/tmp/assay-pumps-XXXXXX";
    struct measure_rows rows;
    struct measure measure;
    struct live live;

    CHECK(mkdtemp(folder) != NULL);
    make_pumps(store, &live, folder, "bar: {type: decimal, scale: 9}, currency: text");
    live.settings.currency_rates = (struct currency_rates){.count = 1, .items = rates};
    measure = *catalog_metric(&live.catalog, "total")->measure;
    CHECK_OK(measure_find(store->arena, &live.catalog, &measure, "currency", &measure.currency,
                          &store->problem));
    for (int i = 0; i < 2; i++) {
        CHECK_INT(live_apply(&live, pump(&live, i,
                                         arena_print(store->arena,
                                                     "\"bar\":\"%s12345678.123456789\","
                                                     "\"currency\":\"XTS\"",
                                                     i ? "-" : "")))
                      .status,
                  EVENT_APPLIED);
        compute_groups(&live, &measure, 10, &rows);
        CHECK_INT(rows.count, 1);
        CHECK(rows.items[0].value == (i ? 0 : 1117436277.569273479));
    }
}

/* A document has a value or none; there is no order among them. */
ON_BOTH(filters_on_json)
{
    char folder[] = "/tmp/assay-pumps-XXXXXX";
    const struct measure *measure;
    struct measure_rows rows;
    struct live live;

    CHECK(mkdtemp(folder) != NULL);
    make_pumps(store, &live, folder, "bar: integer, extra: json");
    CHECK_INT(live_apply(&live, pump(&live, 1, "\"bar\":2,\"extra\":{\"a\":1}")).status,
              EVENT_APPLIED);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(measure_refine(store->arena, &live.catalog,
                                catalog_metric(&live.catalog, "total")->measure,
                                i ? "extra =" : "extra !=", NULL, &measure, &store->problem));
        compute_groups(&live, measure, 10, &rows);
        CHECK(rows.count == 1 && rows.items[0].value == (i ? 0 : 2));
        CHECK_FAILS(measure_refine(store->arena, &live.catalog,
                                   catalog_metric(&live.catalog, "total")->measure,
                                   i ? "extra = 1" : "extra > 1", NULL, &measure, &store->problem),
                    ERROR_INVALID, "filter_invalid");
    }
}

TEST_MAIN(CASE(numbers_of_many_digits_are_sent_as_texts), CASE(fine_amounts_are_converted_exactly),
          CASE(filters_on_json), CASE(buckets_when_clocks_change),
          CASE(another_contract_is_not_computed), CASE(long_keys_of_groups_are_whole),
          CASE(a_ratio_that_is_cut_has_no_wrong_values))
