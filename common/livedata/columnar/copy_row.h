/* Private to common/livedata/columnar: the row of a copy in the database, and its table in
 * ClickHouse. */
#ifndef ASSAY_LIVEDATA_COLUMNAR_COPY_ROW_H
#define ASSAY_LIVEDATA_COLUMNAR_COPY_ROW_H

#include "livedata/columnar/blocks.h"

enum copy_state { COPY_MISSING, COPY_STALE, COPY_FILLING, COPY_CLOSING, COPY_LIVE };

struct copy_row {
    enum copy_state state;
    int64_t incarnation;
    const char *fingerprint, *fill_tenant, *fill_key;
    int64_t block, sent_seq, position, complete_at;
    int64_t pending_rows, pending_seq, pending_position, pending_complete_at;
    const char *pending_session;
    const char *lease;
    int64_t lease_until;
    bool waiting; /* there are lines behind sent_seq */
};
MUST_CHECK enum error copy_row_read(const struct storage_call *call, const char *table,
                                    struct copy_row *row);

/* Takes or prolongs the lease; `held` is false while another sender has it. */
MUST_CHECK enum error copy_row_lease(const struct storage_call *call, const char *table,
                                     const char *lease, const struct copy_row *row, bool *held);

/* The next statements change the row only while the lease is held; `done` says whether. */
MUST_CHECK enum error copy_row_pend(const struct storage_call *call, const char *table,
                                    const char *lease, const struct copy_row *row, bool *done);
MUST_CHECK enum error copy_row_session(const struct storage_call *call, const char *table,
                                       const char *lease, const char *session, bool *done);
/* The pending block is there: deletes its lines. In a transaction of its own. */
MUST_CHECK enum error copy_row_settle(const struct storage_call *call, const char *table,
                                      const char *lease, const struct copy_row *row, bool *done);

/* Makes the next incarnation of the table in ClickHouse and records it as one to be filled. */
MUST_CHECK enum error copy_begin(const struct columnar_sender *sender,
                                 const struct storage_call *call, const struct entity_type *type,
                                 const struct copy_row *row);
/* Queues the next page of the table's rows. */
MUST_CHECK enum error copy_fill(const struct columnar_sender *sender,
                                const struct storage_call *call, const struct entity_type *type);

/* Runs one statement without rows. ERROR_UNAVAILABLE with the reason. */
MUST_CHECK enum error columnar_command(const struct livedata_settings *settings,
                                       const struct storage_call *call, const char *sql,
                                       bool without_database);

#endif
