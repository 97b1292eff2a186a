/* The sender: one step per table and call. */
#include "livedata/columnar/blocks.h"

#include "base/clock.h"
#include "base/log.h"
#include "crypto/token.h"
#include "db/query.h"
#include "livedata/columnar/copy_row.h"
#include "livedata/journal/journal.h"
#include "livedata/outbox/outbox.h"

#include <string.h>

enum {
    BLOCK_BYTES = 8 * 1024 * 1024,
    SESSION_LEAVE_SECONDS = CLICKHOUSE_SESSION_SECONDS + 2,
    CHECK_SECONDS = 30
};

static const int64_t second = 1000000;
static const int64_t opening_at = 1; /* its place in the order of rows: that of no mark */

static const struct statement read_lines = {
    .name = "columnar_lines",
    .sql = "SELECT seq, lines, line_count, journal_seq, changed_at FROM columnar_outbox"
           " WHERE table_name = ? AND seq > ? ORDER BY seq LIMIT ?",
    .streams = true,
};
static const struct statement read_block = {
    .name = "columnar_block",
    .sql = "SELECT lines FROM columnar_outbox WHERE table_name = ? AND seq > ? AND seq <= ?"
           " ORDER BY seq",
    .streams = true,
};
static const struct statement list_tables = {
    .name = "columnar_list",
    .sql = "SELECT table_name FROM columnar_tables ORDER BY table_name",
};
static const struct statement forget_table = {
    .name = "columnar_forget_table",
    .sql = "DELETE FROM columnar_tables WHERE table_name = ? AND state = 'stale' AND NOT EXISTS"
           " (SELECT 1 FROM columnar_outbox"
           " WHERE columnar_outbox.table_name = columnar_tables.table_name)",
};

/* One step for one table. */
struct step {
    struct columnar_sender *sender;
    const struct storage_call *call;
    const struct entity_type *type;
    const char *table;
    struct copy_row row;
};

void columnar_sender_start(struct columnar_sender *sender, const struct livedata_settings *settings,
                           const struct catalog *catalog)
{
    *sender = (struct columnar_sender){
        .settings = settings, .catalog = catalog, .block_rows = settings->columnar_block_rows};
    token_uuid(sender->lease);
}

static struct clickhouse clickhouse_of(const struct step *step)
{
    return (struct clickhouse){step->sender->settings, NULL, step->call->arena,
                               step->call->problem};
}

static const char *name_of(const struct step *step)
{
    return columnar_name(step->call->arena, step->table, step->row.incarnation);
}

/* The session of the next insert. One that may have ended meanwhile is not used again. */
static enum error open_session(const struct step *step)
{
    struct columnar_sender *sender = step->sender;
    const struct clickhouse clickhouse = clickhouse_of(step);
    const struct clickhouse_call begin = {
        .sql = "SELECT 1", .session = sender->session, .begins_session = true};
    int64_t now = clock_monotonic_microseconds();

    if (*sender->session && now - sender->session_used < second)
        return ERROR_NONE;
    token_uuid(sender->session);
    sender->session_used = now;
    if (!clickhouse_run(&clickhouse, &begin, NULL))
        return ERROR_NONE;
    *sender->session = '\0';
    return ERROR_UNAVAILABLE;
}

/* A line of the tenant "", which is no tenant's name. */
static void put_line(struct text *body, const struct serving_table *table, int64_t at, int sign,
                     const struct columnar_mark *mark)
{
    text_append_format(body, "\t%lld", (long long)at);
    for (size_t i = 0; i < table->column_count; i++)
        text_append_string(body, i == table->own->key ? "\t" : "\t\\N");
    text_append_format(body, "\t%d\t%lld\t%lld\t%lld\n", sign, (long long)mark->block,
                       (long long)mark->position, (long long)mark->complete_at);
}

