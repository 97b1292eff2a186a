/*
 * The identity of a database: how a service knows that it works with the right one. A database
 * carries a random id. A record of that id lies outside of it, in a file of the state directory. A
 * handle whose options name the record works with that database alone: it creates none, and fails
 * with `database_replaced` when it finds another, an empty or no database. Only db_provision()
 * creates databases and records, for the launcher and for operators.
 *
 * For SQLite the record also holds device and inode of each file of the database, and a token that
 * the last start wrote into the file. They are compared before every transaction, so a file that
 * was moved, removed, exchanged or overwritten is noticed. When one worker has noticed it, all of
 * them refuse until the service is stopped and started, or reloaded with the same files in place
 * again. A file that cannot be read for a moment is a different case: only the requests of that
 * moment fail.
 *
 * Knows no service: four of them use the same records.
 */
#ifndef ASSAY_DB_IDENTITY_H
#define ASSAY_DB_IDENTITY_H

#include "db/store.h"

/* The record of a service, `<state directory>/<service>.identity`, from the arena; NULL when none
 * is kept. */
const char *db_identity_path(struct arena *arena, const struct store_plan *plan);

enum db_purpose {
    DB_START,  /* as at every start: make one where there never was one, else find the right one;
                  while workers use it: take it for found again when its files are back */
    DB_CREATE, /* begin anew, in place of one that is gone */
    DB_ADOPT,  /* from now on the one that is there, whatever was there before */
    DB_INSPECT /* would a start find the right one? Changes nothing, also while workers use it */
};

struct db_provisioned {
    bool created;
    bool adopted;   /* it was there before there was a record of it */
    bool running;   /* workers use it: only the record and the places of the files were compared */
    char note[400]; /* what an operator should know; "" mostly */
};

/*
 * Finds or makes the database, brings its schema up to date, and writes the record; the plan
 * must have a state directory. Errors:
 *   ERROR_UNAVAILABLE  it cannot be reached or read now; the record is as it was
 *   ERROR_CONFLICT     database_lost, database_foreign: another database than the record's, or
 *                      somebody else's file; nothing was changed
 *   ERROR_BUSY         service_running, for DB_CREATE and DB_ADOPT
 */
MUST_CHECK enum error db_provision(const struct store_plan *plan, enum db_purpose purpose,
                                   struct db_provisioned *established, struct problem *problem);

/* Is it the database of the record, and whole? ERROR_UNAVAILABLE database_corrupt, with what SQLite
 * found first, when it is not. */
MUST_CHECK enum error db_check(const struct store_plan *plan, struct problem *problem);

/* Whether the record says that credentials are kept in the database: without them nobody may be let
 * in, whatever the database says. False without a record. */
bool db_credentials_noted(const struct db *db);

/* Says so in the record, or takes it back. ERROR_SYSTEM when that cannot be written. Does nothing
 * without a record. */
MUST_CHECK enum error db_note_credentials(struct db *db, bool kept, struct problem *problem);

#endif
