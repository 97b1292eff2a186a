/* Composes tasks of the past from the topics of the simulated models. */
#include "orchestrator/demo/history.h"

#include "base/clock.h"
#include "orchestrator/demo/prompts.h"
#include "orchestrator/demo/teams.h"
#include "orchestrator/runs/task_run.h"
#include "orchestrator/storage/spend_store.h"
#include "orchestrator/storage/task_store.h"

#include <string.h>

enum { MODELS_MAX = 3, SECONDS_A_DAY = 86400 };
enum { SWIFT = 1, SCRIBE = 2, SAGE = 4, DRIFT = 8 };

static const int64_t second_us = 1000000;

static const struct {
    int bit;
    const char *id;
} names[] = {{SWIFT, "simulated-swift"},
             {SCRIBE, "simulated-scribe"},
             {SAGE, "simulated-sage"},
             {DRIFT, "simulated-drift"}};

/* What was asked when, and of whom. */
static const struct past {
    double hours_ago;
    size_t topic;
    int models;
} asked[] = {
    {0.2, 0, SWIFT},          {0.7, 1, SWIFT | SAGE},    {1.1, 2, SCRIBE},
    {1.9, 3, SWIFT | SCRIBE}, {2.6, 0, DRIFT},           {3.4, 1, SAGE},
    {4.3, 2, SWIFT | SAGE},   {5.2, 3, SWIFT},           {6.8, 0, SWIFT | SCRIBE | SAGE},
    {8.1, 1, SCRIBE},         {9.5, 2, SWIFT | DRIFT},   {11.2, 3, SAGE},
    {14.0, 0, SWIFT},         {16.5, 1, SWIFT | SCRIBE}, {19.3, 2, SAGE},
    {22.4, 3, SWIFT | SAGE},
};

struct making {
    struct db *db;
    struct arena *arena;
    const struct catalog *catalog;
    const struct simulated_texts *texts;
    struct problem *problem;
    int64_t now;
};

static struct step_record step_of(const struct making *making, const struct model *model,
                                  const char *prompt, int64_t index, int64_t started)
{
    const struct simulated_model *simulated = simulated_find(model->id);
    const char *answer = simulated_answer(making->arena, making->texts, simulated, NULL, prompt);
    const struct llm_usage usage = {.input_tokens = GIVEN_INTEGER(simulated_tokens(prompt)),
                                    .output_tokens = GIVEN_INTEGER(simulated_tokens(answer))};
    int64_t milliseconds =
        simulated->first_ms +
        (simulated->fails ? 0 : (int64_t)strlen(answer) / 6 * simulated->word_ms);
    struct step_record step = {.step_index = index,
                               .model_id = model->id,
                               .model_display_name = model->display_name,
                               .backend = BACKEND_API,
                               .provider = model->provider,
                               .status = RUN_SUCCEEDED,
                               .failure_code = FAILURE_NONE,
                               .duration_ms = GIVEN_INTEGER(milliseconds),
                               .started_at = GIVEN_INTEGER(started),
                               .completed_at = GIVEN_INTEGER(started + milliseconds * 1000),
                               .adapter_name = "api.openai"};

    if (simulated->fails) {
        step.status = RUN_FAILED;
        step.failure_code = FAILURE_PROVIDER_UNAVAILABLE;
        step.failure_message = "The provider answered 503.";
        return step;
    }
    step.output_text = answer;
    step.first_output_at = GIVEN_INTEGER(started + simulated->first_ms * INT64_C(1000));
    step.input_tokens = usage.input_tokens;
    step.output_tokens = usage.output_tokens;
    step.cost_usd = (struct optional_number)GIVEN_NUMBER((double)model_cost(model, &usage).value /
                                                         NANO_PER_DOLLAR);
    return step;
}

/* The answers that came, one after the other. */
static const char *merged(struct arena *arena, const struct step_list *steps)
{
    const char *text = NULL;

    for (size_t i = 0; i < steps->count; i++) {
        const struct step_record *step = &steps->items[i];

        if (step->output_text)
            text =
                text ? arena_print(arena, "%s\n\n%s", text, step->output_text) : step->output_text;
    }
    return text;
}

