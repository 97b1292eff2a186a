/* The files and tables of domains on both engines: what a change of a file does, what is refused,
 * and tables computed anew. */
#include "livedata_own_fixture.h"

#include "crypto/digest.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The entity pump, of the domain pumps. */
static void write_machine_of(const char *domain, const char *folder, const char *columns)
{
    char path[500];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/domain.yaml", folder);
    file = fopen(path, "w");
    if (file) {
        fprintf(file, "name: %s\n", domain);
        fclose(file);
    }
    (void)snprintf(path, sizeof path, "%s/entities", folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/entities/pump.yaml", folder);
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    fprintf(file,
            "name: pump\ndescription: Pump\nkey: pump_id\ncolumns: {pump_id: text, %s}\n"
            "events:\n  pump.seen: {does: upsert}\n",
            columns);
    fclose(file);
}

static void write_machine(const char *folder, const char *columns)
{
    write_machine_of("pumps", folder, columns);
}

/* Reads the files again, as another start. */
static enum error change_files(struct live *live, const char *folder, const char *columns,
                               struct table_plan *plan)
{
    write_machine(folder, columns);
    live_make_domains(live->store, live,
                      arena_print(live->store->arena, "config/livedata,%s", folder));
    return tables_plan(&live->call.storage, &live->catalog, PLAN_FORWARD, plan);
}

/* A process that has not looked yet says so; one that has looked says what is missing. */
ON_BOTH(a_table_that_nobody_has_made_is_not_served)
{
    const struct serving_table *table;
    struct table_plan plan;
    struct live live;

    (void)setenv("LIVE_CONFIG_DIR", folders, 1);
    live_make(store, &live);
    (void)unsetenv("LIVE_CONFIG_DIR");
    table = catalog_entity(&live.catalog, "machine")->table;
    CHECK_FAILS(table_served(table, &store->problem), ERROR_UNAVAILABLE, "not_materialized");
    CHECK_OK(tables_look(&live.call.storage, &live.catalog));
    CHECK_FAILS(table_served(table, &store->problem), ERROR_UNAVAILABLE, "contract_differs");
    CHECK_OK(table_served(catalog_entity(&live.catalog, "order")->table, &store->problem));
    CHECK_OK(
        tables_apply(&live.call.storage, &live.catalog, PLAN_FORWARD, own_fill_columns, &plan));
    CHECK_OK(tables_look(&live.call.storage, &live.catalog));
    CHECK_OK(table_served(table, &store->problem));
}

ON_BOTH(compatible_changes_are_made_and_others_refused)
{
    char folder[] = "/tmp/assay-domain-XXXXXX";
    const struct entity_type *type;
    struct added_columns added;
    struct own_rebuild rebuild;
    struct table_plan plan;
    struct live live = {.store = store};

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, "bar: integer", &plan));
    CHECK_INT(plan.count, 0);
    check_applied(&live, own_event(&live, 1, "pump.seen", "10:00",
                                   "\"pump_id\":\"p\",\"bar\":1,\"temperature\":\"20.5\""));
    check_applied(&live, own_event(&live, 2, "pump.seen", "09:00",
                                   "\"pump_id\":\"p\",\"bar\":2,\"temperature\":\"99\""));
    CHECK_TEXT(live_row(&live, "pump", "p"), "{\"pump_id\":\"p\",\"bar\":1}");

    /* A new column has what the journal knows. */
    CHECK_OK(change_files(&live, folder, "bar: integer, temperature: decimal", &plan));
    CHECK_INT(plan.count, 0);
    CHECK_TEXT(live_row(&live, "pump", "p"), "{\"pump_id\":\"p\",\"bar\":1,\"temperature\":20.5}");
    CHECK_OK(tables_added(&live.call.storage, "pump", &added));
    CHECK_INT(added.count, 1);
    CHECK_TEXT(added.items[0].column, "temperature");
    CHECK(added.items[0].filled_from > 0);

    type = catalog_entity(&live.catalog, "pump");
    CHECK_OK(own_rebuild(&live.call.storage, &live.catalog, type, &rebuild));
    CHECK_INT(rebuild.events, 2);
    CHECK_INT(rebuild.rows, 1);
    CHECK_TEXT(live_row(&live, "pump", "p"), "{\"pump_id\":\"p\",\"bar\":1,\"temperature\":20.5}");

    /* Another type, and a column less. */
    CHECK_OK(change_files(&live, folder, "bar: text", &plan));
    CHECK_INT(plan.refused, 2);
    CHECK_TEXT(plan.items[0].text, "column temperature is not in the file");
    CHECK_TEXT(plan.items[1].text, "column bar is integer in the database and text in the file");
    CHECK_INT(table_served(catalog_entity(&live.catalog, "pump")->table, &store->problem),
              ERROR_UNAVAILABLE);
    CHECK_TEXT(store->problem.reason, "contract_differs");
    CHECK_OK(table_served(catalog_entity(&live.catalog, "order")->table, &store->problem));
}

