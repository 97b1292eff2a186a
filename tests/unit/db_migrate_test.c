/* Migrations on both engines: order, sections, versions, failure without a trace, many at once. */
#include "../db/fixture.h"

static void write_file(const struct store *store, const char *name, const char *content)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/sql", store->directory);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/sql/%s", store->directory, name);
    file = fopen(path, "w");
    if (!file || fputs(content, file) < 0 || fclose(file))
        fixture_fatal("write a migration", NULL);
}

static void remove_file(const struct store *store, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/sql/%s", store->directory, name);
    if (unlink(path))
        fixture_fatal("remove a migration", NULL);
}

static struct db_schema schema_of(struct store *store)
{
    return (struct db_schema){.directory = arena_print(store->arena, "%s/sql", store->directory)};
}

static void check_state(struct store *store, const struct db_schema *schema, int current,
                        int required, int pending)
{
    struct db_schema_state state = {0};

    CHECK_OK(db_schema_state(store->db, schema, &state, &store->problem));
    CHECK_INT(state.current, current);
    CHECK_INT(state.required, required);
    CHECK_INT(state.pending, pending);
}

static int64_t user_version(struct store *store)
{
    static const struct statement read_version = {"user_version", .sqlite = "PRAGMA user_version"};

    return store_integer(store, &read_version);
}

static const struct statement count_rows = {"count_rows", "SELECT count(*) FROM pets"};
static const struct statement count_migrations = {"count_migrations",
                                                  "SELECT count(*) FROM schema_migrations"};
static const struct statement any_pets = {"any_pets", "SELECT name, colour FROM pets"};

static const char first_file[] =
    "-- The animals.\n"
    "CREATE TABLE pets (id {integer} PRIMARY KEY, name {text}) {strict};\n"
    "INSERT INTO pets (id, name) VALUES (1, 'Rex; ? {now} -- still a name');\n";
static const char second_file[] = "ALTER TABLE pets ADD COLUMN colour {text};\n"
                                  "-- sqlite\n"
                                  "UPDATE pets SET colour = 'from sqlite';\n"
                                  "-- postgres\n"
                                  "UPDATE pets SET colour = 'from postgres';\n"
                                  "-- both\n"
                                  "CREATE INDEX pets_by_name ON pets (name);\n";

ON_BOTH(files_are_applied_once_and_in_order)
{
    bool sqlite = store->engine == DB_SQLITE;
    struct db_schema schema = schema_of(store);
    struct query *query;

    write_file(store, "0002_colour.sql", second_file);
    write_file(store, "0001_pets.sql", first_file);
    write_file(store, "README", "not a migration");
    check_state(store, &schema, 0, 2, 2);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, 2, 2, 0);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_INT(store_integer(store, &count_rows), 1);
    CHECK_INT(store_integer(store, &count_migrations), 2);
    query = db_query(store->db, &any_pets);
    CHECK(query_next(query));
    CHECK_TEXT(query_text(query, 0, store->arena), "Rex; ? {now} -- still a name");
    CHECK_TEXT(query_text(query, 1, store->arena), sqlite ? "from sqlite" : "from postgres");
    CHECK_OK(query_end(query, &store->problem));
    if (sqlite)
        CHECK_INT(user_version(store), 2);
}

ON_BOTH(a_database_made_by_the_first_file_is_brought_up_to_date)
{
    struct db_schema schema = schema_of(store);

    write_file(store, "0001_pets.sql", first_file);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, 1, 1, 0);
    write_file(store, "0002_colour.sql", second_file);
    write_file(store, "0005_more.sql", "INSERT INTO pets (id) VALUES (2)");
    check_state(store, &schema, 1, 5, 2);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, 5, 5, 0);
    CHECK_INT(store_integer(store, &count_rows), 2);
}

