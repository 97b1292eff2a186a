/* From the SQL written once to each engine's: parameters, words, quotes, comments, refusals. */
#include "../db/fixture.h"

struct translated {
    const char *sql;
    const char *sqlite; /* NULL = refused */
    const char *postgres;
    int parameters;
};

static void check_one(enum db_engine engine, const char *sql, const char *expected, int parameters)
{
    const struct statement statement = {.name = "case", .sql = sql};
    struct arena *arena = arena_create(1 << 22);
    struct translation translation = {0};
    struct problem problem = {.text = ""};
    enum error error = translate_statement(engine, &statement, arena, &translation, &problem);

    if (!expected) {
        CHECK_INT(error, ERROR_SYSTEM);
        if (error)
            CHECK_TEXT(problem.reason, "statement_misused");
        else
            printf("accepted: %s\n", sql);
    } else if (error) {
        printf("%s: %s\n", sql, problem.text);
        CHECK(!error);
    } else {
        CHECK_TEXT(translation.sql, expected);
        CHECK_INT(translation.parameters, parameters);
    }
    arena_destroy(arena);
}

static void check_all(const struct translated *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_one(DB_SQLITE, cases[i].sql, cases[i].sqlite, cases[i].parameters);
        check_one(DB_POSTGRES, cases[i].sql, cases[i].postgres, cases[i].parameters);
    }
}

#define CHECK_ALL(cases) check_all((cases), sizeof(cases) / sizeof((cases)[0]))

TEST(parameters_are_numbered_outside_quotes_and_comments)
{
    static const struct translated cases[] = {
        {"SELECT ?", "SELECT ?", "SELECT $1", 1},
        {"SELECT ?,?, ? ;", "SELECT ?,?, ? ", "SELECT $1,$2, $3 ", 3},
        {"SELECT '?', ?", "SELECT '?', ?", "SELECT '?', $1", 1},
        {"SELECT 'it''s ?', ?", "SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1", 1},
        {"SELECT '\\', ?", "SELECT '\\', ?", "SELECT '\\', $1", 1},
        {"SELECT \"a?\"\"b?\" FROM t WHERE x=?", "SELECT \"a?\"\"b?\" FROM t WHERE x=?",
         "SELECT \"a?\"\"b?\" FROM t WHERE x=$1", 1},
        {"SELECT ? -- why?\n, ?", "SELECT ? -- why?\n, ?", "SELECT $1 -- why?\n, $2", 2},
        {"SELECT ? /* why? */, ?", "SELECT ? /* why? */, ?", "SELECT $1 /* why? */, $2", 2},
        {"SELECT ? -- the end?", "SELECT ? -- the end?", "SELECT $1 -- the end?", 1},
        {"SELECT 1 - -?", "SELECT 1 - -?", "SELECT 1 - -$1", 1},
        {"SELECT ?/?", "SELECT ?/?", "SELECT $1/$2", 2},
        {"SELECT 'é?' || ?", "SELECT 'é?' || ?", "SELECT 'é?' || $1", 1},
        {"", NULL, NULL, 0},
        {"  -- nothing\n;", NULL, NULL, 0},
    };

    CHECK_ALL(cases);
}

