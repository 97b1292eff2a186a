/* Rows of domains that are older than their file lets them stay. */
#include "livedata/maintenance/own_retention.h"

#include "db/query.h"
#include "livedata/entities/own.h"
#include "livedata/journal/journal.h"
#include "livedata/outbox/outbox.h"
#include "livedata/search/search.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

static const struct statement forget_counted = {
    .name = "own_counted_expire",
    .sql = "DELETE FROM own_counted WHERE tenant_id = ? AND entity_type = ? AND entity_id = ?",
};

struct expired_rows {
    size_t count;
    struct {
        const char *tenant, *key;
    } * items;
};

static enum error find_rows(const struct storage_call *call, const struct entity_type *type,
                            int64_t most, struct expired_rows *rows)
{
    const struct own_entity *own = type->table->own;
    struct query *query = db_query(call->db, &own->expire);

    rows->count = 0;
    rows->items = arena_alloc(call->arena, (size_t)most * sizeof *rows->items);
    query_bind_integer(query, call->now - own->retention_days * us_per_day);
    query_bind_integer(query, most);
    while (rows->count < (size_t)most && query_next(query)) {
        rows->items[rows->count].tenant = query_text(query, 0, call->arena);
        rows->items[rows->count++].key = query_text(query, 1, call->arena);
    }
    return query_end(query, call->problem);
}

static enum error forget_row(const struct storage_call *call, const struct entity_type *type,
                             const char *key)
{
    enum error error = state_expire_own(call, type, key);
    struct query *query;

    if (!error)
        error = search_forget_row(call, type, key);
    if (error)
        return error;
    query = db_query(call->db, &forget_counted);
    query_bind_text(query, call->tenant);
    query_bind_text(query, type->name);
    query_bind_text(query, key);
    error = query_end(query, call->problem);
    return error ? error : generation_raise(call, type->table->name, (struct event_mark){0});
}

static enum error forget_rows(const struct storage_call *call, const struct entity_type *type,
                              int64_t most)
{
    struct storage_call own = *call;
    struct expired_rows rows = {0};
    enum error error = db_lock(call->db, "livedata.apply", call->problem);

    if (!error)
        error = outbox_look(call, type->table);
    if (!error)
        error = find_rows(call, type, most, &rows);
    for (size_t i = 0; !error && i < rows.count; i++) {
        own.tenant = rows.items[i].tenant;
        error = forget_row(&own, type, rows.items[i].key);
    }
    return error;
}

enum error own_retention_keep(const struct storage_call *call, const struct catalog *catalog,
                              int64_t most)
{
    enum error error =
        catalog->table_count > serving_table_count ? tables_look(call, catalog) : ERROR_NONE;

    for (size_t i = 0; !error && i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];

        if (!type->table->own || !type->table->own->retention_days ||
            !type->table->own->serving->served)
            continue;
        error = db_begin(call->db, DB_WRITE, call->problem);
        if (!error)
            error = db_finish(call->db, forget_rows(call, type, most), call->problem);
    }
    return error;
}