ON_BOTH(a_service_may_number_its_schema_itself)
{
    struct db_schema schema = schema_of(store);

    schema.version[DB_SQLITE] = 16;
    schema.version[DB_POSTGRES] = 17;
    write_file(store, "0001_pets.sql", first_file);
    write_file(store, "0002_colour.sql", second_file);
    check_state(store, &schema, 0, store->engine == DB_SQLITE ? 16 : 17, 2);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, store->engine == DB_SQLITE ? 16 : 17,
                store->engine == DB_SQLITE ? 16 : 17, 0);
    if (store->engine == DB_SQLITE)
        CHECK_INT(user_version(store), 16);
    /* a newer program with one more file: the number stays, the file is missed and applied */
    write_file(store, "0003_more.sql", "INSERT INTO pets (id) VALUES (2)");
    check_state(store, &schema, 2, store->engine == DB_SQLITE ? 16 : 17, 1);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_INT(store_integer(store, &count_rows), 2);
}

/* A number that is promised outside does not end what can be migrated: it is told when nothing is
 * missing, and one less before that, also where a file fails half-way. */
ON_BOTH(files_may_be_numbered_beyond_the_version_of_the_schema)
{
    struct db_schema schema = schema_of(store);
    bool sqlite = store->engine == DB_SQLITE;

    schema.version[DB_SQLITE] = schema.version[DB_POSTGRES] = 2;
    write_file(store, "0001_pets.sql", first_file);
    write_file(store, "0002_colour.sql", second_file);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, 2, 2, 0);
    write_file(store, "0003_more.sql", "INSERT INTO pets (id) VALUES (2)");
    write_file(store, "0004_most.sql", "INSERT INTO cats (id) VALUES (3)");
    check_state(store, &schema, 1, 2, 2);
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    check_state(store, &schema, 1, 2, 1);
    if (sqlite)
        CHECK_INT(user_version(store), 1);
    write_file(store, "0004_most.sql", "INSERT INTO pets (id) VALUES (3)");
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, 2, 2, 0);
    if (sqlite)
        CHECK_INT(user_version(store), 2);
    CHECK_INT(store_integer(store, &count_rows), 3);
    CHECK(unlink(arena_print(store->arena, "%s/0004_most.sql", schema.directory)) == 0);
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_UNAVAILABLE, "schema_newer");
}

ON_BOTH(a_file_for_one_engine_does_not_count_for_the_other)
{
    bool sqlite = store->engine == DB_SQLITE;
    struct db_schema schema = schema_of(store);

    write_file(store, "0001_pets.sql", first_file);
    write_file(store, "0002_server.sql", "-- postgres\nINSERT INTO pets (id) VALUES (2);\n");
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    check_state(store, &schema, sqlite ? 1 : 2, sqlite ? 1 : 2, 0);
    CHECK_INT(store_integer(store, &count_rows), sqlite ? 1 : 2);
}

ON_BOTH(a_newer_database_is_refused)
{
    struct db_schema schema = schema_of(store);
    struct db_schema_state state;

    write_file(store, "0001_pets.sql", first_file);
    write_file(store, "0002_colour.sql", second_file);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    remove_file(store, "0002_colour.sql");
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_UNAVAILABLE, "schema_newer");
    CHECK_TEXT(store->problem.text, "the database has had migration 2 (0002_colour.sql), this "
                                    "program knows up to 1; use the newer program");
    CHECK_FAILS(db_schema_state(store->db, &schema, &state, &store->problem), ERROR_UNAVAILABLE,
                "schema_newer");
    /* a file in the middle that is gone, or another of that number, is a mistake */
    write_file(store, "0003_more.sql", "INSERT INTO pets (id) VALUES (2)");
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    write_file(store, "0002_paint.sql", second_file);
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    CHECK_INT(store_integer(store, &count_rows), 1);
}

