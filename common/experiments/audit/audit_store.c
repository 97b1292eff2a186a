/* SQL of the audit log. */
#include "experiments/audit/audit_store.h"
#include "db/query.h"

#include <string.h>

#define OWNER struct audit_entry
static const struct field entry_fields[] = {
    INTEGER(OWNER, id),
    STRING(OWNER, ts),
    STRING(OWNER, action),
    STRING(OWNER, project_id, .nullable = true),
    STRING(OWNER, project_name, .nullable = true),
    STRING(OWNER, key_id, .nullable = true),
    STRING(OWNER, actor, .nullable = true),
    STRING(OWNER, request_id, .nullable = true),
    JSON_VALUE(OWNER, payload_diff, .nullable = true,
               .help = "Paths that changed, each with its old and new value."),
    STRING(OWNER, ip_address, .nullable = true),
};
#undef OWNER
const struct schema audit_entry_schema = {.name = "AuditEntry",
                                          .help = "Who did what.",
                                          .size = sizeof(struct audit_entry),
                                          .fields = entry_fields,
                                          .field_count = COUNT_OF(entry_fields)};

static const struct statement insert_entry = {
    .name = "audit_insert",
    .sql = "INSERT INTO audit_log (ts, action, project_id, project_name, key_id, actor, request_id,"
           " payload_diff, ip_address) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
};

/* The counting table also counts a key's actions: a key in daily use has too many entries to count
 * for each total. */
#define COUNT_UP(more)                                                                             \
    "INSERT INTO audit_totals (dimension, value, shard, entries)"                                  \
    " VALUES ('action', ?, ?, 1), ('key', ?, ?, 1), ('project', ?, ?, 1)" more                     \
    " ON CONFLICT (dimension, value, shard)"                                                       \
    " DO UPDATE SET entries = audit_totals.entries + 1"
static const struct statement count_entry = {"audit_count_up", COUNT_UP("")};
static const struct statement count_keyed_entry = {"audit_count_keyed_up",
                                                   COUNT_UP(", ('key action', ?, ?, 1)")};

/* With no filter or one, or key and action, the total comes from the counting table. */
static const struct statement sum_entries = {
    .name = "audit_sum",
    .sql = "SELECT coalesce(sum(entries), 0) FROM audit_totals WHERE dimension = 'action'",
};
static const struct statement sum_entries_of = {
    .name = "audit_sum_of",
    .sql = "SELECT coalesce(sum(entries), 0) FROM audit_totals WHERE dimension = ? AND value = ?",
};

/* An entry's position in the order of lists; the ids alone are not in order when several hosts
 * write.
 */
static const struct statement find_cursor = {
    .name = "audit_cursor",
    .sql = "SELECT ts, id FROM audit_log WHERE id >= ? ORDER BY id LIMIT 1",
};
static const char after_every_ts[] = "~";

/* One statement for each set of filters, so that each can use its index. */
#define COLUMNS                                                                                    \
    "SELECT id, ts, action, project_id, project_name, key_id, actor, request_id, payload_diff,"    \
    " ip_address FROM audit_log WHERE (ts, id) < (?, ?)"
#define ORDER " ORDER BY ts DESC, id DESC LIMIT ?"
#define BY_PROJECT " AND project_id = ?"
#define BY_KEY " AND key_id = ?"
#define BY_ACTION " AND action = ?"
/* Used beside a more selective filter; an expression, so that no planner uses the index of this
 * one. */
#define ALSO_KEY " AND key_id || '' = ?"
#define ALSO_ACTION " AND action || '' = ?"
#define COUNT "SELECT count(*) FROM audit_log WHERE 1 = 1"

enum { FILTER_PROJECT = 1, FILTER_KEY = 2, FILTER_ACTION = 4, FILTER__MAX = 8 };

#define BY_FILTERS(name, ending, ...)                                                              \
    {                                                                                              \
        {name, COLUMNS ending, __VA_ARGS__},                                                       \
            {name "_project", COLUMNS BY_PROJECT ending, __VA_ARGS__},                             \
            {name "_key", COLUMNS BY_KEY ending, __VA_ARGS__},                                     \
            {name "_project_key", COLUMNS BY_PROJECT ALSO_KEY ending, __VA_ARGS__},                \
            {name "_action", COLUMNS BY_ACTION ending, __VA_ARGS__},                               \
            {name "_project_action", COLUMNS BY_PROJECT ALSO_ACTION ending, __VA_ARGS__},          \
            {name "_key_action", COLUMNS BY_KEY ALSO_ACTION ending, __VA_ARGS__},                  \
            {name "_project_key_action", COLUMNS BY_PROJECT ALSO_KEY ALSO_ACTION ending,           \
             __VA_ARGS__},                                                                         \
    }

