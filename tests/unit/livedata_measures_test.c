/* Measures and metrics over a table of a domain on both engines, and the buckets of series. */
#include "livedata_fixture.h"

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

TEST_MAIN(CASE(another_contract_is_not_computed))
