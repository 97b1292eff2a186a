/* The steps of a run: its ended calls as they are stored, and the sums of their tokens. */
#include "orchestrator/dispatch/adapters.h"

#include "base/list.h"

#include <string.h>

void run_add_count(struct optional_integer *sum, struct optional_integer more)
{
    if (!more.given || sum->value < 0)
        return;
    sum->given = !__builtin_add_overflow(sum->value, more.value, &sum->value);
    if (!sum->given)
        sum->value = -1;
}

void run_add_step(struct run *run, const struct result *result)
{
    struct step_record *steps = ARENA_ARRAY(run->arena, struct step_record, run->steps.count + 1);
    bool replaced = result->executed != result->model;

    if (run->steps.count)
        memcpy(steps, run->steps.items, run->steps.count * sizeof *steps);
    steps[run->steps.count] = (struct step_record){
        .step_index = (int64_t)run->steps.count + 1,
        .model_id = result->model->id,
        .model_display_name = result->model->display_name,
        .backend = result->executed->backend,
        .provider = result->executed->provider,
        .status = result->status,
        .failure_code = result->failure_code,
        .failure_message = result->failure_message,
        .output_text = result->text,
        .duration_ms = result->duration_ms,
        .input_tokens = result->input_tokens,
        .output_tokens = result->output_tokens,
        .cost_usd = {result->cost.given, (double)result->cost.value / NANO_PER_DOLLAR},
        .executed_model_id = replaced ? result->executed->id : NULL,
        .started_at = {result->started_at != 0, result->started_at},
        .completed_at = {result->ended_at != 0, result->ended_at},
        .first_output_at = {result->first_output_at != 0, result->first_output_at},
        .details = result->details};
    run->steps = (struct step_list){run->steps.count + 1, steps};
    for (size_t i = 0; i < result->traced.count; i++) {
        struct traced_attempt *attempt = LIST_ADD(run->arena, &run->traced);

        *attempt = result->traced.items[i];
        attempt->step_index = (int64_t)run->steps.count;
    }
    run_add_count(&run->cached_tokens, result->cached_tokens);
    run_add_count(&run->cache_write_tokens, result->cache_write_tokens);
    run_add_count(&run->reasoning_tokens, result->reasoning_tokens);
}
