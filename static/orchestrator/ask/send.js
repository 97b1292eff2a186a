/*
 * One prompt to the models that were chosen: one model is streamed, several are asked at once, and
 * `smart` leaves the way to the service.
 */
import { ApiError } from '../../shared/ui/errors.js';
import { answerTimeoutMs, client } from '../models.js';

/* What each kind of choice sends: {path, body}. */
export function requestOf({ mode, models }, prompt, session) {
    if (mode === 'smart') return { path: '/api/v1/smart', body: { prompt } };
    if (mode === 'debate') return { path: '/api/v1/debate', body: { topic: prompt, model: models[0].id } };
    if (models.length === 1)
        return { path: '/api/v1/orchestrate/stream', streamed: true, body: { prompt, model: models[0].id, session_id: session, decompose: true } };
    return {
        path: '/api/v1/orchestrate',
        body: {
            prompt,
            models: models.map(({ id }) => id),
            quorum: models.length,
            merge_strategy: 'concat',
            cancel_on_quorum: false,
            reasoning: models.every((model) => model.reasoning_capable),
            decompose: false,
            session_id: session,
        },
    };
}

async function streamed({ path, body }, signal, onText) {
    let text = '';
    let task = null;
    for await (const { event, data } of client.events(path, { method: 'POST', body, signal, timeoutMs: answerTimeoutMs })) {
        task = data.task_id ?? task;
        if (event === 'delta') onText((text += data.text));
        else if (event === 'error') throw new ApiError('rejected', data.text, { code: data.code ?? null });
        else if (event === 'complete') return { text: data.text, task, duration: data.duration_ms };
    }
    throw new ApiError('network', '');
}

/* The stored task fills in what an answer does not say: which model said what. */
async function answersOf(task) {
    try {
        const { data } = await client.get(`/api/v1/tasks/${encodeURIComponent(task)}`);
        return data.steps
            .filter((step) => step.output_text || step.failure_message)
            .map((step) => ({ model: step.model_display_name, text: step.output_text ?? '', failure: step.failure_message, status: step.status, duration: step.duration_ms, cost: step.cost_usd }));
    } catch {
        return [];
    }
}

/* {content, meta} of the answer; onText(text) while it comes. */
export async function send(choice, prompt, session, signal, onText) {
    const request = requestOf(choice, prompt, session);
    const meta = { models: choice.mode === 'smart' ? [] : choice.models.map(({ display_name: name }) => name) };
    if (request.streamed) {
        const { text, task, duration } = await streamed(request, signal, onText);
        return { content: text, meta: { ...meta, task, duration_ms: duration, answers: [] } };
    }
    /** @type {{ data: Partial<orchestrator.Orchestration> & Partial<orchestrator.Smart> & Partial<orchestrator.Debate> }} */
    const { data } = await client.post(/** @type {any} */ (request.path), request.body, { signal, timeoutMs: answerTimeoutMs });
    if (data.status === 'failed') throw new ApiError('rejected', data.failure_message ?? data.output_text ?? '', { code: data.failure_code });
    return {
        content: data.output_text ?? data.improved_response ?? '',
        meta: {
            models: choice.mode === 'smart' ? data.models_used ?? [] : meta.models,
            task: data.task_id,
            accounting: data.accounting,
            duration_ms: data.duration_ms,
            verification: data.verification ?? null,
            parts: data.was_decomposed ? data.subtask_count ?? null : null,
            answers: choice.models.length > 1 ? await answersOf(data.task_id) : [],
        },
    };
}
