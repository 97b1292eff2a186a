/* SQLite: a transaction goes into the write-ahead log in one piece.
 *
 * SQLite writes every page of a transaction by two calls, the head of its frame and the page, with
 * all other writers waiting. Here these writes are held back until the frame that commits, and then
 * go to the file together: "assay" is the system's own VFS but for what it does with logs. The
 * format of a log: https://www.sqlite.org/fileformat2.html#walformat
 *
 * What is held back is nobody else's business: readers look at frames only once the index of the
 * log names them, which SQLite does after the commit's frame is written. It has to be in the file
 * before the write lock is given back (another process writes to the same place next) and before
 * this connection itself reads, syncs, cuts or measures the log.
 */
#include "db/sqlite.h"

#include <string.h>

enum {
    HELD_BYTES_MAX = 131072, /* of one connection; a longer transaction goes in several pieces */
    FRAME_HEAD_BYTES = 24,
    WRITE_LOCK = 0 /* its place among the locks of a log's index */
};

/* Follows the file of the system in memory that SQLite has sized by szOsFile. */
struct held {
    sqlite3_io_methods methods; /* of this file: the system's, with some of ours */
    const sqlite3_io_methods *system;
    sqlite3_file *log;     /* of a database: its log; NULL = none */
    struct held *database; /* of a log: what belongs to its database */
    char *bytes;           /* of a log: not in the file yet; allocated at the first write */
    int count;
    sqlite3_int64 at;  /* their place in the file */
    sqlite3_int64 end; /* of what the transaction has written so far */
    bool commits;      /* the page that comes next ends a transaction */
    int failed;        /* what held back writes of this transaction have met; 0 = nothing */
};

static sqlite3_vfs *system_vfs;

static struct held *held_of(sqlite3_file *file)
{
    return (struct held *)((char *)file + system_vfs->szOsFile);
}

/* SQLite has been told that all of it is written, so the transaction may not go on without it: a
 * failure is that of every later call, until the write lock is given back. */
static int let_go(sqlite3_file *log)
{
    struct held *held = held_of(log);
    int count = held->count;

    held->count = 0;
    held->commits = false;
    if (count && !held->failed)
        held->failed = held->system->xWrite(log, held->bytes, count, held->at);
    return held->failed;
}

/* Bytes 4 to 7 of a frame's head are 0 but in the last of a transaction. */
static bool is_commit(const char *head)
{
    static const char none[4];

    return memcmp(head + 4, none, sizeof none) != 0;
}

/* A transaction that has changed a page again after its cache had given it away writes that page,
 * and then the heads of all frames from there on, where they are: those are not held back. */
static int write_log(sqlite3_file *log, const void *bytes, int count, sqlite3_int64 at)
{
    struct held *held = held_of(log);
    bool is_head = count == FRAME_HEAD_BYTES && at >= held->end;
    int code = held->failed;

    if (held->count && (at != held->at + held->count || count > HELD_BYTES_MAX - held->count))
        code = let_go(log);
    if (code != SQLITE_OK)
        return code;
    if (held->end < at + count)
        held->end = at + count;
    if (!held->bytes)
        held->bytes = sqlite3_malloc(HELD_BYTES_MAX);
    if (!held->bytes || (!held->count && !is_head))
        return held->system->xWrite(log, bytes, count, at);
    if (!held->count)
        held->at = at;
    memcpy(held->bytes + held->count, bytes, (size_t)count);
    held->count += count;
    if (is_head)
        held->commits = is_commit(bytes);
    return held->commits && !is_head ? let_go(log) : SQLITE_OK;
}

static int read_log(sqlite3_file *log, void *bytes, int count, sqlite3_int64 at)
{
    int code = let_go(log);

    return code != SQLITE_OK ? code : held_of(log)->system->xRead(log, bytes, count, at);
}

static int truncate_log(sqlite3_file *log, sqlite3_int64 size)
{
    int code = let_go(log);

    return code != SQLITE_OK ? code : held_of(log)->system->xTruncate(log, size);
}

static int sync_log(sqlite3_file *log, int flags)
{
    int code = let_go(log);

    return code != SQLITE_OK ? code : held_of(log)->system->xSync(log, flags);
}

static int size_of_log(sqlite3_file *log, sqlite3_int64 *size)
{
    int code = let_go(log);

    return code != SQLITE_OK ? code : held_of(log)->system->xFileSize(log, size);
}

static int close_log(sqlite3_file *log)
{
    struct held *held = held_of(log);

    let_go(log); /* of a transaction that was rolled back */
    sqlite3_free(held->bytes);
    held->bytes = NULL;
    if (held->database)
        held->database->log = NULL;
    return held->system->xClose(log);
}

static int lock_index(sqlite3_file *database, int first, int count, int flags)
{
    struct held *held = held_of(database);

    if (held->log && first == WRITE_LOCK && flags & SQLITE_SHM_UNLOCK) {
        let_go(held->log); /* nobody needs it any more, but it may not come later */
        held_of(held->log)->end = 0;
        held_of(held->log)->failed = SQLITE_OK;
    }
    return held->system->xShmLock(database, first, count, flags);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    struct held *held = held_of(file);
    int code = system_vfs->xOpen(system_vfs, name, file, flags, given);

    (void)vfs;
    memset(held, 0, sizeof *held);
    if (code != SQLITE_OK || !(flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)))
        return code;
    held->system = file->pMethods;
    held->methods = *file->pMethods;
    file->pMethods = &held->methods;
    if (flags & SQLITE_OPEN_MAIN_DB) {
        held->methods.xShmLock = lock_index;
        return SQLITE_OK;
    }
    held->methods.xWrite = write_log;
    held->methods.xRead = read_log;
    held->methods.xTruncate = truncate_log;
    held->methods.xSync = sync_log;
    held->methods.xFileSize = size_of_log;
    held->methods.xClose = close_log;
    held->database = held_of(sqlite3_database_file_object(name));
    held->database->log = file;
    return SQLITE_OK;
}

/* Without memory it is the system's own, whose first file will say so. */
const char *sqlite_vfs_name(void)
{
    static sqlite3_vfs ours;
    static bool registered;

    if (registered)
        return ours.zName;
    system_vfs = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (!system_vfs)
        return NULL;
    ours = *system_vfs;
    ours.zName = "assay";
    ours.szOsFile += (int)sizeof(struct held);
    ours.xOpen = open_file;
    registered = sqlite3_vfs_register(&ours, 0) == SQLITE_OK;
    return registered ? ours.zName : NULL;
}
