/*
 * One turn of one column: sends its conversation through the gateway, as programs do, and fills in the answer while it
 * is streamed, with what it took and cost.
 */
import { ApiError } from '../../shared/ui/errors.js';
import { answerTimeoutMs, client } from '../models.js';

const idPrefix = 'chatcmpl-';

/* What the model gets for the answer at `index`: the turns before it that were answered, and its own question. */
export function conversationBefore(messages, index) {
    const turns = [];
    for (let i = 1; i < index; i += 2)
        if (messages[i].content !== '') turns.push(messages[i - 1], messages[i]);
    return [...turns, messages[index - 1]].map(({ role, content }) => ({ role, content }));
}

/* The part of an answer that a chunk of the stream brings. */
function takeChunk(message, chunk, sinceStart) {
    const { meta } = message;
    const delta = chunk.choices?.[0]?.delta ?? {};
    const text = (delta.content ?? '') + (delta.refusal ?? '');
    if (chunk.id?.startsWith(idPrefix)) meta.task = chunk.id.slice(idPrefix.length);
    if (text !== '' || delta.reasoning_content) meta.first_ms ??= sinceStart();
    message.content += text;
    if (delta.reasoning_content) meta.thoughts = (meta.thoughts ?? '') + delta.reasoning_content;
    if (chunk.orch?.event === 'splice') meta.splices = [...(meta.splices ?? []), chunk.orch.model_id];
    if (chunk.usage) Object.assign(meta, { input_tokens: chunk.usage.prompt_tokens, output_tokens: chunk.usage.completion_tokens });
    if (chunk.orch?.accounting) Object.assign(meta, { cost_usd: chunk.orch.accounting.cost_usd, calls: chunk.orch.accounting.calls });
}

/* Streams the answer to a request {model, messages} or {model, template} into `message`; onPart() after each part. An
 * abort passes through. */
export async function streamPrompt(request, message, signal, onPart) {
    const start = performance.now();
    const sinceStart = () => Math.round(performance.now() - start);
    const body = { ...request, stream: true, stream_options: { include_usage: true } };
    let whole = false;
    try {
        for await (const { data } of client.events('/v1/chat/completions', { method: 'POST', body, signal, timeoutMs: answerTimeoutMs })) {
            if (data.error) throw new ApiError('rejected', data.error.message, { code: data.error.code });
            whole = data === '[DONE]';
            if (!whole) takeChunk(message, data, sinceStart);
            onPart();
        }
    } finally {
        message.meta.duration_ms = sinceStart();
    }
    if (!whole) throw new ApiError('network', '');
}
