/* SQL of budgets as administrators set them. */
#include "orchestrator/keys/budget_rows.h"

#include "base/list.h"
#include "crypto/token.h"

enum { PERCENTS_BYTES_MAX = 1024, KEPT_WINDOWS = 3 };

const char *const budget_owner_names[BUDGET_OWNER__MAX + 1] = {"key", "team", "customer", NULL};

#define OWNER struct budget
static const struct field budget_fields[] = {
    STRING(OWNER, id),
    CHOICE(OWNER, owner_kind, budget_owner_names, .choice_count = BUDGET_OWNER__MAX),
    STRING(OWNER, owner_id),
    CHOICE(OWNER, period, budget_period_names, .choice_count = BUDGET_PERIOD__MAX),
    BOOLEAN(OWNER, rolling),
    INTEGER(OWNER, limit_nano_usd),
    INTEGER(OWNER, extra_nano_usd),
    NULLABLE_INTEGER(OWNER, extra_until),
    INTEGERS(OWNER, alert_percents),
    INTEGER(OWNER, created_at),
    INTEGER(OWNER, read_at),
};
#undef OWNER
SCHEMA(budget_schema, struct budget, "BudgetRow", budget_fields);

static const struct statement list_budgets = {
    .name = "orch_budgets_list",
    .sql = "SELECT " BUDGET_COLUMNS " FROM orch_budgets WHERE (? = '' OR owner_id = ?)"
           " ORDER BY owner_id, created_at, budget_id",
};
static const struct statement find_budget = {
    .name = "orch_budget_find",
    .sql = "SELECT " BUDGET_COLUMNS " FROM orch_budgets WHERE budget_id = ?",
};
static const struct statement insert_budget = {
    .name = "orch_budget_insert",
    .sql = "INSERT INTO orch_budgets (budget_id, owner_kind, owner_id, period, rolling,"
           " limit_nano_usd, extra_nano_usd, extra_until, alert_percents, created_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {now_microseconds})",
};
static const struct statement count_budgets = {
    .name = "orch_budgets_count",
    .sql = "SELECT count(*) FROM orch_budgets WHERE owner_id = ?",
};
static const struct statement update_budget = {
    .name = "orch_budget_update",
    .sql = "UPDATE orch_budgets SET limit_nano_usd = ?, extra_nano_usd = ?, extra_until = ?,"
           " alert_percents = ? WHERE budget_id = ?",
};
static const struct statement find_owner = {
    .name = "orch_budget_owner_find",
    .sql = "SELECT 1 FROM orch_keys WHERE ? = 0 AND key_id = ?"
           " UNION ALL SELECT 1 FROM orch_teams WHERE ? = 1 AND team_id = ?"
           " UNION ALL SELECT 1 FROM orch_customers WHERE ? = 2 AND customer_id = ?",
};
static const struct statement delete_budget = {
    .name = "orch_budget_delete",
    .sql = "DELETE FROM orch_budgets WHERE budget_id = ?",
};
static const struct statement delete_parts = {
    .name = "orch_budget_parts_delete",
    .sql = "DELETE FROM orch_budget_parts WHERE budget_id = ?",
};
static const struct statement forget_parts = {
    .name = "orch_budget_parts_forget",
    .sql = "DELETE FROM orch_budget_parts WHERE budget_id = ? AND part_at < ?",
};

int64_t budget_limit_now(const struct budget *budget)
{
    bool extended = budget->extra_until.given && budget->extra_until.value > budget->read_at;

    return budget->limit_nano_usd + (extended ? budget->extra_nano_usd : 0);
}

static const char *percents_text(struct arena *arena, const struct integer_list *percents)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PERCENTS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < percents->count; i++)
        writer_integer(&writer, percents->items[i]);
    writer_close_array(&writer);
    return text.bytes;
}

static enum error check_room(struct db *db, const struct budget *budget, struct problem *problem)
{
    struct query *query = db_query(db, &count_budgets);
    int64_t count;
    enum error error;

    query_bind_text(query, budget->owner_id);
    count = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, problem);
    if (error || count < BUDGETS_PER_OWNER)
        return error;
    return problem_set(problem, ERROR_CONFLICT, "too_many_budgets",
                       "A key, a team or a customer has at most %d budgets.", BUDGETS_PER_OWNER);
}

