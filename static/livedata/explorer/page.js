/* The explorer: an entity, a metric, or a question; what is shown stands in the address. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { nameTitle } from '../../shared/title.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { askMetrics, metricRows } from '../words.js';
import { view } from './view.js';

const defaults = { tab: 'entity', type: 'order', id: '', metric: '', window: '', question: '' };
const hits = 8;
/** @type {Client<'livedata'>} */
const client = createClient();
let app = null;
const update = () => app?.update();
/** @type {GetData<'livedata'>} */
const get = async (path, options) => (await client.get(path, options)).data;

/* What may not be there: null for 404, and for routes that one kind of entity has and another has not. */
/** @template Data @param {Promise<Data>} promise */
async function ifThere(promise) {
    try {
        return await promise;
    } catch (error) {
        if (error instanceof ApiError && ['missing', 'rejected'].includes(error.kind)) return null;
        throw error;
    }
}

const catalog = createResource(update, (signal) => get('/v1/catalog', { signal }));

const entity = createResource(update, async (signal, type, id) => {
    const name = /** @type {const} */ (`${encodeURIComponent(type)}/${encodeURIComponent(id)}`);
    const [found, lineage, timeline] = await Promise.all([
        get(`/v1/entity/${name}`, { signal }),
        ifThere(get(`/v1/lineage/${name}`, { signal })),
        type === 'order' ? ifThere(get(`/v1/entity/order/${encodeURIComponent(id)}/timeline`, { signal })) : null,
    ]);
    return { ...found, lineage, timeline };
});

const found = createResource(update, (signal, type) => get('/v1/search', { query: { q: type, entity_types: type, limit: hits }, signal }));

const metric = createResource(update, async (signal, name, window) => {
    const { available_windows: windows } = catalog.data.metrics[name];
    const [now, results] = await Promise.all([
        get(`/v1/metrics/${encodeURIComponent(name)}`, { query: { window }, signal }),
        askMetrics(client, windows.map((one) => [name, one]), signal),
    ]);
    return { ...now, windows: metricRows(catalog.data, results) };
});

/* The statement beside the answer; a refusal of the guard is an error with its reason. */
const answer = createResource(update, async (signal, question, cursor = null) => {
    const body = { question, ...(cursor === null ? {} : { cursor }) };
    const [explained, answered] = await Promise.all([
        client.post('/v1/query/explain', { question }, { signal }),
        client.post('/v1/query', body, { signal, timeoutMs: 90000 }),
    ]);
    return { question, explained: explained.data, ...answered.data };
});

function go(patch) {
    writeQuery({ ...readQuery(defaults), ...patch }, defaults, { step: true });
    follow();
}

const entityForm = createForm(update, {
    id: 'entity',
    fields: [
        {
            name: 'type',
            kind: 'select',
            label: () => t('explorer.type'),
            options: () => Object.keys(catalog.data?.entities ?? { order: null }).map((value) => ({ value, title: value })),
        },
        { name: 'id', kind: 'text', label: () => t('explorer.id') },
    ],
    onInput: ({ type }) => type !== app.state.listed && list(type),
    onSubmit: ({ type, id }) => id && go({ type, id }),
});
const questionForm = createForm(update, {
    id: 'ask',
    fields: [{ name: 'question', kind: 'textarea', label: () => t('explorer.question'), rows: 2, maxLength: 1000, wide: true }],
    onSubmit: ({ question }) => question && go({ question }),
});

function list(type) {
    app.set({ listed: type });
    found.load(type);
}

function showEntity({ type, id }) {
    entityForm.write({ type, id });
    if (type !== app.state.listed) list(type);
    if (id !== '') entity.load(type, id);
}

function showMetric({ metric: wanted, window }) {
    const name = wanted in catalog.data.metrics ? wanted : Object.keys(catalog.data.metrics)[0];
    const windows = catalog.data.metrics[name].available_windows;
    const shown = windows.includes(window) ? window : windows.at(-1);
    app.set({ metricName: name, window: shown });
    metric.load(name, shown);
}

function showQuestion({ question }) {
    if (question === (answer.data?.question ?? '')) return;
    questionForm.write({ question });
    if (question !== '') answer.load(question);
}

/* Shows what the address says. */
function follow() {
    const query = readQuery(defaults);
    app.set({ tab: query.tab, id: query.id });
    nameTitle({ entity: query.id, metric: query.metric, question: query.question }[query.tab]);
    if (catalog.data === undefined) return;
    ({ entity: showEntity, metric: showMetric, question: showQuestion })[query.tab]?.(query);
}

app = mount(document.getElementById('page'), view, {
    catalog,
    entity,
    found,
    metric,
    answer,
    entityForm,
    questionForm,
    tab: 'entity',
    id: '',
    listed: null,
    metricName: null,
    window: null,
    actions: {
        go,
        start: () => catalog.reload().then(follow),
        page: (cursor) => answer.load(answer.data.question, cursor),
    },
});
onQuery(follow);
catalog.load().then(follow);
