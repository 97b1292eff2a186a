/* The chat with models: wiring. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { saveBlob } from '../../shared/ui/download.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createResource } from '../../shared/ui/resource.js';
import { loadCallable } from '../models.js';
import { send } from './send.js';
import { createThreads, textOf } from './threads.js';
import { view } from './view.js';

let app = null;
let running = null;
const update = () => app?.update();
const threads = createThreads();
const models = createResource(update, loadCallable);
const usual = 'claude-sonnet-4-6';

const state = { threads, models, mode: 'single', picked: new Set(), draft: '', busy: false, listed: false, auth: null };

const chosen = () => (models.data?.models ?? []).filter(({ id }) => state.picked.has(id));
state.ready = () => state.mode === 'smart' || chosen().length > 0;

function needsSignIn(error) {
    return error.body?.detail?.code === 'model_auth_required' || error.code === 'auth_failed';
}

async function answer(prompt) {
    const message = threads.add({ role: 'assistant', content: '', state: 'waiting', prompt });
    const choice = { mode: state.mode, models: state.mode === 'smart' ? [] : chosen() };
    running = new AbortController();
    app.set({ busy: true, auth: null });
    try {
        const onText = (text) => {
            message.content = text;
            update();
        };
        const { content, meta } = await send(choice, prompt, threads.current().id, running.signal, onText);
        Object.assign(message, { content, meta, state: undefined });
    } catch (error) {
        if (running.signal.aborted) message.state = undefined;
        else if (!(error instanceof ApiError)) throw error;
        else {
            Object.assign(message, { state: 'failed', error });
            if (needsSignIn(error)) app.set({ auth: { message: error.body?.detail?.message ?? error.message, prompt: message } });
        }
    } finally {
        threads.save();
        app.set({ busy: false });
        document.getElementById('composer').scrollIntoView({ block: 'end' });
    }
}

function retry(message) {
    const thread = threads.current();
    thread.messages = thread.messages.filter((one) => one !== message);
    return answer(message.prompt);
}

function choose(ids) {
    state.picked = new Set(ids);
    update();
}

state.actions = {
    type: (draft) => app.set({ draft }),
    list: () => app.set({ listed: !state.listed }),
    model: (id) => choose([id]),
    pick: (id, wanted) => choose(wanted ? [...state.picked, id] : [...state.picked].filter((one) => one !== id)),
    mode(mode) {
        if (mode !== 'several') choose([...state.picked].slice(0, 1));
        app.set({ mode });
    },
    begin() {
        threads.begin();
        app.set({ auth: null });
        document.getElementById('query-input').focus();
    },
    open(id) {
        threads.open(id);
        app.set({ listed: false });
    },
    remove(id) {
        threads.remove(id);
        update();
    },
    download() {
        const name = `orch-thread-${new Date().toISOString().slice(0, 10)}.txt`;
        saveBlob(new Blob([textOf(threads.messages())], { type: 'text/plain' }), name);
    },
    send() {
        const prompt = state.draft.trim();
        if (prompt === '' || state.busy || !state.ready()) return;
        app.set({ draft: '' });
        threads.add({ role: 'user', content: prompt });
        answer(prompt);
    },
    stop: () => running?.abort(),
    retry,
    retryAuth: () => retry(state.auth.prompt),
};

app = mount(document.getElementById('page'), view, state);
models.load().then((data) => {
    const first = data?.models.find(({ id }) => id === usual) ?? data?.models[0];
    if (first) choose([first.id]);
});
document.getElementById('query-input').focus();
