/*
 * Provisioning: creates the database of a service, or finds the right one, once per start. It first
 * inspects what is at the target and compares that with the record; only then it changes anything.
 */
#include "db/backup_engine.h"
#include "db/identity.h"
#include "db/record.h"

#include "base/clock.h"
#include "crypto/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMORY_MAX = 16 * 1024 * 1024 };

/* What stands at the target. */
enum finding {
    FOUND_NOTHING, /* no file; a database without tables on a server */
    FOUND_EMPTY,   /* a file of no bytes: what is left of one that was lost */
    FOUND_OURS,    /* our tables, from before there were identities */
    FOUND_IDENTITY,
    FOUND_FOREIGN
};

struct found_database {
    enum finding finding;
    char id[IDENTITY_TEXT];
    char service[RECORD_SERVICE];
};

struct work {
    const struct store_plan *plan;
    enum db_purpose purpose;
    struct replacement *replacement; /* to be put in the place of what is there; NULL = none */
    struct arena *arena;
    const char *path; /* of the record */
    struct db *db;    /* without a record: it may be made */
    bool recorded;    /* `record` was there */
    int lock;         /* on it */
    struct record record;
    struct found_database found;
    struct db_provisioned *established;
    struct problem *problem;
};

static const struct statement count_tables = {
    .name = "identity_count_tables",
    .sqlite = "SELECT count(*), coalesce(sum(name = 'assay_identity'), 0),"
              " coalesce(sum(name = 'schema_migrations'), 0) FROM sqlite_master"
              " WHERE type = 'table'",
    .postgres = "SELECT count(*), count(*) FILTER (WHERE tablename = 'assay_identity'),"
                " count(*) FILTER (WHERE tablename = 'schema_migrations') FROM pg_tables"
                " WHERE schemaname = current_schema()"};
static const struct statement read_identity = {"identity_read",
                                               "SELECT id, service FROM assay_identity"};
static const struct statement insert_identity = {
    "identity_insert",
    "INSERT INTO assay_identity (id, service, session, created_at) VALUES (?, ?, ?, ?)"};
static const struct statement delete_identity = {"identity_delete", "DELETE FROM assay_identity"};
static const struct statement set_session = {"identity_session",
                                             "UPDATE assay_identity SET session = ?"};
static const struct statement find_page = {
    .name = "identity_page",
    .sqlite = "SELECT (rootpage - 1) * (SELECT page_size FROM pragma_page_size), rootpage,"
              " (SELECT page_size FROM pragma_page_size) FROM sqlite_master"
              " WHERE name = 'assay_identity'",
    .postgres = "SELECT 0, 0, 0"};

static const char create_tables[] =
    "CREATE TABLE IF NOT EXISTS assay_identity (id TEXT NOT NULL, service TEXT NOT NULL,"
    " session TEXT NOT NULL, created_at TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS assay_probe (id INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL);";

static const struct statement check_all = {
    .name = "identity_check_all", .sqlite = "PRAGMA integrity_check(1)", .postgres = "SELECT 'ok'"};

static enum error check_integrity(struct db *db, struct arena *arena, struct problem *problem)
{
    struct query *query = db_query(db, &check_all);
    const char *found = query_next(query) ? query_text(query, 0, arena) : "";
    enum error error = query_end(query, problem);

    if (error || strcmp(found, "ok") == 0)
        return error;
    return problem_set(problem, ERROR_UNAVAILABLE, "database_corrupt", "%s is damaged: %.380s",
                       db_shown_target(db), found);
}

static enum error refuse(const struct work *work, const char *reason, const char *what)
{
    return problem_set(work->problem, ERROR_CONFLICT, reason, "%s: %.380s",
                       db_shown_target(work->db), what);
}

static bool on_sqlite(const struct work *work)
{
    return db_engine(work->db) == DB_SQLITE;
}

static const char *path_of(const struct work *work)
{
    return work->db->target.path;
}

/* The file before SQLite sees it. True when there is something to open. */
static bool inspect_file(struct work *work, enum error *error)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic] = "";
    ssize_t length = 0;
    int file = open(path_of(work), O_RDONLY | O_CLOEXEC);

    *error = ERROR_NONE;
    if (file < 0 && errno != ENOENT) {
        *error = problem_set(work->problem, ERROR_UNAVAILABLE, "database_unavailable", "%s: %s",
                             path_of(work), strerror(errno));
        return false;
    }
    if (file >= 0) {
        length = read(file, head, sizeof head);
        close(file);
    }
    work->found.finding = file < 0 ? FOUND_NOTHING : length == 0 ? FOUND_EMPTY : FOUND_FOREIGN;
    return length == sizeof head && memcmp(head, magic, sizeof magic) == 0;
}

