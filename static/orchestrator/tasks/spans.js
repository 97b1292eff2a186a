/*
 * The steps of a run as spans of time: each from the start of its call to its end, with the time of its first output;
 * below a step the calls that it took, where one was not enough.
 */

const known = (time) => time !== null && time !== undefined;

/* {start, duration, mark} in milliseconds after `begin`. */
function timesOf({ started_at: started, first_output_at: first = null, completed_at: completed }, begin) {
    const start = Math.max(0, Date.parse(started) - begin);
    return {
        start,
        duration: Math.max(0, Date.parse(completed) - begin - start),
        mark: known(first) ? Math.max(start, Date.parse(first) - begin) : null,
    };
}

/* Step index → its calls, from the event that ended the step; only where it took several. */
function callsOf(events) {
    const calls = new Map();
    for (const { payload } of events ?? []) if (payload?.details?.calls) calls.set(payload.step_index, payload.details.calls);
    return calls;
}

/* Steps whose call was never made, or whose times are not known, have no span. */
/** @param {orchestrator.TaskDetail} task */
export function spansOf(task) {
    const begin = Date.parse(task.accepted_at);
    const calls = callsOf(task.events);
    return task.steps
        .filter((step) => known(step.started_at) && known(step.completed_at))
        .flatMap((step) => {
            const id = `step-${step.step_index}`;
            const tries = (calls.get(step.step_index) ?? []).filter((call) => known(call.started_at) && known(call.completed_at));
            const times = timesOf(step, begin);
            const start = Math.min(times.start, ...tries.map((call) => timesOf(call, begin).start));
            return [
                {
                    ...times,
                    id,
                    parent: null,
                    name: `${step.step_index}. ${step.model_display_name}`,
                    start,
                    duration: times.start + times.duration - start,
                    tone: step.status === 'succeeded' ? 'good' : 'danger',
                    cost: step.cost_usd,
                },
                ...tries.map((call, index) => ({
                    ...timesOf(call, begin),
                    id: `${id}-${index}`,
                    parent: id,
                    name: call.model_id,
                    tone: call.failure_code === null ? 'good' : 'danger',
                    cost: call.cost_usd,
                    failure: call.failure_message,
                })),
            ];
        });
}
