/*
 * A conversation: what was asked, what was answered, and what is on its way. It is kept in the tab,
 * so that a reload finds it again, sources included.
 */
import { ApiError } from '../../shared/ui/errors.js';
import { recall, remember } from '../../shared/ui/session.js';
import { client } from '../service.js';

const keptMessages = 40;
const answerTimeoutMs = 150000;

/* Before the first word came, these may be mended by asking without a stream. */
const streamTroubles = ['network', 'malformed', 'missing'];

/* What the stream says of itself, as the failure that a plain answer would be. */
function errorOfStream(detail) {
    return new ApiError('server', String(detail ?? ''), { status: null });
}

export function createConversation(update) {
    const kept = recall('chat', { session: null, messages: [] });
    let count = Math.max(0, ...kept.messages.map(({ id }) => id));
    let running = null;

    const conversation = {
        session: kept.session,
        messages: kept.messages.filter(({ state }) => state === 'done'),
        busy: false,

        /* confirm: what the reader said to a question of the last answer. */
        async ask(question, { confirm = null } = {}) {
            add({ role: 'user', text: question, state: 'done' });
            await answer(question, confirm);
        },

        /* Asks the question of a failed answer once more, in its place. */
        async retry(message) {
            conversation.messages = conversation.messages.filter((one) => one !== message);
            await answer(message.question, null);
        },

        stop: () => running?.abort(),

        async vote(message, rating, reason = '') {
            const before = message.vote ?? null;
            change(message, { vote: rating });
            const body = { trace_id: message.result.trace_id, session_id: conversation.session, rating, reason };
            try {
                await client.post('/api/feedback', body);
            } catch (error) {
                change(message, { vote: before });
                throw error;
            }
        },

        /* Hands the conversation to a person; it needs a name for that, though nothing was said. */
        async escalate(question, reason) {
            conversation.session ??= crypto.randomUUID().replaceAll('-', '');
            const body = { session_id: conversation.session, question, ...(reason ? { reason } : {}) };
            const { data } = await client.post('/api/escalate', body);
            add({ role: 'note', text: data.message, state: 'done' });
        },

        begin() {
            running?.abort();
            conversation.session = null;
            conversation.messages = [];
            keep();
        },

        /* Shows an earlier conversation; `messages` are those of the API. */
        open(session, messages) {
            running?.abort();
            conversation.session = session;
            conversation.messages = messages.map(({ role, content, created_at: at, trace_id: trace }) => ({
                id: ++count,
                role: role === 'user' ? 'user' : 'assistant',
                text: content,
                at: at ?? null,
                state: 'done',
                past: true,
                trace: trace ?? null,
            }));
            keep();
        },

        question: () => conversation.messages.findLast(({ role }) => role === 'user')?.text ?? '',
    };

    function keep() {
        const done = conversation.messages.filter(({ state }) => state === 'done').slice(-keptMessages);
        remember('chat', { session: conversation.session, messages: done });
        update();
    }

    function add(message) {
        const added = { id: ++count, at: new Date().toISOString(), ...message };
        conversation.messages = [...conversation.messages, added];
        keep();
        return added;
    }

    function change(message, patch) {
        Object.assign(message, patch);
        if (patch.state === undefined && patch.vote === undefined) update();
        else keep();
    }

    function take(message, result) {
        conversation.session = result.session_id;
        change(message, { text: result.answer, result, state: 'done' });
    }

    async function streamed(message, body, signal) {
        const options = { method: 'POST', body, signal, timeoutMs: answerTimeoutMs };
        for await (const { data } of client.events('/api/ask/stream', options)) {
            if (data.type === 'token_start') change(message, { text: '' }); // the answer begins anew
            else if (data.type === 'token') change(message, { text: message.text + data.token });
            else if (data.type === 'error') throw errorOfStream(data.detail);
            else if (data.type === 'result') return take(message, data);
        }
        throw new ApiError('cut', '');
    }

    async function plain(message, body, signal) {
        const { data } = await client.post('/api/ask', body, { signal, timeoutMs: answerTimeoutMs });
        take(message, data);
    }

    async function answer(question, confirm) {
        const message = add({ role: 'assistant', text: '', question, state: 'waiting' });
        const body = { question, session_id: conversation.session, ...(confirm === null ? {} : { confirm }) };
        const mine = (running = new AbortController());
        conversation.busy = true;
        update();
        try {
            await streamed(message, body, mine.signal).catch((error) => {
                if (mine.signal.aborted || message.text !== '' || !streamTroubles.includes(error.kind)) throw error;
                return plain(message, body, mine.signal);
            });
        } catch (error) {
            if (mine.signal.aborted) change(message, { state: 'stopped' });
            else if (error instanceof ApiError) change(message, { state: 'failed', error });
            else throw error;
        } finally {
            if (running === mine) conversation.busy = false;
            update();
        }
    }

    return conversation;
}
