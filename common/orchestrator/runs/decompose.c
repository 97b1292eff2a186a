/* Splitting and putting together. */
#include "orchestrator/runs/decompose.h"

#include "base/json.h"
#include "orchestrator/plan/assess.h"
#include "orchestrator/runs/calls.h"

enum { DETAILS_MAX = 1 << 20 };

/* The call of one subtask. */
struct splitting {
    struct run *run;
    const struct model *model;
    bool reasoning;
    struct phrasing phrasing;
    struct decomposition *decomposition;
};

static enum error ask(const struct splitting *splitting, struct asking asking)
{
    struct run *run = splitting->run;
    const struct call_request wanted =
        call_of(run->arena, splitting->model, &asking, splitting->reasoning);
    enum error error = dispatch_one(run, &wanted, &splitting->decomposition->result);

    if (!error)
        result_require_text(run->arena, &splitting->decomposition->result);
    return error;
}

static bool goes_on(const struct splitting *splitting, enum error error)
{
    return !error && splitting->decomposition->result.status == RUN_SUCCEEDED;
}

static enum error answer_parts(const struct splitting *splitting, const char *question)
{
    struct string_list *parts = &splitting->decomposition->subtasks;
    const char **answers = ARENA_ARRAY(splitting->run->arena, const char *, parts->count);
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < parts->count; i++) {
        error = ask(splitting, (struct asking){.user = parts->items[i]});
        if (!goes_on(splitting, error))
            return error;
        answers[i] = splitting->decomposition->result.text;
    }
    if (parts->count == 1)
        return error;
    return ask(splitting, prompt_to_synthesize(&splitting->phrasing, question, parts->items,
                                               answers, parts->count));
}

enum error decompose(struct run *run, const struct model *model, bool reasoning,
                     const char *question, const char *prompt, struct decomposition *decomposition)
{
    const struct splitting splitting = {run, model, reasoning, phrasing_of(run->arena, question),
                                        decomposition};
    struct complexity complexity = assess_complexity(run->arena, question);
    enum error error;

    *decomposition = (struct decomposition){.subtasks.items = ARENA_NEW(run->arena, const char *)};
    if (complexity.level != LEVEL_SIMPLE) {
        error = ask(&splitting, prompt_to_split(&splitting.phrasing, prompt));
        if (!goes_on(&splitting, error))
            return error;
        decomposition->subtasks = parse_subtasks(run->arena, decomposition->result.text);
    }
    if (!decomposition->subtasks.count) {
        decomposition->subtasks.items[0] = prompt;
        decomposition->subtasks.count = 1;
    }
    decomposition->was_decomposed = decomposition->subtasks.count > 1;
    return answer_parts(&splitting, question);
}

void decompose_join_steps(struct run *run, const struct decomposition *decomposition)
{
    struct step_record *joined = ARENA_NEW(run->arena, struct step_record);

    if (!run->steps.count)
        return;
    *joined = run->steps.items[run->steps.count - 1];
    joined->started_at = run->steps.items[0].started_at;
    joined->step_index = 1;
    joined->output_text = decomposition->result.text;
    joined->input_tokens = joined->output_tokens = joined->duration_ms =
        (struct optional_integer){0};
    joined->cost_usd = (struct optional_number){0};
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct step_record *step = &run->steps.items[i];

        run_add_count(&joined->input_tokens, step->input_tokens);
        run_add_count(&joined->output_tokens, step->output_tokens);
        run_add_count(&joined->duration_ms, step->duration_ms);
        if (step->cost_usd.given)
            joined->cost_usd = GIVEN_NUMBER(joined->cost_usd.value + step->cost_usd.value);
    }
    run->steps = (struct step_list){1, joined};
}

struct decomposition_details {
    bool was_decomposed;
    int64_t subtask_count;
    struct string_list subtasks;
};

#define OWNER struct decomposition_details
static const struct field decomposition_fields[] = {
    BOOLEAN(OWNER, was_decomposed),
    INTEGER(OWNER, subtask_count),
    STRINGS(OWNER, subtasks),
};
#undef OWNER
static SCHEMA(decomposition_schema, struct decomposition_details, "DecompositionDetails",
              decomposition_fields);

struct decomposed_details {
    const struct decomposition_details *decomposition;
};

#define OWNER struct decomposed_details
static const struct field decomposed_fields[] = {
    OBJECT(OWNER, decomposition, decomposition_schema)};
#undef OWNER
static SCHEMA(decomposed_schema, struct decomposed_details, "DecomposedDetails", decomposed_fields);

const char *decompose_details(struct run *run, const struct decomposition *decomposition)
{
    struct decomposition_details inner = {.was_decomposed = decomposition->was_decomposed};
    const struct decomposed_details details = {&inner};

    if (inner.was_decomposed) {
        inner.subtask_count = (int64_t)decomposition->subtasks.count;
        inner.subtasks = decomposition->subtasks;
    }
    return schema_json(run->arena, DETAILS_MAX, &decomposed_schema, &details);
}
