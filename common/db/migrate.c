/*
 * Migrations: reading the files of a service, finding out which the database has had, applying the
 * others one by one under a lock. Which those are is written in the table schema_migrations.
 */
#include "db/migrate.h"
#include "db/db_internal.h"

#include "base/clock.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MIGRATIONS_MAX = 512, NUMBER_DIGITS = 4, NAME_BYTES_MAX = 96 };

/* Of all files of a service, as read and as translated. */
static const size_t files_bytes_max = (size_t)256 * 1024 * 1024;

struct migration {
    int number;
    char file[NAME_BYTES_MAX];
    const char *sql; /* for this engine */
    bool applied;
};

struct migrations {
    struct arena *arena;
    int count;
    struct migration items[MIGRATIONS_MAX];
};

static const char create_table[] = "CREATE TABLE IF NOT EXISTS schema_migrations ("
                                   " version INTEGER NOT NULL PRIMARY KEY,"
                                   " name TEXT NOT NULL,"
                                   " applied_at TEXT NOT NULL)";

static const struct statement table_exists = {
    .name = "schema_table_exists",
    .sqlite = "SELECT count(*) FROM sqlite_master"
              " WHERE type = 'table' AND name = 'schema_migrations'",
    .postgres = "SELECT count(to_regclass('schema_migrations'))",
};
static const struct statement applied_migrations = {
    .name = "applied_migrations",
    .sql = "SELECT version, name FROM schema_migrations ORDER BY version",
};
static const struct statement record_migration = {
    .name = "record_migration",
    .sql = "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)",
};

static enum error failed(struct problem *problem, const char *file, const char *what)
{
    return problem_set(problem, ERROR_SYSTEM, "migration_failed", "%s: %.400s", file, what);
}

/* NNNN_what.sql, `what` in lower case; the number or 0. */
static int file_number(const char *name)
{
    size_t length = strlen(name);
    int number = 0;

    if (length < NUMBER_DIGITS + 6 || length >= NAME_BYTES_MAX ||
        strcmp(name + length - 4, ".sql") != 0 || name[NUMBER_DIGITS] != '_')
        return 0;
    for (int i = 0; i < NUMBER_DIGITS; i++) {
        if (!isdigit((unsigned char)name[i]))
            return 0;
        number = number * 10 + name[i] - '0';
    }
    for (size_t i = NUMBER_DIGITS; i < length - 4; i++) {
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return 0;
    }
    return number;
}

static enum error add_file(struct migrations *migrations, const char *name, struct problem *problem)
{
    size_t length = strlen(name);
    struct migration *migration;
    int number = file_number(name);

    if (length < 4 || strcmp(name + length - 4, ".sql") != 0)
        return ERROR_NONE;
    if (!number)
        return failed(problem, name, "the name is not NNNN_what.sql");
    if (migrations->count == MIGRATIONS_MAX)
        return failed(problem, name, "there are too many files");
    migration = &migrations->items[migrations->count++];
    *migration = (struct migration){.number = number};
    memcpy(migration->file, name, length + 1);
    return ERROR_NONE;
}

static int by_number(const void *left, const void *right)
{
    const struct migration *a = left, *b = right;

    return (a->number > b->number) - (a->number < b->number);
}

static enum error list_files(const char *directory, struct migrations *migrations,
                             struct problem *problem)
{
    DIR *listing = opendir(directory);
    enum error error = ERROR_NONE;
    struct dirent *entry;

    if (!listing)
        return failed(problem, directory, strerror(errno));
    while (!error && (entry = readdir(listing)) != NULL)
        error = add_file(migrations, entry->d_name, problem);
    closedir(listing);
    qsort(migrations->items, (size_t)migrations->count, sizeof migrations->items[0], by_number);
    for (int i = 1; !error && i < migrations->count; i++) {
        if (migrations->items[i].number == migrations->items[i - 1].number)
            error = failed(problem, migrations->items[i].file, "its number is taken already");
    }
    if (!error && !migrations->count)
        error = failed(problem, directory, "there are no migrations");
    return error;
}

