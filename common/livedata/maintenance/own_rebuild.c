/* The events of domains from the journal, oldest first, page by page. */
#include "livedata/maintenance/own_rebuild.h"

#include "base/string_list.h"
#include "db/query.h"
#include "livedata/entities/own.h"
#include "livedata/journal/journal.h"
#include "livedata/maintenance/own_index.h"
#include "livedata/outbox/outbox.h"
#include "livedata/tables/tables.h"

#include <stdlib.h>
#include <string.h>

/* A page ends with the event that passes its bytes: parsed, events need several times as much. */
enum { PAGE = 200, PAGE_BYTES = 4 * 1024 * 1024, PAGE_MEMORY = 256 * 1024 * 1024, SQL_MAX = 4000 };

static const struct statement read_events = {
    .name = "own_events",
    .sql = "SELECT seq, tenant_id, entity_id, processed_at, payload FROM pipeline_events"
           " WHERE seq > ? AND entity_type = ? AND topic = 'events.validated'"
           " AND payload IS NOT NULL ORDER BY seq LIMIT ?",
};
/* The journal is searched by the entity's key, of which there are few rows: COALESCE keeps SQLite
 * from taking the index of types instead, which has all of them. */
static const char delete_head[] = "DELETE FROM ",
                  where_complete[] =
                      " WHERE tenant_id = ? AND row_events <= (SELECT count(*) FROM pipeline_events"
                      " p WHERE p.tenant_id = ? AND p.entity_id = ",
                  and_type[] = " AND COALESCE(p.entity_type, '') = ? AND p.payload IS NOT NULL)",
                  counted_of_rows[] =
                      "DELETE FROM own_counted WHERE tenant_id = ? AND entity_type = ?"
                      " AND EXISTS (SELECT 1 FROM pipeline_events p WHERE p.tenant_id = ?"
                      " AND p.entity_id = own_counted.entity_id"
                      " AND COALESCE(p.entity_type, '') = own_counted.entity_type"
                      " AND p.payload IS NOT NULL)"
                      " AND NOT EXISTS (SELECT 1 FROM ",
                  row_of_counted[] = " r WHERE r.tenant_id = ? AND r.",
                  counted_end[] = " = own_counted.entity_id)", select_rows[] = "SELECT tenant_id, ",
                  from_word[] = " FROM ", order_word[] = " ORDER BY tenant_id, ";

struct journal_event {
    int64_t seq, processed_at;
    const char *tenant, *id, *payload;
};

struct walk {
    const struct storage_call *call; /* with the arena of the page */
    const struct catalog *catalog;
    const struct entity_type *type;
    enum error (*use)(struct walk *walk, const struct storage_call *call,
                      const struct event *event);
    const bool *wanted;             /* of a fill */
    const struct string_list *kept; /* of a rebuild, sorted: "<tenant> <key>" */
    int64_t events, first_at;
};

static enum error read_page(const struct walk *walk, int64_t after,
                            struct journal_event events[PAGE], size_t *count)
{
    struct arena *arena = walk->call->arena;
    struct query *query = db_query(walk->call->db, &read_events);
    size_t bytes = 0;

    *count = 0;
    query_bind_integer(query, after);
    query_bind_text(query, walk->type->name);
    query_bind_integer(query, PAGE);
    while (*count < PAGE && bytes < PAGE_BYTES && query_next(query)) {
        struct journal_event *event = &events[(*count)++];

        *event = (struct journal_event){.seq = query_integer(query, 0),
                                        .tenant = query_text(query, 1, arena),
                                        .id = query_text(query, 2, arena),
                                        .processed_at = query_integer(query, 3),
                                        .payload = query_text(query, 4, arena)};
        bytes += strlen(event->payload);
    }
    return query_end(query, walk->call->problem);
}

