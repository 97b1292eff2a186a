/* When calls began, first answered and ended, and which calls a step is made of. */
#include "orchestrator/dispatch/attempts.h"

#include "base/list.h"
#include "orchestrator/dispatch/active_call.h"

static bool note_piece(const struct llm_delta *delta, void *context)
{
    struct active_call *active = context;

    if (!active->first_at)
        active->first_at = clock_monotonic_microseconds();
    return active->passed_on->on_delta(delta, active->passed_on->context);
}

void call_watch_pieces(struct active_call *active, const struct call_request *wanted)
{
    active->passed_on = wanted;
    active->watched = *wanted;
    active->wanted = &active->watched;
    if (!wanted->on_delta)
        return;
    active->watched.on_delta = note_piece;
    active->watched.context = active;
}

static void set_times(struct active_call *active)
{
    struct result *result = active->result;
    int64_t now = clock_monotonic_microseconds();

    result->ended_at = clock_unix_microseconds();
    result->started_at = result->ended_at - (now - active->started_at);
    result->first_output_at = active->first_at ? result->ended_at - (now - active->first_at) : 0;
}

static void add(struct arena *arena, struct active_call *active)
{
    const struct result *result = active->result;

    *LIST_ADD(arena, &active->attempts) = (struct call_attempt){
        .model_id = active->model->id,
        .started_at = GIVEN_INTEGER(result->started_at),
        .first_output_at = {result->first_output_at != 0, result->first_output_at},
        .completed_at = GIVEN_INTEGER(result->ended_at),
        .failure_code = result->failure_code,
        .failure_message = result->failure_message,
        .cost_usd = {result->cost.given, (double)result->cost.value / NANO_PER_DOLLAR}};
}

void call_note(struct run *run, struct active_call *active)
{
    const struct worker_context *worker = run->worker;

    if (active->started_at) {
        set_times(active);
        add(run->arena, active);
    }
    if (worker->on_call && (active->started_at || active->result->status == RUN_FAILED))
        worker->on_call(active->model, active->result, worker->context);
}

const char *attempts_details(struct arena *arena, const struct attempt_list *attempts)
{
    const struct call_details details = {.calls = {attempts->count, attempts->items}};

    return attempts->count > 1 ? call_details_print(arena, &details) : NULL;
}
