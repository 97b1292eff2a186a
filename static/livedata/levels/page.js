/* Service levels: each with its objective, its state, and its error budget over time. */
import '../../shared/shell.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { onAccessToken } from '../../shared/ui/session.js';
import { view } from './view.js';

const everyMs = 60000;
const dayMs = 86400000;
const defaults = { period: '30d' };
const periods = { '7d': { days: 7, step: '1h' }, '30d': { days: 30, step: '6h' }, '90d': { days: 90, step: '1d' } };
/** @type {Client<'livedata'>} */
const client = createClient();
let app = null;
const update = () => app?.update();

const periodOf = () => (readQuery(defaults).period in periods ? readQuery(defaults).period : defaults.period);

/* The levels as they are now, each with its course. */
const levels = createResource(update, async (signal, period) => {
    const { days, step } = periods[period];
    const from = new Date(Date.now() - days * dayMs).toISOString();
    const { series } = (await client.get('/v1/slo/series', { query: { from, step }, signal })).data;
    return series.map((course) => ({ level: course.level, course }));
});

function show(period) {
    app.set({ period });
    return levels.load(period);
}

/* A link to one level leads to it once it is there. */
async function start() {
    await show(periodOf());
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

const actions = {
    choose(period) {
        writeQuery({ period }, defaults, { step: true });
        show(period);
    },
};

app = mount(document.getElementById('page'), view, { levels, period: periodOf(), periods: Object.keys(periods), actions });
onQuery(() => show(periodOf()));
onAccessToken((token) => token !== null && start());
start();
levels.every(everyMs);
