/* Withholds texts from the store. */
#include "orchestrator/runs/stored_texts.h"

#include "text/fold.h"

/* Whether the caller's key forbids to store prompts and answers. */
static bool is_private(const struct run *run)
{
    return run->worker && run->worker->key && !run->worker->key->stores_prompts;
}

static void hide_task(const struct run *run, struct task_record *task)
{
    const char *prompt = redaction_hide(run->redaction, task->prompt);

    if (prompt != task->prompt)
        task->prompt_folded = text_fold(run->arena, prompt);
    task->prompt = prompt;
    task->metadata = redaction_hide_json(run->redaction, task->metadata, false);
    task->output_text = redaction_hide(run->redaction, task->output_text);
    task->failure_message = redaction_hide(run->redaction, task->failure_message);
}

void stored_texts_of_task(const struct run *run, struct task_record *task)
{
    if (is_private(run)) {
        task->prompt = task->prompt_folded = "";
        task->metadata = "{}";
        task->output_text = task->session_id = NULL;
        task->failure_message = failure_name(task->failure_code);
    } else if (run->redaction) {
        hide_task(run, task);
    }
}

static void hide_step(const struct run *run, struct step_record *step)
{
    step->output_text = redaction_hide(run->redaction, step->output_text);
    step->failure_message = redaction_hide(run->redaction, step->failure_message);
    step->details = redaction_hide_json(run->redaction, step->details, false);
}

struct step_list stored_texts_of_steps(const struct run *run)
{
    struct step_record *steps = ARENA_ARRAY(run->arena, struct step_record, run->steps.count);

    if (!is_private(run) && !run->redaction)
        return run->steps;
    for (size_t i = 0; i < run->steps.count; i++) {
        steps[i] = run->steps.items[i];
        if (!is_private(run)) {
            hide_step(run, &steps[i]);
            continue;
        }
        steps[i].output_text = steps[i].details = NULL;
        steps[i].failure_message = failure_name(steps[i].failure_code);
    }
    return (struct step_list){run->steps.count, steps};
}

void stored_texts_of_outcome(const struct run *run, struct outcome *outcome)
{
    if (is_private(run)) {
        outcome->details = NULL;
        outcome->failure_message = failure_name(outcome->failure_code);
    } else if (run->redaction) {
        outcome->details = redaction_hide_json(run->redaction, outcome->details, false);
        outcome->failure_message = redaction_hide(run->redaction, outcome->failure_message);
    }
}
