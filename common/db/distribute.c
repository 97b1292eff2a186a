/* Calls the functions of Citus for the tables that a file names. */
#include "db/distribute.h"

#include "base/list.h"
#include "base/string_list.h"
#include "base/text.h"
#include "db/db_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES_MAX = 256, NAME_BYTES_MAX = 64, MADE_BYTES_MAX = 1024 };

static const struct statement find_extension = {
    .name = "distribution_extension",
    .postgres = "SELECT count(to_regclass('pg_dist_partition'))", /* its catalogue */
};
static const struct statement find_spread = {
    .name = "distribution_table",
    .postgres = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = to_regclass(?)",
};
static const struct statement spread_reference = {
    .name = "distribution_reference",
    .postgres = "SELECT create_reference_table(CAST(? AS regclass))",
};
static const struct statement spread_rows = {
    .name = "distribution_rows",
    .postgres = "SELECT create_distributed_table(CAST(? AS regclass), CAST(? AS TEXT),"
                " colocate_with => CAST(? AS TEXT))",
};
static const struct statement record = {
    .name = "distribution_record",
    .sql = "INSERT INTO schema_distribution (table_name, column_name, distributed_at)"
           " VALUES (?, ?, {now}) ON CONFLICT (table_name) DO UPDATE SET"
           " column_name = excluded.column_name, distributed_at = excluded.distributed_at",
};

static const struct statement find_column = {
    .name = "distribution_column",
    .sql = "SELECT column_name FROM schema_distribution WHERE table_name = ?"
           " AND column_name IS NOT NULL",
};

/* Parts of statements; between them stand names that is_name() has accepted. */
static const char alter_table[] = "ALTER TABLE ", drop_key[] = " DROP CONSTRAINT ",
                  add_key[] = "_pkey, ADD PRIMARY KEY (", create_index[] = "CREATE INDEX ",
                  select_names[] = "SELECT DISTINCT ", order_names[] = " ORDER BY 1";

/* A line of the file. */
struct entry {
    char table[NAME_BYTES_MAX];
    char column[NAME_BYTES_MAX]; /* "" = a reference table */
    char more[NAME_BYTES_MAX];   /* the former key, or the column that names the tables; or "" */
    bool named;                  /* `table` is a list of tables */
};

/* Shared by the steps of a call. */
struct spreading {
    struct db *db;
    const char *file;
    struct db_distribution *done;
    struct problem *problem;
    char together[NAME_BYTES_MAX]; /* the first distributed table of the file */
};

static enum error refuse(struct problem *problem, const char *why)
{
    return problem_set(problem, ERROR_INVALID, "not_distributable", "%s", why);
}

static enum error check_server(struct db *db, struct problem *problem)
{
    struct query *query;
    bool found;
    enum error error;

    if (db_engine(db) != DB_POSTGRES)
        return refuse(problem, "the database is a file of SQLite, which stays on one host; the "
                               "database URL must name a PostgreSQL with the extension citus");
    query = db_query(db, &find_extension);
    found = query_next(query) && query_integer(query, 0) > 0;
    error = query_end(query, problem);
    if (!error && !found)
        error = refuse(problem, "the database has not the extension citus: install it on every "
                                "node and run CREATE EXTENSION citus in this database");
    return error;
}

static enum error is_spread(const struct spreading *spreading, const struct entry *entry,
                            bool *spread)
{
    struct query *query = db_query(spreading->db, &find_spread);

    query_bind_text(query, entry->table);
    *spread = query_next(query) && query_integer(query, 0) > 0;
    return query_end(query, spreading->problem);
}

/* A handle keeps statements by their address. */
static struct query *run_made(struct db *db, const char *name, const char *const *parts)
{
    struct statement *statement = ARENA_NEW(db->arena, struct statement);
    struct text sql;

    text_start(&sql, db->arena, MADE_BYTES_MAX);
    text_append_strings(&sql, parts);
    *statement = (struct statement){.name = name, .postgres = sql.bytes};
    return db_query(db, statement);
}

/* An identity is unique by itself, which no node can promise for the others: the column leads the
 * new key, and what was the key has an index. */
static enum error lead_key(const struct spreading *spreading, const struct entry *entry)
{
    const char *table = entry->table, *key = entry->more;
    enum error error =
        query_end(run_made(spreading->db, "distribution_key",
                           (const char *const[]){alter_table, table, drop_key, table, add_key,
                                                 entry->column, ", ", key, ")", NULL}),
                  spreading->problem);

    if (error)
        return error;
    return query_end(run_made(spreading->db, "distribution_former_key",
                              (const char *const[]){create_index, table, "_by_", key, " ON ", table,
                                                    " (", key, ")", NULL}),
                     spreading->problem);
}

static enum error spread_table(const struct spreading *spreading, const struct entry *entry)
{
    bool first = strcmp(spreading->together, entry->table) == 0;
    enum error error = *entry->more ? lead_key(spreading, entry) : ERROR_NONE;
    struct query *query;

    if (error)
        return error;
    query = db_query(spreading->db, *entry->column ? &spread_rows : &spread_reference);
    query_bind_text(query, entry->table);
    if (*entry->column) {
        query_bind_text(query, entry->column);
        query_bind_text(query, first ? "none" : spreading->together);
    }
    (void)query_next(query); /* it gives a row without a value */
    return query_end(query, spreading->problem);
}

static enum error write_down(const struct spreading *spreading, const struct entry *entry)
{
    struct query *query = db_query(spreading->db, &record);