/* What does not fit the file any more was applied by an older one: it changes nothing now. */
static enum error use_event(struct walk *walk, const struct journal_event *stored)
{
    struct storage_call call = *walk->call;
    const struct event_rules rules = {walk->catalog, stored->tenant, stored->processed_at, 86400};
    struct event_verdict verdict;
    struct json_fault fault;
    struct event event;
    json_t *payload;

    call.tenant = stored->tenant;
    call.now = stored->processed_at;
    if (json_read(call.arena, stored->payload, strlen(stored->payload), JSON_DEPTH_LIMIT, &payload,
                  &fault) ||
        !event_check(call.arena, payload, &rules, &event, &verdict) || !event.own ||
        event.own->type != walk->type)
        return ERROR_NONE;
    if (!walk->events++)
        walk->first_at = stored->processed_at;
    return walk->use(walk, &call, &event);
}

static enum error walk_events(struct walk *walk)
{
    const struct storage_call *caller = walk->call;
    struct storage_call page = *caller;
    struct journal_event events[PAGE];
    int64_t after = 0;
    size_t count = 0;
    enum error error;

    page.arena = arena_create(PAGE_MEMORY);
    if (!page.arena)
        return problem_set(caller->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    walk->call = &page;
    do {
        arena_reset(page.arena);
        error = read_page(walk, after, events, &count);
        for (size_t i = 0; !error && i < count; i++)
            error = use_event(walk, &events[i]);
        after = count ? events[count - 1].seq : after;
    } while (!error && count);
    walk->call = caller;
    arena_destroy(page.arena);
    return error;
}

/* To searches, and to all hosts' caches. */
static enum error show_rows(const struct storage_call *call, const struct entity_type *type)
{
    enum error error = own_index_rows(call, type);

    return error ? error : generation_raise_for_all(call, type->table->name);
}

static enum error fill_event(struct walk *walk, const struct storage_call *call,
                             const struct event *event)
{
    return state_fill_own(call, event, walk->wanted);
}

enum error own_fill_columns(const struct storage_call *call, const struct catalog *catalog,
                            const struct entity_type *type, const struct string_list *columns)
{
    bool wanted[OWN_COLUMNS_MAX] = {false};
    struct walk walk = {
        .call = call, .catalog = catalog, .type = type, .use = fill_event, .wanted = wanted};
    enum error error;

    for (size_t i = 0; i < type->table->column_count; i++)
        wanted[i] = string_list_has(columns, type->table->columns[i].name);
    error = walk_events(&walk);
    for (size_t i = 0; !error && i < columns->count; i++)
        error = tables_note_column(call, type->name, columns->items[i], walk.first_at);
    return error || !walk.events ? error : show_rows(call, type);
}

/* Statements of this table alone; a handle keeps them by their address. */
static struct statement *made(const struct catalog *catalog, const char *name,
                              const char *const *parts)
{
    struct statement *statement = ARENA_NEW(catalog->arena, struct statement);
    struct text sql;

    text_start(&sql, catalog->arena, SQL_MAX);
    text_append_strings(&sql, parts);
    *statement = (struct statement){.name = name, .sql = sql.bytes, .streams = *name == 'l'};
    return statement;
}

struct forgetting {
    const struct storage_call *call;
    const struct entity_type *type;
    const struct statement *rows, *counted;
};

static enum error forget_of_tenant(const struct forgetting *forgetting, const char *tenant)
{
    const struct storage_call *call = forgetting->call;
    struct query *query = db_query(call->db, forgetting->rows);
    enum error error;

    query_bind_text(query, tenant);
    query_bind_text(query, tenant);
    query_bind_text(query, forgetting->type->name);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, forgetting->counted);
    query_bind_text(query, tenant);
    query_bind_text(query, forgetting->type->name);
    query_bind_text(query, tenant);
    query_bind_text(query, tenant);
    return query_end(query, call->problem);
}

