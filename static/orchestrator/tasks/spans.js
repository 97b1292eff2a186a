/* The steps of a task as spans of time: each from the start of its own call to its end. */

/* Steps whose call was never made, or whose times are not known, have no span. */
/** @param {orchestrator.TaskDetail} task */
export function spansOf(task) {
    const begin = Date.parse(task.accepted_at);
    return task.steps
        .filter((step) => step.started_at !== null && step.completed_at !== null)
        .map((step) => {
            const start = Math.max(0, Date.parse(String(step.started_at)) - begin);
            return {
                id: step.step_index,
                parent: null,
                name: step.model_display_name,
                start,
                duration: Math.max(0, Date.parse(String(step.completed_at)) - begin - start),
                tone: step.status === 'succeeded' ? 'good' : 'danger',
            };
        });
}
