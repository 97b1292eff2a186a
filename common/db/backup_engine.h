/* Private to common/db: what an engine does for a backup, and the step that db_provision() makes
 * room for, between taking the record for itself and looking at what is there. */
#ifndef ASSAY_DB_BACKUP_ENGINE_H
#define ASSAY_DB_BACKUP_ENGINE_H

#include "db/backup.h"
#include "db/db_internal.h"

enum { BACKUP_NAME_MAX = 80, BACKUP_PATH_MAX = 4200 };

/* A replacement on its way: what it needs, and what it needs to take itself back. */
struct replacement {
    const char *file;            /* the backup */
    const char *when;            /* in the names of what is kept */
    char place[BACKUP_PATH_MAX]; /* SQLite: of the file; PostgreSQL: the name of the schema */
    char aside[BACKUP_PATH_MAX]; /* what was there is kept as this; "" = nothing was */
    bool done;
};

MUST_CHECK enum error sqlite_backup(struct db *db, const char *path,
                                    const struct db_backup_watch *watch, struct problem *problem);
MUST_CHECK enum error sqlite_backup_verify(const char *path, const char *service,
                                           struct problem *problem);
MUST_CHECK enum error sqlite_replace(struct db *db, struct replacement *replacement,
                                     struct problem *problem);
void sqlite_replace_undo(struct db *db, struct replacement *replacement);

MUST_CHECK enum error postgres_backup(struct db *db, const char *path,
                                      const struct db_backup_watch *watch, struct problem *problem);
MUST_CHECK enum error postgres_backup_verify(const char *path, struct problem *problem);
MUST_CHECK enum error postgres_replace(struct db *db, struct replacement *replacement,
                                       struct problem *problem);
void postgres_replace_undo(struct db *db, struct replacement *replacement);

/* provision.c: db_provision() with a replacement first; NULL = without. */
MUST_CHECK enum error db_provision_with(const struct store_plan *plan, enum db_purpose purpose,
                                        struct replacement *replacement,
                                        struct db_provisioned *established,
                                        struct problem *problem);

/* Makes a file durable (fsync), whichever process wrote it. */
MUST_CHECK enum error backup_sync(const char *path, struct problem *problem);

#endif