static enum error read_file(const char *directory, const char *name, struct arena *arena,
                            char **content, struct problem *problem)
{
    struct stat status;
    size_t length = 0;
    struct arena_guard *guard = arena_guard(arena, arena_close_file);
    FILE *file = guard->thing = fopen(arena_print(arena, "%s/%s", directory, name), "re");

    if (!file)
        return failed(problem, name, strerror(errno));
    if (fstat(fileno(file), &status) == 0 && status.st_size < SCRIPT_BYTES_MAX) {
        *content = arena_alloc(arena, (size_t)status.st_size + 1);
        length = fread(*content, 1, (size_t)status.st_size, file);
    }
    arena_guard_end(guard);
    if (!*content || length != (size_t)status.st_size || memchr(*content, '\0', length))
        return failed(problem, name, "it cannot be read, is too large or is not text");
    return ERROR_NONE;
}

/* The file that a line `-- include NAME` names, beside the directory of the service: the tables of
 * a kit, which every service has under a number of its own. NULL for any other line. */
static const char *included_file(const char *line, size_t length, struct arena *arena)
{
    static const char word[] = "-- include ";
    size_t skip = sizeof word - 1;

    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    if (length <= skip || memcmp(line, word, skip) != 0)
        return NULL;
    for (size_t i = skip; i < length; i++) {
        if (!islower((unsigned char)line[i]) && !isdigit((unsigned char)line[i]) &&
            !strchr("_/.", line[i]))
            return NULL;
    }
    return arena_copy(arena, line + skip, length - skip);
}

/* `content` with the files in place of the lines that name them. Included files include nothing. */
static enum error include_files(const char *directory, struct arena *arena, char **content,
                                struct problem *problem)
{
    const char *line = *content;
    struct text whole;

    if (!strstr(line, "-- include "))
        return ERROR_NONE;
    text_start(&whole, arena, SCRIPT_BYTES_MAX);
    while (*line) {
        size_t length = strcspn(line, "\n");
        const char *name = included_file(line, length, arena);
        char *included = NULL;

        length += line[length] == '\n';
        if (name) {
            enum error error =
                read_file(arena_print(arena, "%s/..", directory), name, arena, &included, problem);

            if (error)
                return error;
            text_append_string(&whole, included);
        } else {
            text_append(&whole, line, length);
        }
        line += length;
    }
    *content = whole.bytes;
    return whole.overflowed ? failed(problem, directory, "a file with what it includes is too long")
                            : ERROR_NONE;
}

/* Is the line `-- name` and nothing else? */
static bool is_section(const char *line, size_t length, const char *name)
{
    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    return length == strlen(name) + 3 && memcmp(line, "-- ", 3) == 0 &&
           memcmp(line + 3, name, length - 3) == 0;
}

/* Blanks out, line by line, what stands in a section of the other engine. */
static void keep_sections(char *content, enum db_engine engine)
{
    const char *own = engine == DB_SQLITE ? "sqlite" : "postgres";
    const char *other = engine == DB_SQLITE ? "postgres" : "sqlite";
    bool keep = true;

    while (*content) {
        size_t length = strcspn(content, "\n");

        if (is_section(content, length, other))
            keep = false;
        else if (is_section(content, length, own) || is_section(content, length, "both"))
            keep = true;
        if (!keep)
            memset(content, ' ', length);
        content += length + (content[length] == '\n');
    }
}

static enum error load(enum db_engine engine, const struct db_schema *schema,
                       struct migration *migration, struct arena *arena, struct problem *problem)
{
    char *content = NULL;
    enum error error = read_file(schema->directory, migration->file, arena, &content, problem);

    if (!error)
        error = include_files(schema->directory, arena, &content, problem);
    if (error)
        return error;
    keep_sections(content, engine);
    return translate_script(engine, migration->file, content, arena, &migration->sql, problem);
}