    query_bind_text(query, entry->table);
    query_bind_text(query, *entry->column ? entry->column : NULL);
    return query_end(query, spreading->problem);
}

/* In a transaction. Under a lock: of two calls at the same time the second finds the table
 * spread. */
static enum error spread_once(struct spreading *spreading, const struct entry *entry, bool *spread)
{
    enum error error = db_lock(spreading->db, "distribution", spreading->problem);

    if (!error)
        error = is_spread(spreading, entry, spread);
    if (!error && !*spread)
        error = spread_table(spreading, entry);
    if (!error && !*spread)
        error = write_down(spreading, entry);
    return error;
}

static enum error take_table(struct spreading *spreading, const struct entry *entry)
{
    bool spread = false;
    enum error error = db_begin(spreading->db, DB_WRITE, spreading->problem);

    if (error)
        return error;
    error = db_finish(spreading->db, spread_once(spreading, entry, &spread), spreading->problem);
    if (!error)
        ++*(spread ? &spreading->done->spread_before : &spreading->done->spread);
    return error;
}

static bool is_name(const char *text)
{
    return *text && strlen(text) < NAME_BYTES_MAX &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* The tables that a table of the service names. */
static enum error take_named(struct spreading *spreading, const struct entry *entry)
{
    struct query *query = run_made(spreading->db, "distribution_names",
                                   (const char *const[]){select_names, entry->more, " FROM ",
                                                         entry->table, order_names, NULL});
    struct string_list names = {0};
    enum error error;

    while (query_next(query))
        *LIST_ADD(spreading->db->arena, &names) = query_text(query, 0, spreading->db->arena);
    error = query_end(query, spreading->problem);
    for (size_t i = 0; !error && i < names.count; i++) {
        struct entry one = {.table = ""};

        if (!is_name(names.items[i]))
            return problem_set(spreading->problem, ERROR_SYSTEM, "distribution_file",
                               "%s names a table `%.100s`", entry->table, names.items[i]);
        memcpy(one.table, names.items[i], strlen(names.items[i]) + 1);
        memcpy(one.column, entry->column, sizeof one.column);
        error = take_table(spreading, &one);
    }
    return error;
}

static bool read_entry(const char *line, struct entry *entry)
{
    char kind[NAME_BYTES_MAX], rest[2];
    int words;

    *entry = (struct entry){.table = ""};
    words = sscanf(line, "%63s %63s %63s %63s %1s", kind, entry->table, entry->column, entry->more,
                   rest);
    for (int i = 1; i < words; i++)
        if (!is_name(i == 1 ? entry->table : i == 2 ? entry->column : entry->more))
            return false;
    entry->named = strcmp(kind, "named") == 0;
    return (strcmp(kind, "reference") == 0 && words == 2) ||
           (strcmp(kind, "distributed") == 0 && (words == 3 || words == 4)) ||
           (entry->named && words == 4);
}

static enum error take_lines(struct spreading *spreading, FILE *file)
{
    char line[LINE_BYTES_MAX];
    enum error error = ERROR_NONE;

    for (int number = 1; !error && fgets(line, sizeof line, file); number++) {
        struct entry entry;
        const char *first = line + strspn(line, " \t\r\n");

        if (!*first || *first == '#')
            continue;
        if (!read_entry(line, &entry))
            return problem_set(spreading->problem, ERROR_SYSTEM, "distribution_file",
                               "%s:%d: neither `reference TABLE` nor `distributed TABLE COLUMN"
                               " [KEY]` nor `named TABLE COLUMN NAMES`",
                               spreading->file, number);
        if (*entry.column && !*spreading->together)
            memcpy(spreading->together, entry.table, sizeof entry.table);
        error = (entry.named ? take_named : take_table)(spreading, &entry);
    }
    return error;
}

/* One statement moves all rows of a table. */
static enum error take_lines_unhurried(struct spreading *spreading, FILE *file)
{
    struct problem unused;
    enum error error = db_take_time(spreading->db, true, spreading->problem), restored;

    if (!error)
        error = take_lines(spreading, file);
    restored = db_take_time(spreading->db, false, error ? &unused : spreading->problem);
    return error ? error : restored;
}

enum error db_distribute(struct db *db, const char *directory, struct db_distribution *distribution,
                         struct problem *problem)
{
    struct spreading spreading = {.db = db, .done = distribution, .problem = problem};
    char path[PATH_MAX];
    enum error error = check_server(db, problem);
    FILE *file;

    *distribution = (struct db_distribution){0};
    if (error)
        return error;
    snprintf(path, sizeof path, "%s/distribution", directory);
    spreading.file = path;
    file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return refuse(problem, "the tables of this service stay on one node");
    if (!file)
        return problem_set(problem, ERROR_SYSTEM, "distribution_file", "%s: %s", path,
                           strerror(errno));
    error = take_lines_unhurried(&spreading, file);
    fclose(file);
    return error;
}

enum error db_distribute_table(struct db *db, const char *table, const char *beside,
                               struct problem *problem)
{
    struct spreading spreading = {.db = db, .problem = problem};
    struct entry entry = {.table = ""};
    struct query *query = db_query(db, &find_column);
    bool found, spread;
    enum error error;

    query_bind_text(query, beside);
    found = query_next(query);
    if (found)
        snprintf(entry.column, sizeof entry.column, "%s", query_text(query, 0, db->arena));
    error = query_end(query, problem);
    if (error || !found)
        return error;
    snprintf(entry.table, sizeof entry.table, "%s", table);
    snprintf(spreading.together, sizeof spreading.together, "%s", beside);
    return spread_once(&spreading, &entry, &spread);
}
