/*
 * Words from one PostgreSQL session to others: who tells does it in a transaction, and listeners
 * hear of it when that was committed. A word may be missed (while nobody is connected), so it is
 * no more than a reason to look now. SQLite has no other hosts: nothing is told there.
 */
#ifndef ASSAY_DB_LISTEN_H
#define ASSAY_DB_LISTEN_H

#include "db/db.h"

/* Tells those who listen on `channel`, once the transaction is committed. */
MUST_CHECK enum error db_tell(struct db *db, const char *channel, const char *text,
                              struct problem *problem);

/* From now on this connection hears of `channel`, a constant name of letters and underscores.
 * Connects if need be. ERROR_UNAVAILABLE listen_impossible on SQLite. */
MUST_CHECK enum error db_listen(struct db *db, const char *channel, struct problem *problem);

/* What can be waited for; -1 without a connection. */
int db_listen_file(const struct db *db);

/* Takes what has arrived: true when there was any. ERROR_UNAVAILABLE in `problem` when the
 * connection is gone: then db_listen() begins anew, and something may have been missed. */
bool db_heard(struct db *db, struct problem *problem);

#endif