/* Each engine's own quotes; to the other they are ordinary text, whatever becomes of it there. */
TEST(each_engine_quotes_in_its_own_way)
{
    static const struct {
        enum db_engine engine;
        const char *sql, *expected;
        int parameters;
    } cases[] = {
        {DB_POSTGRES, "SELECT $$?$$, ?", "SELECT $$?$$, $1", 1},
        {DB_SQLITE, "SELECT $$?$$, ?", "SELECT $$?$$, ?", 2},
        {DB_POSTGRES, "SELECT $a$ ? $$ ' $a$, ?", "SELECT $a$ ? $$ ' $a$, $1", 1},
        {DB_POSTGRES, "SELECT $a$ ? $b$, ?", NULL, 0},
        {DB_POSTGRES, "SELECT a$b$c, ?", "SELECT a$b$c, $1", 1},
        {DB_POSTGRES, "SELECT E'\\'?', ?", "SELECT E'\\'?', $1", 1},
        {DB_SQLITE, "SELECT E'\\'?', ?", NULL, 0},
        {DB_POSTGRES, "SELECT e'a\\\\', ?", "SELECT e'a\\\\', $1", 1},
        {DB_POSTGRES, "SELECT name'\\', ?", "SELECT name'\\', $1", 1},
        {DB_POSTGRES, "SELECT 1 /* a /* b */ ? */ + ?", "SELECT 1 /* a /* b */ ? */ + $1", 1},
        {DB_SQLITE, "SELECT 1 /* a /* b */ + ?", "SELECT 1 /* a /* b */ + ?", 1},
        {DB_POSTGRES, "SELECT 1 /* a /* b */ + ?", NULL, 0},
        {DB_SQLITE, "SELECT [a?] FROM t", "SELECT [a?] FROM t", 0},
        {DB_POSTGRES, "SELECT a[?] FROM t", "SELECT a[$1] FROM t", 1},
        {DB_SQLITE, "SELECT `a?` FROM t", "SELECT `a?` FROM t", 0},
        {DB_POSTGRES, "SELECT a ?? ?", "SELECT a ? $1", 1},
        {DB_POSTGRES, "SELECT a ??| ?", "SELECT a ?| $1", 1},
        {DB_SQLITE, "SELECT a ?? ?", NULL, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_one(cases[i].engine, cases[i].sql, cases[i].expected, cases[i].parameters);
}

TEST(what_is_not_one_statement_is_refused)
{
    static const struct translated cases[] = {
        {"SELECT 1; SELECT 2", NULL, NULL, 0},
        {"SELECT 1;;", NULL, NULL, 0},
        {"SELECT 1; ?", NULL, NULL, 0},
        {"SELECT 1; 'x'", NULL, NULL, 0},
        {"SELECT 1; {now}", NULL, NULL, 0},
        {"SELECT 1 ; -- that was it\n /* really */ ", "SELECT 1  -- that was it\n /* really */ ",
         "SELECT 1  -- that was it\n /* really */ ", 0},
        {"SELECT ?1", NULL, NULL, 0},
        {"SELECT 'open", NULL, NULL, 0},
        {"SELECT \"open", NULL, NULL, 0},
        {"SELECT 1 /* open", NULL, NULL, 0},
        {"BEGIN", NULL, NULL, 0},
        {"  /* so */ commit", NULL, NULL, 0},
        {"ROLLBACK TO x", NULL, NULL, 0},
        {"savepoint x", NULL, NULL, 0},
        {"SELECT {nonsense}", NULL, NULL, 0},
        {"SELECT {now", NULL, NULL, 0},
        {"SELECT {now:1}", NULL, NULL, 0},
        {"SELECT {lower}", NULL, NULL, 0},
        {"SELECT {lower:'open}", NULL, NULL, 0},
        {"SELECT {}", NULL, NULL, 0},
    };

    CHECK_ALL(cases);
}

TEST(words_are_spelled_for_the_engine)
{
    static const struct translated cases[] = {
        {"SELECT {lower:name} = {lower:?}", "SELECT lower(name) = lower(?)",
         "SELECT lower((name) COLLATE \"C\") = lower(($1) COLLATE \"C\")", 1},
        {"SELECT '{now}', \"{now}\" -- {now}\n", "SELECT '{now}', \"{now}\" -- {now}\n",
         "SELECT '{now}', \"{now}\" -- {now}\n", 0},
        {"SELECT ?, value FROM {json_rows:?} WHERE x = ?",
         "SELECT ?, value FROM json_each(?) WHERE x = ?",
         "SELECT $1, value FROM jsonb_array_elements($2) AS rows(value) WHERE x = $3", 3},
        {"SELECT 1 -{for_update}-?", "SELECT 1 - -?", "SELECT 1 -FOR UPDATE-$1", 1},
        {"SELECT id FROM t {for_update_skip_locked}", "SELECT id FROM t  ",
         "SELECT id FROM t FOR UPDATE SKIP LOCKED", 0},
        {"SELECT {least}(a, ?)", "SELECT min(a, ?)", "SELECT least(a, $1)", 1},
        {"SELECT a FROM t ORDER BY b {bytewise}", "SELECT a FROM t ORDER BY b COLLATE BINARY",
         "SELECT a FROM t ORDER BY b COLLATE \"C\"", 0},
    };

    CHECK_ALL(cases);
}

TEST(writing_statements_are_known)
{
    static const struct {
        const char *sql;
        bool sqlite, postgres;
    } cases[] = {
        {"SELECT replace(a, 'UPDATE', \"DELETE\") FROM t -- INSERT", false, false},
        {"insert INTO t VALUES (1)", true, true},
        {"REPLACE INTO t VALUES (1)", true, true},
        {"WITH x AS (SELECT 1) DELETE FROM t", true, true},
        {"WITH gone AS (DELETE FROM t RETURNING a) SELECT * FROM gone", true, true},
        {"SELECT a FROM t {for_update}", false, true},
        {"SELECT updated, deleted FROM t", false, false},
        {"CREATE TABLE t (a)", true, true},
        {"VALUES (1)", false, false},
    };
    struct arena *arena = arena_create(1 << 22);
    struct problem problem;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct statement statement = {.name = "case", .sql = cases[i].sql};
        struct translation translation;

        CHECK_INT(translate_statement(DB_SQLITE, &statement, arena, &translation, &problem), 0);
        CHECK_INT(translation.writes, cases[i].sqlite);
        CHECK_INT(translate_statement(DB_POSTGRES, &statement, arena, &translation, &problem), 0);
        CHECK_INT(translation.writes, cases[i].postgres);
    }
    arena_destroy(arena);
}

TEST(a_text_for_one_engine_comes_first)
{
    static const struct statement both = {"both", "SELECT 1", .postgres = "SELECT 2"};
    static const struct statement one = {"one", .sqlite = "SELECT 1"};
    struct arena *arena = arena_create(1 << 22);
    struct translation translation;
    struct problem problem;

    CHECK_INT(translate_statement(DB_SQLITE, &both, arena, &translation, &problem), 0);
    CHECK_TEXT(translation.sql, "SELECT 1");
    CHECK_INT(translate_statement(DB_POSTGRES, &both, arena, &translation, &problem), 0);
    CHECK_TEXT(translation.sql, "SELECT 2");
    CHECK_INT(translate_statement(DB_SQLITE, &one, arena, &translation, &problem), 0);
    CHECK_INT(translate_statement(DB_POSTGRES, &one, arena, &translation, &problem), ERROR_SYSTEM);
    CHECK_TEXT(problem.text, "one: there is no text for this engine");
    arena_destroy(arena);
}

TEST(too_much_is_refused_and_lines_are_told)
{
    char *many = calloc(1, 300), *long_text = malloc(SQL_BYTES_MAX + 100);
    struct arena *arena = arena_create(1 << 24);
    struct statement statement = {.name = "case"};
    struct translation translation;
    struct problem problem;

    snprintf(many, 300, "SELECT ?");
    for (int i = 1; i < DB_PARAMETERS_MAX; i++)
        snprintf(many + strlen(many), 300 - strlen(many), ",?");
    statement.sql = many;
    CHECK_INT(translate_statement(DB_POSTGRES, &statement, arena, &translation, &problem), 0);
    CHECK_INT(translation.parameters, DB_PARAMETERS_MAX);
    snprintf(many + strlen(many), 300 - strlen(many), ",?");
    CHECK_INT(translate_statement(DB_POSTGRES, &statement, arena, &translation, &problem),
              ERROR_SYSTEM);

    memset(long_text, ' ', SQL_BYTES_MAX + 99);
    long_text[SQL_BYTES_MAX + 99] = '\0';
    memcpy(long_text, "SELECT 1", 8);
    statement.sql = long_text;
    CHECK_INT(translate_statement(DB_SQLITE, &statement, arena, &translation, &problem),
              ERROR_SYSTEM);

    statement.sql = "SELECT 1,\n  2,\n  {what}";
    CHECK_INT(translate_statement(DB_SQLITE, &statement, arena, &translation, &problem),
              ERROR_SYSTEM);
    CHECK_TEXT(problem.text, "case, line 3: no such {word}");
    statement.sql = "BE{for_update}GIN";
    CHECK_INT(translate_statement(DB_SQLITE, &statement, arena, &translation, &problem),
              ERROR_SYSTEM);
    CHECK_TEXT(problem.text, "case, line 1: a {word} begins in the middle of a name");
    free(many);
    free(long_text);
    arena_destroy(arena);
}

TEST_MAIN(CASE(parameters_are_numbered_outside_quotes_and_comments),
          CASE(each_engine_quotes_in_its_own_way), CASE(what_is_not_one_statement_is_refused),
          CASE(words_are_spelled_for_the_engine), CASE(writing_statements_are_known),
          CASE(a_text_for_one_engine_comes_first), CASE(too_much_is_refused_and_lines_are_told))
