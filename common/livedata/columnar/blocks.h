/*
 * Writing the copies of large tables. One sender at a time, which holds a lease, takes queued lines
 * (outbox/outbox.h) and inserts them as blocks with consecutive numbers. Each block is one insert
 * into one partition, and contains a mark with its number. ClickHouse keeps the lines that it got
 * when the connection ends too early; so the first line of a block opens it and the last one closes
 * it, and an open block is known by the sum of the marks.
 *
 * Every line is inserted exactly once:
 *
 *   1. The sender opens a session in ClickHouse, records the block with the session in the
 *      database, and inserts within the session.
 *   2. When the insert has succeeded, one transaction records the block and deletes its lines.
 *   3. After any other end, also that of the sender, nobody knows whether the block is there or
 *      still on its way. The sender waits until ClickHouse says that the session is gone: from then
 *      on it refuses an insert that was on its way. Then the mark decides: the block is there, or
 *      it is inserted again in a new session.
 *
 * When the mark fits neither, the copy has lost rows (a restored or emptied server) or has a part
 * of a block, and is made anew. A copy is filled from the table: page by page, rows are queued like
 * changes.
 */
#ifndef ASSAY_LIVEDATA_COLUMNAR_BLOCKS_H
#define ASSAY_LIVEDATA_COLUMNAR_BLOCKS_H

#include "livedata/catalog/catalog.h"
#include "livedata/columnar/columnar.h"

struct columnar_sender {
    const struct livedata_settings *settings;
    const struct catalog *catalog;
    char lease[40];                   /* of this process; columnar_sender_start() sets it */
    char session[40];                 /* in ClickHouse; "" = none */
    int64_t session_used, checked_at; /* monotonic, as the next one */
    int64_t wait_until;               /* until a session may be gone */
    int64_t block_rows;
};

void columnar_sender_start(struct columnar_sender *sender, const struct livedata_settings *settings,
                           const struct catalog *catalog);

/* Forgets copies of tables that are not chosen any more: their changes are not queued after that.
 * Also without ClickHouse. Outside transactions. */
MUST_CHECK enum error columnar_forget_others(const struct columnar_sender *sender,
                                             const struct storage_call *call);

/* For each table at most one step: a page is queued, a block is sent or looked for. `busy` says
 * whether there is more to do at once. ERROR_UNAVAILABLE when ClickHouse does not answer. The
 * caller resets the arena between calls. Outside transactions. */
MUST_CHECK enum error columnar_send(struct columnar_sender *sender, const struct storage_call *call,
                                    bool *busy);

/* Makes the copy of the entity anew; the sender fills it. Nothing when it is not copied yet. */
MUST_CHECK enum error columnar_rebuild(const struct storage_call *call,
                                       const struct entity_type *type);

/* Compares the copy with the table: numbers of rows, and for each column the number of its values
 * and a checksum. `settled` is false when lines were waiting: then nothing was compared. */
struct columnar_verdict {
    bool settled, equal;
    int64_t rows;
    const char *difference; /* "value: 100 in the table, 101 in the copy" */
};
MUST_CHECK enum error columnar_verify(const struct livedata_settings *settings,
                                      const struct storage_call *call,
                                      const struct entity_type *type,
                                      struct columnar_verdict *verdict);

#endif
