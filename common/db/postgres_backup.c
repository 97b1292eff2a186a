/*
 * Backups on a server, by the programs that come with it. They learn where the server is, and the
 * password, from a service file in memory, so that neither stands in a list of processes or on a
 * disk.
 *
 * What is backed up is the schema that the service uses. What is brought back is one transaction:
 * the schema before gets another name, and a new one is filled; then either all of it is there or
 * nothing has changed.
 */
#include "db/backup_engine.h"
#include "db/postgres.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 250, ENVIRONMENT_MAX = 512, ARGUMENTS_MAX = 16 };

static const struct statement find_schema = {
    .name = "backup_schema",
    .sqlite = "SELECT '', 0",
    .postgres = "SELECT coalesce(current_schema(), 'public'), CAST(EXISTS (SELECT 1 FROM"
                " pg_namespace WHERE nspname = coalesce(current_schema(), 'public')) AS integer)"};

/* A program that runs: what it is called, and its standard streams (-1 = ours). */
struct tool {
    const char *arguments[ARGUMENTS_MAX];
    int input, output;
    int service; /* the file that says where the server is; -1 = none is needed */
    pid_t process;
};

static enum error failed(struct problem *problem, const char *what)
{
    return problem_set(problem, ERROR_SYSTEM, "backup_failed", "%s: %s", what, strerror(errno));
}

/* One line per parameter, taken as it is to the end of the line, without blanks at the end. */
static bool service_can_hold(const char *value)
{
    size_t length = strlen(value);

    return !strchr(value, '\n') && !strchr(value, '\r') &&
           (!length || !strchr(" \t\v\f", value[length - 1]));
}

static enum error write_service(const struct target *target, int *service, struct problem *problem)
{
    int file = memfd_create("service", 0);

    *service = file;
    if (file < 0 || dprintf(file, "[assay]\n") < 0)
        return failed(problem, "the service file");
    for (int i = 0; i < target->keyword_count; i++) {
        if (!service_can_hold(target->values[i]) || strcmp(target->keywords[i], "service") == 0)
            return problem_set(problem, ERROR_INVALID, "database_target",
                               "pg_dump cannot be told the parameter %s of the database URL",
                               target->keywords[i]);
        if (dprintf(file, "%s=%s\n", target->keywords[i], target->values[i]) < 0)
            return failed(problem, "the service file");
    }
    return ERROR_NONE;
}

/* Ours without what would speak for libpq, and with the service. */
static void fill_environment(const char **environment, const char *file)
{
    int count = 0;

    for (char **entry = environ; *entry && count < ENVIRONMENT_MAX - 5; entry++)
        if (strncmp(*entry, "PG", 2) != 0 && strncmp(*entry, "LC_", 3) != 0)
            environment[count++] = *entry;
    environment[count++] = "LC_ALL=C";
    environment[count++] = "PGAPPNAME=assay-backup";
    if (*file) {
        environment[count++] = "PGSERVICE=assay";
        environment[count++] = file;
    }
    environment[count] = NULL;
}

static enum error start(struct tool *tool, struct problem *problem)
{
    const char *environment[ENVIRONMENT_MAX];
    posix_spawn_file_actions_t actions;
    char service[64] = "";
    int result;