ON_BOTH(a_failed_file_leaves_no_trace)
{
    static const struct {
        const char *content, *told;
    } cases[] = {
        {"INSERT INTO pets (id) VALUES (2);\n\nINSERT INTO nowhere (id) VALUES (3);\n", "line 3"},
        {"INSERT INTO pets (id) VALUES (2);\nCREAT TABLE x (a);\n", "line 2"},
        {"INSERT INTO pets (id) VALUES (1);\n", "0002_bad.sql"},
        {"INSERT INTO pets (id) VALUES (2);\nCOMMIT;\n", "0002_bad.sql"},
        {"INSERT INTO pets (id) VALUES (2);\nSELECT 'open;\n", "line 2"},
        {"INSERT INTO pets (id) VALUES (?);\n", "line 1"},
        {"INSERT INTO pets (id) VALUES ({what});\n", "line 1"},
    };
    struct db_schema schema = schema_of(store);

    write_file(store, "0001_pets.sql", first_file);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(store, "0002_bad.sql", cases[i].content);
        CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM,
                    "migration_failed");
        CHECK(strstr(store->problem.text, "0002_bad.sql") != NULL);
        if (!strstr(store->problem.text, cases[i].told))
            CHECK_TEXT(store->problem.text, cases[i].told);
        CHECK(!fixture_in_transaction(store->db));
    }
    remove_file(store, "0002_bad.sql");
    check_state(store, &schema, 1, 1, 0);
    /* the handle is as good as before, foreign keys and all */
    CHECK_INT(store_integer(store, &count_migrations), 1);
}

ON_BOTH(directories_must_make_sense)
{
    struct db_schema schema = schema_of(store), nowhere = {.directory = "/no/such/directory"};

    CHECK_FAILS(db_migrate(store->db, &nowhere, &store->problem), ERROR_SYSTEM, "migration_failed");
    write_file(store, "0001_pets.sql", first_file);
    write_file(store, "0001_again.sql", first_file);
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    remove_file(store, "0001_again.sql");
    write_file(store, "2_short.sql", first_file);
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    remove_file(store, "2_short.sql");
    write_file(store, "0000_zero.sql", first_file);
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    remove_file(store, "0000_zero.sql");
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "statement_misused");
    db_rollback(store->db);
    CHECK_OK(db_migrate(store->db, &schema, NULL));
}

ON_ONE(tables_can_be_rebuilt_under_foreign_keys, DB_SQLITE)
{
    static const struct statement orphan = {"orphan", "INSERT INTO toys (id, pet) VALUES (9, 99)"};
    static const struct statement count_toys = {"count_toys", "SELECT count(*) FROM toys"};
    struct db_schema schema = schema_of(store);

    write_file(store, "0001_pets.sql",
               "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT);"
               "CREATE TABLE toys (id INTEGER PRIMARY KEY, pet INTEGER NOT NULL"
               " REFERENCES pets (id) ON DELETE CASCADE);"
               "INSERT INTO pets (id) VALUES (1); INSERT INTO toys (id, pet) VALUES (1, 1);");
    write_file(store, "0002_rebuild.sql",
               "CREATE TABLE new_pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
               "INSERT INTO new_pets SELECT id, coalesce(name, '') FROM pets;"
               "DROP TABLE pets; ALTER TABLE new_pets RENAME TO pets;");
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_INT(store_integer(store, &count_toys), 1);
    CHECK_FAILS(store_run(store, &orphan), ERROR_CONFLICT, "foreign_key_violation");
    write_file(store, "0003_orphans.sql", "DELETE FROM pets;");
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    CHECK(strstr(store->problem.text, "toys") != NULL);
    CHECK_INT(store_integer(store, &count_rows), 1);
    CHECK_FAILS(store_run(store, &orphan), ERROR_CONFLICT, "foreign_key_violation");
}

static int migrate_in_child(struct store *store, int number)
{
    struct db_schema schema = schema_of(store);
    struct db *db = store_connect(store, NULL);
    enum error error = db_migrate(db, &schema, &store->problem);

    if (error)
        printf("process %d: %s: %s\n", number, store->problem.reason, store->problem.text);
    db_close(db);
    return error ? 1 : 0;
}

