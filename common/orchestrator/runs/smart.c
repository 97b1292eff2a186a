/* Two stages: an answer, and a verification that never replaces it. */
#include "orchestrator/runs/smart.h"

#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/runs/decompose.h"
#include "orchestrator/runs/orchestrate.h"

enum { VARIATIONS_A_ROUND = 3 };

static const double similarity_threshold = 0.85;

#define REJECT(problem, ...) problem_set((problem), ERROR_INVALID, "run_rejected", __VA_ARGS__)

static enum error choose_treatment(struct smart *smart, const struct smart_request *wanted,
                                   struct problem *problem)
{
    int pattern = name_find(execution_pattern_names, wanted->pattern);
    int level = name_find(reliability_level_names, wanted->reliability_level);

    if (wanted->pattern && wanted->reliability_level)
        return REJECT(problem, "Use reliability_level OR pattern, not both.");
    if (wanted->pattern && pattern < 0)
        return REJECT(problem, "Unknown pattern: %s", wanted->pattern);
    if (wanted->reliability_level && level < 0)
        return REJECT(problem, "Unknown level: %s", wanted->reliability_level);
    if (wanted->pattern)
        smart->treatment = treatment_of_pattern((enum execution_pattern)pattern);
    else if (wanted->reliability_level)
        smart->treatment = treatment_of_level((enum reliability_level)level);
    else
        smart->treatment = treatment_of_prompt(&smart->complexity);
    return ERROR_NONE;
}

static enum error answer_in_parts(struct smart *smart, const char *question, const char *prompt)
{
    struct run *run = &smart->run.task_run.run;
    struct decomposition decomposition;
    enum error error = decompose(run, smart->run.model, smart->treatment.reasoning, question,
                                 prompt, &decomposition);

    if (error)
        return error;
    smart->answer = decomposition.result;
    smart->was_decomposed = decomposition.was_decomposed;
    smart->run.task_run.task.was_decomposed = decomposition.was_decomposed;
    if (decomposition.was_decomposed)
        smart->run.task_run.task.subtask_count = (int64_t)decomposition.subtasks.count;
    return ERROR_NONE;
}

static enum error answer_by_consensus(struct smart *smart, const struct smart_request *wanted)
{
    const struct treatment *treatment = &smart->treatment;
    const struct consensus_options rounds = {.similarity_threshold = similarity_threshold,
                                             .target = treatment->threshold,
                                             .max_rounds =
                                                 treatment->rounds > 0 ? treatment->rounds : 1,
                                             .per_round = VARIATIONS_A_ROUND,
                                             .use_confidence = treatment->confidence};
    enum error error = wanted->second
                           ? consensus_v2(&smart->run, wanted->prompt, smart->task_type,
                                          (size_t)treatment->model_count, treatment->peer_review,
                                          &smart->consensus)
                           : consensus_v1(&smart->run, wanted->prompt, &rounds, &smart->consensus);

    if (error)
        return error;
    smart->used_consensus = true;
    smart->models_used = smart->consensus.models_used;
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

/* Collects the answers of parallel calls and the names of their models. */
static void keep_answers(struct smart *smart, const struct result *results, size_t count)
{
    struct arena *arena = smart->run.task_run.run.arena;

    smart->fan_out = (struct fan_out){.models = ARENA_ARRAY(arena, const struct model *, count),
                                      .answers = ARENA_ARRAY(arena, const char *, count)};
    for (size_t i = 0; i < count; i++) {
        if (results[i].status != RUN_SUCCEEDED)
            continue;
        smart->fan_out.models[smart->fan_out.count] = results[i].executed;
        smart->fan_out.answers[smart->fan_out.count++] = results[i].text;
    }
    smart->models_used = model_ids(arena, smart->fan_out.models, smart->fan_out.count);
}

/* Calls different models in parallel, and merges them by the pattern. */
static enum error answer_by_several(struct smart *smart, const struct smart_request *wanted)
{
    const struct treatment *treatment = &smart->treatment;
    struct run *run = &smart->run.task_run.run;
    const struct model *models[CALLED_MODELS_MAX];
    const struct asking asking = prompt_itself(&smart->run.phrasing, wanted->prompt);
    struct result results[CALLED_MODELS_MAX];
    struct call_request orders[CALLED_MODELS_MAX];
    size_t count = models_choose(run->worker, smart->run.model, (size_t)treatment->model_count,
                                 treatment->reasoning, run->dry_run, models);
    int64_t quorum = treatment->quorum < (int64_t)count ? treatment->quorum : (int64_t)count;
    enum error error;