static int64_t documents_with(struct live *live, const char *word)
{
    static const struct statement count = {
        "documents_with",
        "SELECT count(*) FROM search_terms t JOIN search_docs d ON d.id = t.doc_id"
        " WHERE d.entity_type = 'pump' AND t.term = ?"};
    struct query *query = db_query(live->store->db, &count);
    int64_t found;

    query_bind_text(query, word);
    found = query_next(query) ? query_integer(query, 0) : -1;
    CHECK(!query_end(query, &live->store->problem));
    return found;
}

static void rebuild_pumps(struct live *live)
{
    const struct entity_type *type = catalog_entity(&live->catalog, "pump");
    struct store *store = live->store;
    struct own_rebuild rebuild;

    CHECK_OK(own_rebuild(&live->call.storage, &live->catalog, type, &rebuild));
}

/* A text that came later is found, and after a rebuild what rows have then; caches notice. */
ON_BOTH(filled_and_rebuilt_rows_are_found)
{
    static const struct statement
        documents = {"documents", "SELECT count(*) FROM search_docs WHERE entity_type = 'pump'"},
        generation = {"generation",
                      "SELECT gen FROM cache_generation WHERE table_name = 'own_pumps_pump'"},
        change = {"change", "UPDATE pipeline_events SET payload ="
                            " replace(replace(payload, 'Brass', 'Bronze'), '\"q\"', '\"q/\"')"};
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct table_plan plan;
    struct live live = {.store = store};
    int64_t before;

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, "bar: integer", &plan));
    check_applied(
        &live, own_event(&live, 1, "pump.seen", "10:00", "\"pump_id\":\"p\",\"metal\":\"Brass\""));
    check_applied(
        &live, own_event(&live, 2, "pump.seen", "10:00", "\"pump_id\":\"q\",\"metal\":\"Steel\""));
    CHECK_INT(documents_with(&live, "brass"), 0);
    before = store_integer(store, &generation);
    CHECK_OK(change_files(&live, folder, "bar: integer, metal: text", &plan));
    CHECK_INT(documents_with(&live, "brass"), 1);
    CHECK_INT(documents_with(&live, "steel"), 1);
    CHECK(store_integer(store, &generation) > before);

    /* One row with another text, and one whose event is no good key any more. */
    before = store_integer(store, &generation);
    CHECK_OK(store_run(store, &change));
    rebuild_pumps(&live);
    CHECK_TEXT(live_row(&live, "pump", "q"), "");
    CHECK_INT(documents_with(&live, "brass"), 0);
    CHECK_INT(documents_with(&live, "bronze"), 1);
    CHECK_INT(documents_with(&live, "steel"), 0);
    CHECK_INT(store_integer(store, &documents), 1);
    CHECK(store_integer(store, &generation) > before);
}

/* Its index comes when the file lets rows go by their age, and by the column that it names. */
ON_BOTH(a_later_retention_has_its_index)
{
    static const struct {
        const char *columns, *change;
    } files[] = {{"bar: integer", NULL},
                 {"bar: integer}\nretention: {days: 30", "index on the age of rows is added"},
                 {"bar: integer}\nretention: {days: 40", NULL},
                 {"bar: integer, seen: time}\nretention: {days: 40, by: seen",
                  "index on the age of rows is added"}};
    char without[DIGEST_SHA256_TEXT] = "";
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct table_plan plan;
    struct live live = {.store = store};

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, files[0].columns, &plan));
    (void)snprintf(without, sizeof without, "%s",
                   catalog_entity(&live.catalog, "pump")->table->own->fingerprint);
    for (size_t i = 1; i < COUNT_OF(files); i++) {
        write_machine(folder, files[i].columns);
        (void)setenv("LIVE_CONFIG_DIR", arena_print(store->arena, "config/livedata,%s", folder), 1);
        live_make(store, &live);
        CHECK_OK(tables_plan(&live.call.storage, &live.catalog, PLAN_FORWARD, &plan));
        CHECK_TEXT(plan.count ? plan.items[plan.count - 1].text : "nothing",
                   files[i].change ? files[i].change : "nothing");
        CHECK_OK(change_files(&live, folder, files[i].columns, &plan));
        CHECK_INT(plan.count, 0);
        if (i == 2) /* hosts may differ in their retention */
            CHECK_TEXT(catalog_entity(&live.catalog, "pump")->table->own->fingerprint, without);
    }
}

