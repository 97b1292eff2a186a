/* How live data is doing: health, promises and freshness, fetched again while somebody looks. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createResource } from '../../shared/ui/resource.js';
import { onAccessToken } from '../../shared/ui/session.js';
import { askMetrics, metricRows } from '../words.js';
import { view } from './view.js';

const everyMs = 10000;
/** @type {Client<'livedata'>} */
const client = createClient();
/** @type {GetData<'livedata'>} */
const get = async (path, options) => (await client.get(path, options)).data;

/* The widest window of each metric: what has happened at all. */
async function freshness(signal) {
    const catalog = await get('/v1/catalog', { signal });
    const pairs = Object.entries(catalog.metrics).map(([name, metric]) => [name, metric.available_windows.at(-1)]);
    return metricRows(catalog, await askMetrics(client, pairs, signal));
}

const app = mount(document.getElementById('page'), view, {});
const health = createResource(app.update, (signal) => get('/v1/health', { signal }));
const promises = createResource(app.update, (signal) => get('/v1/slo', { signal }));
const fresh = createResource(app.update, freshness);
app.set({ health, promises, fresh });
const refused = () => promises.error?.kind === 'unauthorized';
/* One question to see whether a key is needed: each refusal counts against the reader's address. */
async function start() {
    await promises.load();
    if (!refused()) await fresh.load();
}
health.load();
start();
for (const resource of [health, promises, fresh]) resource.every(everyMs);
onAccessToken((token) => token !== null && start());