/* The former mark goes with the insert of the next one. */
static void put_marks(struct text *body, const struct serving_table *table,
                      const struct copy_row *row)
{
    const struct columnar_mark former = {row->block, row->position, row->complete_at},
                               next = {row->block + 1, row->pending_position,
                                       row->pending_complete_at};

    if (row->block)
        put_line(body, table, 0, -1, &former);
    put_line(body, table, 0, 1, &next);
}

/* The first line makes the sum of the marks too large; the last one takes it back. */
static enum error make_body(const struct step *step, struct text *body)
{
    static const struct columnar_mark open = {.block = COLUMNAR_OPEN_BLOCK};
    const struct serving_table *table = step->type->table;
    const struct copy_row *row = &step->row;
    const struct storage_call *call = step->call;
    struct query *query = db_query(call->db, &read_block);
    enum error error;

    text_start(body, call->arena, 2 * (size_t)OUTBOX_LINES_MAX);
    put_line(body, table, opening_at, 1, &open);
    query_bind_text(query, step->table);
    query_bind_integer(query, row->sent_seq);
    query_bind_integer(query, row->pending_seq);
    while (query_next(query)) {
        struct query_bytes lines = query_bytes(query, 0);

        text_append(body, lines.bytes, lines.length);
    }
    error = query_end(query, call->problem);
    put_marks(body, table, row);
    put_line(body, table, opening_at, -1, &open);
    if (!error && body->overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "value_too_large",
                           "block %lld of %s is too large", (long long)row->block + 1, step->table);
    return error;
}

/* The insert of the pending block. Whatever is not a success is looked for by the next step. */
static enum error insert_block(const struct step *step)
{
    static const char head[] = "INSERT INTO ", format[] = " FORMAT TabSeparated";
    const struct clickhouse clickhouse = clickhouse_of(step);
    struct clickhouse_call insert = {.session = step->row.pending_session};
    struct text body;
    bool done;
    enum error error = make_body(step, &body);

    if (error)
        return error;
    insert.sql = arena_print(step->call->arena, "%s%s%s", head, name_of(step), format);
    insert.body = body.bytes;
    insert.body_length = body.length;
    if (clickhouse_run(&clickhouse, &insert, NULL)) {
        *step->sender->session = '\0';
        return ERROR_UNAVAILABLE;
    }
    step->sender->session_used = clock_monotonic_microseconds();
    return copy_row_settle(step->call, step->table, step->sender->lease, &step->row, &done);
}

/* Takes lines into the pending block. What is behind them decides what the block contains: all of
 * the journal as it was read before the lines, or what came before the next line. */
static enum error choose_lines(const struct step *step, struct copy_row *row)
{
    const struct storage_call *call = step->call;
    struct query *query;
    size_t bytes = 0;
    enum error error = journal_last_seq(call, &row->pending_position);

    row->pending_complete_at = call->now;
    row->pending_rows = 0;
    if (error)
        return error;
    query = db_query(call->db, &read_lines);
    query_bind_text(query, step->table);
    query_bind_integer(query, row->sent_seq);
    query_bind_integer(query, step->sender->block_rows + 1);
    while (query_next(query)) {
        if (row->pending_rows >= step->sender->block_rows || bytes >= BLOCK_BYTES) {
            row->pending_position = query_integer(query, 3);
            row->pending_complete_at = query_integer(query, 4);
            break;
        }
        row->pending_seq = query_integer(query, 0);
        row->pending_rows += query_integer(query, 2);
        bytes += query_bytes(query, 1).length;
    }
    return query_end(query, call->problem);
}

static enum error send_block(struct step *step)
{
    struct copy_row *row = &step->row;
    bool done = false;
    enum error error = open_session(step);

    if (!error)
        error = choose_lines(step, row);
    if (error || !row->pending_rows)
        return error;
    row->pending_session = step->sender->session;
    error = copy_row_pend(step->call, step->table, step->sender->lease, row, &done);
    return error || !done ? error : insert_block(step);
}