/* A host that restarts with its old file changes nothing back, until a person does. */
ON_BOTH(an_older_file_is_not_written_back)
{
    static const char old[] = "bar: text", new[] = "bar: {type: text, values: [a, b]}";
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct table_plan plan;
    struct live live = {.store = store};

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, old, &plan));
    CHECK_INT(plan.count, 0);
    CHECK_OK(change_files(&live, folder, new, &plan));
    CHECK_INT(plan.count, 0);

    CHECK_OK(change_files(&live, folder, old, &plan));
    CHECK_INT(plan.refused, 1);
    CHECK(plan.count && strstr(plan.items[0].text, "the file is an older one"));
    CHECK_INT(table_served(catalog_entity(&live.catalog, "pump")->table, &store->problem),
              ERROR_UNAVAILABLE);
    CHECK_TEXT(store->problem.reason, "contract_differs");
    CHECK_OK(change_files(&live, folder, new, &plan));
    CHECK_INT(plan.count, 0); /* it is still the table's */

    CHECK_OK(change_files(&live, folder, old, &plan));
    CHECK_OK(tables_apply(&live.call.storage, &live.catalog, PLAN_BACK, own_fill_columns, &plan));
    CHECK_OK(table_served(catalog_entity(&live.catalog, "pump")->table, &store->problem));
    CHECK_OK(change_files(&live, folder, new, &plan));
    CHECK_INT(plan.refused, 1);
}

/* What cannot be gone back to stays marked. */
ON_BOTH(going_back_that_is_refused_leaves_the_mark)
{
    static const struct statement count = {.name = "count_former",
                                           .sql = "SELECT count(*) FROM own_former_contracts"};
    static const char old[] = "bar: text", new[] = "bar: text, site: text";
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct table_plan plan;
    struct live live = {.store = store};

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, old, &plan));
    CHECK_OK(change_files(&live, folder, new, &plan));
    CHECK_INT(store_integer(store, &count), 1);
    CHECK_OK(change_files(&live, folder, old, &plan));
    CHECK_OK(tables_apply(&live.call.storage, &live.catalog, PLAN_BACK, own_fill_columns, &plan));
    CHECK_INT(plan.refused, 1);
    CHECK(plan.count && strstr(plan.items[0].text, "site is not in the file"));
    CHECK_INT(store_integer(store, &count), 1);
}

/* Columns in another order, and a new one between: what each event has set stays known. */
ON_BOTH(columns_may_be_listed_in_another_order)
{
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct table_plan plan;
    struct live live = {.store = store};

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, "bar: integer, site: text", &plan));
    check_applied(
        &live, own_event(&live, 1, "pump.seen", "10:00", "\"pump_id\":\"p\",\"bar\":1,\"watt\":7"));
    check_applied(&live,
                  own_event(&live, 2, "pump.seen", "11:00", "\"pump_id\":\"p\",\"site\":\"b\""));
    CHECK_OK(change_files(&live, folder, "watt: integer, site: text, bar: integer", &plan));
    CHECK_TEXT(live_row(&live, "pump", "p"),
               "{\"pump_id\":\"p\",\"watt\":7,\"site\":\"b\",\"bar\":1}");
    check_applied(&live, own_event(&live, 3, "pump.seen", "10:30",
                                   "\"pump_id\":\"p\",\"bar\":3,\"site\":\"late\",\"watt\":8"));
    CHECK_TEXT(live_row(&live, "pump", "p"),
               "{\"pump_id\":\"p\",\"watt\":8,\"site\":\"b\",\"bar\":3}");
}

/* The table is called by the domain: under another name it would be an empty one. */
ON_BOTH(a_domain_that_is_renamed_is_refused)
{
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct table_plan plan;
    struct live live = {.store = store};

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(change_files(&live, folder, "bar: integer", &plan));
    write_machine_of("engines", folder, "bar: integer");
    live_make_domains(store, &live, arena_print(store->arena, "config/livedata,%s", folder));
    CHECK_OK(tables_plan(&live.call.storage, &live.catalog, PLAN_FORWARD, &plan));
    CHECK_INT(plan.refused, 1);
    CHECK(plan.count && strstr(plan.items[0].text, "own_pumps_pump in the database and would be "
                                                   "own_engines_pump"));
    CHECK_INT(table_served(catalog_entity(&live.catalog, "pump")->table, &store->problem),
              ERROR_UNAVAILABLE);
    CHECK_TEXT(store->problem.reason, "contract_differs");
    CHECK_OK(change_files(&live, folder, "bar: integer", &plan));
    CHECK_INT(plan.count, 0);
}

