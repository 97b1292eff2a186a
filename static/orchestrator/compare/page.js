/* One question to several models, their answers side by side. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { readQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { answerTimeoutMs, client, loadModels } from '../models.js';
import { view } from './view.js';

let app = null;
const update = () => app?.update();
const models = createResource(update, loadModels);
const result = createResource(update, async (signal, body) => (await client.post('/api/v1/compare', body, { signal, timeoutMs: answerTimeoutMs })).data);
const state = { models, result, prompt: readQuery({ q: '' }).q, chosen: new Set() };

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
    compare: () => result.load({ prompt: state.prompt.trim(), models: [...state.chosen] }),
};

app = mount(document.getElementById('page'), view, state);
models.load().then((data) => {
    for (const { id } of data?.models.slice(0, 2) ?? []) state.chosen.add(id);
    update();
});
