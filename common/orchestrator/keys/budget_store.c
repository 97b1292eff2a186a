/* SQL of budgets and of their parts. */
#include "orchestrator/keys/budget_rows.h"

#include "base/list.h"
#include "base/timestamp.h"
#include "db/query.h"

#include <stdlib.h>
#include <string.h>

enum { CHARGES_BYTES_MAX = 1 << 16, IDS_BYTES_MAX = 1 << 20 };

static const char service_day[] = "service";
static const double nano_per_dollar = 1e9;

#define OWNER struct budget_charge
static const struct field charge_fields[] = {STRING(OWNER, budget_id), INTEGER(OWNER, part_at)};
#undef OWNER
static SCHEMA(charge_schema, struct budget_charge, "BudgetCharge", charge_fields);

#define OWNER struct budget_charges
static const struct field charges_fields[] = {OBJECTS(OWNER, charges, charge_schema)};
#undef OWNER
SCHEMA(budget_charges_schema, struct budget_charges, "BudgetCharges", charges_fields);

static const struct statement lock_budgets = {
    .name = "orch_budgets_lock",
    .sql = "SELECT " BUDGET_COLUMNS " FROM orch_budgets WHERE owner_id IN (?, ?, ?) OR budget_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}) ORDER BY budget_id {for_update}",
};
static const struct statement sum_parts = {
    .name = "orch_budget_sum",
    .sql = "SELECT CAST(coalesce(sum(nano_usd), 0) AS BIGINT),"
           " CAST(coalesce(sum(held_nano_usd), 0) AS BIGINT) FROM orch_budget_parts"
           " WHERE budget_id = ? AND part_at >= ? AND part_at <= ?",
};
static const struct statement list_parts = {
    .name = "orch_budget_parts",
    .sql = "SELECT part_at, nano_usd FROM orch_budget_parts"
           " WHERE budget_id = ? AND part_at >= ? AND part_at <= ? ORDER BY part_at",
};
static const struct statement add_part = {
    .name = "orch_budget_part_add",
    .sql = "INSERT INTO orch_budget_parts (budget_id, part_at, nano_usd, held_nano_usd)"
           " VALUES (?, ?, ?, ?) ON CONFLICT (budget_id, part_at) DO UPDATE"
           " SET nano_usd = orch_budget_parts.nano_usd + excluded.nano_usd,"
           " held_nano_usd = orch_budget_parts.held_nano_usd + excluded.held_nano_usd",
};
static const struct statement change_part = {
    .name = "orch_budget_part_change",
    .sql = "UPDATE orch_budget_parts SET nano_usd = nano_usd + ?,"
           " held_nano_usd = held_nano_usd + ? WHERE budget_id = ? AND part_at = ?",
};
#define TODAY "CAST(replace(substr({now}, 1, 10), '-', '') AS BIGINT)"
static const struct statement take_day = {
    .name = "orch_service_day_take",
    .sql = "INSERT INTO orch_budget_parts (budget_id, part_at, nano_usd, held_nano_usd)"
           " SELECT 'service', " TODAY ", ?, ? WHERE ? <= ?"
           " ON CONFLICT (budget_id, part_at) DO UPDATE"
           " SET nano_usd = orch_budget_parts.nano_usd + excluded.nano_usd,"
           " held_nano_usd = orch_budget_parts.held_nano_usd + excluded.held_nano_usd"
           " WHERE orch_budget_parts.nano_usd + excluded.nano_usd <= ? RETURNING part_at",
};
static const struct statement sum_day = {
    .name = "orch_service_day_sum",
    .sql =
        "SELECT nano_usd FROM orch_budget_parts WHERE budget_id = 'service' AND part_at = " TODAY,
};
static const struct statement owner_name = {
    .name = "orch_budget_owner_name",
    .sql = "SELECT name FROM orch_keys WHERE key_id = ?"
           " UNION ALL SELECT name FROM orch_teams WHERE team_id = ?"
           " UNION ALL SELECT name FROM orch_customers WHERE customer_id = ?",
};

const char *budget_charges_text(struct arena *arena, const struct budget_charges *charges)
{
    const char *text = schema_json(arena, CHARGES_BYTES_MAX, &budget_charges_schema, charges);

    return text ? text : "{}";
}

void budget_charges_read(struct arena *arena, const char *text, struct budget_charges *charges)
{
    *charges = (struct budget_charges){0};
    if (!schema_from_json(arena, &budget_charges_schema, text, charges))
        *charges = (struct budget_charges){0};
}

static struct budget_change *change_of(struct budget_changes *changes,
                                       const struct budget_charge *charge)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->items[i].charge.part_at == charge->part_at &&
            strcmp(changes->items[i].charge.budget_id, charge->budget_id) == 0)
            return &changes->items[i];
    return NULL;
}

