/*
 * LISTEN and NOTIFY of PostgreSQL. A notification is sent inside a transaction and delivered when
 * the transaction commits. A listener that is not connected misses it, so a notification is only a
 * hint to read the database now. On SQLite, which has no other hosts, nothing is sent.
 */
#ifndef ASSAY_DB_LISTEN_H
#define ASSAY_DB_LISTEN_H

#include "db/db.h"

/* Notifies the listeners of `channel` when the transaction commits. */
MUST_CHECK enum error db_notify(struct db *db, const char *channel, const char *text,
                                struct problem *problem);

/* Subscribes this connection to `channel`, a constant name of letters and underscores. Connects if
 * necessary. ERROR_UNAVAILABLE listen_impossible on SQLite. */
MUST_CHECK enum error db_listen(struct db *db, const char *channel, struct problem *problem);

/* The file descriptor to wait on; -1 without a connection. */
int db_listen_file(const struct db *db);

/* Takes the notifications that have arrived: true when there were any. ERROR_UNAVAILABLE in
 * `problem` when the connection was lost: call db_listen() again; notifications may be missing. */
bool db_notified(struct db *db, struct problem *problem);

#endif
