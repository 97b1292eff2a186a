/* One question to several models, their answers side by side. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { answerTimeoutMs, client, loadCallable } from '../models.js';
import { view } from './view.js';

let app = null;
const update = () => app?.update();
const models = createResource(update, loadCallable);
const result = createResource(update, async (signal, body) => {
    const { data } = await client.post('/api/v1/compare', body, { signal, timeoutMs: answerTimeoutMs });
    return { ...data, calls: await callsOf(data.task_id, signal) };
});
const state = { models, result, prompt: readQuery({ q: '' }).q, chosen: new Set(), marked: false };

/* Model id → its call {duration_ms, cost_usd}, from the stored run: the answer itself does not say. */
async function callsOf(task, signal) {
    if (task === null) return {};
    try {
        const { data } = await client.get(`/api/v1/tasks/${encodeURIComponent(task)}`, { signal });
        return Object.fromEntries(data.steps.map((step) => [step.model_id, step]));
    } catch {
        return {};
    }
}

state.actions = {
    type(prompt) {
        app.set({ prompt });
        if (result.data !== undefined) result.outdate();
    },
    choose(id, wanted) {
        if (wanted) state.chosen.add(id);
        else state.chosen.delete(id);
        if (result.data !== undefined) result.outdate();
        update();
    },
    mark: (marked) => app.set({ marked }),
    compare: () => result.load({ prompt: state.prompt.trim(), models: [...state.chosen] }),
};

app = mount(document.getElementById('page'), view, state);
models.load().then((data) => {
    for (const { id } of data?.models.slice(0, 2) ?? []) state.chosen.add(id);
    update();
});
