/* SQL of held and booked costs. */
#include "orchestrator/storage/spend_store.h"

#include "base/clock.h"
#include "base/list.h"
#include "crypto/token.h"
#include "db/query.h"
#include "db/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct statement sum_booked = {
    .name = "orch_spend_sum",
    .sql = "SELECT CAST(coalesce(sum(nano_usd), 0) AS BIGINT) FROM orch_spend WHERE day = ?",
};
static const struct statement sum_held = {
    .name = "orch_holds_sum",
    .sql = "SELECT CAST(coalesce(sum(nano_usd), 0) AS BIGINT) FROM orch_spend_holds WHERE day = ?",
};
static const struct statement insert_hold = {
    .name = "orch_hold_insert",
    .sql = "INSERT INTO orch_spend_holds (hold_id, task_id, day, provider, nano_usd, expires_at,"
           " key_id, team_id, customer_id, model_id, charges)"
           " VALUES (?, ?, substr({now}, 1, 10), ?, ?, {now}, ?, ?, ?, ?, ?)"
           " RETURNING {now_microseconds}",
};
static const struct statement settle_hold = {
    .name = "orch_hold_settle",
    .sql = "UPDATE orch_spend_holds SET nano_usd = ?, settled = 1"
           " WHERE hold_id = ? AND settled = 0",
};
static const struct statement delete_hold = {
    .name = "orch_hold_delete",
    .sql = "DELETE FROM orch_spend_holds WHERE hold_id = ?",
};
static const struct statement book = {
    .name = "orch_spend_book",
    .sql = "INSERT INTO orch_spend (day, provider, nano_usd) VALUES (?, ?, ?)"
           " ON CONFLICT (day, provider) DO UPDATE"
           " SET nano_usd = orch_spend.nano_usd + excluded.nano_usd",
};
#define HOLDS_OF_TASK                                                                              \
    "SELECT hold_id, day, provider, model_id, key_id, team_id, customer_id, nano_usd, charges,"    \
    " settled FROM orch_spend_holds WHERE task_id = ? ORDER BY hold_id"
static const struct statement holds_of_task = {.name = "orch_holds_of_task", .sql = HOLDS_OF_TASK};
static const struct statement lock_holds_of_task = {.name = "orch_holds_of_task_lock",
                                                    .sql = HOLDS_OF_TASK " {for_update}"};

#define OWNER struct abandoned_hold
static const struct field abandoned_fields[] = {
    STRING(OWNER, hold_id),     STRING(OWNER, day),       STRING(OWNER, provider),
    STRING(OWNER, model_id),    STRING(OWNER, key_id),    STRING(OWNER, team_id),
    STRING(OWNER, customer_id), INTEGER(OWNER, nano_usd), STRING(OWNER, charges),
    BOOLEAN(OWNER, settled),
};
#undef OWNER
static SCHEMA(abandoned_schema, struct abandoned_hold, "AbandonedHold", abandoned_fields);

/* What is booked of a day and a provider. */
struct booking {
    const char *day, *provider;
    int64_t nano_usd;
};
struct bookings {
    size_t count;
    struct booking *items;
};

static void day_of(int64_t timestamp, char day[SPEND_DAY_MAX])
{
    char text[CLOCK_TEXT_MAX];

    clock_format(timestamp, text);
    (void)!snprintf(day, SPEND_DAY_MAX, "%.10s", text);
}

void spend_day(char day[SPEND_DAY_MAX])
{
    day_of(clock_unix_microseconds(), day);
}

static int64_t read_sum(struct db *db, const struct statement *statement, const char *day,
                        enum error *error, struct problem *problem)
{
    struct query *query;
    int64_t sum;

    if (*error)
        return 0;
    query = db_query(db, statement);
    query_bind_text(query, day);
    sum = query_next(query) ? query_integer(query, 0) : 0;
    *error = query_end(query, problem);
    return sum;
}

/* The changes of budgets when the ended holds are settled. */
static void list_changes(const struct spend_call *call, const struct spend_hold *holds,
                         size_t count, struct budget_changes *changes)
{
    *changes = (struct budget_changes){0};
    for (size_t i = 0; i < count; i++)
        if (holds[i].hold_id[0] && holds[i].is_over && !holds[i].is_settled)
            budget_changes_add(call->arena, changes, &holds[i].charges,
                               holds[i].booked - holds[i].nano_usd, -holds[i].nano_usd);
}