/* The copy has other rows than it should. */
static enum error start_again(const struct step *step, const char *why)
{
    log_event(LOG_ERROR, "columnar_lost",
              arena_print(step->call->arena, "the copy of %s is made anew: %s", step->table, why));
    return outbox_give_up(step->call, step->table);
}

static const char *why_lost(int64_t block)
{
    return block < 0                      ? "its table is missing"
           : block >= COLUMNAR_OPEN_BLOCK ? "a part of a block is there"
                                          : "blocks are missing";
}

/* The number of the last block that is there; -1 = there is no table. */
static enum error read_mark(const struct step *step, int64_t *block)
{
    static const char head[] = "SELECT sum(row_block * row_sign) AS b FROM ",
                      end[] = " WHERE tenant_id = '' FORMAT JSONCompact";
    const struct clickhouse clickhouse = clickhouse_of(step);
    const struct clickhouse_call look = {
        .sql = arena_print(step->call->arena, "%s%s%s", head, name_of(step), end)};
    json_t *rows = NULL;
    enum clickhouse_fault fault = clickhouse_run(&clickhouse, &look, &rows);

    *block = -1;
    if (fault == CLICKHOUSE_NO_TABLE)
        return ERROR_NONE;
    if (fault)
        return ERROR_UNAVAILABLE;
    *block = clickhouse_integer(json_array_get(rows, 0), 0);
    return ERROR_NONE;
}

/* Whether ClickHouse refuses everything of the session from now on. Asking prolongs a session that
 * is still there, so it is asked again only after the time in which it ends. */
static enum error is_session_gone(const struct step *step, bool *gone)
{
    const struct clickhouse clickhouse = clickhouse_of(step);
    const struct clickhouse_call ask = {.sql = "SELECT 1", .session = step->row.pending_session};
    int64_t now = clock_monotonic_microseconds();
    enum clickhouse_fault fault;

    *gone = false;
    if (now < step->sender->wait_until)
        return ERROR_NONE;
    fault = clickhouse_run(&clickhouse, &ask, NULL);
    *gone = fault == CLICKHOUSE_NO_SESSION;
    if (fault == CLICKHOUSE_AWAY)
        return ERROR_UNAVAILABLE;
    if (!*gone)
        step->sender->wait_until = now + SESSION_LEAVE_SECONDS * second;
    return ERROR_NONE;
}

static enum error insert_again(struct step *step)
{
    bool done = false;
    enum error error = open_session(step);

    if (!error)
        error = copy_row_session(step->call, step->table, step->sender->lease,
                                 step->sender->session, &done);
    step->row.pending_session = step->sender->session;
    return error || !done ? error : insert_block(step);
}

/* A block whose insert did not end well, or whose sender has died. */
static enum error look_for_block(struct step *step)
{
    int64_t block = 0;
    bool gone, done;
    enum error error = is_session_gone(step, &gone);

    if (!error && gone)
        error = read_mark(step, &block);
    if (error || !gone)
        return error;
    if (block == step->row.block + 1)
        return copy_row_settle(step->call, step->table, step->sender->lease, &step->row, &done);
    if (block == step->row.block)
        return insert_again(step);
    return start_again(step, why_lost(block));
}

/* Now and then: a server that was emptied or restored. */
static enum error check_block(const struct step *step)
{
    int64_t block;
    enum error error = read_mark(step, &block);

    if (error || block == step->row.block)
        return error;
    return start_again(step, why_lost(block));
}

/* No line of the former copy may be sent to the next one. */
static enum error begin_again(const struct step *step)
{
    bool more = false;
    enum error error = outbox_delete(step->call, step->table, &more);

    return error || more ? error : copy_begin(step->sender, step->call, step->type, &step->row);
}

static enum error run_step(struct step *step, bool check, bool *busy)
{
    const struct copy_row *row = &step->row;
    enum error error;