ON_BOTH(many_processes_migrate_at_once)
{
    enum { PROCESSES = 6, ROUNDS = 4 };
    char name[32], content[64];
    struct db_schema schema = schema_of(store);

    write_file(store, "0001_pets.sql", first_file);
    db_disconnect(store->db);
    for (int round = 0; round < ROUNDS; round++) {
        pid_t children[PROCESSES];

        /* every file would fail or count twice if it ran twice */
        for (int file = 2; file < 6; file++) {
            int number = round * 10 + file;

            snprintf(name, sizeof name, "%04d_row.sql", number);
            snprintf(content, sizeof content, "INSERT INTO pets (id) VALUES (%d);", number);
            write_file(store, name, content);
        }
        for (int i = 0; i < PROCESSES; i++)
            children[i] = fixture_fork(migrate_in_child, store, i);
        for (int i = 0; i < PROCESSES; i++)
            CHECK_INT(fixture_wait(children[i]), 0);
        CHECK_INT(store_integer(store, &count_rows), 1 + 4 * (round + 1));
        check_state(store, &schema, round * 10 + 5, round * 10 + 5, 0);
        db_disconnect(store->db);
    }
}

/* A kit's tables stand once beside the services; each gives them a number of its own. */
ON_BOTH(a_file_may_include_what_kits_need)
{
    struct db_schema schema = schema_of(store);
    char path[256];

    write_file(store, "0001_pets.sql",
               "-- include kits/pets.sql\n"
               "INSERT INTO pets (id) VALUES (7);\n");
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_SYSTEM, "migration_failed");
    snprintf(path, sizeof path, "%s/kits", store->directory);
    mkdir(path, 0700);
    write_file(store, "../kits/pets.sql", first_file);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_INT(store_integer(store, &count_rows), 2);
    check_state(store, &schema, 1, 1, 0);
}

static int backfill_runs;
static enum error backfill_answer;

static enum error note_run(struct db *db, struct problem *problem)
{
    static const struct statement paint = {"paint", "UPDATE pets SET name = 'filled'"};
    enum error error = query_end(db_query(db, &paint), problem);

    backfill_runs++;
    if (!error && backfill_answer)
        return problem_set(problem, backfill_answer, "database_busy", "later");
    return error;
}

ON_BOTH(backfills_run_until_they_have_succeeded_once)
{
    static const struct statement filled = {"filled",
                                            "SELECT count(*) FROM pets WHERE name = 'filled'"};
    static const struct db_backfill backfills[] = {{.name = "note_run", .run = note_run}, {0}};
    struct db_schema schema = schema_of(store);

    write_file(store, "0001_pets.sql", first_file);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    schema.backfills = backfills;
    backfill_runs = 0;
    backfill_answer = ERROR_BUSY;
    CHECK_FAILS(db_migrate(store->db, &schema, &store->problem), ERROR_BUSY, "database_busy");
    backfill_answer = ERROR_NONE;
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_INT(backfill_runs, 2);
    CHECK_INT(store_integer(store, &filled), 1);
    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_INT(backfill_runs, 2);
}

TEST_MAIN(CASE(files_are_applied_once_and_in_order),
          CASE(a_database_made_by_the_first_file_is_brought_up_to_date),
          CASE(a_service_may_number_its_schema_itself),
          CASE(files_may_be_numbered_beyond_the_version_of_the_schema),
          CASE(a_file_for_one_engine_does_not_count_for_the_other),
          CASE(a_newer_database_is_refused), CASE(a_failed_file_leaves_no_trace),
          CASE(directories_must_make_sense), CASE(tables_can_be_rebuilt_under_foreign_keys),
          CASE(many_processes_migrate_at_once), CASE(a_file_may_include_what_kits_need),
          CASE(backfills_run_until_they_have_succeeded_once))
