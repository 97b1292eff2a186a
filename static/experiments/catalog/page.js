/* The catalog of metrics: the list at /catalog, each metric at an address of its own. */
import '../../shared/shell.js';
import { onLocale, t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { createList } from '../../shared/ui/list.js';
import { createResource } from '../../shared/ui/resource.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { nameThePage } from '../title.js';
import { askForMetric } from './fields.js';
import { columns, filters, view } from './view.js';

/** @type {Client<'experiments'>} */
const client = createClient();
const id = pathParameters('/catalog/{id}').id ?? null;
const pathOf = (metric) => /** @type {const} */ (`/api/v1/metrics/${encodeURIComponent(metric)}`);
const app = mount(document.getElementById('page'), view, { id, list: null, metric: null, actions: {} });
const metric = createResource(app.update, async (signal) => (await client.get(pathOf(id), { signal })).data);

const list = createList(app.update, {
    columns,
    filters,
    key: (row) => row.id,
    caption: () => t('catalog.title'),
    empty: ({ q, kind }) => (q || kind ? { title: t('list.none_fits') } : { title: t('catalog.none'), text: t('catalog.none_text') }),
    load: async (signal, { page, size, q, kind }) => {
        const { data } = await client.get('/api/v1/metrics', { query: { q, kind, limit: size, offset: (page - 1) * size }, signal });
        return { rows: data.metrics, total: data.total };
    },
});

function showName() {
    if (!metric.data) return;
    const { name, event_name: event } = metric.data.metric.definition;
    nameThePage(name);
    document.getElementById('lead').textContent = event;
}

async function load() {
    await metric.load();
    showName();
}

async function add() {
    const made = await askForMetric(client);
    if (made) location.assign(address(`/catalog/${encodeURIComponent(made.metric.id)}`));
}

async function edit(before) {
    const made = await askForMetric(client, before);
    if (!made) return;
    metric.set(made);
    showName();
    toast(t('catalog.saved', { version: made.metric.version }));
}

async function remove({ id: gone, definition }) {
    if (!(await confirm({ title: t('catalog.delete_title', { name: definition.name }), text: t('catalog.delete_text'), action: t('catalog.delete') }))) return;
    await attempt(async () => {
        await client.delete(pathOf(gone));
        location.assign(address('/catalog'));
    });
}

app.set({ list, metric, actions: { add, edit, remove, load } });
if (id === null) list.start();
else {
    onLocale(showName);
    load();
}
