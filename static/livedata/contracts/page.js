/* Contracts: what entities, events and metrics of all domains look like, their versions, and what changed files would do. */
import '../../shared/shell.js';
import { currentPerson, roleIn } from '../../shared/person.js';
import { nameTitle } from '../../shared/title.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createResource } from '../../shared/ui/resource.js';
import { metricName, typeName } from '../words.js';
import { view } from './view.js';

/** @type {Client<'livedata'>} */
const client = createClient();
const defaults = { entity: '', metric: '', from: '', to: '' };
let app = null;
const update = () => app?.update();
/** @type {GetData<'livedata'>} */
const get = async (path, options) => (await client.get(path, options)).data;

const all = createResource(update, async (signal) => {
    const [domains, catalog, contracts] = await Promise.all([
        get('/v1/domains', { signal }),
        get('/v1/catalog', { signal }),
        get('/v1/contracts', { signal }),
    ]);
    return { domains: domains.domains, metrics: catalog.metrics, contracts: contracts.contracts };
});

const diff = createResource(update, (signal, name, from, to) =>
    get(`/v1/contracts/${encodeURIComponent(name)}/diff/${encodeURIComponent(from)}/${encodeURIComponent(to)}`, { signal }),
);

const plan = createResource(update, (signal) => get('/v1/admin/plan', { signal }));

/* The versions of what is shown, oldest first. */
/** @param {any[]} contracts @param {Record<string, string>} query */
function versionsOf(contracts, { entity, metric }) {
    const name = metric === '' ? entity : `metric.${metric}`;
    return contracts.filter((one) => one.entity === name);
}

/* What the address names; else the first entity of the first domain. */
function chosen() {
    const query = readQuery(defaults);
    if (query.entity !== '' || query.metric !== '') return query;
    return { ...query, entity: all.data.domains.flatMap(({ entities }) => entities)[0]?.name ?? '' };
}

function show() {
    if (all.data === undefined) return;
    const query = chosen();
    const versions = versionsOf(all.data.contracts, query).map(({ version }) => version);
    const from = versions.includes(query.from) ? query.from : (versions.at(-2) ?? '');
    const to = versions.includes(query.to) ? query.to : (versions.at(-1) ?? '');
    app.set({ shown: { entity: query.entity, metric: query.metric, from, to } });
    nameTitle(query.metric === '' ? typeName(query.entity) : metricName(query.metric));
    if (versions.length > 1) diff.open(query.metric === '' ? query.entity : `metric.${query.metric}`, from, to);
}

function go(patch) {
    writeQuery({ ...defaults, ...patch }, defaults, { step: true });
    show();
}

app = mount(document.getElementById('page'), view, {
    all,
    diff,
    plan,
    shown: null,
    mayPlan: false,
    actions: { go, start: () => all.reload().then(show), check: () => plan.load() },
});
onQuery(show);
all.load().then(async () => {
    show();
    await currentPerson();
    app.set({ mayPlan: roleIn('data') === 'admin' });
});
