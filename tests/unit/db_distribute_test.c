/* Spreading tables over a cluster: what is refused, what is repeated, what is written down. The
 * server has no Citus; tests/db/citus_stand_in.sql answers for it. */
#include "../db/fixture.h"

#include "db/distribute.h"

static const char tables[] = "CREATE TABLE owners (id {integer} PRIMARY KEY) {strict};\n"
                             "CREATE TABLE pets (owner {integer} NOT NULL, name {text} NOT NULL,\n"
                             "    PRIMARY KEY (owner, name)) {strict};\n"
                             "CREATE TABLE toys (owner {integer} NOT NULL, name {text} NOT NULL,\n"
                             "    PRIMARY KEY (owner, name)) {strict};\n"
                             "CREATE TABLE shops (name {text} NOT NULL PRIMARY KEY) {strict};\n";
static const char rows[] = "INSERT INTO owners VALUES (1), (2), (3);\n"
                           "INSERT INTO pets VALUES (1, 'Rex'), (2, 'Tom'), (3, 'Mia');\n";

static const struct statement count_pets = {"count_pets", "SELECT count(*) FROM pets"};
static const struct statement count_divided = {
    "count_divided", .postgres = "SELECT count(*) FROM pg_partitioned_table"};
static const struct statement count_recorded = {
    "count_recorded",
    "SELECT count(*) FROM schema_distribution WHERE table_name IN ('pets', 'toys')"
    " AND column_name = 'owner' OR table_name = 'owners' AND column_name IS NULL"};

/* The folder of a service with this list of tables. */
static const char *folder(struct store *store, const char *list)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/distribution", store->directory);
    file = fopen(path, "w");
    if (!file || fputs(list, file) < 0 || fclose(file))
        fixture_fatal("write the list of tables", NULL);
    return store->directory;
}

static void make_tables(struct store *store)
{
    store_kit(store, "distribution_1");
    CHECK_OK(store_script(store, store->db, tables));
    CHECK_OK(store_script(store, store->db, rows));
}

static void make_stand_in(struct store *store)
{
    char script[8192] = "";
    FILE *file = fopen("tests/db/citus_stand_in.sql", "r");

    if (!file || !fread(script, 1, sizeof script - 1, file))
        fixture_fatal("read the stand-in", NULL);
    fclose(file);
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    CHECK_OK(db_finish(store->db, store->db->engine->script(store->db, script, &store->problem),
                       &store->problem));
}

ON_BOTH(a_database_without_citus_is_refused_with_the_reason)
{
    struct db_distribution done;
    const char *directory = folder(store, "distributed pets owner\n");

    make_tables(store);
    CHECK_FAILS(db_distribute(store->db, directory, &done, &store->problem), ERROR_INVALID,
                "not_distributable");
    CHECK(strstr(store->problem.text, store->engine == DB_SQLITE ? "SQLite" : "CREATE EXTENSION"));
}

ON_BOTH(tables_are_spread_once_and_written_down)
{
    struct db_distribution done;
    const char *directory = folder(store, "# Pets.\nreference owners\n\ndistributed pets owner\n");

    if (store->engine == DB_SQLITE)
        return;
    make_tables(store);
    make_stand_in(store);
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    CHECK_INT(done.spread, 2);
    CHECK_INT(done.spread_before, 0);
    CHECK_INT(store_integer(store, &count_pets), 3);
    CHECK_INT(store_integer(store, &count_divided), 1);
    /* again, with one more table, as after an upgrade or an interruption */
    folder(store, "reference owners\ndistributed pets owner\ndistributed toys owner\n");
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    CHECK_INT(done.spread, 1);
    CHECK_INT(done.spread_before, 2);
    CHECK_INT(store_integer(store, &count_divided), 2);
    CHECK_INT(store_integer(store, &count_recorded), 3);
}

ON_BOTH(a_table_may_take_longer_than_other_statements)
{
    static const char slow[] =
        "CREATE OR REPLACE FUNCTION create_reference_table(wanted regclass) RETURNS void"
        " LANGUAGE sql AS $$ SELECT pg_sleep(2.5); INSERT INTO pg_dist_partition"
        " VALUES (wanted, 'n', '') $$;\n";
    static const struct statement limit = {
        "limit", .postgres = "SELECT count(*) FROM pg_settings"
                             " WHERE name = 'statement_timeout' AND setting = '2000'"};
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct db_distribution done;
    const char *directory = folder(store, "reference owners\n");

    if (store->engine == DB_SQLITE)
        return;
    make_tables(store);
    make_stand_in(store);
    CHECK_OK(store_script(store, store->db, slow));
    db_close(store->db);
    options.statement_timeout_ms = 2000;
    store->db = store_connect(store, &options);
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    CHECK_INT(done.spread, 1);
    CHECK_INT(store_integer(store, &limit), 1);
}

ON_BOTH(a_table_that_cannot_be_spread_leaves_no_trace)
{
    struct db_distribution done;
    const char *directory = folder(store, "reference owners\ndistributed shops owner\n");

    if (store->engine == DB_SQLITE)
        return;
    make_tables(store);
    make_stand_in(store);
    CHECK(db_distribute(store->db, directory, &done, &store->problem) == ERROR_SYSTEM);
    CHECK_INT(done.spread, 1);
    CHECK_INT(store_integer(store, &count_divided), 0);
    folder(store, "spread pets\n");
    CHECK_FAILS(db_distribute(store->db, directory, &done, &store->problem), ERROR_SYSTEM,
                "distribution_file");
    CHECK(strstr(store->problem.text, "distribution:1:"));
    CHECK(unlink(arena_print(store->arena, "%s/distribution", directory)) == 0);
    CHECK_FAILS(db_distribute(store->db, directory, &done, &store->problem), ERROR_INVALID,
                "not_distributable");
}

TEST_MAIN(CASE(a_database_without_citus_is_refused_with_the_reason),
          CASE(tables_are_spread_once_and_written_down),
          CASE(a_table_may_take_longer_than_other_statements),
          CASE(a_table_that_cannot_be_spread_leaves_no_trace))
