/* A handle on a server that this process has never reached: libpq is not even loaded. */
#include "test.h"

#include "db/db.h"
#include "db/query.h"

static const struct statement one = {"one", "SELECT 1"};

/* A record that is gone refuses before anybody connects. */
TEST(a_refused_query_ends)
{
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct problem problem;
    struct db *db;

    options.identity_file = "/nowhere/record";
    CHECK(db_open("postgresql://nobody@127.0.0.1:1/none", &options, &db, &problem) == ERROR_NONE);
    for (int i = 0; i < 2; i++) {
        struct query *query = db_query(db, &one);

        CHECK(!query_next(query));
        CHECK(query_end(query, &problem) == ERROR_UNAVAILABLE);
        CHECK_TEXT(problem.reason, "database_replaced");
    }
    db_close(db);
}

TEST_MAIN(CASE(a_refused_query_ends))
