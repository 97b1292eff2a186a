/*
 * Private to common/db: the record of the right database, a small text file. Its first lines are
 * flags at fixed offsets, which workers set and read while they run; db_provision() writes the rest
 * once. Each handle holds a shared lock on the record for as long as it lives, so a program can
 * find out whether the database is in use.
 */
#ifndef ASSAY_DB_RECORD_H
#define ASSAY_DB_RECORD_H

#include "db/db_internal.h"

enum { IDENTITY_TEXT = 40, RECORD_SERVICE = 64, RECORD_TARGET = 4096 };

enum record_file { RECORD_MAIN, RECORD_LOG, RECORD_INDEX, RECORD_FILE__MAX };

/* Which file that is on the host; both 0 = no file. */
struct file_id {
    uint64_t device;
    uint64_t inode;
};

struct record {
    bool credentials; /* the database holds credentials */
    bool lost;        /* it was found gone or exchanged */
    char service[RECORD_SERVICE];
    char id[IDENTITY_TEXT];
    char session[IDENTITY_TEXT]; /* token that the last start wrote into the file; SQLite */
    int64_t session_at;          /* its offset in the file; -1 = it has none */
    struct file_id files[RECORD_FILE__MAX];
    char target[RECORD_TARGET]; /* as shown to people */
};

struct identity {
    int file; /* -1 = there was no record when the handle was opened */
    bool writable;
    const char *path;
    struct record record;
};

/* Never NULL. Reads the record, and holds it until identity_close(). */
struct identity *identity_open(struct arena *arena, const char *path);
void identity_close(struct identity *identity);

/* The refusal of a record that is missing or says that the database is lost. */
MUST_CHECK enum error identity_refusal(const struct identity *identity, struct problem *problem);

/* Marks the database as lost for all workers and logs that once. Returns ERROR_UNAVAILABLE,
 * database_replaced. */
enum error identity_lose(struct identity *identity, struct problem *problem, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

/* The same error for this caller alone: the database may come back. */
enum error identity_mismatch(struct problem *problem, const char *what);

/* record.c for db_provision(): the record of a path (ERROR_NOT_FOUND without one, ERROR_MALFORMED),
 * with its lock for this program alone when `lock` is given (-1 when others have it), and writing a
 * new one in its place, durably. */
MUST_CHECK enum error record_read(const char *path, struct record *record, int *lock,
                                  struct problem *problem);
MUST_CHECK enum error record_write(const char *path, const struct record *record,
                                   struct problem *problem);

/* Takes back the flag `lost` in the record at `path`, durably, while workers use the record. */
MUST_CHECK enum error record_found_again(const char *path, struct problem *problem);

/* The id of one of SQLite's three files. False when there is none (errno says why). */
bool file_id_of(const char *path, enum record_file which, struct file_id *id);
bool file_id_equal(const struct file_id *a, const struct file_id *b);

/* sqlite_identity.c. The first is for a file that may be somebody else's: it reads what stands in
 * the file itself, whatever lies beside it; false when that is no identity. `id` has IDENTITY_TEXT
 * bytes, `service` RECORD_SERVICE. */
bool sqlite_read_identity(const char *path, char *id, char *service);
MUST_CHECK enum error sqlite_files_unchanged(struct db *db, struct problem *problem);
MUST_CHECK enum error sqlite_verify(struct db *db, struct problem *problem);
/* Checkpoint: copies what is committed from the log into the file, if it is still the right file.
 */
void sqlite_save_log(struct db *db);

#endif