/* Reads the files that the database has not had and forgets those that hold nothing for this
 * engine. A database that is up to date reads no file, only the list of the folder. */
static enum error load_pending(enum db_engine engine, const struct db_schema *schema,
                               struct migrations *migrations, struct problem *problem)
{
    enum error error = ERROR_NONE;
    int kept = 0;

    for (int i = 0; !error && i < migrations->count; i++) {
        struct migration *migration = &migrations->items[i];

        if (!migration->applied)
            error = load(engine, schema, migration, migrations->arena, problem);
        if (!error && (migration->applied || migration->sql))
            migrations->items[kept++] = *migration;
    }
    migrations->count = kept;
    return error;
}

/* Marks what the database has had; refuses a database that has had more. */
static enum error match_applied(struct migrations *migrations, int number, const char *name,
                                struct problem *problem)
{
    int last = migrations->count ? migrations->items[migrations->count - 1].number : 0;

    if (number > last)
        return problem_set(problem, ERROR_UNAVAILABLE, "schema_newer",
                           "the database has had migration %d (%.80s), this program knows up to "
                           "%d; use the newer program",
                           number, name, last);
    for (int i = 0; i < migrations->count; i++) {
        struct migration *migration = &migrations->items[i];

        if (migration->number != number)
            continue;
        if (strcmp(migration->file, name) != 0)
            return failed(problem, migration->file,
                          "the database has had another file of that "
                          "number");
        migration->applied = true;
        return ERROR_NONE;
    }
    return failed(problem, name, "the database has had it, but the file is missing");
}

static enum error read_applied(struct db *db, struct migrations *migrations,
                               struct problem *problem)
{
    struct query *query = db_query(db, &table_exists);
    enum error error = ERROR_NONE, ended;
    bool exists = query_next(query) && query_integer(query, 0) > 0;

    ended = query_end(query, problem);
    if (ended || !exists)
        return ended;
    query = db_query(db, &applied_migrations);
    while (!error && query_next(query)) {
        const char *name = query_text(query, 1, migrations->arena);

        error = match_applied(migrations, (int)query_integer(query, 0), name, problem);
    }
    ended = query_end(query, error ? NULL : problem);
    return error ? error : ended;
}

/* What is reported of a database whose last file has that number: less than the version of the
 * schema for as long as files are missing, also where these are numbered beyond it. */
static int reported_version(int number, int pending, int required)
{
    if (!pending)
        return required;
    return number < required ? number : required - 1;
}

static void describe(enum db_engine engine, const struct db_schema *schema,
                     const struct migrations *migrations, struct db_schema_state *state)
{
    int last = migrations->count ? migrations->items[migrations->count - 1].number : 0;
    int applied = 0;

    *state = (struct db_schema_state){.required = schema->version[engine]};
    if (!state->required)
        state->required = last;
    for (int i = 0; i < migrations->count; i++) {
        if (migrations->items[i].applied)
            applied = migrations->items[i].number;
        else
            state->pending++;
    }
    state->current = reported_version(applied, state->pending, state->required);
}

static enum error record(struct db *db, const struct migration *migration, struct problem *problem)
{
    struct query *query = db_query(db, &record_migration);
    char now[CLOCK_TEXT_MAX];

    clock_format(clock_unix_microseconds(), now);
    query_bind_integer(query, migration->number);
    query_bind_text(query, migration->file);
    query_bind_text(query, now);
    return query_end(query, problem);
}

static enum error apply(struct db *db, const struct migration *migration, int version,
                        struct problem *problem)
{
    struct problem own;
    enum error error = db->engine->script(db, migration->sql, &own);

    if (!error)
        error = db->engine->migration_check(db, version, &own);
    if (!error)
        return record(db, migration, problem);
    if (error == ERROR_UNAVAILABLE || error == ERROR_BUSY)
        return problem_set(problem, error, own.reason, "%s: %.400s", migration->file, own.text);
    return failed(problem, migration->file, own.text);
}

