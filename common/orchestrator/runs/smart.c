/* Two stages: an answer, and a look at it that never replaces it. */
#include "orchestrator/runs/smart.h"

#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/runs/decompose.h"
#include "orchestrator/runs/orchestrate.h"

enum { VARIATIONS_A_ROUND = 3 };

static const double similarity_threshold = 0.85;

#define REJECT(problem, ...) problem_set((problem), ERROR_INVALID, "run_rejected", __VA_ARGS__)

static enum error choose_treatment(struct smart *smart, const struct smart_order *order,
                                   struct problem *problem)
{
    int pattern = word_find(execution_pattern_names, order->pattern);
    int level = word_find(reliability_level_names, order->reliability_level);

    if (order->pattern && order->reliability_level)
        return REJECT(problem, "Use reliability_level OR pattern, not both.");
    if (order->pattern && pattern < 0)
        return REJECT(problem, "Unknown pattern: %s", order->pattern);
    if (order->reliability_level && level < 0)
        return REJECT(problem, "Unknown level: %s", order->reliability_level);
    if (order->pattern)
        smart->treatment = treatment_of_pattern((enum execution_pattern)pattern);
    else if (order->reliability_level)
        smart->treatment = treatment_of_level((enum reliability_level)level);
    else
        smart->treatment = treatment_of_prompt(&smart->complexity);
    return ERROR_NONE;
}

static enum error answer_in_parts(struct smart *smart, const char *prompt)
{
    struct run *run = &smart->run.task_run.run;
    struct decomposition decomposition;
    enum error error = decompose(run, smart->run.model, smart->treatment.reasoning, prompt, prompt,
                                 &decomposition);

    if (error)
        return error;
    smart->answer = decomposition.result;
    smart->was_decomposed = decomposition.was_decomposed;
    smart->run.task_run.task.was_decomposed = decomposition.was_decomposed;
    if (decomposition.was_decomposed)
        smart->run.task_run.task.subtask_count = (int64_t)decomposition.subtasks.count;
    return ERROR_NONE;
}

static enum error answer_by_consensus(struct smart *smart, const struct smart_order *order)
{
    const struct treatment *treatment = &smart->treatment;
    const struct consensus_order rounds = {.similarity_threshold = similarity_threshold,
                                           .target = treatment->threshold,
                                           .max_rounds =
                                               treatment->rounds > 0 ? treatment->rounds : 1,
                                           .per_round = VARIATIONS_A_ROUND,
                                           .use_confidence = treatment->confidence};
    enum error error = order->second
                           ? consensus_v2(&smart->run, order->prompt, smart->task_type,
                                          treatment->peer_review, &smart->consensus)
                           : consensus_v1(&smart->run, order->prompt, &rounds, &smart->consensus);

    if (error)
        return error;
    smart->used_consensus = true;
    smart->answer = smart->consensus.failure;
    if (smart->consensus.best)
        smart->answer = (struct result){
            .model = smart->run.model,
            .executed = smart->run.model,
            .adapter_name = adapter_name_of(smart->run.task_run.run.arena, smart->run.model),
            .status = RUN_SUCCEEDED,
            .failure_code = FAILURE_NONE,
            .text = smart->consensus.best};
    return ERROR_NONE;
}

static enum error find_answer(struct smart *smart, const struct smart_order *order)
{
    const struct house *house = smart->run.task_run.run.house;
    bool comparable = smart->run.task_run.run.dry_run || embeddings_are_configured(house);

    if (smart->treatment.use_decomposition && smart->complexity.should_decompose)
        return answer_in_parts(smart, order->prompt);
    if (smart->treatment.use_consensus && comparable)
        return answer_by_consensus(smart, order);
    return pattern_ask_one(&smart->run, order->prompt, &smart->answer);
}

static enum error verify(struct smart *smart, const struct smart_order *order)
{
    struct arena *arena = smart->run.task_run.run.arena;
    struct result check;
    enum error error;

    if (smart->treatment.pattern == PATTERN_SONAR || smart->answer.status != RUN_SUCCEEDED)
        return ERROR_NONE;
    error = pattern_ask_one(
        &smart->run, role_prompt(arena, ROLE_VERIFIER, order->prompt, &smart->answer.text, 1),
        &check);
    if (error)
        return error;
    smart->used_roles = true;
    smart->verification = result_text_or_failure(arena, &check);
    return ERROR_NONE;
}

enum error smart_run(struct smart *smart, const struct house *house, struct arena *arena,
                     struct db *db, const struct smart_order *order, struct problem *problem)
{
    struct pattern_order frame = {.route = order->second ? "smart/v2" : "smart",
                                  .prompt = order->prompt,
                                  .model = order->model,
                                  .dry_run = house_is_dry(house, order->dry_run)};
    enum error error;

    smart->complexity = assess_complexity(arena, order->prompt);
    smart->task_type = assess_task_type(arena, order->prompt);
    error = choose_treatment(smart, order, problem);
    if (error)
        return error;
    frame.reasoning = smart->treatment.reasoning;
    error = pattern_begin(&smart->run, house, arena, db, &frame, problem);
    if (!error)
        error = find_answer(smart, order);
    if (!error)
        error = verify(smart, order);
    if (error)
        return error;
    smart->answer_text = result_text_or_failure(arena, &smart->answer);
    return pattern_end(&smart->run, &smart->answer);
}