/* What the file holds where the last start has left its mark. */
static bool has_session(const struct work *work)
{
    char found[IDENTITY_TEXT] = "";
    size_t length = strlen(work->record.session);
    int file = open(path_of(work), O_RDONLY | O_CLOEXEC);
    bool same;

    if (file < 0)
        return false;
    same = pread(file, found, length, work->record.session_at) == (ssize_t)length &&
           memcmp(found, work->record.session, length) == 0;
    close(file);
    return same;
}

/* Are the files those of the start, with the mark that it left? */
static bool files_are_as_recorded(const struct work *work)
{
    for (int i = 0; i < RECORD_FILE__MAX; i++) {
        const struct file_id *expected = &work->record.files[i];
        struct file_id found;

        if (expected->inode && (!file_id_of(path_of(work), (enum record_file)i, &found) ||
                                !file_id_equal(expected, &found)))
            return false;
    }
    return has_session(work);
}

/* While workers use it: a database that was found moved or exchanged, and is in its place again. */
static enum error find_again(struct work *work)
{
    if (!on_sqlite(work) || !work->record.lost || !files_are_as_recorded(work))
        return ERROR_NONE;
    snprintf(work->established->note, sizeof work->established->note,
             "the database is in its place again, and is used again");
    return record_found_again(work->path, work->problem);
}

static bool log_holds_something(const struct work *work)
{
    struct stat status;
    const char *log = arena_print(work->arena, "%s-wal", path_of(work));

    return stat(log, &status) == 0 && status.st_size > 0;
}

static enum error set_aside(struct work *work, const char *suffix, const char *when)
{
    const char *from = arena_print(work->arena, "%s%s", path_of(work), suffix);
    const char *to = arena_print(work->arena, "%s%s.before-%s", path_of(work), suffix, when);

    if (rename(from, to) == 0 || errno == ENOENT)
        return ERROR_NONE;
    return problem_set(work->problem, ERROR_SYSTEM, "database_log", "%s: %s", from,
                       strerror(errno));
}

/* Is it another file, or another content, than the last start has left? */
static bool was_exchanged(const struct work *work)
{
    struct file_id file;

    if (!work->recorded || work->record.session_at < 0)
        return false;
    return work->record.lost || !file_id_of(path_of(work), RECORD_MAIN, &file) ||
           !file_id_equal(&file, &work->record.files[RECORD_MAIN]) || !has_session(work);
}

static bool is_as_recorded(const struct work *work, enum record_file which)
{
    struct file_id found;

    return file_id_of(path_of(work), which, &found) &&
           file_id_equal(&found, &work->record.files[which]);
}

/* A file and a log that do not belong together: the file was put in the place of the one before, or
 * a copy in the place of the log, whose contents a checkpoint has copied into the file. SQLite
 * would play the one back into the other. */
static enum error separate_foreign_log(struct work *work)
{
    const char *when;
    enum error error;

    if (!log_holds_something(work) || (is_as_recorded(work, RECORD_MAIN) && has_session(work) &&
                                       is_as_recorded(work, RECORD_LOG)))
        return ERROR_NONE;
    when = arena_print(work->arena, "%lld", (long long)(clock_unix_microseconds() / 1000000));
    error = set_aside(work, "-wal", when);
    if (!error)
        error = set_aside(work, "-shm", when);
    snprintf(work->established->note, sizeof work->established->note,
             "file and log do not belong together: the log is kept as %.200s-wal.before-%s",
             path_of(work), when);
    return error;
}

static enum error read_tables(struct work *work, int64_t counts[3])
{
    struct query *query = db_query(work->db, &count_tables);

    if (query_next(query))
        for (int i = 0; i < 3; i++)
            counts[i] = query_integer(query, i);
    return query_end(query, work->problem);
}

static enum error read_id(struct work *work)
{
    struct query *query = db_query(work->db, &read_identity);

