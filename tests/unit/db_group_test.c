/* Transactions of fibers that share a commit: each is there when its commit returns, one that fails
 * leaves the others, and who is not a member sees nothing that is not committed. */
#include "../db/fixture.h"

#include "base/clock.h"
#include "base/fiber.h"

#include "base/loop.h"
#include "base/schema.h"

#include <setjmp.h>
#include <sqlite3.h>

enum { WRITERS = 30 };

static const char tally[] = "CREATE TABLE tally (id {integer} PRIMARY KEY) {strict};";

static const struct statement add = {"add", "INSERT INTO tally (id) VALUES (?)"};
static const struct statement add_or_roll_back = {"add_or_roll_back",
                                                  "INSERT OR ROLLBACK INTO tally (id) VALUES (?)"};
static const struct statement count_all = {"count_all", "SELECT count(*) FROM tally"};
static const struct statement find = {"find", "SELECT id FROM tally WHERE id = ?"};

/* What one fiber does, and what came of it. */
enum deed { ADD, ADD_AND_UNDO, ADD_AND_READ, ADD_AND_JUMP, ADD_OR_ROLL_BACK };
struct writer {
    struct store *store;
    struct db *other;
    int64_t id;
    enum deed deed;
    enum error error;
    struct problem problem;
    bool seen; /* by the other handle, when it was over */
    int64_t counted;
    jmp_buf out;
};

static enum error add_row(struct db *db, const struct statement *statement, int64_t id,
                          struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_integer(query, id);
    return query_end(query, problem);
}

static int64_t count_rows(struct db *db)
{
    struct query *query = db_query(db, &count_all);
    struct problem problem;
    int64_t rows = query_next(query) ? query_integer(query, 0) : -1;

    CHECK(!query_end(query, &problem));
    return rows;
}

static bool has_row(struct db *db, int64_t id)
{
    struct query *query = db_query(db, &find);
    struct problem problem;
    bool found;

    query_bind_integer(query, id);
    found = query_next(query);
    CHECK(!query_end(query, &problem));
    return found;
}

static void deed_do(struct writer *writer)
{
    struct db *db = writer->store->db;
    const struct statement *statement = writer->deed == ADD_OR_ROLL_BACK ? &add_or_roll_back : &add;

    writer->error = db_begin_together(db, &writer->problem);
    if (writer->error)
        return;
    writer->error = add_row(db, statement, writer->id, &writer->problem);
    if (writer->deed == ADD_AND_JUMP)
        longjmp(writer->out, 1);
    if (!writer->error && writer->deed >= ADD_AND_UNDO && writer->deed <= ADD_AND_READ)
        writer->error = ERROR_INVALID;
    writer->error = db_finish(db, writer->error, &writer->problem);
    if (writer->deed == ADD_AND_READ)
        writer->counted = count_rows(db);
}

/* The first function of each fiber. */
static void run(void *context)
{
    struct writer *writer = context;

    if (setjmp(writer->out) == 0)
        deed_do(writer);
    else
        CHECK(!db_end_of_request(writer->store->db));
    writer->seen = has_row(writer->other, writer->id);
}

static void run_all(struct writer *writers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(fiber_start(run, &writers[i]));
    while (fibers_count())
        fibers_turn(clock_monotonic_microseconds() + 1000);
}

/* As many writers with the ids 1 to `count`, and one handle for what others see. */
static struct db *begin(struct store *store, struct writer *writers, size_t count)
{
    struct db *other = store_connect(store, NULL);

    CHECK_OK(loop_open(&store->problem));
    CHECK_OK(store_script(store, store->db, tally));
    CHECK_INT(count_rows(other), 0); /* which connects it, before anybody writes */
    for (size_t i = 0; i < count; i++)
        writers[i] = (struct writer){.store = store, .other = other, .id = (int64_t)i + 1};
    db_counters_reset(store->db);
    return other;
}

ON_BOTH(each_is_committed_when_its_commit_returns)
{
    struct writer writers[WRITERS];
    struct db *other = begin(store, writers, WRITERS);

    run_all(writers, WRITERS);
    for (size_t i = 0; i < WRITERS; i++)
        CHECK(!writers[i].error && writers[i].seen);
    if (store->engine == DB_SQLITE)
        CHECK(db_counters(store->db).transactions < WRITERS);
    CHECK(!fixture_in_transaction(store->db));
    db_close(other);
}