    if (tool->service >= 0)
        snprintf(service, sizeof service, "PGSERVICEFILE=/proc/self/fd/%d", tool->service);
    fill_environment(environment, service);
    posix_spawn_file_actions_init(&actions);
    if (tool->input >= 0)
        posix_spawn_file_actions_adddup2(&actions, tool->input, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (tool->output >= 0)
        posix_spawn_file_actions_adddup2(&actions, tool->output, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    result = posix_spawnp(&tool->process, tool->arguments[0], &actions, NULL,
                          (char *const *)tool->arguments, (char *const *)environment);
    posix_spawn_file_actions_destroy(&actions);
    if (!result)
        return ERROR_NONE;
    tool->process = 0;
    return problem_set(problem, ERROR_SYSTEM, "backup_failed",
                       "%s cannot be run: %s (tools/install-packages run installs it)",
                       tool->arguments[0], strerror(result));
}

static void report_size(const char *path, const struct db_backup_watch *watch)
{
    struct stat status;

    if (watch && watch->report && stat(path, &status) == 0)
        watch->report(watch->context, status.st_size, 0);
}

/* Its exit status, 0 for success. While it runs it reports the size of `path`; NULL = it reports
 * nothing. */
static int await(const struct tool *tool, const char *path, const struct db_backup_watch *watch)
{
    struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(tool->process, &status, path ? WNOHANG : 0)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (ended == 0)
            nanosleep(&pause, NULL);
        if (path)
            report_size(path, watch);
    }
    return ended < 0 ? -1 : status;
}

static enum error end(const struct tool *tool, const char *path,
                      const struct db_backup_watch *watch, struct problem *problem)
{
    if (await(tool, path, watch) == 0)
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "backup_failed", "%s has failed; see above",
                       tool->arguments[0]);
}

/* pg_dump and psql set their session up, and a pooler would give that session to a service. */
static enum error refuse_pooler(const struct db *db, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;

    if (!connection || !connection->pooled)
        return ERROR_NONE;
    return problem_set(problem, ERROR_CONFLICT, "backup_refused",
                       "the URL of the database leads to a pooler; give the URL of the server "
                       "itself for this call");
}

static enum error read_schema(struct db *db, char *name, size_t size, bool *exists,
                              struct problem *problem)
{
    char bytes[1024];
    struct arena *arena = arena_create(sizeof bytes * 64);
    struct query *query;
    enum error error;

    if (!arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    query = db_query(db, &find_schema);
    if (query_next(query)) {
        snprintf(name, size, "%s", query_text(query, 0, arena));
        *exists = query_integer(query, 1) != 0;
    }
    error = query_end(query, problem);
    if (!error && strpbrk(name, "\"\\\n"))
        error = problem_set(problem, ERROR_INVALID, "backup_refused",
                            "the name of the schema has a character that pg_dump cannot be told");
    if (!error)
        error = refuse_pooler(db, problem);
    arena_destroy(arena);
    return error;
}

enum error postgres_backup(struct db *db, const char *path, const struct db_backup_watch *watch,
                           struct problem *problem)
{
    char schema[BACKUP_NAME_MAX] = "", wanted[BACKUP_NAME_MAX + 16], without[BACKUP_NAME_MAX + 64],
         into[BACKUP_PATH_MAX + 16];
    struct tool dump = {.arguments = {"pg_dump", "--format=custom", "--no-owner", "--no-privileges",
                                      wanted, without, into, NULL},
                        .input = -1,
                        .output = -1,
                        .service = -1};
    bool exists = false;
    enum error error = read_schema(db, schema, sizeof schema, &exists, problem);

    if (error)
        return error;
    snprintf(wanted, sizeof wanted, "--schema=\"%s\"", schema);
    snprintf(without, sizeof without, "--exclude-table-data=\"%s\".assay_identity", schema);
    snprintf(into, sizeof into, "--file=%s", path);
    error = write_service(&db->target, &dump.service, problem);
    if (!error)
        error = start(&dump, problem);
    if (!error)
        error = end(&dump, path, watch, problem);
    if (!error)
        error = postgres_backup_verify(path, problem);
    if (dump.service >= 0)
        close(dump.service);
    return error;
}

/* Reading all of it is the check: every piece is compressed and has a length. */
enum error postgres_backup_verify(const char *path, struct problem *problem)
{
    struct tool reader = {.arguments = {"pg_restore", "--file=/dev/null", path, NULL},
                          .input = -1,
                          .output = -1,
                          .service = -1};
    enum error error = start(&reader, problem);

