/* Budgets over HTTP: what administrators set, and what is spent of it. */
#include "orchestrator-keys/budgets.h"

#include "base/list.h"

#include <math.h>

static const double usd_max = 1e8; /* of one budget: sums stay exact */

#define USD .lower = AT_LEAST(0), .upper = AT_MOST(1e8)
#define LIMIT_FIELDS                                                                               \
    NUMBER(OWNER, limit_usd, .required = true, USD, .help = "US dollars per period."),             \
        NUMBER(OWNER, extra_usd, .default_value = 0, USD,                                          \
               .help = "Added to the limit until `extra_until`."),                                 \
        MOMENT(OWNER, extra_until),                                                                \
        INTEGERS(OWNER, alert_percents, .max_length = BUDGET_ALERTS_MAX, .lower = AT_LEAST(1),     \
                 .upper = AT_MOST(100),                                                            \
                 .help = "A notice is sent to ORCH_ALERT_WEBHOOK_URL when so much is spent, once " \
                         "per window and share.")

struct budget_limit_body {
    double limit_usd, extra_usd;
    struct optional_integer extra_until;
    struct integer_list alert_percents;
};

#define OWNER struct budget_limit_body
static const struct field limit_fields[] = {LIMIT_FIELDS};
#undef OWNER
SCHEMA(budget_limit_body_schema, struct budget_limit_body, "BudgetLimitRequest", limit_fields,
       .answer = &budget_answer_schema, .example = "{\"limit_usd\":100,\"alert_percents\":[80]}");

struct budget_body {
    int owner_kind, period;
    const char *owner_id;
    bool rolling;
    double limit_usd, extra_usd;
    struct optional_integer extra_until;
    struct integer_list alert_percents;
};

#define OWNER struct budget_body
static const struct field budget_fields[] = {
    CHOICE(OWNER, owner_kind, budget_owner_names, .choice_count = BUDGET_OWNER__MAX,
           .required = true),
    STRING(OWNER, owner_id, .required = true, .min_length = 1, .max_length = 64),
    CHOICE(OWNER, period, budget_period_names, .choice_count = BUDGET_PERIOD__MAX,
           .required = true),
    BOOLEAN(OWNER, rolling, .default_value = 0,
            .help = "False: the calendar's, in ORCH_TIME_ZONE. True: the last hour, day, 7, 30 or "
                    "91 days, in steps of a sixtieth."),
    LIMIT_FIELDS,
};
#undef OWNER
SCHEMA(budget_body_schema, struct budget_body, "BudgetRequest", budget_fields,
       .example = "{\"owner_kind\":\"team\",\"owner_id\":\"3f0c\",\"period\":\"month\","
                  "\"limit_usd\":100}");

#define OWNER struct budget_answer
static const struct field answer_fields[] = {
    STRING(OWNER, id),
    CHOICE(OWNER, owner_kind, budget_owner_names, .choice_count = BUDGET_OWNER__MAX),
    STRING(OWNER, owner_id),
    CHOICE(OWNER, period, budget_period_names, .choice_count = BUDGET_PERIOD__MAX),
    BOOLEAN(OWNER, rolling),
    NUMBER(OWNER, limit_usd, ROUNDED(9)),
    NUMBER(OWNER, extra_usd, ROUNDED(9)),
    MOMENT(OWNER, extra_until, .time = TIME_Z),
    INTEGERS(OWNER, alert_percents),
    NUMBER(OWNER, spent_usd, ROUNDED(9), .help = "In the current window."),
    NUMBER(OWNER, held_usd, ROUNDED(9), .help = "The most that calls in progress may cost."),
    NUMBER(OWNER, left_usd, ROUNDED(9), .help = "Room for further calls; never below 0."),
    TIME(OWNER, window_from, .time = TIME_Z),
    TIME(OWNER, window_until, .time = TIME_Z),
};
#undef OWNER
SCHEMA(budget_answer_schema, struct budget_answer, "Budget", answer_fields);

struct budget_answers {
    OBJECT_LIST(struct budget_answer, budgets);
};

#define OWNER struct budget_answers
static const struct field answers_fields[] = {OBJECTS(OWNER, budgets, budget_answer_schema)};
#undef OWNER
SCHEMA(budget_answers_schema, struct budget_answers, "BudgetList", answers_fields);

struct budget_query {
    const char *owner_id;
};

#define OWNER struct budget_query
static const struct field query_fields[] = {
    STRING(OWNER, owner_id, .nullable = true, .help = "Only of this key, team or customer.")};
#undef OWNER
SCHEMA(budget_query_schema, struct budget_query, "BudgetQuery", query_fields);

static double usd_of(int64_t nano)
{
    return (double)nano / NANO_PER_DOLLAR;
}

static int64_t nano_of(double usd)
{
    return (int64_t)llround(fmin(usd, usd_max) * NANO_PER_DOLLAR);
}