static struct outcome outcome_of(const struct making *making, const struct plan *plan,
                                 const struct step_list *steps)
{
    struct outcome outcome = {.status = RUN_FAILED,
                              .execution_mode = MODE_API,
                              .failure_code = FAILURE_PROVIDER_UNAVAILABLE,
                              .failure_message = steps->items[0].failure_message};

    for (size_t i = steps->count; i-- > 0;) {
        if (steps->items[i].status != RUN_SUCCEEDED)
            continue;
        outcome.status = RUN_SUCCEEDED;
        outcome.failure_code = FAILURE_NONE;
        outcome.failure_message = NULL;
        outcome.winning_step = (int64_t)i + 1;
        outcome.winner = plan->models[i];
    }
    outcome.output_text = merged(making->arena, steps);
    return outcome;
}

/* The cost of a call of today, as dispatch() books it. */
static enum error book(const struct making *making, const char *task_id,
                       const struct step_record *step)
{
    const struct spend_call spending = {
        .db = making->db, .arena = making->arena, .task_id = task_id, .problem = making->problem};
    struct spend_request request = {.provider = step->provider,
                                    .model_id = step->model_id,
                                    .nano_usd = (int64_t)(step->cost_usd.value * NANO_PER_DOLLAR)};
    struct spend_hold hold;
    struct spend_refusal refusal;
    int64_t midnight = making->now - making->now % (SECONDS_A_DAY * second_us);
    enum error error;

    if (!step->cost_usd.given || step->started_at.value < midnight)
        return ERROR_NONE;
    error = spend_hold(&spending, &request, &hold, &refusal, NULL, 0);
    hold.booked = request.nano_usd;
    hold.is_over = true;
    return error ? error : spend_book(&spending, &hold, 1);
}

static void choose_models(const struct making *making, const struct past *past,
                          const struct model **models, struct plan *plan)
{
    *plan = (struct plan){.models = models,
                          .adapter_hint = HINT_AUTO,
                          .execution_mode = MODE_API,
                          .merge_strategy = MERGE_CONCAT};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (past->models & names[i].bit)
            models[plan->count++] = catalog_find(making->catalog, names[i].id);
    plan->quorum = (int64_t)plan->count;
    if (plan->count == 1)
        plan->merge_strategy = MERGE_FIRST_SUCCESS;
    if (past->models & DRIFT)
        plan->quorum = 1;
}

static enum error make_task(const struct making *making, const struct past *past)
{
    const struct simulated_topic *topics = making->texts->topics.items;
    const char *prompt = topics[past->topic % making->texts->topics.count].prompt;
    int64_t accepted = making->now - (int64_t)(past->hours_ago * 3600 * (double)second_us);
    const struct model *models[MODELS_MAX];
    struct plan plan;
    struct task_bundle bundle;
    struct past_task task = {.accepted_at = accepted, .completed_at = accepted};
    enum error error;

    choose_models(making, past, models, &plan);
    task.steps.items = ARENA_ARRAY(making->arena, struct step_record, plan.count);
    for (size_t i = 0; i < plan.count; i++) {
        const struct step_record *step = &task.steps.items[i];

        task.steps.items[task.steps.count++] =
            step_of(making, plan.models[i], prompt, (int64_t)i + 1, accepted + 4000);
        if (step->completed_at.value + 6000 > task.completed_at)
            task.completed_at = step->completed_at.value + 6000;
    }
    task.outcome = outcome_of(making, &plan, &task.steps);
    task_run_compose(making->arena, &(struct task_request){.prompt = prompt, .plan = &plan}, &task,
                     &bundle);
    error = task_replace(making->db, &bundle, making->problem);
    for (size_t i = 0; i < plan.count && !error; i++)
        error = book(making, bundle.task.task_id, &task.steps.items[i]);
    return error;
}

static enum error make_all(const struct making *making, int64_t *count)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < COUNT_OF(asked) && !error; i++) {
        error = make_task(making, &asked[i]);
        *count += !error;
    }
    return error;
}

enum error history_make(struct db *db, struct arena *arena, const struct catalog *catalog,
                        const struct simulated_texts *texts, int64_t *count,
                        struct problem *problem)
{
    const struct task_filter any = {
        .status = -1, .execution_mode = -1, .failure_code = -1, .limit = 1};
    const struct making making = {db, arena, catalog, texts, problem, clock_unix_microseconds()};
    struct task_list known;
    enum error error = task_list_recent(db, arena, &any, &known, problem);

    *count = 0;
    if (error || known.count)
        return error;
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    error = make_all(&making, count);
    if (!error)
        error = demo_teams_make(db, arena, making.now, problem);
    error = db_finish(db, error, problem);
    return error ? error : demo_prompts_make(db, arena, problem);
}
