/* The models, and how busy they are: looked at again while somebody looks. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createResource } from '../../shared/ui/resource.js';
import { client, loadModels, sayError } from '../models.js';
import { view } from './view.js';

const everyMs = 5000;

let app = null;
const update = () => app?.update();
const models = createResource(update, loadModels);

/* How busy models are stands in the details of one component of the readiness. */
const load = createResource(update, async (signal) => {
    const { components } = (await client.get('/api/v1/readiness', { signal })).data;
    return components.find(({ name }) => name === 'execution-router')?.details;
});

async function refresh() {
    try {
        models.set((await client.post('/api/v1/models/refresh', {}, { timeoutMs: 60000 })).data);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        sayError(error);
    }
}

app = mount(document.getElementById('page'), view, { models, load, actions: { refresh } });
models.load().then((data) => {
    if (data === undefined) return;
    load.load();
    load.every(everyMs);
});