    if (row->state == COPY_STALE || row->state == COPY_MISSING) {
        *busy = true;
        return begin_again(step);
    }
    if (row->pending_rows) {
        error = look_for_block(step);
        *busy |= !error && clock_monotonic_microseconds() >= step->sender->wait_until;
        return error;
    }
    if (check && (error = check_block(step)))
        return error;
    if (row->state == COPY_FILLING) {
        *busy = true;
        error = copy_fill(step->sender, step->call, step->type);
        if (error)
            return error;
    }
    return row->waiting || row->state == COPY_FILLING ? send_block(step) : ERROR_NONE;
}

/* Without anything to do, nothing is written: the lease of a quiet table may end. */
static enum error step_table(struct step *step, bool check, bool *busy)
{
    struct copy_row *row = &step->row;
    bool held = false;
    enum error error = copy_row_read(step->call, step->table, row);

    if (error || (row->state == COPY_LIVE && !row->pending_rows && !row->waiting && !check))
        return error;
    error = copy_row_lease(step->call, step->table, step->sender->lease, row, &held);
    if (!error && held) /* what another sender has done until it lost the lease */
        error = copy_row_read(step->call, step->table, row);
    return error || !held ? error : run_step(step, check, busy);
}

enum error columnar_send(struct columnar_sender *sender, const struct storage_call *call,
                         bool *busy)
{
    int64_t now = clock_monotonic_microseconds();
    bool check = !sender->checked_at || now - sender->checked_at > CHECK_SECONDS * second;
    enum error error = ERROR_NONE;

    *busy = false;
    for (size_t i = 0; !error && i < sender->catalog->entity_count; i++) {
        const struct entity_type *type = &sender->catalog->entities[i];
        struct step step = {
            .sender = sender, .call = call, .type = type, .table = type->table->name};

        if (columnar_chosen(sender->settings, type->table) && type->table->own->serving->served)
            error = step_table(&step, check, busy);
    }
    if (check && !error)
        sender->checked_at = now;
    return error;
}

/* What stays in ClickHouse harms nobody. */
static void drop_copy(const struct columnar_sender *sender, const struct storage_call *call,
                      const char *table)
{
    static const char drop[] = "DROP TABLE IF EXISTS ";
    struct storage_call quiet = *call;
    struct problem unused;
    struct copy_row row;

    quiet.problem = &unused;
    if (sender->settings->clickhouse_host && !copy_row_read(&quiet, table, &row))
        (void)!columnar_command(sender->settings, &quiet,
                                arena_print(call->arena, "%s%s", drop,
                                            columnar_name(call->arena, table, row.incarnation)),
                                false);
}

static enum error forget_copy(const struct storage_call *call, const char *table)
{
    struct query *query;
    bool more = true;
    enum error error = outbox_give_up(call, table);

    while (!error && more)
        error = outbox_delete(call, table, &more);
    if (error)
        return error;
    query = db_query(call->db, &forget_table);
    query_bind_text(query, table);
    return query_end(query, call->problem);
}

static bool is_chosen(const struct columnar_sender *sender, const char *table)
{
    for (size_t i = 0; i < sender->catalog->entity_count; i++)
        if (strcmp(sender->catalog->entities[i].table->name, table) == 0)
            return columnar_chosen(sender->settings, sender->catalog->entities[i].table);
    return false;
}

enum error columnar_forget_others(const struct columnar_sender *sender,
                                  const struct storage_call *call)
{
    struct query *query = db_query(call->db, &list_tables);
    const char *others[OWN_ENTITIES_MAX];
    size_t count = 0;
    enum error error;

    while (query_next(query)) {
        const char *table = query_text(query, 0, call->arena);

        if (!is_chosen(sender, table) && count < OWN_ENTITIES_MAX)
            others[count++] = table;
    }
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < count; i++) {
        drop_copy(sender, call, others[i]);
        error = forget_copy(call, others[i]);
    }
    return error;
}

enum error columnar_rebuild(const struct storage_call *call, const struct entity_type *type)
{
    return outbox_give_up(call, type->table->name);
}