void budget_changes_add(struct arena *arena, struct budget_changes *changes,
                        const struct budget_charges *charges, int64_t amount, int64_t held)
{
    const struct budget_charge *items = charges->charges.items;

    for (size_t i = 0; i < charges->charges.count; i++) {
        struct budget_change *change = change_of(changes, &items[i]);

        if (!change) {
            change = LIST_ADD(arena, changes);
            change->charge = items[i];
        }
        change->amount += amount;
        change->held += held;
    }
}

/* In the order in which all transactions take locks. */
static int compare_changes(const void *a, const void *b)
{
    const struct budget_charge *one = &((const struct budget_change *)a)->charge;
    const struct budget_charge *other = &((const struct budget_change *)b)->charge;
    int by_id = strcmp(one->budget_id, other->budget_id);

    return by_id ? by_id : one->part_at < other->part_at ? -1 : one->part_at > other->part_at;
}

/* The ids of budgets as a JSON list. */
static const char *ids_of(struct arena *arena, const struct budget_changes *changes)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, IDS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; changes && i < changes->count; i++)
        writer_string(&writer, changes->items[i].charge.budget_id);
    writer_close_array(&writer);
    return text.bytes;
}

static bool is_of(const struct budget *budget, const struct payer *payer)
{
    return payer && (strcmp(budget->owner_id, payer->key_id) == 0 ||
                     strcmp(budget->owner_id, payer->team_id) == 0 ||
                     strcmp(budget->owner_id, payer->customer_id) == 0);
}

/* The service's day has no row to lock: it is written last. */
static bool needs_locks(const struct payer *payer, const struct budget_changes *changes)
{
    if (payer)
        return true;
    for (size_t i = 0; changes && i < changes->count; i++)
        if (strcmp(changes->items[i].charge.budget_id, service_day) != 0)
            return true;
    return false;
}

enum error budgets_lock(struct db *db, struct arena *arena, const struct payer *payer,
                        const struct budget_changes *changes, struct budget_list *list,
                        struct problem *problem)
{
    struct query *query;

    *list = (struct budget_list){0};
    if (!needs_locks(payer, changes))
        return ERROR_NONE;
    query = db_query(db, &lock_budgets);
    query_bind_text(query, payer ? payer->key_id : "");
    query_bind_text(query, payer ? payer->team_id : "");
    query_bind_text(query, payer ? payer->customer_id : "");
    query_bind_json(query, ids_of(arena, changes));
    while (query_next(query)) {
        struct budget budget = {0};

        query_read(query, &budget_schema, &budget, arena);
        if (is_of(&budget, payer))
            *LIST_ADD(arena, list) = budget;
    }
    return query_end(query, problem);
}

static void bind_part(struct query *query, const struct budget_charge *charge)
{
    query_bind_text(query, charge->budget_id);
    query_bind_integer(query, charge->part_at);
}

enum error budgets_change(struct db *db, struct budget_changes *changes, struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (changes->count)
        qsort(changes->items, changes->count, sizeof *changes->items, compare_changes);
    for (size_t i = 0; !error && i < changes->count; i++) {
        struct query *query = db_query(db, &change_part);

        query_bind_integer(query, changes->items[i].amount);
        query_bind_integer(query, changes->items[i].held);
        bind_part(query, &changes->items[i].charge);
        error = query_end(query, problem);
    }
    return error;
}

static void bind_window(struct query *query, const struct budget *budget,
                        const struct budget_window *window)
{
    query_bind_text(query, budget->id);
    query_bind_integer(query, window->first);
    query_bind_integer(query, window->last);
}

enum error budget_state_read(struct db *db, const struct budget *budget, struct budget_state *state,
                             struct problem *problem)
{
    struct query *query = db_query(db, &sum_parts);

    *state = (struct budget_state){.window = budget_window_at((enum budget_period)budget->period,
                                                              budget->rolling, budget->read_at)};
    bind_window(query, budget, &state->window);
    if (query_next(query)) {
        state->total = query_integer(query, 0);
        state->held = query_integer(query, 1);
    }
    return query_end(query, problem);
}

/* When the oldest parts of a rolling window have left, so that the price fits. */
static enum error find_reset(struct db *db, const struct budget *budget,
                             const struct budget_state *state, struct budget_refusal *refusal,
                             struct problem *problem)
{
    int64_t left = state->total;
    struct query *query;

    refusal->resets_at = state->window.until;
    if (!budget->rolling)
        return ERROR_NONE;
    query = db_query(db, &list_parts);
    bind_window(query, budget, &state->window);
    while (left + refusal->price > refusal->limit && query_next(query)) {
        left -= query_integer(query, 1);
        refusal->resets_at =
            budget_part_ends((enum budget_period)budget->period, query_integer(query, 0));
    }
    return query_end(query, problem);
}

