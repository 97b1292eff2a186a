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
    store_stand_in(store);
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
    store_stand_in(store);
    CHECK_OK(store_script(store, store->db, slow));
    db_close(store->db);
    options.statement_timeout_ms = 2000;
    store->db = store_connect(store, &options);
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    CHECK_INT(done.spread, 1);
    CHECK_INT(store_integer(store, &limit), 1);
}

ON_BOTH(a_key_of_its_own_is_led_by_the_column)
{
    static const char letters[] =
        "CREATE TABLE letters (seq {identity}, owner {integer} NOT NULL) {strict};\n"
        "INSERT INTO letters (owner) VALUES (1), (2), (1), (3);\n"
        "DELETE FROM letters WHERE seq > 3;\n";
    static const struct statement add = {
        "add", .postgres = "INSERT INTO letters (owner) VALUES (2) RETURNING seq"};
    static const struct statement indexes = {
        "indexes", .postgres = "SELECT count(*) FROM pg_indexes WHERE tablename = 'letters' AND"
                               " (indexdef LIKE '% UNIQUE %(owner, seq)' OR indexdef LIKE '%(seq)'"
                               " AND indexdef NOT LIKE '% UNIQUE %')"};
    struct db_distribution done;
    const char *directory = folder(store, "distributed letters owner seq\n");

    if (store->engine == DB_SQLITE)
        return;
    make_tables(store);
    CHECK_OK(store_script(store, store->db, letters));
    store_stand_in(store);
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    CHECK_INT(done.spread, 1);
    CHECK_INT(store_integer(store, &add), 5); /* numbers go on */
    CHECK_INT(store_integer(store, &indexes), 2);
}

ON_BOTH(tables_that_a_table_names_are_spread_too)
{
    static const struct statement toys_lie_with = {
        "toys_lie_with", .postgres = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid ="
                                     " 'toys'::regclass AND colocated_with = 'pets'"};
    struct db_distribution done;
    const char *directory = folder(store, "distributed pets owner\nnamed shops owner name\n");

    make_tables(store);
    CHECK_OK(store_script(store, store->db, "INSERT INTO shops VALUES ('toys');\n"));
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    CHECK_OK(db_finish(store->db, db_distribute_table(store->db, "toys", "pets", &store->problem),
                       &store->problem)); /* nothing is spread yet */
    if (store->engine == DB_SQLITE)
        return;
    store_stand_in(store);
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    CHECK_INT(done.spread, 2);
    CHECK_INT(store_integer(store, &toys_lie_with), 1);
    CHECK_OK(store_script(store, store->db, "UPDATE shops SET name = 'Drop \"it';\n"));
    CHECK_FAILS(db_distribute(store->db, directory, &done, &store->problem), ERROR_SYSTEM,
                "distribution_file");
}

ON_BOTH(a_table_that_is_made_later_is_spread_beside_others)
{
    struct db_distribution done;
    const char *directory = folder(store, "distributed pets owner\n");

    if (store->engine == DB_SQLITE)
        return;
    make_tables(store);
    store_stand_in(store);
    CHECK_OK(db_distribute(store->db, directory, &done, &store->problem));
    for (int i = 0; i < 2; i++) { /* again: it is spread already */
        CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
        CHECK_OK(db_finish(store->db,
                           db_distribute_table(store->db, "toys", "pets", &store->problem),
                           &store->problem));
        CHECK_INT(store_integer(store, &count_divided), 2);
    }
    CHECK_INT(store_integer(store, &count_recorded), 2);
}

ON_BOTH(a_table_that_cannot_be_spread_leaves_no_trace)
{
    struct db_distribution done;
    const char *directory = folder(store, "reference owners\ndistributed shops owner\n");

    if (store->engine == DB_SQLITE)
        return;
    make_tables(store);
    store_stand_in(store);
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
          CASE(a_key_of_its_own_is_led_by_the_column),
          CASE(tables_that_a_table_names_are_spread_too),
          CASE(a_table_that_is_made_later_is_spread_beside_others),
          CASE(a_table_may_take_longer_than_other_statements),
          CASE(a_table_that_cannot_be_spread_leaves_no_trace))