/* Removes the rows whose events the journal all has; the others stay. */
static enum error forget_rows(const struct storage_call *call, const struct catalog *catalog,
                              const struct entity_type *type)
{
    const char *table = type->table->name, *key = type->table->primary_key;
    const struct forgetting forgetting = {
        call, type,
        made(catalog, "own_forget",
             (const char *const[]){delete_head, table, where_complete, table, ".", key, and_type,
                                   NULL}),
        made(
            catalog, "own_counted_forget",
            (const char *const[]){counted_of_rows, table, row_of_counted, key, counted_end, NULL})};
    struct string_list tenants;
    enum error error = journal_tenants(call, &tenants);

    for (size_t i = 0; !error && i < tenants.count; i++)
        error = forget_of_tenant(&forgetting, tenants.items[i]);
    return error;
}

/* "<tenant> <key>" of all rows of the table, sorted. */
static enum error list_rows(const struct storage_call *call, const struct catalog *catalog,
                            const struct entity_type *type, struct string_list *rows)
{
    const char *table = type->table->name, *key = type->table->primary_key;
    struct query *query = db_query(
        call->db,
        made(catalog, "list_own",
             (const char *const[]){select_rows, key, from_word, table, order_word, key, NULL}));
    size_t room = 0;

    *rows = (struct string_list){0};
    while (query_next(query)) {
        if (rows->count == room) {
            const char **more = ARENA_ARRAY(call->arena, const char *, room * 2 + 64);

            if (room)
                memcpy(more, rows->items, room * sizeof *more);
            rows->items = more;
            room = room * 2 + 64;
        }
        rows->items[rows->count++] =
            arena_print(call->arena, "%s %s", query_text(query, 0, call->arena),
                        query_text(query, 1, call->arena));
    }
    if (rows->count)
        qsort(rows->items, rows->count, sizeof rows->items[0], string_list_order);
    return query_end(query, call->problem);
}

static enum error rebuild_event(struct walk *walk, const struct storage_call *call,
                                const struct event *event)
{
    const char *row = arena_print(call->arena, "%s %s", call->tenant, event->entity_id);

    if (walk->kept->count && bsearch(&row, walk->kept->items, walk->kept->count,
                                     sizeof walk->kept->items[0], string_list_order))
        return ERROR_NONE;
    return state_apply_own(call, event);
}

static enum error rebuild_rows(const struct storage_call *call, const struct catalog *catalog,
                               const struct entity_type *type, struct own_rebuild *rebuild)
{
    struct string_list kept, rows;
    struct walk walk = {
        .call = call, .catalog = catalog, .type = type, .use = rebuild_event, .kept = &kept};
    enum error error = db_lock(call->db, "livedata.apply", call->problem);

    if (!error)
        error = forget_rows(call, catalog, type);
    if (!error)
        error = list_rows(call, catalog, type, &kept);
    if (!error)
        error = walk_events(&walk);
    if (!error)
        error = list_rows(call, catalog, type, &rows);
    if (!error)
        error = show_rows(call, type);
    if (!error)
        error = outbox_restart(call, type->table->name);
    if (!error)
        *rebuild = (struct own_rebuild){walk.events, (int64_t)rows.count, (int64_t)kept.count};
    return error;
}

static enum error rebuild_unhurried(const struct storage_call *call, const struct catalog *catalog,
                                    const struct entity_type *type, struct own_rebuild *rebuild)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    return db_finish(call->db, rebuild_rows(call, catalog, type, rebuild), call->problem);
}

enum error own_rebuild(const struct storage_call *call, const struct catalog *catalog,
                       const struct entity_type *type, struct own_rebuild *rebuild)
{
    struct problem unused;
    enum error error = db_take_time(call->db, true, call->problem), restored;

    *rebuild = (struct own_rebuild){0};
    if (!error)
        error = rebuild_unhurried(call, catalog, type, rebuild);
    restored = db_take_time(call->db, false, error ? &unused : call->problem);
    return error ? error : restored;
}