enum error budget_owner_name(struct db *db, struct arena *arena, const char *owner_id,
                             const char **name, struct problem *problem)
{
    struct query *query = db_query(db, &owner_name);

    for (int i = 0; i < BUDGET_OWNER__MAX; i++)
        query_bind_text(query, owner_id);
    *name = query_next(query) ? query_text(query, 0, arena) : "";
    return query_end(query, problem);
}

static const char *word_refusal(struct arena *arena, const struct budget_refusal *refusal)
{
    static const char *const adjectives[BUDGET_PERIOD__MAX] = {"hourly", "daily", "weekly",
                                                               "monthly", "quarterly"};
    const struct budget *budget = refusal->budget;
    char time[CLOCK_TEXT_MAX];

    timestamp_to_z(refusal->resets_at, false, time);
    return arena_print(
        arena,
        "The %s%s budget of %s '%s' has no room for this call: the limit is %.6f USD, %.6f are"
        " spent and %.6f held, and this call may cost up to %.6f USD. There is room again at %s.",
        adjectives[budget->period], budget->rolling ? " rolling" : "",
        budget_owner_names[budget->owner_kind], refusal->owner_name,
        (double)refusal->limit / nano_per_dollar, (double)refusal->spent / nano_per_dollar,
        (double)refusal->held / nano_per_dollar, (double)refusal->price / nano_per_dollar, time);
}

static enum error refuse(struct db *db, struct arena *arena, const struct budget *budget,
                         const struct budget_state *state, int64_t price,
                         struct budget_refusal **refusal, struct problem *problem)
{
    struct budget_refusal *found = ARENA_NEW(arena, struct budget_refusal);
    enum error error;

    *found = (struct budget_refusal){.budget = budget,
                                     .limit = budget_limit_now(budget),
                                     .spent = state->total - state->held,
                                     .held = state->held,
                                     .price = price};
    error = budget_owner_name(db, arena, budget->owner_id, &found->owner_name, problem);
    if (!error)
        error = find_reset(db, budget, state, found, problem);
    found->message = word_refusal(arena, found);
    found->retry_after = (double)(found->resets_at - budget->read_at) / 1e6;
    *refusal = found;
    return error;
}

static enum error add_to_part(struct db *db, const struct budget_charge *charge, int64_t nano_usd,
                              struct problem *problem)
{
    struct query *query = db_query(db, &add_part);

    bind_part(query, charge);
    query_bind_integer(query, nano_usd);
    query_bind_integer(query, nano_usd);
    return query_end(query, problem);
}

static void add_charge(struct arena *arena, struct budget_charges *charges, const char *budget_id,
                       int64_t part_at)
{
    struct budget_charge *charge =
        list_add(arena, &charges->charges.items, &charges->charges.count, sizeof *charge);

    *charge = (struct budget_charge){budget_id, part_at};
}

enum error budgets_take(struct db *db, struct arena *arena, const struct budget_list *list,
                        int64_t nano_usd, struct budget_charges *charges,
                        struct budget_refusal **refusal, struct problem *problem)
{
    struct budget_state *states = ARENA_ARRAY(arena, struct budget_state, list->count);
    enum error error = ERROR_NONE;

    *refusal = NULL;
    for (size_t i = 0; !error && i < list->count; i++) {
        const struct budget *budget = &list->items[i];

        error = budget_state_read(db, budget, &states[i], problem);
        if (!error && states[i].total + nano_usd > budget_limit_now(budget))
            return refuse(db, arena, budget, &states[i], nano_usd, refusal, problem);
    }
    for (size_t i = 0; !error && i < list->count; i++) {
        const struct budget_charge charge = {list->items[i].id, states[i].window.part_at};

        add_charge(arena, charges, charge.budget_id, charge.part_at);
        error = add_to_part(db, &charge, nano_usd, problem);
    }
    return error;
}

static enum error read_day(struct db *db, int64_t *spent, struct problem *problem)
{
    struct query *query = db_query(db, &sum_day);

    *spent = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error service_day_take(struct db *db, struct arena *arena, int64_t nano_usd, int64_t limit,
                            struct budget_charges *charges, bool *granted, int64_t *spent,
                            struct problem *problem)
{
    struct query *query;
    int64_t day;
    enum error error;

    *granted = true;
    if (limit <= 0)
        return ERROR_NONE;
    query = db_query(db, &take_day);
    query_bind_integer(query, nano_usd);
    query_bind_integer(query, nano_usd);
    query_bind_integer(query, nano_usd);
    query_bind_integer(query, limit);
    query_bind_integer(query, limit);
    *granted = query_next(query);
    day = *granted ? query_integer(query, 0) : 0;
    error = query_end(query, problem);
    if (error || !*granted)
        return error ? error : read_day(db, spent, problem);
    add_charge(arena, charges, service_day, day);
    return ERROR_NONE;
}
