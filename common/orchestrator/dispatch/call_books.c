/* The books of a call: what it takes from the limits before it is made, and what it has cost when
 * it has ended. */
#include "base/list.h"
#include "orchestrator/dispatch/active_call.h"

#include <math.h>

static int64_t daily_limit(const struct worker_context *worker)
{
    return (int64_t)llround(worker->settings->daily_cost_limit_usd * NANO_PER_DOLLAR);
}

/* Holds move when there are more of them, so a call keeps the number of its own. */
static struct spend_hold *hold_of(const struct run *run, const struct active_call *active)
{
    return active->hold ? &run->holds[active->hold - 1] : NULL;
}

static struct spend_hold *new_hold(struct run *run, struct active_call *active)
{
    if (run->hold_count == RUN_CALLS_MAX)
        return NULL;
    (void)ARRAY_ADD(run->arena, run->holds, run->hold_count);
    active->hold = run->hold_count;
    return hold_of(run, active);
}

/* Cost that the provider bills beyond what was held. */
static int64_t excess_of(const struct run *run, const struct active_call *active)
{
    const struct spend_hold *hold = hold_of(run, active);
    int64_t held = hold ? hold->nano_usd : 0;

    return active->result->cost.value > held ? active->result->cost.value - held : 0;
}

static void note_excess(struct run *run, struct active_call *active)
{
    const struct call_details excess = {
        .excess_usd = GIVEN_NUMBER((double)excess_of(run, active) / NANO_PER_DOLLAR)};

    active->result->details =
        json_join(run->arena, active->result->details, call_details_print(run->arena, &excess));
}

/* What a provider claims is no more than a sum can take. */
static int64_t counted(struct optional_integer tokens)
{
    static const int64_t most = INT64_C(1000000000000);

    return tokens.value < 0 ? 0 : tokens.value > most ? most : tokens.value;
}

static void note_usage(struct run *run, const struct active_call *active)
{
    static const struct payer nobody = {"", "", ""};
    const struct payer *payer = run->worker->key ? &run->worker->key->payer : &nobody;
    const struct result *result = active->result;

    if (!active->started_at)
        return;
    usage_add(run->arena, &run->usage,
              &(struct usage){.day = "",
                              .key_id = payer->key_id,
                              .team_id = payer->team_id,
                              .customer_id = payer->customer_id,
                              .model_id = active->model->id,
                              .provider = active->model->provider,
                              .calls = 1,
                              .failures = result->status == RUN_FAILED,
                              .input_tokens = counted(result->input_tokens),
                              .output_tokens = counted(result->output_tokens),
                              .cached_tokens = counted(result->cached_tokens),
                              .cache_hits = result->cached_tokens.value > 0,
                              .duration_ms = milliseconds_since(active->started_at),
                              .timed_calls = 1,
                              .nano_usd = result->cost.value,
                              .excess_nano_usd = excess_of(run, active)});
}

/* Fails a call that a limit of money or of the key refuses. */
static void refuse_over_limit(struct run *run, struct active_call *active,
                              const struct call_details *details, const char *message)
{
    active->result->details = call_details_print(run->arena, details);
    active->hold = 0;
    result_fail(run, active->result, FAILURE_RATE_LIMITED, message);
}

static void refuse_over_budget(struct run *run, struct active_call *active,
                               const struct spend_refusal *refusal)
{
    const struct budget_refusal *budget = refusal->budget;
    struct call_details details = {
        .budget_exceeded_kind = "daily_cost",
        .spent_usd = GIVEN_NUMBER((double)refusal->spent / NANO_PER_DOLLAR),
        .limit_usd = GIVEN_NUMBER(run->worker->settings->daily_cost_limit_usd)};

    if (!budget) {
        refuse_over_limit(run, active, &details, "Daily cost limit reached.");
        return;
    }
    details.budget_exceeded_kind = budget_owner_names[budget->budget->owner_kind];
    details.spent_usd = GIVEN_NUMBER((double)(budget->spent + budget->held) / NANO_PER_DOLLAR);
    details.limit_usd = GIVEN_NUMBER((double)budget->limit / NANO_PER_DOLLAR);
    details.retry_after_seconds = GIVEN_NUMBER(budget->retry_after);
    run->key_refusal = (struct key_refusal){budget->message, budget->retry_after, true};
    refuse_over_limit(run, active, &details, budget->message);
}

/* Holds the cost of a call. *granted is false when a budget has no room. */
static enum error hold_cost(struct run *run, struct active_call *active, bool *granted)
{
    const struct spend_call spending = run_spending(run);
    struct spend_request request = {.provider = active->model->provider,
                                    .model_id = active->model->id,
                                    .nano_usd = attempt_price(run, active->wanted, active->model),
                                    .limit = daily_limit(run->worker)};
    struct spend_refusal refusal = {0};
    size_t before = run->hold_count;
    struct spend_hold *hold;
    enum error error;

    *granted = true;
    request.nano_usd *= active->call->provider->policy.attempts;
    if (!request.nano_usd)
        return run_store(run);
    hold = new_hold(run, active);
    if (!hold)
        return problem_set(run->problem, ERROR_TOO_LARGE, "too_many_calls",
                           "A task makes %d calls at most.", RUN_CALLS_MAX);
    error = db_begin_together(run->db, run->problem);
    if (error)
        return error;
    error = run_store(run);
    if (!error)
        error = spend_hold(&spending, &request, hold, &refusal, run->holds, before);
    error = db_finish(run->db, error, run->problem);
    *granted = !refusal.refused;
    if (!error && refusal.refused)
        refuse_over_budget(run, active, &refusal);
    return error;
}

/* Takes the tokens of the prompt from the key's minute. */
static bool take_tokens(struct run *run, struct active_call *active)
{
    const struct call_details details = {.budget_exceeded_kind = "tokens_per_minute"};

    if (key_tokens_take(run, active->wanted, &active->charged_tokens))
        return true;
    refuse_over_limit(run, active, &details, run->key_refusal.message);
    return false;
}

enum error call_hold(struct run *run, struct active_call *active, bool *granted)
{
    *granted = take_tokens(run, active);
    return *granted ? hold_cost(run, active, granted) : run_store(run);
}

void call_book(struct run *run, struct active_call *active)
{
    note_usage(run, active);
    key_tokens_settle(
        run, counted(active->result->input_tokens) + counted(active->result->output_tokens),
        active->charged_tokens);
    if (!active->hold)
        return;
    if (excess_of(run, active))
        note_excess(run, active);
    hold_of(run, active)->is_over = true;
    hold_of(run, active)->booked = active->result->cost.value;
    active->hold = 0;
}

struct spend_call run_spending(const struct run *run)
{
    return (struct spend_call){.db = run->db,
                               .arena = run->arena,
                               .task_id = run->task_id,
                               .payer = run->worker->key ? &run->worker->key->payer : NULL,
                               .problem = run->problem};
}