static struct migration *first_pending(struct migrations *migrations)
{
    for (int i = 0; i < migrations->count; i++) {
        if (!migrations->items[i].applied)
            return &migrations->items[i];
    }
    return NULL;
}

/* Under the lock: reads again which migrations are missing and applies the first. */
static enum error step(struct db *db, const struct db_schema *schema, struct migrations *migrations,
                       struct problem *problem)
{
    struct db_schema_state state;
    struct migration *migration;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = db_lock(db, "schema_migrations", problem);
    if (!error)
        error = db->engine->script(db, create_table, problem);
    if (!error)
        error = read_applied(db, migrations, problem);
    describe(db->target.engine, schema, migrations, &state);
    migration = first_pending(migrations);
    if (!error && migration)
        error =
            apply(db, migration,
                  reported_version(migration->number, state.pending - 1, state.required), problem);
    return db_finish(db, error, problem);
}

static enum error apply_all(struct db *db, const struct db_schema *schema,
                            struct migrations *migrations, struct problem *problem)
{
    enum error error = db->engine->migrating(db, true, problem);
    enum error restored;

    while (!error && first_pending(migrations)) {
        error = step(db, schema, migrations, problem);
        if (!error)
            error = read_applied(db, migrations, problem);
    }
    if (!db->connection)
        return error;
    restored = db->engine->migrating(db, false, error ? NULL : problem);
    return error ? error : restored;
}

/* What both public functions begin with: which files there are, and which the database has had. */
static enum error inspect(struct db *db, const struct db_schema *schema,
                          struct migrations *migrations, struct db_schema_state *state,
                          struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (db->transaction.depth)
        return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                           "migrations cannot run inside a transaction");
    error = list_files(schema->directory, migrations, problem);
    if (!error)
        error = db_ready(db, problem);
    if (!error)
        error = read_applied(db, migrations, problem);
    if (!error)
        error = load_pending(db->target.engine, schema, migrations, problem);
    if (!error)
        describe(db->target.engine, schema, migrations, state);
    return error;
}

static enum error inspect_and_apply(struct db *db, const struct db_schema *schema,
                                    struct migrations *migrations, bool change,
                                    struct db_schema_state *state, struct problem *problem)
{
    enum error error = inspect(db, schema, migrations, state, problem);

    if (!error && change && state->pending)
        error = apply_all(db, schema, migrations, problem);
    return error;
}

/* When memory runs out, what was begun goes with the connection, locks and all. */
static enum error within_memory(struct db *db, const struct db_schema *schema,
                                struct migrations *migrations, bool change,
                                struct db_schema_state *state, struct problem *problem)
{
    jmp_buf exhausted;

    if (setjmp(exhausted) != 0) {
        db_disconnect(db);
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for migrations");
    }
    arena_on_exhausted(migrations->arena, &exhausted);
    return inspect_and_apply(db, schema, migrations, change, state, problem);
}

static enum error with_files(struct db *db, const struct db_schema *schema, bool change,
                             struct db_schema_state *state, struct problem *problem)
{
    struct migrations *migrations = calloc(1, sizeof *migrations);
    enum error error = ERROR_SYSTEM;
    struct problem own;

    problem = problem ? problem : &own;
    if (migrations)
        migrations->arena = arena_create(files_bytes_max);
    if (migrations && migrations->arena) {
        error = within_memory(db, schema, migrations, change, state, problem);
        arena_destroy(migrations->arena);
    } else {
        problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for migrations");
    }
    free(migrations);
    return error;
}

enum error db_migrate(struct db *db, const struct db_schema *schema, struct problem *problem)
{
    struct db_schema_state state;
    enum error error = with_files(db, schema, true, &state, problem);

    return error ? error : db_backfill(db, schema->backfills, problem);
}

enum error db_schema_state(struct db *db, const struct db_schema *schema,
                           struct db_schema_state *state, struct problem *problem)
{
    return with_files(db, schema, false, state, problem);
}
