/* What SQLite alone can insert: one process, statements prepared once, one transaction per project,
 * the write-ahead log and its flushing as the service sets them, and nothing else.
 *
 *   raw_insert FILE SECONDS SYNCHRONOUS one|same <DOCUMENT
 *
 * `one` puts the document into a table of two columns that it makes. `same` writes the rows that
 * one POST /projects writes, into a migrated database. Prints transactions per second. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { DOCUMENT_MAX = 1 << 20, STATEMENTS_MAX = 8 };

static const char *const one_row[] = {
    "INSERT INTO raw_projects (id, payload_json) VALUES (:id, :document)", NULL};

static const char *const same_rows[] = {
    "INSERT INTO projects (id, project_name, payload_json, payload_schema_version, created_at,"
    " updated_at, name_folded, search_folded, hypothesis, metric_type, revision_count,"
    " last_revision_at) VALUES (:id, 'Checkout', :document, 1, :now, :now, 'checkout',"
    " 'checkout hypothesis change', 'hypothesis', 'binary', 1, :now)",
    "INSERT INTO project_revisions (id, project_id, number, payload_json, source, created_at)"
    " VALUES (:other, :id, 1, :document, 'create', :now)",
    "INSERT INTO project_totals (archived, metric_type, shard, projects)"
    " VALUES (0, 'binary', 0, 1) ON CONFLICT (archived, metric_type, shard)"
    " DO UPDATE SET projects = project_totals.projects + excluded.projects",
    "INSERT INTO audit_log (ts, action, project_id, project_name, key_id, actor, request_id,"
    " payload_diff, ip_address) VALUES (:now, 'project.create', :id, 'Checkout', NULL,"
    " 'write token', :other, NULL, '127.0.0.1')",
    "INSERT INTO audit_totals (dimension, value, shard, entries) VALUES"
    " ('action', 'project.create', 0, 1), ('key', '', 0, 1), ('project', :id, 0, 1)"
    " ON CONFLICT (dimension, value, shard) DO UPDATE SET entries = audit_totals.entries + 1",
    NULL};

struct loop {
    sqlite3 *handle;
    sqlite3_stmt *begin, *commit;
    sqlite3_stmt *inserts[STATEMENTS_MAX];
    int count;
    char document[DOCUMENT_MAX];
};

static void require(const struct loop *loop, int code)
{
    if (code == SQLITE_OK || code == SQLITE_DONE)
        return;
    fprintf(stderr, "raw_insert: %s\n", sqlite3_errmsg(loop->handle));
    exit(EXIT_FAILURE);
}

static sqlite3_stmt *prepare(const struct loop *loop, const char *sql)
{
    sqlite3_stmt *statement;

    require(loop, sqlite3_prepare_v2(loop->handle, sql, -1, &statement, NULL));
    return statement;
}

static void run(const struct loop *loop, sqlite3_stmt *statement)
{
    require(loop, sqlite3_step(statement));
    require(loop, sqlite3_reset(statement));
}

static void bind(sqlite3_stmt *statement, const char *name, const char *value)
{
    int place = sqlite3_bind_parameter_index(statement, name);

    if (place)
        sqlite3_bind_text(statement, place, value, -1, SQLITE_STATIC);
}

/* Random as the ids of the service are: their places in the index are spread over all of it. */
static void make_id(char id[40])
{
    uint64_t words[2];

    if (getrandom(words, sizeof words, 0) != (ssize_t)sizeof words)
        exit(EXIT_FAILURE);
    snprintf(id, 40, "%08llx-%04llx-4%03llx-a%03llx-%012llx", (unsigned long long)words[0] >> 32,
             (unsigned long long)words[0] >> 16 & 0xffff, (unsigned long long)words[0] & 0xfff,
             (unsigned long long)words[1] >> 48 & 0xfff,
             (unsigned long long)words[1] & 0xffffffffffff);
}

static void insert(const struct loop *loop, int64_t number)
{
    char id[40], other[40], now[40];

    make_id(id);
    make_id(other);
    snprintf(now, sizeof now, "2026-01-01T00:00:00.%06lldZ", (long long)number % 1000000);
    run(loop, loop->begin);
    for (int i = 0; i < loop->count; i++) {
        bind(loop->inserts[i], ":id", id);
        bind(loop->inserts[i], ":other", other);
        bind(loop->inserts[i], ":now", now);
        run(loop, loop->inserts[i]);
    }
    run(loop, loop->commit);
}

static void open_database(struct loop *loop, const char *path, const char *synchronous,
                          const char *const *statements)
{
    char pragma[64];

    require(loop, sqlite3_open(path, &loop->handle));
    snprintf(pragma, sizeof pragma, "PRAGMA synchronous = %.8s", synchronous);
    require(loop, sqlite3_exec(loop->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL));
    require(loop, sqlite3_exec(loop->handle, pragma, NULL, NULL, NULL));
    if (statements == one_row)
        require(loop, sqlite3_exec(loop->handle,
                                   "CREATE TABLE IF NOT EXISTS raw_projects (id TEXT PRIMARY KEY,"
                                   " payload_json TEXT NOT NULL)",
                                   NULL, NULL, NULL));
    loop->begin = prepare(loop, "BEGIN IMMEDIATE");
    loop->commit = prepare(loop, "COMMIT");
    for (loop->count = 0; statements[loop->count]; loop->count++) {
        loop->inserts[loop->count] = prepare(loop, statements[loop->count]);
        bind(loop->inserts[loop->count], ":document", loop->document);
    }
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static struct loop loop;
    double started, until;
    int64_t done = 0;

    if (argc != 5) {
        fprintf(stderr, "usage: raw_insert FILE SECONDS SYNCHRONOUS one|same <DOCUMENT\n");
        return 2;
    }
    loop.document[fread(loop.document, 1, sizeof loop.document - 1, stdin)] = '\0';
    open_database(&loop, argv[1], argv[3], strcmp(argv[4], "same") == 0 ? same_rows : one_row);
    started = seconds_now();
    until = started + strtod(argv[2], NULL);
    while (seconds_now() < until)
        insert(&loop, done++);
    printf("%.1f\n", (double)done / (seconds_now() - started));
    return EXIT_SUCCESS;
}