enum error budget_add(struct db *db, struct arena *arena, struct budget *budget,
                      struct problem *problem)
{
    char *id = arena_alloc(arena, TOKEN_UUID_TEXT);
    struct query *query;
    enum error error = check_room(db, budget, problem);

    if (error)
        return error;
    token_uuid(id);
    budget->id = id;
    query = db_query(db, &insert_budget);
    query_bind_text(query, id);
    query_bind_text(query, budget_owner_names[budget->owner_kind]);
    query_bind_text(query, budget->owner_id);
    query_bind_text(query, budget_period_names[budget->period]);
    query_bind_boolean(query, budget->rolling);
    query_bind_integer(query, budget->limit_nano_usd);
    query_bind_integer(query, budget->extra_nano_usd);
    query_bind_optional_integer(query, budget->extra_until);
    query_bind_text(query, percents_text(arena, &budget->alert_percents));
    return query_end(query, problem);
}

static enum error check_changed(struct query *query, struct problem *problem)
{
    int64_t changed = query_changes(query);
    enum error error = query_end(query, problem);

    if (!error && !changed)
        return problem_set(problem, ERROR_NOT_FOUND, "budget_not_found",
                           "This budget does not exist.");
    return error;
}

enum error budget_update(struct db *db, struct arena *arena, const struct budget *budget,
                         struct problem *problem)
{
    struct query *query = db_query(db, &update_budget);

    query_bind_integer(query, budget->limit_nano_usd);
    query_bind_integer(query, budget->extra_nano_usd);
    query_bind_optional_integer(query, budget->extra_until);
    query_bind_text(query, percents_text(arena, &budget->alert_percents));
    query_bind_text(query, budget->id);
    return check_changed(query, problem);
}

enum error budget_find(struct db *db, struct arena *arena, const char *id, struct budget *budget,
                       struct problem *problem)
{
    struct query *query = db_query(db, &find_budget);
    enum error error;
    bool found;

    *budget = (struct budget){0};
    query_bind_text(query, id);
    error = query_read_one(query, &budget_schema, budget, arena, &found, problem);
    if (!error && !found)
        return problem_set(problem, ERROR_NOT_FOUND, "budget_not_found",
                           "This budget does not exist.");
    return error;
}

static enum error run_with_id(struct db *db, const struct statement *statement, const char *id,
                              struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, id);
    return query_end(query, problem);
}

enum error budget_delete(struct db *db, const char *id, struct problem *problem)
{
    struct query *query;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &delete_budget);
    query_bind_text(query, id);
    error = check_changed(query, problem);
    if (!error)
        error = run_with_id(db, &delete_parts, id, problem);
    return db_finish(db, error, problem);
}

enum error budget_list_of(struct db *db, struct arena *arena, const char *owner_id,
                          struct budget_list *list, struct problem *problem)
{
    struct query *query = db_query(db, &list_budgets);

    *list = (struct budget_list){0};
    query_bind_text(query, owner_id);
    query_bind_text(query, owner_id);
    while (query_next(query)) {
        struct budget *budget = LIST_ADD(arena, list);

        query_read(query, &budget_schema, budget, arena);
    }
    return query_end(query, problem);
}

enum error budget_parts_forget(struct db *db, struct arena *arena, struct problem *problem)
{
    struct budget_list list;
    enum error error = budget_list_of(db, arena, "", &list, problem);

    for (size_t i = 0; !error && i < list.count; i++) {
        const struct budget *budget = &list.items[i];
        struct budget_window window =
            budget_window_at((enum budget_period)budget->period, true, budget->read_at);
        struct query *query = db_query(db, &forget_parts);

        query_bind_text(query, budget->id);
        query_bind_integer(query,
                           budget->read_at - KEPT_WINDOWS * (budget->read_at - window.first));
        error = query_end(query, problem);
    }
    return error;
}

enum error budget_owner_exists(struct db *db, int kind, const char *id, bool *exists,
                               struct problem *problem)
{
    struct query *query = db_query(db, &find_owner);

    for (int i = 0; i < BUDGET_OWNER__MAX; i++) {
        query_bind_integer(query, kind);
        query_bind_text(query, id);
    }
    *exists = query_next(query);
    return query_end(query, problem);
}
