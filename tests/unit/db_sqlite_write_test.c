/* SQLite's log takes a transaction in one piece, and what is held back until then never comes into
 * the way of anybody: not of the connection's own reading, nor of who writes next after a rollback.
 */
#include "../db/fixture.h"

#include "dying.h"

static const char rows_table[] = "CREATE TABLE rows (id {integer} PRIMARY KEY, filling {text})"
                                 " {strict};";
static const struct statement add = {
    .name = "add", .sql = "INSERT INTO rows (id, filling) VALUES (?, hex(zeroblob(1500)))"};
static const struct statement count_all = {"count_all", "SELECT count(*) FROM rows"};
static const struct statement total = {"total",
                                       "SELECT coalesce(sum(length(filling)), 0) FROM rows"};
static const struct statement check_all = {"check_all", .sqlite = "PRAGMA integrity_check"};

enum { FILLING = 3000 };

static int changes_of_files;

void dying_step(void)
{
    changes_of_files++;
}

/* Rows of a page each, in one transaction that stays open. */
static void begin_rows(struct store *store, struct db *db, int64_t first, int64_t count)
{
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    for (int64_t id = first; id < first + count; id++) {
        struct query *query = db_query(db, &add);

        query_bind_integer(query, id);
        CHECK_OK(query_end(query, &store->problem));
    }
}

static void check_rows(struct store *store, struct db *db, int64_t count)
{
    struct query *query = db_query(db, &check_all);
    struct db *usual = store->db;

    CHECK(query_next(query));
    CHECK_TEXT(query_text(query, 0, store->arena), "ok");
    CHECK_OK(query_end(query, &store->problem));
    store->db = db;
    CHECK_INT(store_integer(store, &count_all), count);
    CHECK_INT(store_integer(store, &total), count * FILLING);
    store->db = usual;
}

ON_ONE(a_transaction_is_one_write, DB_SQLITE)
{
    CHECK_OK(store_script(store, store->db, rows_table));
    begin_rows(store, store->db, 1, 20);
    changes_of_files = 0;
    CHECK_OK(db_commit(store->db, &store->problem));
    CHECK_INT(changes_of_files, 1);
    check_rows(store, store->db, 20);
}

ON_ONE(a_long_transaction_is_several, DB_SQLITE)
{
    CHECK_OK(store_script(store, store->db, rows_table));
    begin_rows(store, store->db, 1, 300);
    changes_of_files = 0;
    CHECK_OK(db_commit(store->db, &store->problem));
    CHECK(changes_of_files > 5 && changes_of_files < 20);
    db_disconnect(store->db);
    check_rows(store, store->db, 300);
}

/* Of 200 pages the cache keeps a few; the others go into the log before the transaction ends. */
static struct db *open_with_small_cache(struct store *store)
{
    struct db_options options = DB_OPTIONS_DEFAULT;

    options.cache_kib = 40;
    return store_open(store, &options);
}

ON_ONE(a_transaction_reads_what_its_cache_has_given_away, DB_SQLITE)
{
    struct db *db = open_with_small_cache(store);

    CHECK_OK(store_script(store, store->db, rows_table));
    begin_rows(store, db, 1, 200);
    check_rows(store, db, 200);
    CHECK_INT(store_integer(store, &count_all), 0);
    CHECK_OK(db_commit(db, &store->problem));
    check_rows(store, store->db, 200);
    db_close(db);
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    char bytes[65536];
    size_t count;

    CHECK(in && out);
    while (in && out && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        CHECK(fwrite(bytes, 1, count, out) == count);
    CHECK(in && fclose(in) == 0 && out && fclose(out) == 0);
}

/* Pages that the cache has given away and that change again are written where they are. Who finds
 * the file and its log alone makes the log's index from the heads of the frames. */
ON_ONE(what_changes_again_is_whole_for_who_reads_the_log_anew, DB_SQLITE)
{
    static const struct statement change = {
        "change", "UPDATE rows SET filling = hex(zeroblob(1000)) || substr(filling, 1, 1000)"};
    struct db *db = open_with_small_cache(store);

    CHECK_OK(store_script(store, store->db, rows_table));
    begin_rows(store, db, 1, 200);
    for (int i = 0; i < 3; i++)
        CHECK_OK(query_end(db_query(db, &change), &store->problem));
    CHECK_OK(db_commit(db, &store->problem));
    copy_file(store->target, arena_print(store->arena, "%s/copy", store->directory));
    copy_file(arena_print(store->arena, "%s-wal", store->target),
              arena_print(store->arena, "%s/copy-wal", store->directory));
    db_close(db);
    store->target = arena_print(store->arena, "%s/copy", store->directory);
    db = store_open(store, NULL);
    check_rows(store, db, 200);
    db_close(db);
}

/* Frames of a transaction that is undone lie where the next writer's go. */
ON_ONE(what_is_undone_does_not_come_later, DB_SQLITE)
{
    struct db *db = open_with_small_cache(store);

    CHECK_OK(store_script(store, store->db, rows_table));
    for (int64_t length = 8; length < 80; length += 3) {
        int64_t before = store_integer(store, &count_all);

        if (length %
            2) /* or the rollback reads page 1 from the log, and so lets go of what is held back */
            CHECK_OK(db_maintain(store->db, &store->problem));
        begin_rows(store, db, 10000, length);
        db_rollback(db);
        begin_rows(store, store->db, before + 1, 4);
        CHECK_OK(db_commit(store->db, &store->problem));
        begin_rows(store, db, 10000, 1);
        db_rollback(db);
        check_rows(store, db, before + 4);
    }
    db_close(db);
    db_disconnect(store->db);
    check_rows(store, store->db, 24 * 4);
}

TEST_MAIN(CASE(a_transaction_is_one_write), CASE(a_long_transaction_is_several),
          CASE(a_transaction_reads_what_its_cache_has_given_away),
          CASE(what_changes_again_is_whole_for_who_reads_the_log_anew),
          CASE(what_is_undone_does_not_come_later))