    for (size_t i = 0; i < count; i++)
        orders[i] = call_of(run->arena, models[i], &asking, treatment->reasoning);
    error = pattern_dispatch(&smart->run, orders, count, results);
    if (error)
        return error;
    keep_answers(smart, results, count);
    aggregate(run, results, count, quorum, (int)treatment->merge, &smart->run.outcome);
    smart->answer = results[0];
    for (size_t i = count; i-- > 0;)
        if (results[i].status == RUN_SUCCEEDED)
            smart->answer = results[i];
    smart->answer.status = smart->run.outcome.status;
    smart->answer.text = smart->run.outcome.output_text;
    smart->answer.failure_code = smart->run.outcome.failure_code;
    smart->answer.failure_message = smart->run.outcome.failure_message;
    return ERROR_NONE;
}

static enum error find_answer(struct smart *smart, const struct smart_request *wanted)
{
    const struct run *run = &smart->run.task_run.run;
    const struct treatment *treatment = &smart->treatment;
    bool comparable = run->dry_run || embeddings_are_configured(run->worker);
    const struct asking asking = prompt_itself(&smart->run.phrasing, wanted->prompt);

    smart->models_used = model_ids(run->arena, &smart->run.model, 1);
    if (treatment->use_decomposition && smart->complexity.should_decompose)
        return answer_in_parts(smart, wanted->question ? wanted->question : wanted->prompt,
                               wanted->prompt);
    if (treatment->use_consensus && comparable)
        return answer_by_consensus(smart, wanted);
    if (wanted->pattern && treatment->model_count > 1)
        return answer_by_several(smart, wanted);
    return pattern_ask_one(&smart->run, smart->run.model, &asking, &smart->answer);
}

/* Compares the answers of a fan-out, by a model that wrote none of them if there is one. */
static enum error compare_answers(struct smart *smart, const struct smart_request *wanted,
                                  struct result *result)
{
    const struct run *run = &smart->run.task_run.run;
    const struct fan_out *fan_out = &smart->fan_out;
    const struct asking asking =
        prompt_to_compare(&smart->run.phrasing, wanted->prompt, fan_out->answers, NULL,
                          fan_out->count, (size_t)run->worker->settings->judged_answer_chars);
    const struct model *judge;

    return pattern_ask_judge(&smart->run, fan_out->models, fan_out->count, &asking, &judge, result);
}

static enum error verify_answer(struct smart *smart, const struct smart_request *wanted,
                                struct result *result)
{
    const struct asking asking =
        prompt_to_verify(&smart->run.phrasing, wanted->prompt, smart->answer.text);

    return pattern_ask_one(&smart->run, smart->run.model, &asking, result);
}

static enum error verify(struct smart *smart, const struct smart_request *wanted)
{
    bool compares =
        smart->treatment.pattern == PATTERN_FIVE_MODELS_COMPARE && smart->fan_out.count > 1;
    struct result check;
    enum error error;

    if (smart->treatment.pattern == PATTERN_SONAR || smart->answer.status != RUN_SUCCEEDED ||
        !smart->answer.text)
        return ERROR_NONE;
    error =
        compares ? compare_answers(smart, wanted, &check) : verify_answer(smart, wanted, &check);
    if (error)
        return error;
    smart->used_roles = true;
    if (check.status == RUN_SUCCEEDED)
        smart->verification = check.text;
    return ERROR_NONE;
}

enum error smart_run(struct smart *smart, const struct worker_context *worker, struct arena *arena,
                     struct db *db, const struct smart_request *wanted, struct problem *problem)
{
    struct pattern_request frame = {.route = wanted->second ? "smart/v2" : "smart",
                                    .prompt = wanted->prompt,
                                    .model = wanted->model,
                                    .dry_run = is_dry_run(worker, wanted->dry_run),
                                    .watch = wanted->watch,
                                    .conversation = wanted->conversation,
                                    .question = wanted->question};
    const char *question = wanted->question ? wanted->question : wanted->prompt;
    enum error error;

    smart->complexity = assess_complexity(arena, question);
    smart->task_type = assess_task_type(arena, question);
    error = choose_treatment(smart, wanted, problem);
    if (error)
        return error;
    frame.reasoning = smart->treatment.reasoning;
    error = pattern_begin(&smart->run, worker, arena, db, &frame, problem);
    if (!error)
        error = find_answer(smart, wanted);
    if (!error)
        error = verify(smart, wanted);
    if (error)
        return error;
    if (smart->answer.status == RUN_SUCCEEDED)
        smart->answer_text = smart->answer.text;
    else
        smart->models_used.count = 0;
    return pattern_end(&smart->run, &smart->answer);
}
