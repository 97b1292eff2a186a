/* The rows of columnar_tables. */
#include "livedata/columnar/copy_row.h"

#include "db/query.h"

#include <string.h>

enum { LEASE_SECONDS = 60 };

static const struct statement read_row = {
    .name = "columnar_row_read",
    .sql = "SELECT state, incarnation, fingerprint, fill_tenant, fill_key, block, sent_seq,"
           " position, complete_at, pending_rows, pending_seq, pending_position,"
           " pending_complete_at, pending_session, lease, lease_until, EXISTS (SELECT 1 FROM"
           " columnar_outbox WHERE columnar_outbox.table_name = columnar_tables.table_name"
           " AND seq > sent_seq) FROM columnar_tables WHERE table_name = ?",
};
static const struct statement make_row = {
    .name = "columnar_row_make",
    .sql = "INSERT INTO columnar_tables (table_name, state, incarnation, fingerprint, fill_tenant,"
           " fill_key, fill_seq, block, sent_seq, position, complete_at, pending_rows, pending_seq,"
           " pending_position, pending_complete_at, pending_session, lease, lease_until)"
           " VALUES (?, 'stale', 0, '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', 0)"
           " ON CONFLICT (table_name) DO NOTHING",
};
static const struct statement take_lease = {
    .name = "columnar_lease",
    .sql = "UPDATE columnar_tables SET lease = ?, lease_until = ? WHERE table_name = ?"
           " AND (lease = ? OR lease_until < ?)",
};
static const struct statement pend_block = {
    .name = "columnar_pend",
    .sql = "UPDATE columnar_tables SET pending_rows = ?, pending_seq = ?, pending_position = ?,"
           " pending_complete_at = ?, pending_session = ? WHERE table_name = ? AND lease = ?"
           " AND incarnation = ? AND block = ? AND pending_rows = 0 AND state <> 'stale'",
};
static const struct statement change_session = {
    .name = "columnar_session",
    .sql = "UPDATE columnar_tables SET pending_session = ? WHERE table_name = ? AND lease = ?"
           " AND pending_rows > 0",
};
static const struct statement settle_block = {
    .name = "columnar_settle",
    .sql = "UPDATE columnar_tables SET block = block + 1, sent_seq = pending_seq,"
           " state = CASE WHEN state = 'closing' AND pending_seq >= fill_seq THEN 'live' ELSE state"
           " END, position = pending_position, complete_at = pending_complete_at, pending_rows = 0"
           " WHERE table_name = ? AND lease = ? AND incarnation = ? AND block = ?"
           " AND pending_rows > 0",
};
static const struct statement delete_lines = {
    .name = "columnar_lines_delete",
    .sql = "DELETE FROM columnar_outbox WHERE table_name = ? AND seq <= ?",
};

static enum copy_state state_of(const char *text)
{
    return strcmp(text, "live") == 0      ? COPY_LIVE
           : strcmp(text, "closing") == 0 ? COPY_CLOSING
           : strcmp(text, "filling") == 0 ? COPY_FILLING
                                          : COPY_STALE;
}

enum error copy_row_read(const struct storage_call *call, const char *table, struct copy_row *row)
{
    struct query *query = db_query(call->db, &read_row);

    *row = (struct copy_row){.state = COPY_MISSING};
    query_bind_text(query, table);
    if (query_next(query))
        *row = (struct copy_row){.state = state_of(query_text(query, 0, call->arena)),
                                 .incarnation = query_integer(query, 1),
                                 .fingerprint = query_text(query, 2, call->arena),
                                 .fill_tenant = query_text(query, 3, call->arena),
                                 .fill_key = query_text(query, 4, call->arena),
                                 .block = query_integer(query, 5),
                                 .sent_seq = query_integer(query, 6),
                                 .position = query_integer(query, 7),
                                 .complete_at = query_integer(query, 8),
                                 .pending_rows = query_integer(query, 9),
                                 .pending_seq = query_integer(query, 10),
                                 .pending_position = query_integer(query, 11),
                                 .pending_complete_at = query_integer(query, 12),
                                 .pending_session = query_text(query, 13, call->arena),
                                 .lease = query_text(query, 14, call->arena),
                                 .lease_until = query_integer(query, 15),
                                 .waiting = query_boolean(query, 16)};
    return query_end(query, call->problem);
}

static enum error end_change(const struct storage_call *call, struct query *query, bool *done)
{
    int64_t changed = query_changes(query);

    *done = changed > 0;
    return query_end(query, call->problem);
}

enum error copy_row_lease(const struct storage_call *call, const char *table, const char *lease,
                          const struct copy_row *row, bool *held)
{
    const int64_t length = (int64_t)LEASE_SECONDS * 1000000;
    bool own = row->lease && strcmp(row->lease, lease) == 0;
    struct query *query;
    enum error error;

    *held = own && row->lease_until - call->now > length / 2;
    if (*held || (!own && row->state != COPY_MISSING && row->lease_until >= call->now))
        return ERROR_NONE;
    if (row->state == COPY_MISSING) {
        query = db_query(call->db, &make_row);
        query_bind_text(query, table);
        error = query_end(query, call->problem);
        if (error)
            return error;
    }
    query = db_query(call->db, &take_lease);
    query_bind_text(query, lease);
    query_bind_integer(query, call->now + length);
    query_bind_text(query, table);
    query_bind_text(query, lease);
    query_bind_integer(query, call->now);
    return end_change(call, query, held);
}

enum error copy_row_pend(const struct storage_call *call, const char *table, const char *lease,
                         const struct copy_row *row, bool *done)
{
    struct query *query = db_query(call->db, &pend_block);

    query_bind_integer(query, row->pending_rows);
    query_bind_integer(query, row->pending_seq);
    query_bind_integer(query, row->pending_position);
    query_bind_integer(query, row->pending_complete_at);
    query_bind_text(query, row->pending_session);
    query_bind_text(query, table);
    query_bind_text(query, lease);
    query_bind_integer(query, row->incarnation);
    query_bind_integer(query, row->block);
    return end_change(call, query, done);
}

enum error copy_row_session(const struct storage_call *call, const char *table, const char *lease,
                            const char *session, bool *done)
{
    struct query *query = db_query(call->db, &change_session);

    query_bind_text(query, session);
    query_bind_text(query, table);
    query_bind_text(query, lease);
    return end_change(call, query, done);
}

static enum error settle(const struct storage_call *call, const char *table, const char *lease,
                         const struct copy_row *row, bool *done)
{
    struct query *query = db_query(call->db, &settle_block);
    enum error error;

    query_bind_text(query, table);
    query_bind_text(query, lease);
    query_bind_integer(query, row->incarnation);
    query_bind_integer(query, row->block);
    error = end_change(call, query, done);
    if (error || !*done)
        return error;
    query = db_query(call->db, &delete_lines);
    query_bind_text(query, table);
    query_bind_integer(query, row->pending_seq);
    return query_end(query, call->problem);
}

enum error copy_row_settle(const struct storage_call *call, const char *table, const char *lease,
                           const struct copy_row *row, bool *done)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, settle(call, table, lease, row, done), call->problem);
}
