/*
 * What the storage of every service needs: one handle per worker, opened and brought up to date
 * before the first request, and the forms of times, ids and shards. Settings, tables and SQL are
 * the service's own.
 */
#ifndef ASSAY_DB_STORE_H
#define ASSAY_DB_STORE_H

#include "base/arena.h"
#include "db/db.h"
#include "db/migrate.h"

struct store;

/* Where a service stores; strings are copied. */
struct store_plan {
    const char *service;         /* whose database it is, in its record and in itself */
    const char *state_directory; /* of the record (identity.h); NULL or "" = none is kept */
    const char *target; /* as db_open() takes it; folders of a plain path are made when needed */
    const char *files;  /* a folder whose files the rows speak of; NULL = none. Part of a backup */
    struct db_options options;
    struct db_schema schema; /* its backfills must outlive the store */
};

/* Makes the handle; connects to nothing. Memory from `arena`. Errors as of db_open(). */
MUST_CHECK enum error store_open(struct arena *arena, const struct store_plan *plan,
                                 struct store **store, struct problem *problem);
void store_close(struct store *store);

/* The folder of the SQLite file, in which all files of the database lie; NULL on a server. From the
 * arena, its links followed as far as it exists. */
const char *store_folder(const struct store *store, struct arena *arena);

/*
 * Opens the database and brings its schema up to date: of all processes that do so at the same time
 * one migrates and the others wait. Does nothing when it has succeeded before in this process.
 * Programs call it, and so do workers by the function below.
 */
MUST_CHECK enum error store_prepare(struct store *store, struct db **db, struct problem *problem);

/* For a worker, before its first request and then once a second: prepares the store unless that has
 * been done, and gives the connection to a server back. A failure is logged, again when its reason
 * changes, and store_database() answers it until a later call succeeds. */
void store_attach(struct store *store);

/* For handlers: the handle that store_attach() has prepared, or why it could not. */
MUST_CHECK enum error store_database(struct store *store, struct db **db, struct problem *problem);

/* The handle as it is, for checks of health. */
struct db *store_handle(struct store *store);
const struct db_schema *store_schema(const struct store *store);

/* Now, in the form that all timestamps have. From the arena. */
const char *store_now(struct arena *arena);

/* A moment later than `than` (NULL = any): now, or the microsecond after `than` when another host's
 * clock, or this one before it was set back, was ahead. From the arena. */
const char *store_later(struct arena *arena, const char *than);

/* Could be the id of a stored thing: only then is it worth asking the database. */
bool store_is_id(const char *text);

/* The shard of counting tables that this process writes: the same for all on SQLite, which has one
 * writer anyway, spread over STORE_SHARDS on a server. */
enum { STORE_SHARDS = 16 };
int64_t store_shard(const struct db *db);

#endif
