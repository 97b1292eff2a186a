/* Taking a backup of either engine, looking whether one is good, and bringing it back. */
#include "db/backup.h"
#include "db/backup_engine.h"
#include "db/record.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY_MAX = 16 * 1024 * 1024, WHEN_MAX = 24 };

static const char *const suffixes[DB_ENGINE__MAX] = {
    [DB_SQLITE] = "sqlite3", [DB_POSTGRES] = "pgdump"};

static const char *path_for(struct arena *arena, const struct store_plan *plan, const char *folder,
                            enum db_engine engine)
{
    return arena_print(arena, "%s/%s.%s", folder, plan->service, suffixes[engine]);
}

enum error backup_sync(const char *path, struct problem *problem)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && fsync(file) == 0;
    int number = errno;

    if (file >= 0)
        close(file);
    if (done)
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "backup_failed", "%s: %s", path, strerror(number));
}

static enum error no_memory(struct problem *problem)
{
    return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory");
}

static enum error take(struct db *db, const char *path, const char *part,
                       const struct db_backup_watch *watch, struct problem *problem)
{
    enum error error = db_engine(db) == DB_SQLITE ? sqlite_backup(db, part, watch, problem)
                                                  : postgres_backup(db, part, watch, problem);

    if (!error) { /* what was copied must be the right one from the first page to the last */
        db->verified = false;
        error = db_verify(db, problem);
    }
    if (!error)
        error = backup_sync(part, problem);
    if (!error && rename(part, path) != 0)
        error =
            problem_set(problem, ERROR_SYSTEM, "backup_failed", "%s: %s", path, strerror(errno));
    if (error)
        unlink(part);
    return error;
}

enum error db_backup(const struct store_plan *plan, const char *folder,
                     const struct db_backup_watch *watch, struct problem *problem)
{
    struct db_options options = plan->options;
    struct arena *arena = arena_create(MEMORY_MAX);
    struct db *db = NULL;
    const char *path;
    enum error error;

    if (!arena)
        return no_memory(problem);
    options.identity_file = db_identity_path(arena, plan);
    options.pool_directory = NULL;
    options.statement_timeout_ms = 0;
    error = db_open(plan->target, &options, &db, problem);
    if (!error)
        error = db_connect(db, problem);
    if (!error) {
        path = path_for(arena, plan, folder, db_engine(db));
        error = take(db, path, arena_print(arena, "%s.part", path), watch, problem);
    }
    db_close(db);
    arena_destroy(arena);
    return error;
}

/* Which file of the folder it is; the other engine's is no use here. */
static enum error find(struct arena *arena, const struct store_plan *plan, const char *folder,
                       enum db_engine *engine, const char **path, struct problem *problem)
{
    struct target target;
    enum error error = target_parse(plan->target, arena, &target, problem);

    if (error)
        return error;
    *engine = target.engine;
    *path = path_for(arena, plan, folder, target.engine);
    if (access(*path, R_OK) == 0)
        return ERROR_NONE;
    for (int other = 0; other < DB_ENGINE__MAX; other++)
        if (access(path_for(arena, plan, folder, (enum db_engine)other), R_OK) == 0)
            return problem_set(problem, ERROR_CONFLICT, "backup_refused",
                               "the backup is one of another engine (%s), the settings name %s",
                               suffixes[other], target.shown);
    return problem_set(problem, ERROR_CONFLICT, "backup_refused", "there is no %s: %s", *path,
                       strerror(errno));
}

static enum error verify(struct arena *arena, const struct store_plan *plan, const char *folder,
                         const char **path, struct problem *problem)
{
    enum db_engine engine;
    enum error error = find(arena, plan, folder, &engine, path, problem);

    if (error)
        return error;
    return engine == DB_SQLITE ? sqlite_backup_verify(*path, plan->service, problem)
                               : postgres_backup_verify(*path, problem);
}

enum error db_backup_verify(const struct store_plan *plan, const char *folder,
                            struct problem *problem)
{
    struct arena *arena = arena_create(MEMORY_MAX);
    const char *path;
    enum error error;

    if (!arena)
        return no_memory(problem);
    error = verify(arena, plan, folder, &path, problem);
    arena_destroy(arena);
    return error;
}

enum error db_restore(const struct store_plan *plan, const char *folder,
                      struct db_provisioned *established, struct problem *problem)
{
    struct arena *arena = arena_create(MEMORY_MAX);
    struct replacement replacement = {0};
    char when[WHEN_MAX];
    time_t now = (time_t)(clock_unix_microseconds() / 1000000);
    struct tm parts;
    enum error error;

    if (!arena)
        return no_memory(problem);
    gmtime_r(&now, &parts);
    strftime(when, sizeof when, "%Y%m%dt%H%M%Sz", &parts);
    replacement.when = when;
    error = verify(arena, plan, folder, &replacement.file, problem);
    if (!error)
        error = db_provision_with(plan, DB_ADOPT, &replacement, established, problem);
    if (!error && replacement.aside[0])
        snprintf(established->note, sizeof established->note, "the one before is kept as %.300s",
                 replacement.aside);
    arena_destroy(arena);
    return error;
}
