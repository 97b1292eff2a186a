/* Notices of budgets, as webhooks of common/webhook. */
#include "orchestrator/upkeep/budget_alerts.h"

#include "db/query.h"
#include "orchestrator/keys/budget_store.h"
#include "orchestrator/models/catalog.h"
#include "webhook/webhook.h"

enum {
    BODY_MAX = 8192,
    DELIVER_MOST = 20,
    FORGET_MOST = 500,
    KEPT_SECONDS = 30 * 86400,
    ANSWER_READ = 65536, /* bytes of the receiver's response */
    ANSWER_KEPT = 2048,
    PERCENT = 100
};

static const char webhook_id[] = "budgets", event_type[] = "budget.alert";
static const double pauses[] = {WEBHOOK_PAUSES};

/* The settings of this process: the webhook lookup has no context. */
static const struct orchestrator_settings *notice_settings;

static const struct statement note_alert = {
    .name = "orch_budget_alert_note",
    .sql = "INSERT INTO orch_budget_alerts (budget_id, window_at, percent, sent_at)"
           " VALUES (?, ?, ?, {now_microseconds}) ON CONFLICT (budget_id, window_at, percent)"
           " DO NOTHING",
};
static const struct statement forget_alerts = {
    .name = "orch_budget_alerts_forget",
    .sql = "DELETE FROM orch_budget_alerts WHERE sent_at < {now_microseconds} - 34560000000000",
};

/* The body of a notice. */
struct budget_alert {
    const char *event, *budget_id;
    int owner_kind;
    const char *owner_id, *owner_name;
    int period;
    bool rolling;
    int64_t percent;
    double limit_usd, spent_usd;
    int64_t window_from, window_until;
};

#define OWNER struct budget_alert
static const struct field alert_fields[] = {
    STRING(OWNER, event),
    STRING(OWNER, budget_id),
    CHOICE(OWNER, owner_kind, budget_owner_names, .choice_count = BUDGET_OWNER__MAX),
    STRING(OWNER, owner_id),
    STRING(OWNER, owner_name),
    CHOICE(OWNER, period, budget_period_names, .choice_count = BUDGET_PERIOD__MAX),
    BOOLEAN(OWNER, rolling),
    INTEGER(OWNER, percent),
    NUMBER(OWNER, limit_usd),
    NUMBER(OWNER, spent_usd),
    TIME(OWNER, window_from, .time = TIME_Z),
    TIME(OWNER, window_until, .time = TIME_Z),
};
#undef OWNER
static SCHEMA(alert_schema, struct budget_alert, "BudgetAlert", alert_fields);

static enum error find_target(struct db *db, struct arena *arena, const char *id,
                              struct webhook_target *target, struct problem *problem)
{
    (void)db, (void)arena, (void)id, (void)problem;
    if (notice_settings)
        *target = (struct webhook_target){.url = notice_settings->alert_webhook_url,
                                          .secret = notice_settings->alert_webhook_secret};
    return ERROR_NONE;
}

static const struct webhook_kind notice_kind = {
    .job = WEBHOOK_JOB("orchestrator.budget", WEBHOOK_ATTEMPTS_MAX, pauses),
    .event_header = "X-Orch-Event",
    .signature_header = "X-Orch-Signature",
    .delivery_header = "X-Orch-Delivery",
    .one_id = true,
    .user_agent = "assay-orchestrator-alerts/1",
    .attempt_seconds = 5,
    .tries = 3,
    .first_pause_seconds = 1,
    .pause_factor = 2,
    .find = find_target,
};