static const struct statement list_entries[FILTER__MAX] =
    BY_FILTERS("audit_list", ORDER, .streams = false);
static const struct statement stream_entries[FILTER__MAX] =
    BY_FILTERS("audit_stream", ORDER, .streams = true);

static const struct statement count_entries[FILTER__MAX] = {
    [FILTER_PROJECT | FILTER_KEY] = {"audit_count_project_key", COUNT BY_PROJECT ALSO_KEY},
    [FILTER_PROJECT | FILTER_ACTION] = {"audit_count_project_action", COUNT BY_PROJECT ALSO_ACTION},
    [FILTER_PROJECT | FILTER_KEY |
        FILTER_ACTION] = {"audit_count_project_key_action", COUNT BY_PROJECT ALSO_KEY ALSO_ACTION},
};

/* The value of the dimension `key action`; ids hold no spaces. */
static const char *key_and_action(struct arena *arena, const char *key_id, const char *action)
{
    return arena_print(arena, "%s %s", key_id, action);
}

static enum error count_up(struct db *db, struct arena *arena, const char *action,
                           const char *key_id, const char *project_id, struct problem *problem)
{
    struct query *query = db_query(db, key_id ? &count_keyed_entry : &count_entry);
    int64_t shard = store_shard(db);

    query_bind_text(query, action);
    query_bind_integer(query, shard);
    query_bind_text(query, key_id ? key_id : "");
    query_bind_integer(query, shard);
    query_bind_text(query, project_id ? project_id : "");
    query_bind_integer(query, shard);
    if (key_id) {
        query_bind_text(query, key_and_action(arena, key_id, action));
        query_bind_integer(query, shard);
    }
    return query_end(query, problem);
}

static enum error insert(struct db *db, const struct audit_row *row, int64_t *id,
                         struct problem *problem)
{
    struct query *query = db_query(db, &insert_entry);

    query_bind_text(query, row->ts);
    query_bind_text(query, row->action);
    query_bind_text(query, row->project_id);
    query_bind_text(query, row->project_name);
    query_bind_text(query, row->key_id);
    query_bind_text(query, row->actor);
    query_bind_text(query, row->request_id);
    query_bind_json(query, row->diff);
    query_bind_text(query, row->ip_address);
    *id = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

static audit_listener *listener;

void audit_listen(audit_listener *called)
{
    listener = called;
}

enum error audit_record_id(struct db *db, struct arena *arena, const struct actor *actor,
                           const struct audit_event *event, int64_t *id, struct problem *problem)
{
    struct audit_row row = {.ts = store_now(arena),
                            .action = event->action,
                            .project_id = event->project_id,
                            .project_name = event->project_name,
                            .key_id = event->key_id ? event->key_id : actor->key_id,
                            .actor = actor->name,
                            .request_id = actor->request_id,
                            .ip_address = actor->ip_address,
                            .diff = event->diff};
    enum error error = insert(db, &row, id, problem);

    row.id = *id;
    if (!error)
        error = count_up(db, arena, event->action, row.key_id, event->project_id, problem);
    return error || !listener ? error : listener(db, arena, &row, problem);
}

enum error audit_record(struct db *db, struct arena *arena, const struct actor *actor,
                        const struct audit_event *event, struct problem *problem)
{
    int64_t id;

    return audit_record_id(db, arena, actor, event, &id, problem);
}

static unsigned filter_set(const struct audit_filter *filter)
{
    return (filter->project_id ? FILTER_PROJECT : 0U) | (filter->key_id ? FILTER_KEY : 0U) |
           (filter->action ? FILTER_ACTION : 0U);
}

static void bind_filter(struct query *query, const struct audit_filter *filter)
{
    if (filter->project_id)
        query_bind_text(query, filter->project_id);
    if (filter->key_id)
        query_bind_text(query, filter->key_id);
    if (filter->action)
        query_bind_text(query, filter->action);
}

/* The row of the counting table that holds the total of these filters; false when none does. */
static bool find_tally(const struct audit_filter *filter, struct arena *arena,
                       const char **dimension, const char **value)
{
    switch (filter_set(filter)) {
    case FILTER_PROJECT:
        *dimension = "project";
        *value = filter->project_id;
        return true;
    case FILTER_KEY:
        *dimension = "key";
        *value = filter->key_id;
        return true;
    case FILTER_ACTION:
        *dimension = "action";
        *value = filter->action;
        return true;
    case FILTER_KEY | FILTER_ACTION:
        *dimension = "key action";
        *value = key_and_action(arena, filter->key_id, filter->action);
        return true;
    default:
        return false;
    }
}

/* The query that counts the matching entries, with its values bound. */
static struct query *count_query(struct db *db, struct arena *arena,
                                 const struct audit_filter *filter)
{
    const char *dimension, *value;
    struct query *query;

    if (filter_set(filter) == 0)
        return db_query(db, &sum_entries);
    if (find_tally(filter, arena, &dimension, &value)) {
        query = db_query(db, &sum_entries_of);
        query_bind_text(query, dimension);
        query_bind_text(query, value);
    } else {
        query = db_query(db, &count_entries[filter_set(filter)]);
        bind_filter(query, filter);
    }
    return query;
}

static void read_entry(struct query *query, struct arena *arena, struct audit_entry *entry)
{
    *entry = (struct audit_entry){0};
    query_read(query, &audit_entry_schema, entry, arena);
}

/* Binds the position of the entry before the page; if it was purged, of the next newer one. */
static enum error bind_cursor(struct db *db, struct arena *arena, struct query *query,
                              int64_t before_id, struct problem *problem)
{
    const char *ts = after_every_ts;
    int64_t id = INT64_MAX;
    struct query *cursor;
    enum error error = ERROR_NONE;

    if (before_id > 0) {
        cursor = db_query(db, &find_cursor);
        query_bind_integer(cursor, before_id);
        if (query_next(cursor)) {
            ts = query_text(cursor, 0, arena);
            id = query_integer(cursor, 1);
        }
        error = query_end(cursor, problem);
    }
    query_bind_text(query, ts);
    query_bind_integer(query, id);
    return error;
}

static struct query *entries_query(struct db *db, struct arena *arena,
                                   const struct statement *statements,
                                   const struct audit_filter *filter, int64_t limit,
                                   struct problem *problem)
{
    struct query *query = db_query(db, &statements[filter_set(filter)]);
    enum error error = bind_cursor(db, arena, query, filter->before_id, problem);

