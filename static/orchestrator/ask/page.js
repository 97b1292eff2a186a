/* The chat with one to four models side by side: wiring. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { saveBlob } from '../../shared/ui/download.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createResource } from '../../shared/ui/resource.js';
import { loadCallable } from '../models.js';
import { nameOf } from './column.js';
import { conversationBefore, streamPrompt } from './exchange.js';
import { createThreads, textOf } from './threads.js';
import { view } from './view.js';

const usual = 'claude-sonnet-4-6';
const mostColumns = 4;

let app = null;
let drawn = false;
const threads = createThreads();
const models = createResource(() => app?.update(), loadCallable);
const newColumn = (model = null, messages = []) => ({ id: crypto.randomUUID(), model, messages, running: null });
const columnsOf = (thread) => (thread?.columns ?? [{}]).map(({ model, messages }) => newColumn(model, [...(messages ?? [])]));

const state = { threads, models, columns: columnsOf(threads.current()), mostColumns, draft: '', listed: false };
state.busy = () => state.columns.some(({ running }) => running !== null);
state.ready = () => state.columns.every(({ model }) => model !== null);

/* Streams bring more parts than anybody can read: a picture of them per frame is enough. */
function drawSoon() {
    if (drawn) return;
    drawn = true;
    requestAnimationFrame(() => {
        drawn = false;
        app.update();
    });
}

/* Columns without a model that can be called get one that no other column has. */
function fillModels() {
    const all = models.data?.models ?? [];
    const known = new Set(['orch:smart', 'orch:consensus', ...all.map(({ id }) => id)]);
    for (const column of state.columns) {
        if (column.model !== null && known.has(column.model)) continue;
        const taken = new Set(state.columns.map(({ model }) => model));
        const free = all.filter(({ id }) => !taken.has(id));
        column.model = (free.find(({ id }) => id === usual) ?? free[0] ?? all[0])?.id ?? null;
    }
}

async function answer(thread, columns, column, message) {
    const messages = conversationBefore(column.messages, column.messages.indexOf(message));
    column.running = new AbortController();
    Object.assign(message, { content: '', state: 'waiting', error: undefined, meta: { model: column.model } });
    app.update();
    try {
        await streamPrompt({ model: column.model, messages }, message, column.running.signal, drawSoon);
        message.state = undefined;
    } catch (error) {
        const stopped = column.running.signal.aborted;
        if (!stopped && !(error instanceof ApiError)) throw error;
        if (stopped) message.meta.stopped = true;
        Object.assign(message, stopped ? { state: undefined } : { state: 'failed', error });
    } finally {
        column.running = null;
        threads.save(thread, columns);
        app.update();
    }
}

function stopAll() {
    for (const { running } of state.columns) running?.abort();
}

function show(thread) {
    stopAll();
    app.set({ columns: columnsOf(thread), listed: false });
    fillModels();
}

state.actions = {
    type: (draft) => app.set({ draft }),
    list: () => app.set({ listed: !state.listed }),
    model(column, id) {
        column.model = id;
        app.update();
    },
    addColumn() {
        if (state.columns.length === mostColumns) return;
        state.columns = [...state.columns, newColumn()];
        fillModels();
        app.update();
        requestAnimationFrame(() => state.actions.reveal(state.columns.at(-1)));
    },
    removeColumn(column) {
        column.running?.abort();
        app.set({ columns: state.columns.filter((one) => one !== column) });
    },
    reveal: ({ id }) => document.getElementById(`column-${id}`)?.scrollIntoView({ inline: 'start', block: 'nearest' }),
    begin() {
        stopAll();
        threads.begin();
        app.set({ columns: state.columns.map(({ model }) => newColumn(model)) });
        document.getElementById('query-input').focus();
    },
    open: (id) => show(threads.open(id)),
    remove(id) {
        const isOpen = threads.current()?.id === id;
        threads.remove(id);
        if (isOpen) state.actions.begin();
        else app.update();
    },
    download() {
        const name = `chat-${new Date().toISOString().slice(0, 10)}.txt`;
        saveBlob(new Blob([textOf(state.columns, (id) => nameOf(models.data, id))], { type: 'text/plain' }), name);
    },
    send() {
        const content = state.draft.trim();
        if (content === '' || state.busy() || !state.ready()) return;
        const { columns } = state;
        for (const column of columns) column.messages.push({ role: 'user', content }, { role: 'assistant', content: '', state: 'waiting', meta: {} });
        const thread = threads.touch(columns);
        app.set({ draft: '' });
        for (const column of columns) answer(thread, columns, column, column.messages.at(-1));
        requestAnimationFrame(() => document.getElementById('composer').scrollIntoView({ block: 'end' }));
    },
    stop: ({ running }) => running?.abort(),
    stopAll,
    retry: (column, message) => answer(threads.touch(state.columns), state.columns, column, message),
};

app = mount(document.getElementById('page'), view, state);
models.load().then(() => {
    fillModels();
    app.update();
});
document.getElementById('query-input').focus();
