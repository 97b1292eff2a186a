/* SQL of customers and teams. */
#include "orchestrator/keys/key_rows.h"

#include "base/list.h"
#include "crypto/token.h"
#include "db/query.h"

#include <string.h>

#define OWNER struct customer
static const struct field customer_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, name),
    BOOLEAN(OWNER, active, .help = "False: none of its keys can be used."),
    TIME(OWNER, created_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(customer_schema, struct customer, "Customer", customer_fields);

#define OWNER struct team
static const struct field team_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, name),
    STRING(OWNER, customer_id, .nullable = true),
    STRING(OWNER, customer_name, .nullable = true),
    BOOLEAN(OWNER, active, .help = "False: none of its keys can be used."),
    TIME(OWNER, created_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(team_schema, struct team, "Team", team_fields);

static const struct statement insert_customer = {
    .name = "orch_customer_insert",
    .sql = "INSERT INTO orch_customers (customer_id, name, active, created_at)"
           " VALUES (?, ?, ?, {now_microseconds})",
};
static const struct statement update_customer = {
    .name = "orch_customer_update",
    .sql = "UPDATE orch_customers SET name = ?, active = ? WHERE customer_id = ?",
};
static const struct statement delete_customer = {
    .name = "orch_customer_delete",
    .sql = "DELETE FROM orch_customers WHERE customer_id = ?",
};
static const struct statement list_customers = {
    .name = "orch_customers_list",
    .sql = "SELECT customer_id AS id, name, active, created_at FROM orch_customers ORDER BY name",
};
static const struct statement insert_team = {
    .name = "orch_team_insert",
    .sql = "INSERT INTO orch_teams (team_id, customer_id, name, active, created_at)"
           " VALUES (?, ?, ?, ?, {now_microseconds})",
};
static const struct statement update_team = {
    .name = "orch_team_update",
    .sql = "UPDATE orch_teams SET customer_id = ?, name = ?, active = ? WHERE team_id = ?",
};
static const struct statement delete_team = {
    .name = "orch_team_delete",
    .sql = "DELETE FROM orch_teams WHERE team_id = ?",
};
static const struct statement list_teams = {
    .name = "orch_teams_list",
    .sql = "SELECT t.team_id AS id, t.name, t.customer_id, c.name AS customer_name, t.active,"
           " t.created_at FROM orch_teams AS t"
           " LEFT JOIN orch_customers AS c ON c.customer_id = t.customer_id ORDER BY t.name",
};
static const struct statement delete_owner_parts = {
    .name = "orch_owner_parts_delete",
    .sql = "DELETE FROM orch_budget_parts WHERE budget_id IN"
           " (SELECT budget_id FROM orch_budgets WHERE owner_id = ?)",
};
static const struct statement delete_owner_budgets = {
    .name = "orch_owner_budgets_delete",
    .sql = "DELETE FROM orch_budgets WHERE owner_id = ?",
};
static const struct statement lock_owner_budgets = {
    .name = "orch_owner_budgets_lock",
    .sql = "SELECT budget_id FROM orch_budgets WHERE owner_id = ? ORDER BY budget_id {for_update}",
};

const char *new_row_id(struct arena *arena)
{
    char *id = arena_alloc(arena, TOKEN_UUID_TEXT);

    token_uuid(id);
    return id;
}

enum error owner_error(const struct key_store_call *call, enum error error)
{
    const char *reason = call->problem->reason;

    if (error != ERROR_CONFLICT || !reason)
        return error;
    if (strcmp(reason, "unique_violation") == 0)
        return problem_set(call->problem, ERROR_CONFLICT, "name_taken", "This name is taken.");
    if (strcmp(reason, "foreign_key_violation") == 0)
        return problem_set(call->problem, ERROR_CONFLICT, "owner_unknown",
                           "The team or the customer does not exist.");
    return error;
}

enum error owner_end(const struct key_store_call *call, struct query *query, const char *reason,
                     const char *text)
{
    int64_t changed = query_changes(query);
    enum error error = owner_error(call, query_end(query, call->problem));

    if (error || changed)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, reason, "%s", text);
}

static enum error run_with_id(const struct key_store_call *call, const struct statement *statement,
                              const char *id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

static enum error lock_budgets(const struct key_store_call *call, const char *id)
{
    struct query *query = db_query(call->db, &lock_owner_budgets);

    query_bind_text(query, id);
    while (query_next(query))
        continue;
    return query_end(query, call->problem);
}

enum error owner_delete(const struct key_store_call *call, const struct statement *statement,
                        const char *id, const char *reason, const char *text)
{
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_budgets(call, id);
    if (!error)
        error = run_with_id(call, &delete_owner_parts, id);
    if (!error)
        error = run_with_id(call, &delete_owner_budgets, id);
    if (!error) {
        query = db_query(call->db, statement);
        query_bind_text(query, id);
        error = owner_end(call, query, reason, text);
    }
    if (error == ERROR_CONFLICT)
        error = problem_set(call->problem, ERROR_CONFLICT, "owner_in_use",
                            "Others belong to it: move or delete them first.");
    return db_finish(call->db, error, call->problem);
}

enum error customer_add(const struct key_store_call *call, struct customer *customer)
{
    struct query *query = db_query(call->db, &insert_customer);

    customer->id = new_row_id(call->arena);
    query_bind_text(query, customer->id);
    query_bind_text(query, customer->name);
    query_bind_boolean(query, customer->active);
    return owner_error(call, query_end(query, call->problem));
}

static const char no_customer[] = "This customer does not exist.";
static const char no_team[] = "This team does not exist.";

enum error customer_update(const struct key_store_call *call, const struct customer *customer)
{
    struct query *query = db_query(call->db, &update_customer);

    query_bind_text(query, customer->name);
    query_bind_boolean(query, customer->active);
    query_bind_text(query, customer->id);
    return owner_end(call, query, "customer_not_found", no_customer);
}

enum error customer_delete(const struct key_store_call *call, const char *id)
{
    return owner_delete(call, &delete_customer, id, "customer_not_found", no_customer);
}

enum error rows_list(const struct key_store_call *call, const struct statement *statement,
                     const struct schema *schema, struct object_list *list)
{
    struct query *query = db_query(call->db, statement);

    *list = (struct object_list){0};
    while (query_next(query))
        query_read(query, schema, list_add(call->arena, &list->items, &list->count, schema->size),
                   call->arena);
    return query_end(query, call->problem);
}

enum error customer_list(const struct key_store_call *call, struct object_list *list)
{
    return rows_list(call, &list_customers, &customer_schema, list);
}

enum error team_add(const struct key_store_call *call, struct team *team)
{
    struct query *query = db_query(call->db, &insert_team);

    team->id = new_row_id(call->arena);
    query_bind_text(query, team->id);
    query_bind_text(query, team->customer_id);
    query_bind_text(query, team->name);
    query_bind_boolean(query, team->active);
    return owner_error(call, query_end(query, call->problem));
}

enum error team_update(const struct key_store_call *call, const struct team *team)
{
    struct query *query = db_query(call->db, &update_team);

    query_bind_text(query, team->customer_id);
    query_bind_text(query, team->name);
    query_bind_boolean(query, team->active);
    query_bind_text(query, team->id);
    return owner_end(call, query, "team_not_found", no_team);
}

enum error team_delete(const struct key_store_call *call, const char *id)
{
    return owner_delete(call, &delete_team, id, "team_not_found", no_team);
}

enum error team_list(const struct key_store_call *call, struct object_list *list)
{
    return rows_list(call, &list_teams, &team_schema, list);
}
