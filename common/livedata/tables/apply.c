/* Making and changing the tables of domains, and the record of it. */
#include "livedata/tables/tables.h"

#include "base/list.h"
#include "base/log.h"
#include "db/distribute.h"
#include "livedata/outbox/outbox.h"

#include <string.h>

static const struct statement put_contract = {
    .name = "own_contract_put",
    .sql = "INSERT INTO own_contracts (entity_type, table_name, fingerprint, contract, changed_at)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (entity_type) DO UPDATE SET"
           " table_name = excluded.table_name, fingerprint = excluded.fingerprint,"
           " contract = excluded.contract, changed_at = excluded.changed_at",
};
static const struct statement note_former = {
    .name = "own_contract_former",
    .sql = "INSERT INTO own_former_contracts (entity_type, fingerprint, replaced_at)"
           " SELECT entity_type, fingerprint, ? FROM own_contracts WHERE entity_type = ?"
           " AND fingerprint <> ? ON CONFLICT (entity_type, fingerprint) DO UPDATE"
           " SET replaced_at = excluded.replaced_at",
};
static const struct statement forget_former = {
    .name = "own_contract_forget_former",
    .sql = "DELETE FROM own_former_contracts WHERE entity_type = ? AND fingerprint = ?",
};
static const struct statement put_column = {
    .name = "own_column_put",
    .sql = "INSERT INTO own_columns (entity_type, column_name, added_at, filled_from)"
           " VALUES (?, ?, ?, ?) ON CONFLICT (entity_type, column_name) DO UPDATE SET"
           " added_at = excluded.added_at, filled_from = excluded.filled_from",
};
static const struct statement read_columns = {
    .name = "own_columns",
    .sql = "SELECT column_name, added_at, filled_from FROM own_columns WHERE entity_type = ?"
           " ORDER BY column_name",
};

static bool is_refused(const struct table_plan *plan, const struct entity_type *type)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->items[i].type == type && plan->items[i].refused)
            return true;
    return false;
}

/* A handle keeps statements by their address: these must live as long as it. */
static enum error execute(const struct storage_call *call, const struct catalog *catalog,
                          const struct statement *statement)
{
    struct statement *kept = ARENA_NEW(catalog->arena, struct statement);

    *kept = (struct statement){.name = arena_copy_string(catalog->arena, statement->name),
                               .sql = arena_copy_string(catalog->arena, statement->sql)};
    return query_end(db_query(call->db, kept), call->problem);
}

static enum error write_contract(const struct storage_call *call, const struct entity_type *type)
{
    struct query *query = db_query(call->db, &note_former);
    enum error error;

    query_bind_integer(query, call->now);
    query_bind_text(query, type->name);
    query_bind_text(query, type->table->own->fingerprint);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &forget_former);
    query_bind_text(query, type->name);
    query_bind_text(query, type->table->own->fingerprint);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &put_contract);
    query_bind_text(query, type->name);
    query_bind_text(query, type->table->name);
    query_bind_text(query, type->table->own->fingerprint);
    query_bind_text(query, type->table->own->contract);
    query_bind_integer(query, call->now);
    error = query_end(query, call->problem);
    return error ? error : outbox_restart(call, type->table->name);
}

enum error tables_note_column(const struct storage_call *call, const char *entity_type,
                              const char *column, int64_t filled_from)
{
    struct query *query = db_query(call->db, &put_column);

    query_bind_text(query, entity_type);
    query_bind_text(query, column);
    query_bind_integer(query, call->now);
    if (filled_from)
        query_bind_integer(query, filled_from);
    else
        query_bind_optional_integer(query, (struct optional_integer){0});
    return query_end(query, call->problem);
}