    if (query_next(query)) {
        snprintf(work->found.id, sizeof work->found.id, "%s", query_text(query, 0, work->arena));
        snprintf(work->found.service, sizeof work->found.service, "%s",
                 query_text(query, 1, work->arena));
        work->found.finding = work->found.id[0] ? FOUND_IDENTITY : FOUND_OURS; /* a backup */
    }
    return query_end(query, work->problem);
}

/* The table of migrations is ours when it names our files, or newer ones. */
static bool knows_migrations(const struct work *work)
{
    struct db_schema_state state;
    struct problem problem = {0};

    return !db_schema_state(work->db, &work->plan->schema, &state, &problem) ||
           strcmp(problem.reason, "schema_newer") == 0;
}

static enum error inspect_tables(struct work *work)
{
    int64_t counts[3] = {0};
    enum error error = read_tables(work, counts);

    if (error)
        return error;
    if (counts[1])
        error = read_id(work);
    if (error || work->found.service[0])
        return error;
    if (counts[2])
        work->found.finding = knows_migrations(work) ? FOUND_OURS : FOUND_FOREIGN;
    else /* beside others' tables there is room on a server */
        work->found.finding = counts[0] && on_sqlite(work) ? FOUND_FOREIGN : FOUND_NOTHING;
    return ERROR_NONE;
}

static enum error inspect(struct work *work)
{
    enum error error = ERROR_NONE;
    bool exchanged = false;

    if (on_sqlite(work)) {
        if (!inspect_file(work, &error))
            return error;
        exchanged = was_exchanged(work);
        error = exchanged ? separate_foreign_log(work) : ERROR_NONE;
    }
    if (!error)
        error = inspect_tables(work);
    if (!error && exchanged) /* who knows what has been written into it */
        error = check_integrity(work->db, work->arena, work->problem);
    if (error && strcmp(work->problem->reason, "database_corrupt") == 0)
        return refuse(work, "database_corrupt",
                      "it is damaged or no database; restore a backup, or name another file");
    return error;
}

/* There is a record: only its database will do. */
static enum error compare(const struct work *work)
{
    static const char *const lost[] = {
        [FOUND_NOTHING] = "the database is gone: put it back, or restore a backup",
        [FOUND_EMPTY] = "the database is gone, an empty file is in its place: restore a backup",
        [FOUND_OURS] = "this is another database than the one of the last start",
        [FOUND_IDENTITY] = "this is another database than the one of the last start",
        [FOUND_FOREIGN] = "this is no database of the service"};
    bool empty = work->found.finding == FOUND_NOTHING || work->found.finding == FOUND_EMPTY;
    bool usable = work->found.finding == FOUND_OURS || work->found.finding == FOUND_IDENTITY;

    if (work->found.finding == FOUND_IDENTITY && strcmp(work->found.id, work->record.id) == 0)
        return ERROR_NONE;
    if ((work->purpose == DB_CREATE && empty) || (work->purpose == DB_ADOPT && usable))
        return ERROR_NONE;
    return problem_set(work->problem, ERROR_CONFLICT, "database_lost",
                       "%s: %s. The record %s names the database of %s; to use what is there from "
                       "now on: `database adopt`, to begin anew: `database create`",
                       db_shown_target(work->db), lost[work->found.finding], work->path,
                       work->record.target);
}

static enum error judge(const struct work *work)
{
    enum finding finding = work->found.finding;

    if (work->found.service[0] && strcmp(work->found.service, work->plan->service) != 0)
        return refuse(
            work, "database_foreign",
            arena_print(work->arena, "it is the database of the service %s", work->found.service));
    if (work->recorded)
        return compare(work);
    if (finding == FOUND_FOREIGN)
        return refuse(work, "database_foreign",
                      "it holds something else than a database of this service");
    if (finding == FOUND_EMPTY && work->purpose != DB_CREATE)
        return refuse(work, "database_lost",
                      "the file is empty, as one that was lost: restore a backup, or remove it, or "
                      "`database create`");
    if (work->purpose == DB_CREATE && finding != FOUND_NOTHING && finding != FOUND_EMPTY)
        return refuse(work, "database_foreign", "there is a database already");
    if (work->purpose == DB_ADOPT && finding == FOUND_NOTHING)
        return refuse(work, "database_lost", "there is nothing to adopt");
    return ERROR_NONE;
}

