/* How the shop is doing: its figures, what needs somebody, and how current the data is; fetched again while somebody looks. */
import '../../shared/shell.js';
import { address } from '../../shared/place.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { createResource } from '../../shared/ui/resource.js';
import { onAccessToken } from '../../shared/ui/session.js';
import { t } from '../../shared/i18n.js';
import { askMetrics, metricRows, typeOfId } from '../words.js';
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

/* What a key may not see is not there. */
/** @template Data @param {Promise<Data>} promise */
async function ifAllowed(promise) {
    try {
        return await promise;
    } catch (error) {
        if (error instanceof ApiError && ['forbidden', 'missing'].includes(error.kind)) return null;
        throw error;
    }
}

async function needs(signal) {
    const [alerts, letters, orders] = await Promise.all([
        ifAllowed(get('/v1/alerts', { signal })),
        ifAllowed(get('/v1/deadletter', { query: { page: 1, page_size: 1 }, signal })),
        ifAllowed(get('/v1/ops/stuck-orders', { query: { page_size: 5 }, signal })),
    ]);
    return { alerts: alerts?.alerts ?? [], letters: letters?.pagination.total ?? 0, orders: orders?.items ?? [], late: orders?.pagination.total ?? 0 };
}

let app = null;
const update = () => app?.update();

/* A number leads to its entity, words with a question's shape to the answer, other words to what they find. */
function placeOf(text) {
    const type = typeOfId(text);
    if (type !== null) return new URLSearchParams({ type, id: text });
    return /\s/.test(text) ? new URLSearchParams({ tab: 'question', question: text }) : new URLSearchParams({ q: text });
}

const form = createForm(update, {
    id: 'find',
    fields: [{ name: 'text', kind: 'search', label: () => t('status.find'), hint: () => t('status.find_hint') }],
    onSubmit: ({ text }) => location.assign(address(`/explorer?${placeOf((text ?? '').trim())}`)),
});

const health = createResource(update, (signal) => get('/v1/health', { signal }));
const promises = createResource(update, (signal) => get('/v1/slo', { signal }));
const fresh = createResource(update, freshness);
const open = createResource(update, needs);
/* Service levels are for few: they are fetched when somebody opens them. */
function showTechnical() {
    app.set({ technical: true });
    promises.load();
    promises.every(everyMs);
}
app = mount(document.getElementById('page'), view, { health, promises, fresh, open, form, technical: false, actions: { showTechnical } });
/* One question to see whether a key is needed: each refusal counts against the reader's address. */
async function start() {
    await fresh.load();
    if (fresh.error?.kind !== 'unauthorized') await open.load();
}
form.write({});
health.load();
start();
for (const resource of [health, fresh, open]) resource.every(everyMs);
onAccessToken((token) => token !== null && start());
