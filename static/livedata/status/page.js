/* What needs somebody, how many events come, how much of each error budget is left, and what is fresh, stale or silent; fetched again while somebody looks. */
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
const slowMs = 60000; /* what is drawn over time moves slowly */
const dayMs = 86400000;
/* Ranges of the rate of events: their days and steps. */
const periods = { day: [1, '1h'], week: [7, '1h'], month: [30, '1d'] };
/** @type {Client<'livedata'>} */
const client = createClient();
/** @type {GetData<'livedata'>} */
const get = async (path, options) => (await client.get(path, options)).data;

/* The widest window of each metric: what has happened at all. */
async function keyFigures(signal) {
    const catalog = await get('/v1/catalog', { signal });
    const pairs = Object.entries(catalog.metrics).map(([name, metric]) => [name, metric.available_windows.at(-1)]);
    return pairs.length === 0 ? [] : metricRows(catalog, await askMetrics(client, pairs, signal));
}

/* The levels as they are now, each with its course; none where no file declares any. */
async function levelRows(signal) {
    try {
        const { series } = await get('/v1/slo/series', { query: { step: '6h' }, signal });
        return series.map((course) => ({ level: course.level, course }));
    } catch (error) {
        if (error instanceof ApiError && error.code === 'slo_file_missing') return [];
        throw error;
    }
}

/* The rate begins with a whole step. */
function rateOf(signal, period) {
    const [days, step] = periods[period];
    const length = step === '1d' ? dayMs : dayMs / 24;
    const from = new Date(Math.ceil((Date.now() - days * dayMs) / length) * length).toISOString();
    return get('/v1/events/rate', { query: { from, step }, signal });
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

/* What is further down the page is fetched when it comes into sight. */
const seen = new Set();
const later = new Map([
    ['rate', () => (rate.load(app.state.period), rate.every(slowMs))],
    ['key-figures', () => (figures.load(), figures.every(everyMs))],
]);
function showSeen() {
    for (const id of admitted ? seen : []) {
        later.get(id)?.();
        later.delete(id);
    }
}
const sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) seen.add(target.id);
    showSeen();
});

/* One question to see whether a key is needed, before all others: each refusal counts against the reader's address. */
let admitted = false;
async function freshness(signal) {
    const report = await get('/v1/freshness', { signal });
    if (!admitted) {
        admitted = true;
        for (const resource of [levels, open]) resource.load();
        open.every(everyMs);
        levels.every(slowMs);
        showSeen();
    }
    return report;
}

const health = createResource(update, (signal) => get('/v1/health', { signal }));
const levels = createResource(update, levelRows);
const figures = createResource(update, keyFigures);
const fresh = createResource(update, freshness);
const rate = createResource(update, rateOf);
const open = createResource(update, needs);
const actions = {
    choosePeriod(period) {
        app.set({ period });
        rate.load(period);
    },
    watch: (element) => element && sight.observe(element),
};
app = mount(document.getElementById('page'), view, { health, levels, figures, fresh, rate, open, form, period: 'day', periods: Object.keys(periods), actions });
form.write({});
health.load();
fresh.load();
for (const resource of [health, fresh]) resource.every(everyMs);
onAccessToken((token) => {
    if (token === null) return;
    admitted = false;
    fresh.load();
});