    if (error) {
        (void)!query_end(query, NULL);
        return NULL;
    }
    bind_filter(query, filter);
    query_bind_integer(query, limit);
    return query;
}

static enum error read_page(struct db *db, struct arena *arena, const struct audit_filter *filter,
                            int64_t limit, struct object_list *entries, struct problem *problem)
{
    struct audit_entry *items = ARENA_ARRAY(arena, struct audit_entry, (size_t)limit);
    struct query *query = entries_query(db, arena, list_entries, filter, limit, problem);

    *entries = (struct object_list){.items = items};
    if (!query)
        return problem->error;
    while (entries->count < (size_t)limit && query_next(query))
        read_entry(query, arena, &items[entries->count++]);
    return query_end(query, problem);
}

static bool is_empty(const char *text)
{
    return text && !*text;
}

static enum error count_fitting(struct db *db, struct arena *arena,
                                const struct audit_filter *filter, int64_t *total,
                                struct problem *problem)
{
    struct query *query;

    /* No row has an empty value, and the counting table uses it for entries without a value. */
    *total = 0;
    if (is_empty(filter->project_id) || is_empty(filter->key_id) || is_empty(filter->action))
        return ERROR_NONE;
    query = count_query(db, arena, filter);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error audit_list(struct db *db, struct arena *arena, const struct audit_filter *filter,
                      int64_t limit, struct object_list *entries, int64_t *total,
                      struct problem *problem)
{
    enum error error = db_begin(db, DB_READ, problem);

    if (error)
        return error;
    error = read_page(db, arena, filter, limit, entries, problem);
    if (!error)
        error = count_fitting(db, arena, filter, total, problem);
    return db_finish(db, error, problem);
}

static enum error visit_all(struct db *db, struct arena *arena, const struct audit_filter *filter,
                            audit_visitor *visit, void *context, struct problem *problem)
{
    struct query *query = entries_query(db, arena, stream_entries, filter, INT64_MAX, problem);
    struct audit_entry entry;
    bool wanted = true;

    if (!query)
        return problem->error;
    while (wanted && query_next(query)) {
        read_entry(query, arena, &entry);
        wanted = visit(&entry, context);
    }
    return query_end(query, problem);
}

enum error audit_each(struct db *db, struct arena *arena, const struct audit_filter *filter,
                      audit_visitor *visit, void *context, struct problem *problem)
{
    enum error error = db_begin(db, DB_READ, problem);

    if (error)
        return error;
    return db_finish(db, visit_all(db, arena, filter, visit, context, problem), problem);
}