/* A hold that another process has booked, because it found the task abandoned, makes the
 * transaction fail: its task has ended. */
static enum error check_one(struct query *query, struct problem *problem)
{
    int64_t changed = query_changes(query);
    enum error error = query_end(query, problem);

    if (!error && changed != 1)
        return problem_set(problem, ERROR_CONFLICT, "task_ended", "The task has ended already.");
    return error;
}

/* Rows of holds before parts of budgets: the order of all transactions. */
static enum error settle_ended(const struct spend_call *call, struct spend_hold *holds,
                               size_t count, struct budget_changes *changes)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < count; i++) {
        struct query *query;

        if (!holds[i].hold_id[0] || !holds[i].is_over || holds[i].is_settled)
            continue;
        query = db_query(call->db, &settle_hold);
        query_bind_integer(query, holds[i].booked);
        query_bind_text(query, holds[i].hold_id);
        error = check_one(query, call->problem);
    }
    return error ? error : budgets_change(call->db, changes, call->problem);
}

static void mark_settled(struct spend_hold *holds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        holds[i].is_settled = holds[i].is_settled || (holds[i].hold_id[0] && holds[i].is_over);
}

static enum error write_hold(const struct spend_call *call, const struct spend_request *request,
                             struct spend_hold *hold)
{
    struct query *query = db_query(call->db, &insert_hold);
    const struct payer *payer = call->payer;

    token_uuid(hold->hold_id);
    query_bind_text(query, hold->hold_id);
    query_bind_text(query, call->task_id);
    query_bind_text(query, hold->provider);
    query_bind_integer(query, hold->nano_usd);
    query_bind_text(query, payer ? payer->key_id : "");
    query_bind_text(query, payer ? payer->team_id : "");
    query_bind_text(query, payer ? payer->customer_id : "");
    query_bind_text(query, request->model_id);
    query_bind_text(query, budget_charges_text(call->arena, &hold->charges));
    if (query_next(query))
        hold->held_at = query_integer(query, 0);
    day_of(hold->held_at, hold->day);
    return query_end(query, call->problem);
}

static enum error take(const struct spend_call *call, const struct spend_request *request,
                       const struct budget_list *budgets, struct spend_hold *hold,
                       struct spend_refusal *refusal)
{
    struct budget_refusal *refused;
    bool granted = true;
    enum error error = budgets_take(call->db, call->arena, budgets, request->nano_usd,
                                    &hold->charges, &refused, call->problem);

    if (!error && !refused)
        error = service_day_take(call->db, call->arena, request->nano_usd, request->limit,
                                 &hold->charges, &granted, &refusal->spent, call->problem);
    refusal->budget = refused;
    refusal->refused = refused || !granted;
    return error;
}

enum error spend_hold(const struct spend_call *call, const struct spend_request *request,
                      struct spend_hold *hold, struct spend_refusal *refusal,
                      struct spend_hold *done, size_t done_count)
{
    struct budget_changes changes;
    struct budget_list budgets;
    enum error error;

    *refusal = (struct spend_refusal){0};
    *hold = (struct spend_hold){.provider = request->provider, .nano_usd = request->nano_usd};
    list_changes(call, done, done_count, &changes);
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = budgets_lock(call->db, call->arena, call->payer, &changes, &budgets, call->problem);
    if (!error)
        error = settle_ended(call, done, done_count, &changes);
    if (!error)
        error = take(call, request, &budgets, hold, refusal);
    if (!error && !refusal->refused)
        error = write_hold(call, request, hold);
    error = db_finish(call->db, error, call->problem);
    if (!error)
        mark_settled(done, done_count);
    if (error || refusal->refused)
        hold->hold_id[0] = '\0';
    return error;
}

static void add_booking(struct arena *arena, struct bookings *list, const char *day,
                        const char *provider, int64_t nano_usd)
{
    struct booking *booking = NULL;

    for (size_t i = 0; !booking && i < list->count; i++)
        if (strcmp(list->items[i].day, day) == 0 && strcmp(list->items[i].provider, provider) == 0)
            booking = &list->items[i];
    if (!booking) {
        booking = LIST_ADD(arena, list);
        *booking = (struct booking){day, provider, 0};
    }
    booking->nano_usd += nano_usd;
}

static int compare_bookings(const void *a, const void *b)
{
    const struct booking *one = a, *other = b;
    int by_day = strcmp(one->day, other->day);

    return by_day ? by_day : strcmp(one->provider, other->provider);
}