static enum error enqueue(const struct upkeep_call *call, const struct budget *budget,
                          const struct budget_state *state, int64_t percent)
{
    struct budget_alert alert = {.event = event_type,
                                 .budget_id = budget->id,
                                 .owner_kind = budget->owner_kind,
                                 .owner_id = budget->owner_id,
                                 .period = budget->period,
                                 .rolling = budget->rolling,
                                 .percent = percent,
                                 .limit_usd = (double)budget_limit_now(budget) / NANO_PER_DOLLAR,
                                 .spent_usd =
                                     (double)(state->total - state->held) / NANO_PER_DOLLAR,
                                 .window_from = state->window.first,
                                 .window_until = state->window.until};
    enum error error = budget_owner_name(call->db, call->arena, budget->owner_id, &alert.owner_name,
                                         call->problem);
    const struct webhook_event event = {
        .webhook_id = webhook_id,
        .event_id = arena_print(call->arena, "%s-%lld-%lld", budget->id,
                                (long long)state->window.begins, (long long)percent),
        .event_type = event_type,
        .body = schema_json(call->arena, BODY_MAX, &alert_schema, &alert)};

    return error ? error
                 : webhook_enqueue(call->db, call->arena, &notice_kind, &event, call->problem);
}

/* Notes the share and enqueues its notice in one transaction; nothing when it was noted before. */
static enum error notice(const struct upkeep_call *call, const struct budget *budget,
                         const struct budget_state *state, int64_t percent)
{
    struct query *query;
    bool is_new;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    query = db_query(call->db, &note_alert);
    query_bind_text(query, budget->id);
    query_bind_integer(query, state->window.begins);
    query_bind_integer(query, percent);
    is_new = query_changes(query) == 1;
    error = query_end(query, call->problem);
    if (!error && is_new)
        error = enqueue(call, budget, state, percent);
    return db_finish(call->db, error, call->problem);
}

static enum error check(const struct upkeep_call *call, const struct budget *budget,
                        struct budget_state *state)
{
    int64_t limit = budget_limit_now(budget);
    enum error error = budget_state_read(call->db, budget, state, call->problem);

    for (size_t i = 0; !error && limit && i < budget->alert_percents.count; i++) {
        int64_t percent = budget->alert_percents.items[i];

        if (state->total - state->held >= limit / PERCENT * percent)
            error = notice(call, budget, state, percent);
    }
    return error;
}

enum error budget_alerts_find(const struct upkeep_call *call)
{
    struct budget_list list;
    enum error error = budget_list_of(call->db, call->arena, "", &list, call->problem);

    for (size_t i = 0; !error && i < list.count; i++) {
        struct budget budget = list.items[i];
        struct budget_state state;

        if (!budget.alert_percents.count)
            continue;
        error = check(call, &budget, &state);
        if (error || budget.rolling)
            continue;
        budget.read_at = state.window.first - 1; /* what was spent after the last look */
        error = check(call, &budget, &state);
    }
    return error;
}

enum error budget_alerts_send(const struct upkeep_call *call)
{
    const struct egress_policy egress = {.private_too = true}; /* the operator's own address */
    struct webhook_delivery_config config = {.kind = &notice_kind,
                                             .egress = &egress,
                                             .answers = {ANSWER_READ, ANSWER_KEPT},
                                             .watch = &webhook_until_stopped,
                                             .retry_seconds = 86400};
    struct job_counts counts = {0};

    notice_settings = call->settings;
    if (!call->settings->alert_webhook_url)
        return ERROR_NONE;
    return webhook_deliver_due(call->db, call->arena, &config, DELIVER_MOST, &counts,
                               call->problem);
}

enum error budget_alerts_forget(const struct upkeep_call *call)
{
    static const enum job_state states[] = {JOB_IS_DONE, JOB_IS_DEAD};
    struct query *query = db_query(call->db, &forget_alerts);
    enum error error = query_end(query, call->problem);
    int64_t count;

    for (size_t i = 0; i < sizeof states / sizeof *states && !error; i++)
        error = job_forget(call->db, &notice_kind.job, states[i], KEPT_SECONDS, FORGET_MOST, &count,
                           call->problem);
    return error
               ? error
               : webhook_forget_history(call->db, KEPT_SECONDS, FORGET_MOST, &count, call->problem);
}