static enum error write_identity(struct work *work)
{
    struct query *query = db_query(work->db, &delete_identity);
    char now[CLOCK_TEXT_MAX];
    enum error error = query_end(query, work->problem);

    if (error)
        return error;
    token_uuid(work->found.id);
    clock_format(clock_unix_microseconds(), now);
    query = db_query(work->db, &insert_identity);
    query_bind_text(query, work->found.id);
    query_bind_text(query, work->plan->service);
    query_bind_text(query, work->record.session);
    query_bind_text(query, now);
    return query_end(query, work->problem);
}

static enum error write_session(struct work *work)
{
    struct query *query = db_query(work->db, &set_session);

    query_bind_text(query, work->record.session);
    return query_end(query, work->problem);
}

/* The id where there is none; a start on another host may have been faster. */
static enum error settle_identity(struct work *work)
{
    enum error error = db_lock(work->db, "identity", work->problem);

    if (!error)
        error = work->db->engine->script(work->db, create_tables, work->problem);
    if (!error)
        error = read_id(work);
    if (error)
        return error;
    if (work->found.finding != FOUND_IDENTITY)
        return write_identity(work);
    return judge(work);
}

/* The id, and the mark of this start. */
static enum error mark(struct work *work)
{
    bool has_id = work->found.finding == FOUND_IDENTITY;
    enum error error = db_begin(work->db, DB_WRITE, work->problem);

    if (error)
        return error;
    if (!has_id)
        error = settle_identity(work);
    if (!error && on_sqlite(work))
        error = write_session(work);
    return db_finish(work->db, error, work->problem);
}

/* Where in the file the mark stands: on the only page of its table. */
static enum error locate_session(struct work *work)
{
    struct query *query = db_query(work->db, &find_page);
    int64_t page_at = 0, page_size = 0;
    const char *found;
    enum error error;
    char *page;
    int file;

    if (query_next(query)) {
        page_at = query_integer(query, 0);
        page_size = query_integer(query, 2);
    }
    error = query_end(query, work->problem);
    if (error)
        return error;
    db_disconnect(work->db); /* before the file is opened and closed past SQLite, which would drop
                                its locks */
    page = arena_alloc(work->arena, (size_t)page_size);
    file = open(path_of(work), O_RDONLY | O_CLOEXEC);
    if (file < 0 || pread(file, page, (size_t)page_size, page_at) != page_size)
        found = NULL;
    else
        found = memmem(page, (size_t)page_size, work->record.session, strlen(work->record.session));
    if (file >= 0)
        close(file);
    if (!found)
        return refuse(work, "database_lost", "what was just written is not in the file");
    work->record.session_at = page_at + (found - page);
    return ERROR_NONE;
}

/* The files as they are from now on. The log outlives the last handle (connect() of SQLite sees to
 * that), so the next process finds the same. */
static enum error locate_files(struct work *work)
{
    bool logged = work->plan->options.journal_mode == DB_JOURNAL_WAL;

    for (int i = 0; i < (logged ? RECORD_FILE__MAX : 1); i++)
        if (!file_id_of(path_of(work), (enum record_file)i, &work->record.files[i]))
            return problem_set(work->problem, ERROR_UNAVAILABLE, "database_unavailable", "%s: %s",
                               path_of(work), strerror(errno));
    return ERROR_NONE;
}

static enum error locate(struct work *work)
{
    enum error error = ERROR_NONE;

    work->record.session_at = -1;
    memset(work->record.files, 0, sizeof work->record.files);
    if (!on_sqlite(work))
        return ERROR_NONE;
    error = db_maintain(work->db, work->problem); /* all of it into the file itself */
    if (!error)
        error = locate_session(work);
    return error ? error : locate_files(work);
}

static enum error change(struct work *work)
{
    bool made = work->found.finding == FOUND_NOTHING || work->found.finding == FOUND_EMPTY;
    bool same = work->recorded && work->found.finding == FOUND_IDENTITY &&
                strcmp(work->found.id, work->record.id) == 0;
    enum error error;

    work->established->created = made;
    work->established->adopted = !made && !same;
    token_uuid(work->record.session);
    error = db_migrate(work->db, &work->plan->schema, work->problem);
    if (!error)
        error = mark(work);
    if (!error)
        error = locate(work);
    if (error)
        return error;
    snprintf(work->record.id, sizeof work->record.id, "%s", work->found.id);
    snprintf(work->record.service, sizeof work->record.service, "%s", work->plan->service);
    snprintf(work->record.target, sizeof work->record.target, "%s", db_shown_target(work->db));
    work->record.credentials = same && work->record.credentials;
    work->record.lost = false;
    return record_write(work->path, &work->record, work->problem);
}