/* The changes of one entity, then its contract. */
static enum error apply_entity(const struct storage_call *call, const struct catalog *catalog,
                               const struct table_plan *plan, const struct entity_type *type,
                               table_fill *fill)
{
    struct string_list columns = {.items = ARENA_ARRAY(call->arena, const char *, plan->count)};
    enum error error = ERROR_NONE;
    bool any = false;

    for (size_t i = 0; !error && i < plan->count; i++) {
        const struct table_change *change = &plan->items[i];

        if (change->type != type)
            continue;
        any = true;
        if (change->execute.sql)
            error = execute(call, catalog, &change->execute);
        if (!error && change->makes_table)
            error =
                db_distribute_table(call->db, type->table->name, "pipeline_events", call->problem);
        if (change->column)
            columns.items[columns.count++] = change->column;
        log_event(LOG_INFO, "table_changed",
                  arena_print(call->arena, "%s: %s", type->name, change->text));
    }
    if (!error && any)
        error = write_contract(call, type);
    if (!error && columns.count && fill)
        error = fill(call, catalog, type, &columns);
    return error;
}

/* Under the locks the plan is made again: another process may have done it. */
static enum error apply_locked(const struct storage_call *call, const struct catalog *catalog,
                               enum plan_way way, const struct entity_type *type, table_fill *fill)
{
    struct table_plan plan;
    enum error error = db_lock(call->db, "livedata.tables", call->problem);

    if (!error)
        error = db_lock(call->db, "livedata.apply", call->problem);
    if (!error)
        error = tables_plan(call, catalog, way, &plan);
    if (error || is_refused(&plan, type))
        return error;
    return apply_entity(call, catalog, &plan, type, fill);
}

static enum error apply_type(const struct storage_call *call, const struct catalog *catalog,
                             enum plan_way way, const struct entity_type *type, table_fill *fill)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = db_finish(call->db, apply_locked(call, catalog, way, type, fill), call->problem);
    if (error)
        log_event(
            LOG_ERROR, "table_change_failed",
            arena_print(call->arena, "%s is not served: %s", type->name, call->problem->text));
    return error;
}

static bool has_changes(const struct table_plan *plan, const struct entity_type *type)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->items[i].type == type)
            return !is_refused(plan, type);
    return false;
}

/* An entity that fails leaves the others as they are. The first error, with its text. */
static enum error apply_all(const struct storage_call *call, const struct catalog *catalog,
                            enum plan_way way, table_fill *fill, const struct table_plan *plan)
{
    enum error first = ERROR_NONE;

    for (size_t i = 0; i < catalog->entity_count; i++) {
        struct storage_call own = *call;
        struct problem problem = {0};
        enum error error = ERROR_NONE;

        own.problem = &problem;
        if (has_changes(plan, &catalog->entities[i]))
            error = apply_type(&own, catalog, way, &catalog->entities[i], fill);
        if (error && !first) {
            first = error;
            *call->problem = problem;
        }
    }
    return first;
}

static enum error apply_unhurried(const struct storage_call *call, const struct catalog *catalog,
                                  enum plan_way way, table_fill *fill,
                                  const struct table_plan *plan)
{
    struct problem unused;
    enum error error = db_take_time(call->db, true, call->problem), restored;

    if (!error)
        error = apply_all(call, catalog, way, fill, plan);
    restored = db_take_time(call->db, false, error ? &unused : call->problem);
    return error ? error : restored;
}

static void log_refusals(const struct storage_call *call, const struct table_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->items[i].refused)
            log_event(LOG_ERROR, "table_change_refused",
                      arena_print(call->arena, "%s is not served: %s", plan->items[i].type->name,
                                  plan->items[i].text));
}

enum error tables_apply(const struct storage_call *call, const struct catalog *catalog,
                        enum plan_way way, table_fill *fill, struct table_plan *plan)
{
    enum error error = tables_plan(call, catalog, way, plan);
    struct problem unused;
    struct storage_call looking = *call;

    if (error)
        return error;
    if (plan->count > plan->refused)
        error = apply_unhurried(call, catalog, way, fill, plan);
    log_refusals(call, plan);
    if (!error)
        return tables_look(call, catalog);
    looking.problem = &unused;
    (void)!tables_look(&looking, catalog);
    return error;
}

enum error tables_added(const struct storage_call *call, const char *entity_type,
                        struct added_columns *added)
{
    struct query *query = db_query(call->db, &read_columns);

    *added = (struct added_columns){0};
    query_bind_text(query, entity_type);
    while (query_next(query))
        *LIST_ADD(call->arena, added) =
            (struct added_column){query_text(query, 0, call->arena), query_integer(query, 1),
                                  query_optional_integer(query, 2).value};
    return query_end(query, call->problem);
}
