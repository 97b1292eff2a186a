/*
 * The queue of changes to rows of domains that are copied to ClickHouse (columnar/). A transaction
 * that changes a row adds the row before with the sign -1 and the row after with the sign 1, so the
 * sums over all lines are those of the table. All who change rows hold the lock `livedata.apply`:
 * lines become visible in the order of their numbers.
 *
 * Whether a table is copied is in the database and not in the settings of a host, so that hosts
 * with other settings queue as well. This module must not know ClickHouse's address.
 */
#ifndef ASSAY_LIVEDATA_OUTBOX_OUTBOX_H
#define ASSAY_LIVEDATA_OUTBOX_OUTBOX_H

#include "base/text.h"
#include "livedata/catalog/own.h"
#include "livedata/storage_call.h"

enum { OUTBOX_LINES_MAX = 32 * 1024 * 1024 };

/* A row as it is stored: texts and JSON in `text`, everything else in `integer`. */
struct outbox_value {
    bool null;
    int64_t integer;
    const char *text;
};

/* The stored column whose time rows are sorted by in the copy: the first one of the table's times.
 * It is part of the contract: another one makes the copy anew. NULL = none. */
const struct table_column *outbox_time_column(const struct serving_table *table);

/* Appends a line in the format TabSeparated of ClickHouse: tenant, time, the columns in their
 * order, the sign, and zeros for what only marks have (columnar/blocks.h). */
void outbox_put_line(struct text *text, const struct serving_table *table, const char *tenant,
                     const struct outbox_value *values, int sign);
void outbox_put_escaped(struct text *text, const char *value);

/* What the database says of the copy of the entity's table, for the transaction that has read it:
 * own->serving->copy. The first is for who has read the columns already; a NULL state means that
 * there is no copy. */
void outbox_set_copy(const struct own_entity *own, const char *state, const char *fill_tenant,
                     const char *fill_key);
MUST_CHECK enum error outbox_look(const struct storage_call *call,
                                  const struct serving_table *table);

/* Queues a change of a row, if the table is copied and the row has been queued before or need not
 * be. NULL values = there was, or is, no row. In the caller's transaction. */
MUST_CHECK enum error outbox_note(const struct storage_call *call,
                                  const struct serving_table *table, const char *key,
                                  const struct outbox_value *before,
                                  const struct outbox_value *after);

/* Queues lines that were made before. */
MUST_CHECK enum error outbox_add(const struct storage_call *call, const char *table,
                                 const struct text *lines, int64_t line_count);

/* Rows of the table were changed without being queued: the copy is dropped and filled anew. Nothing
 * where there is no copy. Its lines stay until outbox_delete(). In the caller's transaction; the
 * second is for who has none. */
MUST_CHECK enum error outbox_restart(const struct storage_call *call, const char *table);
MUST_CHECK enum error outbox_give_up(const struct storage_call *call, const char *table);

/* Deletes some of the lines of a copy that is stale; `more` says whether there may be others. They
 * can be gigabytes: a small step each time, outside transactions and without the lock. */
MUST_CHECK enum error outbox_delete(const struct storage_call *call, const char *table, bool *more);

/* How many lines wait. It reads the ends of the queue only. */
MUST_CHECK enum error outbox_count(const struct storage_call *call, const char *table,
                                   int64_t *lines);

/* Gives up copies whose queue has more than `most` lines, because nobody sends them, and deletes
 * lines of such copies. Outside transactions. */
MUST_CHECK enum error outbox_limit(const struct storage_call *call, int64_t most);

#endif