/* In an order that all transactions share. */
static enum error write_bookings(const struct spend_call *call, struct bookings *list)
{
    enum error error = ERROR_NONE;

    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_bookings);
    for (size_t i = 0; !error && i < list->count; i++) {
        struct query *query;

        if (!list->items[i].nano_usd)
            continue;
        query = db_query(call->db, &book);
        query_bind_text(query, list->items[i].day);
        query_bind_text(query, list->items[i].provider);
        query_bind_integer(query, list->items[i].nano_usd);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error remove_hold(const struct spend_call *call, const char *hold_id)
{
    struct query *query = db_query(call->db, &delete_hold);

    query_bind_text(query, hold_id);
    return check_one(query, call->problem);
}

static enum error remove_all(const struct spend_call *call, const struct spend_hold *holds,
                             size_t count, struct bookings *bookings)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < count; i++) {
        if (!holds[i].hold_id[0])
            continue;
        error = remove_hold(call, holds[i].hold_id);
        add_booking(call->arena, bookings, holds[i].day, holds[i].provider, holds[i].booked);
    }
    return error;
}

/* A call whose end is not known is booked as it was held. */
static void end_unknown(struct spend_hold *holds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (holds[i].is_over)
            continue;
        holds[i].booked = holds[i].nano_usd;
        holds[i].is_over = true;
    }
}

enum error spend_book(const struct spend_call *call, struct spend_hold *holds, size_t count)
{
    struct bookings bookings = {0};
    struct budget_changes changes;
    struct budget_list none;
    enum error error;

    end_unknown(holds, count);
    list_changes(call, holds, count, &changes);
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = budgets_lock(call->db, call->arena, NULL, &changes, &none, call->problem);
    if (!error)
        error = remove_all(call, holds, count, &bookings);
    if (!error)
        error = budgets_change(call->db, &changes, call->problem);
    if (!error)
        error = write_bookings(call, &bookings);
    error = db_finish(call->db, error, call->problem);
    for (size_t i = 0; !error && i < count; i++)
        holds[i].hold_id[0] = '\0';
    return error;
}

static enum error read_abandoned(const struct spend_call *call, const struct statement *statement,
                                 struct abandoned_holds *holds, struct budget_changes *changes)
{
    struct query *query = db_query(call->db, statement);

    *holds = (struct abandoned_holds){0};
    *changes = (struct budget_changes){0};
    query_bind_text(query, call->task_id);
    while (query_next(query)) {
        struct abandoned_hold *hold = LIST_ADD(call->arena, holds);
        struct budget_charges charges;

        query_read(query, &abandoned_schema, hold, call->arena);
        budget_charges_read(call->arena, hold->charges, &charges);
        budget_changes_add(call->arena, changes, &charges, 0, hold->settled ? 0 : -hold->nano_usd);
    }
    return query_end(query, call->problem);
}

/* Its worker may be slow and not dead, and settle a hold after the first reading: what counts is
 * read again under the locks. */
static enum error lock_abandoned(const struct spend_call *call, struct abandoned_holds *holds,
                                 struct budget_changes *changes)
{
    struct budget_list none;
    enum error error = read_abandoned(call, &holds_of_task, holds, changes);

    if (!error && holds->count)
        error = budgets_lock(call->db, call->arena, NULL, changes, &none, call->problem);
    if (!error && holds->count)
        error = read_abandoned(call, &lock_holds_of_task, holds, changes);
    return error;
}

enum error spend_book_abandoned(const struct spend_call *call, struct abandoned_holds *holds)
{
    struct bookings bookings = {0};
    struct budget_changes changes;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_abandoned(call, holds, &changes);
    for (size_t i = 0; !error && i < holds->count; i++) {
        const struct abandoned_hold *hold = &holds->items[i];

        error = remove_hold(call, hold->hold_id);
        add_booking(call->arena, &bookings, hold->day, hold->provider, hold->nano_usd);
    }
    if (!error)
        error = budgets_change(call->db, &changes, call->problem);
    if (!error)
        error = write_bookings(call, &bookings);
    return db_finish(call->db, error, call->problem);
}

enum error spend_today(struct db *db, int64_t *booked, int64_t *held, struct problem *problem)
{
    enum error error = ERROR_NONE;
    char day[SPEND_DAY_MAX];

    spend_day(day);
    *booked = read_sum(db, &sum_booked, day, &error, problem);
    *held = read_sum(db, &sum_held, day, &error, problem);
    return error;
}