    if (error || await(&reader, NULL, NULL) == 0)
        return error;
    return problem_set(problem, ERROR_CONFLICT, "backup_refused", "%s is damaged", path);
}

static enum error write_prelude(int to, const struct replacement *replacement,
                                struct problem *problem)
{
    const char *schema = replacement->place, *aside = replacement->aside;
    bool written = dprintf(to, "BEGIN;\n") > 0;

    if (written && aside[0])
        written = dprintf(to, "ALTER SCHEMA \"%s\" RENAME TO \"%s\";\n", schema, aside) > 0;
    if (written)
        written = dprintf(to, "CREATE SCHEMA \"%s\";\n", schema) > 0;
    return written ? ERROR_NONE : failed(problem, "psql");
}

/* What pg_restore says goes to psql inside a transaction that only we end. */
static enum error feed(int to, const struct replacement *replacement, struct problem *problem)
{
    char wanted[BACKUP_NAME_MAX + 16];
    struct tool reader = {.arguments = {"pg_restore", "--no-owner", "--no-privileges", wanted,
                                        "--file=-", replacement->file, NULL},
                          .input = -1,
                          .output = to,
                          .service = -1};
    enum error error = write_prelude(to, replacement, problem);

    snprintf(wanted, sizeof wanted, "--schema=%.79s", replacement->place);
    if (!error)
        error = start(&reader, problem);
    if (!error)
        error = end(&reader, NULL, NULL, problem);
    if (!error && dprintf(to, "\nCOMMIT;\n") < 0)
        error = failed(problem, "psql");
    return error;
}

static enum error play(const struct target *target, const struct replacement *replacement,
                       struct problem *problem)
{
    struct tool writer = {
        .arguments = {"psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-", NULL},
        .output = -1};
    int ends[2];
    enum error error = write_service(target, &writer.service, problem), other;

    if (!error && pipe2(ends, O_CLOEXEC) != 0)
        error = failed(problem, "psql");
    if (error) {
        if (writer.service >= 0)
            close(writer.service);
        return error;
    }
    writer.input = ends[0];
    error = start(&writer, problem);
    close(ends[0]);
    close(writer.service);
    if (error) {
        close(ends[1]);
        return error;
    }
    error = feed(ends[1], replacement, problem);
    close(ends[1]);
    other = end(&writer, NULL, NULL, error ? NULL : problem);
    return error ? error : other;
}

enum error postgres_replace(struct db *db, struct replacement *replacement, struct problem *problem)
{
    char schema[BACKUP_NAME_MAX] = "";
    bool exists = false;
    enum error error = read_schema(db, schema, sizeof schema, &exists, problem);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);

    snprintf(replacement->place, sizeof replacement->place, "%s", schema);
    if (exists) /* names end after 63 bytes */
        snprintf(replacement->aside, sizeof replacement->aside, "%.36s_before_%s", schema,
                 replacement->when);
    if (!error)
        error = play(&db->target, replacement, problem);
    replacement->done = !error;
    signal(SIGPIPE, before);
    db_disconnect(db); /* what it has prepared names the tables before */
    return error;
}

void postgres_replace_undo(struct db *db, struct replacement *replacement)
{
    char sql[2 * BACKUP_NAME_MAX + 200];
    struct problem problem;
    enum error error;
    int length;

    if (!replacement->done)
        return;
    length = snprintf(sql, sizeof sql, "DROP SCHEMA \"%.79s\" CASCADE;", replacement->place);
    if (replacement->aside[0])
        snprintf(sql + length, sizeof sql - (size_t)length,
                 "ALTER SCHEMA \"%.79s\" RENAME TO \"%.79s\";", replacement->aside,
                 replacement->place);
    db_disconnect(db);
    error = db_begin(db, DB_WRITE, &problem);
    if (!error)
        error = db_finish(db, db->engine->script(db, sql, &problem), &problem);
    if (error)
        db_warn("the schema %s could not be put back: %s", replacement->aside, problem.text);
}
