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
import { askMetrics, metricRows, typeName, typeOfId } from '../words.js';
import { view } from './view.js';

const defaults = { tab: 'entity', type: 'order', id: '', q: '', at: '', metric: '', window: '', period: 'week', question: '' };
const listed = 8;
const answered = 20;
/* What lists the newest, or all, of a type. */
const lists = { order: 'orders in the last 30 days', session: 'sessions in the last 30 days', user: 'users', product: 'products' };
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
        if (error instanceof ApiError && ['missing', 'rejected', 'forbidden', 'validation'].includes(error.kind)) return null;
        throw error;
    }
}

const catalog = createResource(update, (signal) => get('/v1/catalog', { signal }));

/** @returns {Promise<Record<string, any>[] | null>} */
async function ask(question, signal) {
    const rows = await ifThere(client.post('/v1/query', { question, limit: listed }, { signal }));
    return rows === null ? null : rows.data.rows;
}

const entity = createResource(update, async (signal, type, id, at) => {
    const name = /** @type {const} */ (`${encodeURIComponent(type)}/${encodeURIComponent(id)}`);
    const [found, lineage, timeline, orders] = await Promise.all([
        get(`/v1/entity/${name}`, { query: at === '' ? {} : { as_of: at }, signal }),
        type === 'user' ? null : ifThere(get(`/v1/lineage/${name}`, { signal })),
        type === 'order' ? ifThere(get(`/v1/entity/order/${encodeURIComponent(id)}/timeline`, { signal })) : null,
        type === 'user' ? ask(`orders of ${id}`, signal) : null,
    ]);
    return { ...found, lineage, timeline, orders };
});

/* The rows of what a search finds, the best first. */
async function search(type, text, signal) {
    const { results } = await get('/v1/search', { query: { q: text, entity_types: type, limit: listed }, signal });
    const requests = results.map(({ id }) => ({ id, type: 'entity', params: { entity_type: type, entity_id: id } }));
    if (requests.length === 0) return [];
    const answers = (await client.post('/v1/batch', { requests }, { signal })).data.results;
    return answers.filter(({ data }) => data).map(({ data }) => /** @type {any} */ (data).data ?? data);
}

/* What is there to pick from: what a text finds, else the newest. */
const found = createResource(update, async (signal, type, text) => {
    const rows = text === '' && type in lists ? await ask(lists[type], signal) : null;
    return rows ?? search(type, text || type, signal);
});

/* What is shown over time: how long, and step by step. */
const periods = { day: { days: 1, step: '1h' }, week: { days: 7, step: '1h' }, month: { days: 30, step: '1d' } };
const windowOfStep = { '1h': '1h', '1d': '24h' };

/* The metric over time, with the thresholds of alerts that judge it by the same length; null where it has none. */
async function overTime(name, period, signal) {
    const { days, step } = periods[period];
    const from = new Date(Date.now() - days * 86400000).toISOString();
    const [series, alerts] = await Promise.all([
        ifThere(get(`/v1/metrics/${encodeURIComponent(name)}/series`, { query: { from, step }, signal })),
        ifThere(get('/v1/alerts', { signal })),
    ]);
    if (series === null) return null;
    const marks = (alerts?.alerts ?? []).filter(
        ({ active, metric: one, window, condition }) => active && one === name && window === windowOfStep[step] && condition !== 'change_pct',
    );
    return { ...series, period, marks };
}

const metric = createResource(update, async (signal, name, window, period) => {
    const { available_windows: windows } = catalog.data.metrics[name];
    const [now, results, trend] = await Promise.all([
        get(`/v1/metrics/${encodeURIComponent(name)}`, { query: { window }, signal }),
        askMetrics(client, windows.map((one) => [name, one]), signal),
        catalog.data.metrics[name].kind ? overTime(name, period, signal) : null,
    ]);
    return { ...now, windows: metricRows(catalog.data, results), trend };
});

/* The statement beside the answer; a refusal of the guard is an error with its reason. */
const answer = createResource(update, async (signal, question, cursor = null) => {
    const body = { question, limit: answered, ...(cursor === null ? {} : { cursor }) };
    const [explained, rows] = await Promise.all([
        client.post('/v1/query/explain', { question }, { signal }),
        client.post('/v1/query', body, { signal, timeoutMs: 90000 }),
    ]);
    return { question, explained: explained.data, ...rows.data };
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
            options: () => Object.keys(catalog.data?.entities ?? { order: null }).map((value) => ({ value, title: typeName(value) })),
        },
        { name: 'id', kind: 'search', label: () => t('explorer.id'), placeholder: () => t('explorer.id_hint') },
    ],
    onInput: ({ type }) => type !== app.state.type && go({ type, id: '', q: '', at: '' }),
    onSubmit: find,
});
const questionForm = createForm(update, {
    id: 'ask',
    fields: [{ name: 'question', kind: 'search', label: () => t('explorer.question'), hint: () => t('explorer.question_note'), maxLength: 1000 }],
    onSubmit: ({ question }) => question && go({ question }),
});

/* A number is opened, words are searched for. */
function find({ type, id }) {
    const text = (id ?? '').trim();
    const known = typeOfId(text);
    if (known !== null || /^\S*\d\S*$/.test(text)) go({ type: known ?? type, id: text, q: '', at: '' });
    else go({ type, id: '', q: text, at: '' });
}

async function showEntity({ type, id, q, at }) {
    entityForm.write({ type, id: id || q });
    if (id === '') {
        found.open(type, q);
        return;
    }
    const data = await entity.open(type, id, at);
    if (data === undefined && entity.error?.kind === 'missing' && app.state.id === id) found.open(type, id);
}

function showMetric({ metric: wanted, window, period: asked }) {
    const name = wanted in catalog.data.metrics ? wanted : Object.keys(catalog.data.metrics)[0];
    const windows = catalog.data.metrics[name].available_windows;
    const shown = windows.includes(window) ? window : windows.at(-1);
    const period = asked in periods ? asked : 'week';
    app.set({ metricName: name, window: shown, period });
    metric.open(name, shown, period);
}

function showQuestion({ question }) {
    if (question === (answer.data?.question ?? '') && answer.error === null) return;
    questionForm.write({ question });
    if (question !== '') answer.open(question);
}

/* Shows what the address says. */
function follow() {
    const query = readQuery(defaults);
    const { tab, type, id, q, at } = query;
    app.set({ tab, type, id, q, at });
    nameTitle({ entity: id || q, metric: query.metric, question: query.question }[tab]);
    if (catalog.data === undefined) return;
    ({ entity: showEntity, metric: showMetric, question: showQuestion })[tab]?.(query);
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
    type: 'order',
    id: '',
    q: '',
    at: '',
    metricName: null,
    window: null,
    period: 'week',
    actions: {
        go,
        start: () => catalog.reload().then(follow),
        page: (cursor) => answer.load(answer.data.question, cursor),
    },
});
onQuery(follow);
catalog.load().then(follow);
