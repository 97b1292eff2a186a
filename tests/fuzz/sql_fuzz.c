/* Any SQL through the translation to both engines. Where SQLite can prepare the result, it counts
 * as many parameters as the translator; translating once more changes nothing. */
#include "fuzz.h"

#include "db/db_internal.h"

#include <sqlite3.h>
#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 26 };

static sqlite3 *engine;

static void close_engine(void)
{
    sqlite3_close(engine);
}

static void open_engine(void)
{
    if (engine)
        return;
    PROMISE(sqlite3_open(":memory:", &engine) == SQLITE_OK, "SQLite opens");
    atexit(close_engine);
}

/* Other spellings of parameters, which statements of ours never use. */
static bool has_named_parameters(const char *sql)
{
    return strpbrk(sql, ":@$#") != NULL;
}

static void check_count(const struct translation *translation)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;

    if (has_named_parameters(translation->sql))
        return;
    if (sqlite3_prepare_v2(engine, translation->sql, -1, &statement, &rest) == SQLITE_OK &&
        statement)
        PROMISE(sqlite3_bind_parameter_count(statement) == translation->parameters,
                "SQLite counts the same parameters");
    sqlite3_finalize(statement);
}

static void check_statement(enum db_engine which, const char *sql, struct arena *arena)
{
    struct statement statement = {.name = "fuzzed", .sql = sql};
    struct translation first, second;
    struct problem problem = {.text = ""};

    if (translate_statement(which, &statement, arena, &first, &problem)) {
        PROMISE(*problem.text && problem.reason, "a refusal says why");
        return;
    }
    PROMISE(first.parameters <= DB_PARAMETERS_MAX, "parameters have a maximum");
    if (which != DB_SQLITE)
        return;
    check_count(&first);
    statement.sql = first.sql;
    PROMISE(!translate_statement(which, &statement, arena, &second, &problem) &&
                strcmp(first.sql, second.sql) == 0 && first.parameters == second.parameters,
            "translating again changes nothing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    char *sql = arena_copy(arena, (const char *)data, size);

    open_engine();
    for (int which = 0; which < DB_ENGINE__MAX; which++) {
        struct problem problem = {.text = ""};
        const char *script;

        check_statement((enum db_engine)which, sql, arena);
        if (translate_script((enum db_engine)which, "fuzzed", sql, arena, &script, &problem))
            PROMISE(*problem.text, "a refusal says why");
    }
    arena_destroy(arena);
    return 0;
}
