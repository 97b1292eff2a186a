/*
 * Backups of the database of a service: one file, whole and as of one moment, taken while the
 * service runs; and bringing one back while it does not. SQLite by its online backup, PostgreSQL by
 * pg_dump, pg_restore and psql, which are run as children and are handed the password in a file
 * that has no name.
 *
 * A backup carries the name of its service but no id, so no service uses it until an operator
 * restores or adopts it (identity.h).
 */
#ifndef ASSAY_DB_BACKUP_H
#define ASSAY_DB_BACKUP_H

#include "db/identity.h"

/* Reports the progress a few times a second: pages on SQLite; on PostgreSQL the bytes written, with
 * `all` 0. */
struct db_backup_watch {
    void (*report)(void *context, int64_t done, int64_t all);
    void *context;
};

/* Writes it, durably, under a name of its own until it is complete and has been checked. Errors:
 *   ERROR_UNAVAILABLE  the database cannot be reached, is damaged, or is not the one of the record
 *   ERROR_SYSTEM       it cannot be written; pg_dump has failed or is not installed */
MUST_CHECK enum error db_backup(const struct store_plan *plan, const char *folder,
                                const struct db_backup_watch *watch, struct problem *problem);

/* Is there a backup for this service and engine, and whole? Changes nothing. ERROR_CONFLICT
 * backup_refused, with the reason, when not. */
MUST_CHECK enum error db_backup_verify(const struct store_plan *plan, const char *folder,
                                       struct problem *problem);

/* Puts a backup that was verified in the place of the database, which is kept beside it
 * (`established.note` says as what), and makes it the right one. After any error the one before is
 * in its place. ERROR_BUSY service_running; errors of db_provision(). */
MUST_CHECK enum error db_restore(const struct store_plan *plan, const char *folder,
                                 struct db_provisioned *established, struct problem *problem);

#endif