static enum error answer_of(const struct key_store_call *call, const struct budget *budget,
                            struct budget_answer *answer)
{
    struct budget_state state;
    int64_t left;
    enum error error = budget_state_read(call->db, budget, &state, call->problem);

    left = budget_limit_now(budget) - state.total;
    *answer = (struct budget_answer){.id = budget->id,
                                     .owner_kind = budget->owner_kind,
                                     .owner_id = budget->owner_id,
                                     .period = budget->period,
                                     .rolling = budget->rolling,
                                     .limit_usd = usd_of(budget->limit_nano_usd),
                                     .extra_usd = usd_of(budget->extra_nano_usd),
                                     .extra_until = budget->extra_until,
                                     .alert_percents = budget->alert_percents,
                                     .spent_usd = usd_of(state.total - state.held),
                                     .held_usd = usd_of(state.held),
                                     .left_usd = usd_of(left > 0 ? left : 0),
                                     .window_from = state.window.first,
                                     .window_until = state.window.until};
    return error;
}

static enum error answer_all(const struct key_store_call *call, const struct budget_list *budgets,
                             struct object_list *list)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < budgets->count; i++)
        error = answer_of(
            call, &budgets->items[i],
            list_add(call->arena, &list->items, &list->count, sizeof(struct budget_answer)));
    return error;
}

static enum error add_budgets_of(const struct key_store_call *call, const char *owner_id,
                                 struct object_list *list)
{
    struct budget_list budgets;
    enum error error = budget_list_of(call->db, call->arena, owner_id, &budgets, call->problem);

    return error ? error : answer_all(call, &budgets, list);
}

enum error budgets_of_payer(const struct key_store_call *call, const struct payer *payer,
                            struct object_list *list)
{
    const char *const owners[] = {payer->key_id, payer->team_id, payer->customer_id};
    enum error error = ERROR_NONE;

    *list = (struct object_list){0};
    for (size_t i = 0; !error && i < COUNT_OF(owners); i++)
        if (*owners[i])
            error = add_budgets_of(call, owners[i], list);
    return error;
}

enum error budgets_list(struct request *request, struct reply *reply)
{
    const struct budget_query *query = request->query;
    struct budget_answers *answer = ARENA_NEW(request->arena, struct budget_answers);
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    reply->object = answer;
    return error ? error
                 : add_budgets_of(&call, query->owner_id ? query->owner_id : "", &answer->budgets);
}

static enum error show(const struct key_store_call *call, const char *id, struct reply *reply)
{
    struct budget_answer *answer = ARENA_NEW(call->arena, struct budget_answer);
    struct budget budget;
    enum error error = budget_find(call->db, call->arena, id, &budget, call->problem);

    reply->object = answer;
    return error ? error : answer_of(call, &budget, answer);
}

static enum error owner_is_known(const struct key_store_call *call, const struct budget *budget)
{
    bool known;
    enum error error =
        budget_owner_exists(call->db, budget->owner_kind, budget->owner_id, &known, call->problem);

    if (error || known)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "owner_not_found", "This %s does not exist.",
                       budget_owner_names[budget->owner_kind]);
}

enum error budgets_create(struct request *request, struct reply *reply)
{
    const struct budget_body *body = request->body;
    struct budget budget = {.owner_kind = body->owner_kind,
                            .owner_id = body->owner_id,
                            .period = body->period,
                            .rolling = body->rolling,
                            .limit_nano_usd = nano_of(body->limit_usd),
                            .extra_nano_usd = nano_of(body->extra_usd),
                            .extra_until = body->extra_until,
                            .alert_percents = body->alert_percents};
    struct key_store_call call;
    enum error error = keys_begin_change(request, &call);

    if (error)
        return error;
    error = owner_is_known(&call, &budget);
    if (!error)
        error = budget_add(call.db, call.arena, &budget, call.problem);
    if (!error)
        error = show(&call, budget.id, reply);
    return db_finish(call.db, error, call.problem);
}

enum error budgets_update(struct request *request, struct reply *reply)
{
    const struct budget_limit_body *body = request->body;
    const struct budget budget = {.id = request->arguments[0],
                                  .limit_nano_usd = nano_of(body->limit_usd),
                                  .extra_nano_usd = nano_of(body->extra_usd),
                                  .extra_until = body->extra_until,
                                  .alert_percents = body->alert_percents};
    struct key_store_call call;
    enum error error = keys_begin_change(request, &call);

    if (error)
        return error;
    error = budget_update(call.db, call.arena, &budget, call.problem);
    if (!error)
        error = show(&call, budget.id, reply);
    return db_finish(call.db, error, call.problem);
}

enum error budgets_delete(struct request *request, struct reply *reply)
{
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    (void)reply;
    return error ? error : budget_delete(call.db, request->arguments[0], call.problem);
}