/* Another host has changed the table since this one looked: its events wait for the new file. */
ON_BOTH(events_are_not_applied_by_an_old_file)
{
    static const struct statement change_contract = {
        .name = "change_contract",
        .sql = "UPDATE own_contracts SET fingerprint = 'other' WHERE entity_type = 'machine'"};
    struct apply_result result;
    struct apply_counts counts;
    struct live live;
    json_t *event;

    live_make_domains(store, &live, folders);
    check_applied(&live, own_event(&live, 1, "machine.changed", "10:00", "\"machine_id\":\"m\""));
    CHECK_OK(store_run(store, &change_contract));
    event = own_event(&live, 2, "machine.changed", "11:00", "\"machine_id\":\"m\"");
    CHECK_INT(apply_batch(&live.call, &event, 1, &result, &counts), ERROR_UNAVAILABLE);
    CHECK_TEXT(store->problem.reason, "contract_differs");
    check_applied(&live,
                  own_event(&live, 3, "reading.taken", "10:00",
                            "\"reading_id\":\"r\",\"machine_id\":\"m\",\"data\":{\"value\":1}"));
}

/* No table can have a column of that name on one of the engines. */
TEST(names_of_the_database_are_no_names)
{
    static const char *const names[] = {
        "xmin",           "xmax",        "cmin",         "cmax",       "ctid",      "tableoid",
        "current_schema", "system_user", "current_role", "row_newest", "tenant_id", "select"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK(!own_name_is_good(names[i], 30));
    CHECK(own_name_is_good("xmean", 30));
}

/* A table that cannot be made leaves the others made and served; it is made when that is over. */
ON_BOTH(an_entity_that_fails_leaves_the_others)
{
    static const struct statement take_name = {.name = "take_name",
                                               .sql =
                                                   "CREATE TABLE own_machines_machine (a {text})"},
                                  free_name = {.name = "free_name",
                                               .sql = "DROP TABLE own_machines_machine"};
    struct table_plan plan;
    struct live live;

    (void)setenv("LIVE_CONFIG_DIR", folders, 1);
    live_make(store, &live);
    (void)unsetenv("LIVE_CONFIG_DIR");
    CHECK_OK(store_run(store, &take_name));
    CHECK(tables_apply(&live.call.storage, &live.catalog, PLAN_FORWARD, own_fill_columns, &plan) !=
          ERROR_NONE);
    CHECK_OK(table_served(catalog_entity(&live.catalog, "reading")->table, &store->problem));
    CHECK_INT(table_served(catalog_entity(&live.catalog, "machine")->table, &store->problem),
              ERROR_UNAVAILABLE);
    CHECK_OK(store_run(store, &free_name));
    CHECK_OK(
        tables_apply(&live.call.storage, &live.catalog, PLAN_FORWARD, own_fill_columns, &plan));
    CHECK_OK(table_served(catalog_entity(&live.catalog, "machine")->table, &store->problem));
}

ON_BOTH(a_source_table_has_one_entity)
{
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct livedata_settings settings = {0};
    struct catalog catalog = {0};
    char path[500];
    FILE *file;

    CHECK(mkdtemp(folder) != NULL);
    write_machine(folder, "bar: integer");
    (void)snprintf(path, sizeof path, "%s/entities/pump.yaml", folder);
    file = fopen(path, "a");
    if (file) {
        fputs("changes: {table: machines}\n", file);
        fclose(file);
    }
    (void)setenv("LIVE_CONFIG_DIR", arena_print(store->arena, "%s,%s", folders, folder), 1);
    CHECK_OK(livedata_settings_load(&settings, store->arena, NULL, &store->problem));
    CHECK_INT(catalog_load(store->arena, &settings, &catalog, &store->problem), ERROR_INVALID);
    CHECK(strstr(store->problem.text, "changes.table: machines is taken by machine"));
    (void)unsetenv("LIVE_CONFIG_DIR");
}

ON_BOTH(a_metric_has_one_file)
{
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct livedata_settings settings = {0};
    struct catalog catalog = {0};
    const char *path;
    FILE *file;

    CHECK(mkdtemp(folder) != NULL);
    write_machine(folder, "bar: integer");
    path = arena_print(store->arena, "%s/metrics", folder);
    CHECK_INT(mkdir(path, 0700), 0);
    file = fopen(arena_print(store->arena, "%s/again.yaml", path), "w");
    CHECK(file != NULL);
    if (!file)
        return;
    fputs("name: revenue\ndescription: again\nunit: count\ntable: own_pumps_pump\nkind: count\n"
          "time: event_at\nwindows: [1h]\nsource_events: [pump.seen]\n",
          file);
    fclose(file);
    (void)setenv("LIVE_CONFIG_DIR", arena_print(store->arena, "config/livedata,%s", folder), 1);
    CHECK_OK(livedata_settings_load(&settings, store->arena, NULL, &store->problem));
    CHECK_INT(catalog_load(store->arena, &settings, &catalog, &store->problem), ERROR_INVALID);
    CHECK(strstr(store->problem.text, "again.yaml: the name revenue is taken by a metric of"));
    CHECK(strstr(store->problem.text, "config/livedata"));
    (void)unsetenv("LIVE_CONFIG_DIR");
}

/* The shop's files may lie anywhere; entities need a name that their tables can have. */
ON_BOTH(a_folder_of_the_shop_may_have_any_name)
{
    char folder[] = "/tmp/assay-domain-XXXXXX";
    struct livedata_settings settings = {0};
    struct catalog catalog = {0};
    static const char *const parts[] = {"entities", "metrics", "contracts", "slo.yaml",
                                        "api_versions.yaml"};
    const char *link;
    char here[4000];

    CHECK(mkdtemp(folder) != NULL);
    link = arena_print(store->arena, "%s/Live-Data", folder);
    CHECK_INT(mkdir(link, 0700), 0);
    CHECK(getcwd(here, sizeof here) != NULL);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        CHECK_INT(symlink(arena_print(store->arena, "%s/config/livedata/%s", here, parts[i]),
                          arena_print(store->arena, "%s/%s", link, parts[i])),
                  0);
    (void)setenv("LIVE_CONFIG_DIR", link, 1);
    CHECK_OK(livedata_settings_load(&settings, store->arena, NULL, &store->problem));
    CHECK_OK(catalog_load(store->arena, &settings, &catalog, &store->problem));
    CHECK_INT(unlink(arena_print(store->arena, "%s/entities", link)), 0);
    write_machine(link, "bar: integer");
    CHECK_INT(unlink(arena_print(store->arena, "%s/domain.yaml", link)), 0);
    (void)setenv("LIVE_CONFIG_DIR", arena_print(store->arena, "%s", link), 1);
    CHECK_OK(livedata_settings_load(&settings, store->arena, NULL, &store->problem));
    CHECK_INT(catalog_load(store->arena, &settings, &catalog, &store->problem), ERROR_INVALID);
    CHECK(strstr(store->problem.text, "or else that of the folder"));
    (void)unsetenv("LIVE_CONFIG_DIR");
}

/* More events than fit into memory at once are read in pages by their bytes. */
ON_BOTH(large_events_are_read_again_page_by_page)
{
    enum { EVENTS = 12, BYTES = 900 * 1000 };
    const struct entity_type *type;
    struct own_rebuild rebuild;
    struct live live;
    char *large = malloc(BYTES + 1);

    CHECK(large != NULL);
    if (!large)
        return;
    memset(large, 'x', BYTES);
    large[BYTES] = '\0';
    live_make_domains(store, &live, folders);
    for (int i = 1; i <= EVENTS; i++)
        check_applied(&live, own_event(&live, i, "machine.changed", "10:00",
                                       arena_print(store->arena,
                                                   "\"machine_id\":\"m\",\"note\":\"%s\"", large)));
    free(large);
    type = catalog_entity(&live.catalog, "machine");
    CHECK_OK(own_rebuild(&live.call.storage, &live.catalog, type, &rebuild));
    CHECK_INT(rebuild.events, EVENTS);
}

TEST_MAIN(CASE(a_table_that_nobody_has_made_is_not_served),
          CASE(compatible_changes_are_made_and_others_refused),
          CASE(filled_and_rebuilt_rows_are_found), CASE(a_later_retention_has_its_index),
          CASE(an_older_file_is_not_written_back), CASE(going_back_that_is_refused_leaves_the_mark),
          CASE(columns_may_be_listed_in_another_order), CASE(a_domain_that_is_renamed_is_refused),
          CASE(events_are_not_applied_by_an_old_file), CASE(names_of_the_database_are_no_names),
          CASE(an_entity_that_fails_leaves_the_others), CASE(a_source_table_has_one_entity),
          CASE(a_metric_has_one_file), CASE(a_folder_of_the_shop_may_have_any_name),
          CASE(large_events_are_read_again_page_by_page))