ON_BOTH(one_that_fails_leaves_the_others)
{
    static const enum deed deeds[] = {ADD, ADD_AND_UNDO, ADD, ADD_AND_JUMP, ADD, ADD, ADD};
    struct writer writers[COUNT_OF(deeds)];
    struct db *other = begin(store, writers, COUNT_OF(deeds));

    for (size_t i = 0; i < COUNT_OF(deeds); i++)
        writers[i].deed = deeds[i];
    writers[5].id = writers[0].id; /* is there already */
    run_all(writers, COUNT_OF(deeds));
    for (size_t i = 0; i < COUNT_OF(deeds); i++)
        CHECK(i == 5 || writers[i].seen == (deeds[i] == ADD));
    CHECK_INT(writers[1].error, ERROR_INVALID);
    CHECK_INT(writers[5].error, ERROR_CONFLICT);
    CHECK_INT(writers[6].error, ERROR_NONE);
    CHECK_INT(count_rows(other), 4);
    db_close(other);
}

ON_BOTH(who_reads_outside_sees_only_what_is_committed)
{
    struct writer writers[3];
    struct db *other = begin(store, writers, 3);

    writers[1].deed = ADD_AND_READ;
    run_all(writers, 3);
    CHECK_INT(writers[1].counted, 1); /* that of the first, which is committed for it */
    CHECK(writers[0].seen && !writers[1].seen && writers[2].seen);
    CHECK_INT(count_rows(other), 2);
    db_close(other);
}

ON_ONE(a_commit_that_fails_fails_for_all, DB_SQLITE)
{
    int failed = 0;
    struct writer writers[3];
    struct db *other = begin(store, writers, 3);

    db_fail_after(store->db, 5); /* begin, three inserts, commit; a slow machine has more commits */
    run_all(writers, 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(writers[i].error != ERROR_NONE, !writers[i].seen);
        failed += writers[i].error == ERROR_UNAVAILABLE;
        writers[i].id += 3;
    }
    CHECK(failed > 0);
    run_all(writers, 3);
    for (size_t i = 0; i < 3; i++)
        CHECK(!writers[i].error && writers[i].seen);
    db_close(other);
}

ON_ONE(a_begin_that_fails_fails_for_one, DB_SQLITE)
{
    struct writer writers[3];
    struct db *other = begin(store, writers, 3);

    db_fail_after(store->db, 1);
    run_all(writers, 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(writers[i].error, i ? ERROR_NONE : ERROR_UNAVAILABLE);
    CHECK_INT(count_rows(other), 2);
    db_close(other);
}

/* Holds the file for another process. */
static sqlite3 *lock_file(const struct store *store)
{
    sqlite3 *lock = NULL;

    CHECK_INT(sqlite3_open(store->target, &lock), SQLITE_OK);
    CHECK_INT(sqlite3_exec(lock, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return lock;
}

ON_ONE(all_that_wait_for_a_locked_file_wait_once, DB_SQLITE)
{
    enum { BUSY_MS = 1000, COUNT = 10 };
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct writer writers[COUNT];
    struct db *usual = store->db, *other = begin(store, writers, COUNT);
    sqlite3 *lock = lock_file(store);
    int64_t began = clock_monotonic_microseconds();

    options.busy_timeout_ms = BUSY_MS;
    store->db = store_connect(store, &options);
    run_all(writers, COUNT);
    CHECK(clock_monotonic_microseconds() - began < COUNT / 2 * BUSY_MS * 1000);
    for (size_t i = 0; i < COUNT; i++)
        CHECK_INT(writers[i].error, ERROR_BUSY);
    sqlite3_close(lock);
    db_close(store->db);
    store->db = usual;
    db_close(other);
}

/* As SQLite does by itself when the disk is full. */
ON_ONE(what_is_rolled_back_with_a_failure_is_not_reported_as_kept, DB_SQLITE)
{
    struct writer writers[4];
    struct db *other = begin(store, writers, 4);

    writers[1].deed = ADD_OR_ROLL_BACK;
    writers[1].id = writers[0].id;
    run_all(writers, 4);
    CHECK_INT(writers[0].error != ERROR_NONE, !writers[0].seen);
    CHECK_INT(writers[1].error, ERROR_CONFLICT);
    CHECK(!writers[2].error && writers[2].seen);
    CHECK(!writers[3].error && writers[3].seen);
    CHECK_INT(count_rows(other), 2 + writers[0].seen);
    db_close(other);
}

TEST_MAIN(CASE(each_is_committed_when_its_commit_returns), CASE(one_that_fails_leaves_the_others),
          CASE(who_reads_outside_sees_only_what_is_committed),
          CASE(a_commit_that_fails_fails_for_all), CASE(a_begin_that_fails_fails_for_one),
          CASE(all_that_wait_for_a_locked_file_wait_once),
          CASE(what_is_rolled_back_with_a_failure_is_not_reported_as_kept))