static enum error make_state_directory(const struct work *work)
{
    if (mkdir(work->plan->state_directory, 0700) == 0 || errno == EEXIST)
        return ERROR_NONE;
    return problem_set(work->problem, ERROR_SYSTEM, "database_record", "%s: %s",
                       work->plan->state_directory, strerror(errno));
}

/* The file as it lies there, which nobody may open in the usual way now: a log beside it that is
 * not its own would be played into it. */
static enum error inspect_file_alone(struct work *work)
{
    enum error error = ERROR_NONE;

    if (inspect_file(work, &error)) {
        if (!was_exchanged(work))
            return ERROR_NONE;
        if (sqlite_read_identity(path_of(work), work->found.id, work->found.service))
            work->found.finding = work->found.id[0] ? FOUND_IDENTITY : FOUND_OURS;
    }
    return error ? error : judge(work);
}

static enum error inspect_only(struct work *work)
{
    enum error error = ERROR_NONE;

    if (on_sqlite(work))
        return work->recorded ? inspect_file_alone(work) : ERROR_NONE;
    error = inspect_tables(work);
    return error ? error : judge(work);
}

static enum error replace(struct work *work)
{
    if (!work->replacement)
        return ERROR_NONE;
    return on_sqlite(work) ? sqlite_replace(work->db, work->replacement, work->problem)
                           : postgres_replace(work->db, work->replacement, work->problem);
}

static void replace_undo(struct work *work)
{
    if (work->replacement && on_sqlite(work))
        sqlite_replace_undo(work->db, work->replacement);
    else if (work->replacement)
        postgres_replace_undo(work->db, work->replacement);
}

static enum error provision(struct work *work)
{
    enum error error = make_state_directory(work);

    if (error)
        return error;
    error = record_read(work->path, &work->record, &work->lock, work->problem);
    if (error && error != ERROR_NOT_FOUND)
        return error;
    work->recorded = !error;
    if (work->purpose == DB_INSPECT)
        return inspect_only(work);
    work->established->running = work->recorded && work->lock < 0;
    if (work->established->running)
        return work->purpose == DB_START ? find_again(work)
                                         : problem_set(work->problem, ERROR_BUSY, "service_running",
                                                       "the service runs; stop it first");
    error = replace(work);
    if (!error)
        error = inspect(work);
    if (!error)
        error = judge(work);
    if (!error)
        error = change(work);
    if (error)
        replace_undo(work);
    return error;
}

enum error db_provision(const struct store_plan *plan, enum db_purpose purpose,
                        struct db_provisioned *established, struct problem *problem)
{
    return db_provision_with(plan, purpose, NULL, established, problem);
}

enum error db_provision_with(const struct store_plan *plan, enum db_purpose purpose,
                             struct replacement *replacement, struct db_provisioned *established,
                             struct problem *problem)
{
    struct work work = {.plan = plan,
                        .purpose = purpose,
                        .replacement = replacement,
                        .lock = -1,
                        .established = established,
                        .problem = problem};
    struct db_options options = plan->options;
    enum error error;

    *established = (struct db_provisioned){0};
    options.identity_file = NULL;
    options.keep_log = true;
    work.arena = arena_create(MEMORY_MAX);
    if (!work.arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    work.path = db_identity_path(work.arena, plan);
    error = db_open(plan->target, &options, &work.db, problem);
    if (!error)
        error = provision(&work);
    if (work.db)
        db_close(work.db);
    if (work.lock >= 0)
        close(work.lock);
    arena_destroy(work.arena);
    return error;
}

enum error db_check(const struct store_plan *plan, struct problem *problem)
{
    struct db_options options = plan->options;
    struct arena *arena = arena_create(MEMORY_MAX);
    struct db *db;
    enum error error;

    if (!arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    options.identity_file = db_identity_path(arena, plan);
    options.statement_timeout_ms = 0;
    error = db_open(plan->target, &options, &db, problem);
    if (!error) {
        error = check_integrity(db, arena, problem);
        db_close(db);
    }
    arena_destroy(arena);
    return error;
}
