/*
 * A conversation: what was asked, what was answered, and what is on its way. It outlives a reload, and
 * a person's reply arrives while the page is open.
 */
import { ApiError } from '../../shared/ui/errors.js';
import { openStream } from '../../shared/ui/stream.js';
import { messageOf } from './message.js';

const keptMessages = 40;
const answerTimeoutMs = 150000;

/* Before the first word came, these may be mended by asking without a stream. */
const streamTroubles = ['network', 'malformed', 'missing'];

/* What the stream says of itself, as the failure that a plain answer would be. */
function errorOfStream(detail) {
    return new ApiError('server', String(detail ?? ''), { status: null });
}

/**
 * kept: {read(): {session, messages}, write(value)}, where the conversation outlives the page;
 * onReply(): a person has replied.
 *
 * @param {() => void} update
 * @param {{client: any, kept: {read: () => any, write: (value: any) => void}, onReply?: () => void}} how
 */
export function createConversation(update, { client, kept, onReply = () => {} }) {
    const found = kept.read() ?? { session: null, messages: [] };
    let count = Math.max(0, ...found.messages.map(({ id }) => id));
    let running = null;
    let stream = null;
    let listensTo = null;

    const conversation = {
        session: found.session,
        messages: found.messages.filter(({ state }) => state === 'done'),
        busy: false,
        waits: false /* for a person */,

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

        /* Hands the conversation to a person, with a comment for the team; it needs a name for that, though nothing was said. */
        async escalate(question, comment) {
            conversation.session ??= crypto.randomUUID().replaceAll('-', '');
            const body = { session_id: conversation.session, question, ...(comment ? { comment } : {}) };
            await client.post('/api/escalate', body);
            conversation.waits = true;
            keep();
            listen();
            if (comment) await conversation.refresh(); /* the comment is a message of the conversation */
        },

        begin() {
            running?.abort();
            Object.assign(conversation, { session: null, messages: [], waits: false });
            listen();
            keep();
        },

        /* Shows an earlier conversation, or this one as the service has it now. */
        async open(session) {
            const { data } = await client.get(`/api/sessions/${encodeURIComponent(session)}/history`);
            if (conversation.session !== session) {
                running?.abort();
                conversation.messages = [];
            }
            conversation.session = session;
            conversation.waits = data.waits_for_person;
            merge(data.messages.map(messageOf));
            listen();
            seen();
        },

        /* After a reload: what has happened meanwhile. A conversation that is gone stays as it was seen. */
        async refresh() {
            if (conversation.session === null) return;
            try {
                await conversation.open(conversation.session);
            } catch (error) {
                if (!(error instanceof ApiError)) throw error;
            }
        },

        /* The customer looks at the page: replies are read. */
        seen,

        question: () => conversation.messages.findLast(({ role }) => role === 'user')?.text ?? '',
    };

    /* Messages that the page has already keep their place, so that nothing is announced twice. */
    function merge(messages) {
        const failed = conversation.messages.findIndex(({ state }) => state !== 'done');
        const unsent = failed < 0 ? [] : conversation.messages.slice(Math.max(0, failed - 1)); /* with its question */
        const old = failed < 0 ? [...conversation.messages] : conversation.messages.slice(0, Math.max(0, failed - 1));
        conversation.messages = messages.map((message) => {
            const at = old.findIndex(({ role, text, state }) => state === 'done' && role === message.role && text === message.text);
            const known = at < 0 ? null : old.splice(0, at + 1).at(-1);
            return Object.assign(known ?? { id: ++count }, message, { result: message.result ?? known?.result ?? null });
        });
        conversation.messages.push(...unsent);
        keep();
    }

    async function seen() {
        if (document.visibilityState !== 'visible' || conversation.session === null) return;
        if (!conversation.messages.some(({ fromPerson }) => fromPerson)) return;
        await client.post(`/api/sessions/${encodeURIComponent(conversation.session)}/read`).catch(() => {});
    }

    /* Hears of replies as long as one may come. */
    function listen() {
        const wanted = conversation.waits || conversation.messages.some(({ fromPerson }) => fromPerson) ? conversation.session : null;
        if (wanted === listensTo) return;
        const heard = async () => {
            if (conversation.session !== wanted || conversation.busy) return;
            const before = conversation.messages.length;
            await conversation.refresh();
            if (conversation.messages.length > before) onReply();
        };
        stream?.close();
        listensTo = wanted;
        stream =
            wanted === null
                ? null
                : openStream({
                      client,
                      path: `/api/sessions/${encodeURIComponent(wanted)}/events`,
                      onMissed: heard,
                      onEvent: heard,
                  });
    }

    function keep() {
        const done = conversation.messages.filter(({ state }) => state === 'done').slice(-keptMessages);
        kept.write({ session: conversation.session, messages: done });
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

    /* Whether a person will reply now, or has replied while the answer was being written. */
    async function checkReplies({ result }) {
        const usual = result?.route === 'auto' || result?.route === 'agentic';
        if (result && (!usual || listensTo !== null)) await conversation.refresh();
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
            if (running === mine) await checkReplies(message);
        }
    }

    return conversation;
}
