/*
 * Bringing a database to the schema of the program. The migrations of a service are the files
 * NNNN_what.sql of one directory, applied once each, in order, each in a transaction of its own;
 * any number of processes may start at the same moment. docs/develop/database.md describes the
 * files.
 */
#ifndef ASSAY_DB_MIGRATE_H
#define ASSAY_DB_MIGRATE_H

#include "db/db.h"

/*
 * What SQL alone cannot bring up to date, such as texts that are folded by a program. `run` is
 * called when all files are applied, until it has said ERROR_NONE once; then its name is written
 * down and it is never called again, unless `every_start` asks for a call by each process. Several
 * processes may run it at the same time, and one that dies leaves it half done: it works in
 * transactions of its own and passes over what is done.
 */
struct db_backfill {
    const char *name; /* never to be changed */
    enum error (*run)(struct db *db, struct problem *problem);
    bool every_start;
};

/*
 * `version` is the number under which each engine reports that all files are applied; 0 means the
 * number of the last file. On SQLite it is also stored as user_version. Files may be numbered
 * beyond it: what is asked outside for a fixed version does not end what can be migrated.
 */
struct db_schema {
    const char *directory;
    int version[DB_ENGINE__MAX];
    const struct db_backfill *backfills; /* ends with a name of NULL; NULL = none */
};

struct db_schema_state {
    int current;  /* `required` when no file is missing; else less, the last applied one's number
                     where that is less */
    int required; /* the version when all files are applied */
    int pending;  /* files not yet applied */
};

/*
 * Applies what is missing, backfills last. ERROR_UNAVAILABLE with reason schema_newer when the
 * database has been migrated by a newer program; ERROR_SYSTEM with migration_failed, naming the
 * file, when one cannot be read or applied: that file has then left no trace. Waits up to a minute
 * for another process that is migrating. Must not be called inside a transaction.
 */
MUST_CHECK enum error db_migrate(struct db *db, const struct db_schema *schema,
                                 struct problem *problem);

/* How far the database is, without changing it; same errors. */
MUST_CHECK enum error db_schema_state(struct db *db, const struct db_schema *schema,
                                      struct db_schema_state *state, struct problem *problem);

#endif
