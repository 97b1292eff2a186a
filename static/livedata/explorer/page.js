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
import { askMetrics, levelName, metricRows, typeName, typeOfId } from '../words.js';
import { firstPlan, newestPlan, sentPlan, shapesOf } from './plan.js';
import { view } from './view.js';

const defaults = { tab: 'entity', type: '', id: '', q: '', at: '', metric: '', window: '', period: 'week', question: '', plan: '' };
const listed = 8;
const answered = 20;
const relatedMost = 4;
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

const catalog = createResource(update, async (signal) => {
    const [listing, domains] = await Promise.all([get('/v1/catalog', { signal }), get('/v1/domains', { signal })]);
    return { ...listing, shapes: shapesOf(domains.domains) };
});

/** @returns {Promise<Record<string, any>[] | null>} */
async function newest(type, signal, column = null, value = null) {
    const shape = catalog.data.shapes[type];
    if (shape === undefined) return null;
    const rows = await ifThere(client.post('/v1/query', { plan: newestPlan(shape, listed, column, value), limit: listed }, { signal }));
    return rows === null ? null : rows.data.rows;
}

/* The newest rows of other entities that refer to this one by a declared column. */
function relatedTo(type, id, signal) {
    const columns = Object.values(catalog.data.shapes).flatMap(({ name, columns: all }) =>
        all.filter(({ refers_to: to }) => to === type && name !== type).map((column) => ({ type: name, column: column.name })),
    );
    return Promise.all(columns.slice(0, relatedMost).map(async (one) => ({ ...one, rows: await newest(one.type, signal, one.column, id) })));
}

/* Orders have states and payments, all others their events. */
const entity = createResource(update, async (signal, type, id, at) => {
    const name = /** @type {const} */ (`${encodeURIComponent(type)}/${encodeURIComponent(id)}`);
    const isOrder = type === 'order';
    const [found, lineage, timeline, events, related] = await Promise.all([
        get(`/v1/entity/${name}`, { query: at === '' ? {} : { as_of: at }, signal }),
        type === 'user' ? null : ifThere(get(`/v1/lineage/${name}`, { signal })),
        isOrder ? ifThere(get(`/v1/entity/order/${encodeURIComponent(id)}/timeline`, { signal })) : null,
        isOrder ? null : ifThere(get(`/v1/entity/${name}/events`, { signal })),
        at === '' ? relatedTo(type, id, signal) : [],
    ]);
    return { ...found, lineage, timeline, events, related };
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
    const rows = text === '' ? await newest(type, signal) : null;
    return rows ?? search(type, text || type, signal);
});

/* What is shown over time: how long, and step by step. */
const periods = { day: { days: 1, step: '1h' }, week: { days: 7, step: '1h' }, month: { days: 30, step: '1d' } };
const windowOfStep = { '1h': '1h', '1d': '24h' };

/* Values that do not grow with the length of their time, so that a bound holds at any step. */
const levelKinds = new Set(['average', 'min', 'max', 'quantile', 'ratio']);
const secondsOfStep = { '1h': 3600, '1d': 86400 };

/* The bounds that service levels set for values of the metric. */
function boundsOf(levels, name, step) {
    const fits = ({ metric: one, every_seconds: every }) =>
        one === name && typeof every === 'number' && (every === secondsOfStep[step] || levelKinds.has(catalog.data.metrics[name].kind));
    return levels.filter(fits).flatMap(({ name: level, minimum, maximum }) =>
        [minimum, maximum].filter((bound) => typeof bound === 'number').map((threshold) => ({ name: levelName(level), threshold })),
    );
}

/* The metric over time, with the thresholds of alerts and levels that judge it by the same length; null where it has
 * none. */
async function overTime(name, period, signal) {
    const { days, step } = periods[period];
    const from = new Date(Date.now() - days * 86400000).toISOString();
    const [series, alerts, levels] = await Promise.all([
        ifThere(get(`/v1/metrics/${encodeURIComponent(name)}/series`, { query: { from, step }, signal })),
        ifThere(get('/v1/alerts', { signal })),
        ifThere(get('/v1/slo', { signal })),
    ]);
    if (series === null) return null;
    const watched = (alerts?.alerts ?? []).filter(
        ({ active, metric: one, window, condition }) => active && one === name && window === windowOfStep[step] && condition !== 'change_pct',
    );
    return { ...series, period, marks: [...watched, ...boundsOf(levels?.slos ?? [], name, step)] };
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
const answer = createResource(update, async (signal, question, plan, cursor = null) => {
    const asked = plan === '' ? { question } : { plan: JSON.parse(plan) };
    const body = { ...asked, limit: answered, ...(cursor === null ? {} : { cursor }) };
    const [explained, rows] = await Promise.all([
        client.post('/v1/query/explain', asked, { signal }),
        client.post('/v1/query', body, { signal, timeoutMs: 90000 }),
    ]);
    return { ...rows.data, question, sent: plan, explained: explained.data };
});

/* What is asked stands in the address: the question alone, or with the plan that a person has made of it. */
async function askFor(question, plan) {
    if (plan !== '') app.set({ draft: JSON.parse(plan) });
    const data = await answer.open(question, plan);
    if (data !== undefined) app.set({ draft: data.plan });
}

const isPlan = (text) => {
    try {
        return typeof JSON.parse(text)?.select === 'string';
    } catch {
        return false;
    }
};

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
            options: () => Object.keys(catalog.data?.entities ?? {}).map((value) => ({ value, title: typeName(value) })),
        },
        { name: 'id', kind: 'search', label: () => t('explorer.id'), placeholder: () => t('explorer.id_hint') },
    ],
    onInput: ({ type }) => type !== app.state.type && go({ type, id: '', q: '', at: '' }),
    onSubmit: find,
});
const questionForm = createForm(update, {
    id: 'ask',
    fields: [{ name: 'question', kind: 'search', label: () => t('explorer.question'), hint: () => t('explorer.question_note'), maxLength: 1000 }],
    onSubmit: ({ question }) => question && go({ question, plan: '' }),
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

function showQuestion({ question, plan: given }) {
    const plan = isPlan(given) ? given : '';
    if (question === (answer.data?.question ?? '') && plan === (answer.data?.sent ?? '') && answer.error === null) return;
    questionForm.write({ question });
    if (question !== '' || plan !== '') askFor(question, plan);
}

/* Shows what the address says. */
function follow() {
    const query = readQuery(defaults);
    const { tab, id, q, at } = query;
    const types = Object.keys(catalog.data?.entities ?? {});
    const type = query.type || (types.includes('order') ? 'order' : (types[0] ?? ''));
    app.set({ tab, type, id, q, at });
    nameTitle({ entity: id || q, metric: query.metric, question: query.question }[tab]);
    if (catalog.data === undefined) return;
    ({ entity: showEntity, metric: showMetric, question: showQuestion })[tab]?.({ ...query, type });
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
    type: '',
    draft: null,
    id: '',
    q: '',
    at: '',
    metricName: null,
    window: null,
    period: 'week',
    actions: {
        go,
        start: () => catalog.reload().then(follow),
        page: (cursor) => answer.load(answer.data.question, answer.data.sent, cursor),
        edit: (patch) => app.set({ draft: { ...app.state.draft, ...patch } }),
        run: () => go({ plan: JSON.stringify(sentPlan(catalog.data.shapes, app.state.draft)) }),
        reset: () => app.set({ draft: answer.data?.plan ?? app.state.draft }),
        build: () => go({ question: '', plan: JSON.stringify(firstPlan(catalog.data.shapes)) }),
    },
});
onQuery(follow);
catalog.load().then(follow);
